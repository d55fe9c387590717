"""Places of buffers by first fit."""

from itertools import combinations

import pytest
from tinsmith_ir import Buffer, parse_program
from tinsmith_ir.first_fit import first_fit, needed_bytes
from tinsmith_ir.lifetimes import Span, written_lives
from tinsmith_ir.random_programs import random_program


def buffer(name: str, size_bytes: int) -> Buffer:
    return Buffer(name, size_bytes, "ram")


def placed(*given: tuple[str, int, Span], alignment: int = 1) -> dict[str, int]:
    """given: name, bytes and span of each, in the order in which they choose."""
    buffers = [buffer(name, size) for name, size, _ in given]
    return first_fit(buffers, {name: span for name, _, span in given}, alignment)


def test_buffers_that_share_a_step_share_no_byte() -> None:
    assert placed(("a", 10, (0, 1)), ("b", 4, (1, 2))) == {"a": 0, "b": 10}


def test_buffers_that_share_no_step_lie_in_the_same_place() -> None:
    assert placed(("a", 10, (0, 1)), ("b", 4, (2, 2))) == {"a": 0, "b": 0}


def test_the_lowest_gap_is_taken_that_is_large_enough() -> None:
    before = [("a", 4, (0, 9)), ("short", 6, (0, 0)), ("b", 2, (0, 9))]
    assert placed(*before, ("six", 6, (1, 9)))["six"] == 4
    assert placed(*before, ("seven", 7, (1, 9)))["seven"] == 12


def test_offsets_are_multiples_of_the_alignment() -> None:
    assert placed(("a", 5, (0, 0)), ("b", 1, (0, 0)), alignment=8) == {"a": 0, "b": 8}


def test_those_that_choose_first_lie_lowest() -> None:
    assert placed(("b", 1, (0, 0)), ("a", 2, (0, 0))) == {"b": 0, "a": 1}


def test_no_buffer_is_placed_whose_steps_are_unknown() -> None:
    with pytest.raises(KeyError, match="a"):
        first_fit([buffer("a", 1)], {}, 1)


@pytest.mark.parametrize("alignment", [1, 16])
@pytest.mark.parametrize("seed", range(20))
def test_in_random_programs_live_buffers_lie_apart(seed: int, alignment: int) -> None:
    program = random_program(seed)
    spans = written_lives(program).spans
    buffers = [buffer for buffer in program.buffers if buffer.name in spans]
    offsets = first_fit(buffers, spans, alignment)
    assert all(offset % alignment == 0 for offset in offsets.values())
    for one, other in combinations(buffers, 2):
        steps = _meet(spans[one.name], spans[other.name])
        places = [(offsets[it.name], offsets[it.name] + it.size_bytes - 1) for it in (one, other)]
        assert not (steps and _meet(*places))


def _meet(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def test_each_memory_needs_what_lives_in_it_at_once() -> None:
    """`x` and `a`, then `a` and `b`; the copy of `b` is alone in the other memory."""
    program = parse_program("""program 2 "p" for "host" {
  memory "ram" align 16
  memory "fast" align 16
  buffer %x: f32[8] in "ram"
  buffer %a: f32[8] in "ram"
  buffer %b: f32[8] in "ram"
  buffer %c: f32[8] in "fast"
  buffer %unused: f32[64] in "fast"
  input %x
  call "a" kernel "relu": %a = relu(%x)
  call "b" kernel "relu": %b = relu(%a)
  copy %b -> %c
  output %c
}""")
    assert needed_bytes(program) == {"ram": 64, "fast": 32}
