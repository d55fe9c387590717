"""Constants in a memory that not everybody reaches: text, rules, the evaluator."""

import re

import numpy as np
import pytest
from tinsmith_ir import (
    Copy,
    EvaluationError,
    GraphError,
    evaluate_program,
    parse_program,
    print_program,
)
from tinsmith_ir.program import simple_steps
from tinsmith_ir.simulate import Completion

PROGRAM = """program 2 "p" for "t" {
  memory "m" size 64 align 4
  memory "l3" size 8 align 4 remote
  memory "theirs" align 1 caller
  engine "dma" reaches "m" unordered align 4
  engine "udma" reaches "l3", "m" align 4
  buffer %x: i8[4]<0.5, 0> in "m" at 0
  buffer %y: i8[4]<0.5, 0> in "m" at 16
  buffer %n: i8[4] in "m" at 32
  const %p: i8[4] layout "packed" in "l3" = [4, 3, 2, 1]
  const %q: i8[4] layout "packed" in "l3" = [1, 3, 2, 1]
  table %t = %p, %q at i
  input %x
  copy %p -> %n on "udma" token 40
  wait 40
  call "a" kernel "k": %y = relu(%x) reads %p in %n
  loop i of 2 {
    copy %t -> %n on "udma" token 41
    wait 41
  }
  output %y
}
"""
X = {"x": np.array([-1, 2, -3, 4], np.int8)}


def test_text_says_where_a_constant_lies() -> None:
    program = parse_program(PROGRAM)
    assert [constant.memory for constant in program.constants] == ["l3", "l3"]
    printed = print_program(program)
    assert 'const %p: i8[4] layout "packed" in "l3" = [4, 3, 2, 1]' in printed
    assert print_program(parse_program(printed)) == printed


@pytest.mark.parametrize(("which", "fetched"), [(" remote", ["p", "t"]), ("", [])])
def test_copies_of_them_are_fetches_where_the_memory_is_remote(
    which: str, fetched: list[str]
) -> None:
    """Of one by its name and of those of a table; nothing else is."""
    program = parse_program(PROGRAM.replace(" remote", which))
    found = [step for step in simple_steps(program.steps) if program.is_fetch(step)]
    assert [step.source for step in found if isinstance(step, Copy)] == fetched


@pytest.mark.parametrize("completion", ["earliest", "latest"])
def test_its_bytes_are_there_once_a_copy_has_ended(completion: Completion) -> None:
    (y,) = evaluate_program(parse_program(PROGRAM), X, completion=completion).values()
    assert y.tolist() == [0, 2, 0, 4]


@pytest.mark.parametrize("completion", ["earliest", "latest"])
def test_until_then_the_copy_holds_nothing(completion: Completion) -> None:
    late = PROGRAM.replace("  wait 40\n", "").replace("reads %p in %n\n", "reads %p in %n wait 40 ")
    with pytest.raises(GraphError, match="reads what is still being written"):
        parse_program(late)
    never = PROGRAM.replace('  copy %p -> %n on "udma" token 40\n  wait 40\n', "")
    with pytest.raises(EvaluationError, match="%n is read but 4 of its 4 bytes"):
        evaluate_program(parse_program(never), X, completion=completion)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "reads %p in %n\n",
            "reads %p\n",
            "the core does not reach 'l3', where %p lies, in\n  call",
        ),
        ('%p -> %n on "udma" token 40', "%p -> %n", "the core does not reach 'l3', where %p lies"),
        (
            '%p -> %n on "udma"',
            '%p -> %n on "dma"',
            "engine 'dma' does not reach 'l3', where %p lies",
        ),
        (
            '%t -> %n on "udma"',
            '%t -> %n on "dma"',
            "engine 'dma' does not reach 'l3', where %t lies",
        ),
        ('%q: i8[4] layout "packed" in "l3"', '%q: i8[4] layout "packed"', "members of 2 shapes"),
        ('"packed" in "l3"', '"packed" in "l4"', "%p is in 'l4', which is none of"),
        ('"packed" in "l3"', '"packed" in "theirs"', "%p is in 'theirs', which is the"),
        ("size 8", "size 3", "%p has 4 bytes, memory 'l3' has 3"),
    ],
)
def test_who_does_not_reach_it_is_refused(old: str, new: str, message: str) -> None:
    assert old in PROGRAM
    with pytest.raises(GraphError, match=re.escape(message)):
        parse_program(PROGRAM.replace(old, new))
