"""Calls that read constants where they were copied to: text, rules, the evaluator, loops."""

import numpy as np
import pytest
from tinsmith_ir import (
    Call,
    EvaluationError,
    GraphError,
    Held,
    Program,
    evaluate_program,
    parse_program,
    print_program,
    unrolled,
    verify_program,
)
from tinsmith_ir.simulate import Completion

PROGRAM = """program 2 "p" for "t" {
  memory "m" size 64 align 4
  engine "dma" reaches "m" unordered align 4
  buffer %x: i8[4]<0.5, 0> in "m" at 0
  buffer %y: i8[4]<0.5, 0> in "m" at 16
  buffer %n: i8[4] in "m" at 32
  const %p: i8[4] layout "packed" = [4, 3, 2, 1]
  const %q: i8[4] = [4, 3, 2, 2]
  input %x
  copy %p -> %n on "dma" token 1
  wait 1
  call "a" kernel "k": %y = relu(%x) reads %p in %n
  output %y
}
"""
X = {"x": np.array([-1, 2, -3, 4], np.int8)}


def held(program: Program) -> list[tuple[Held, ...]]:
    return [step.held for step in program.steps if isinstance(step, Call)]


def test_text_says_where_a_constant_is_read() -> None:
    program = parse_program(PROGRAM)
    verify_program(program)
    assert held(program) == [(Held("p", "n"),)]
    assert held(parse_program(print_program(program))) == [(Held("p", "n"),)]
    assert "reads %p in %n" in print_program(program)


@pytest.mark.parametrize("completion", ["earliest", "latest"])
def test_the_call_reads_the_copy(completion: Completion) -> None:
    (y,) = evaluate_program(parse_program(PROGRAM), X, completion=completion).values()
    assert y.tolist() == [0, 2, 0, 4]


@pytest.mark.parametrize(
    ("given", "wrong", "message"),
    [
        ("buffer %n: i8[4]", "buffer %n: i8[2,2]", "%n is i8[2,2], its constant i8[4],"),
        ("reads %p in %n", "reads %p in %o", "%o in\n  call"),
        ("reads %p in %n", "reads %q in %n", "%q, an operand of others, is read"),
    ],
)
def test_wrong_copies(given: str, wrong: str, message: str) -> None:
    with pytest.raises(GraphError) as error:
        parse_program(PROGRAM.replace(given, wrong))
    assert message in str(error.value)


def test_other_bytes_than_the_constants_are_found_when_the_call_runs() -> None:
    program = parse_program(PROGRAM.replace("copy %p", "copy %q"))
    with pytest.raises(EvaluationError, match="%n does not hold %p"):
        evaluate_program(program, X)


def test_a_copy_that_is_under_way_is_not_read() -> None:
    text = PROGRAM.replace("  wait 1\n", "").replace("  output", "  wait 1\n  output")
    with pytest.raises(GraphError, match=r"reads what is still being written by\n  copy %p -> %n"):
        parse_program(text)


def test_the_view_is_placed_in_each_iteration() -> None:
    text = PROGRAM.replace("buffer %n: i8[4] in", "buffer %near: 8 bytes in").replace(
        "  const %p", "  view %n: i8[4] of %near start 4*i\n  const %p"
    )
    begin, end = text.index("  copy"), text.index("  output")
    program = parse_program(f"{text[:begin]}  loop i of 2 {{\n{text[begin:end]}  }}\n{text[end:]}")
    verify_program(program)
    meant = unrolled(program)
    starts = [meant.view[found[0].view].start.base for found in held(meant)]
    assert starts == [0, 4]
    (y,) = evaluate_program(program, X).values()
    assert y.tolist() == [0, 2, 0, 4]
