"""From which step to which bytes are needed, in loops and without."""

from itertools import combinations

import pytest
from tinsmith_ir import Program, parse_program, unrolled
from tinsmith_ir.lifetimes import lifetimes, written_lives
from tinsmith_ir.random_programs import random_program


def program(*lines: str) -> Program:
    """Rows of x, by way of buffers of one row, to rows of y. `%from`, `%to`: of row i."""
    buffers = "\n".join(f'buffer %{name}: i8[4]<0.5, 3> in "ram"' for name in "abc")
    return parse_program(f"""program 2 "p" for "host" {{
  memory "ram" align 1
  engine "dma" reaches "ram" align 1
  buffer %x: i8[4,4]<0.5, 3> in "ram"
  buffer %y: i8[4,4]<0.5, 3> in "ram"
  {buffers}
  view %from: i8[4]<0.5, 3> of %x start 4*i
  view %to: i8[4]<0.5, 3> of %y start 4*i
  view %half: i8[2]<0.5, 3> of %b
  view %other: i8[2]<0.5, 3> of %b start 2
  view %first: i8[2]<0.5, 3> of %a
  input %x
  {chr(10).join(lines)}
  output %y
}}""")


def test_without_loops_a_buffer_is_needed_from_its_first_use_to_its_last() -> None:
    given = program("copy %x -> %y", "fill %a with 0", "fill %a with 1", "copy %a -> %b")
    spans = {"x": (-1, 0), "y": (0, 4), "a": (1, 3), "b": (3, 3)}
    assert lifetimes(given) == spans
    found = written_lives(given)
    assert (found.spans, found.numbers) == (spans, (0, 1, 2, 3))
    assert found.lives["a"] == ((1, 1), (2, 3))


def test_what_each_iteration_writes_anew_is_needed_in_a_part_of_the_body() -> None:
    found = written_lives(
        program(
            "loop i of 4 {",
            "copy %from -> %a",
            "copy %a -> %b",
            "copy %b -> %c",
            "copy %c -> %to",
            "}",
        )
    )
    assert found.spans == {"x": (-1, 3), "y": (0, 4), "a": (0, 1), "b": (1, 2), "c": (2, 3)}
    assert found.numbers == (0, 1, 2, 3) * 4
    assert found.lives["b"][1] == (5, 6)


def test_what_one_iteration_leaves_for_the_next_is_needed_in_the_whole_loop() -> None:
    found = written_lives(
        program("fill %a with 0", "loop i of 4 {", "copy %a -> %to", "copy %from -> %a", "}")
    )
    assert found.spans["a"] == (0, 2)


def test_what_is_written_in_parts_is_needed_in_the_whole_loop() -> None:
    found = written_lives(
        program(
            "fill %b with 0",
            "loop i of 4 {",
            "copy %from -> %a",
            "copy %first -> %half",
            "copy %first -> %other",
            "copy %b -> %to",
            "fill %c with 0",
            "}",
        )
    )
    assert found.spans["b"] == (0, 5)
    assert found.spans["a"] == (1, 3)


def test_an_inner_loop_is_one_part_of_an_iteration() -> None:
    found = written_lives(
        program(
            "loop i of 2 {",
            "fill %a with 0",
            "loop j of 2 {",
            "copy %x -> %y",
            "fill %b with 0",
            "copy %a -> %b",
            "}",
            "fill %c with 0",
            "}",
        )
    )
    assert found.spans["a"] == (0, 3)
    assert found.spans["b"] == (2, 3)
    assert found.spans["c"] == (4, 4)


def test_what_an_engine_touches_is_needed_until_it_is_waited_for() -> None:
    found = written_lives(
        program(
            "loop i of 4 {",
            "wait 0 when i from 1 below 4",
            'copy %from -> %a on "dma" token 0',
            "fill %c with 0",
            "}",
            "wait 0",
        )
    )
    assert found.spans["a"] == (0, 3)
    assert found.spans["c"] == (2, 2)
    assert found.numbers == (1, 2, *[0, 1, 2] * 3, 3)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_needed_at_once_shares_a_step_as_written(seed: int) -> None:
    given = random_program(seed)
    found = written_lives(given)
    assert len(found.numbers) == len(unrolled(given).steps)
    for one, other in combinations(found.lives, 2):
        is_at_once = any(
            first <= end and begin <= last
            for first, last in found.lives[one]
            for begin, end in found.lives[other]
        )
        (first, last), (begin, end) = found.spans[one], found.spans[other]
        assert not is_at_once or (first <= end and begin <= last)
