"""Inputs and outputs in memories of the caller's."""

import pytest
from tinsmith_allocation import AllocateBuffers, ExposeEnds
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.program import Program
from tinsmith_ir.program_parser import parse_program

CHAIN = """program 2 "net" for "host" {
  memory "arena" align 16
  buffer %x: f32[4] in "arena"
  buffer %t: f32[4] in "arena"
  buffer %y: f32[4] in "arena"
  input %x
  call "c0" kernel "k": %t = relu(%x)
  call "c1" kernel "k": %y = relu(%t)
  output %y
}
"""

TWO = """program 2 "net" for "host" {
  memory "arena" align 16
  buffer %x: f32[4] in "arena"
  buffer %z: f32[4] in "arena"
  view %flat: f32[2,2] of %x
  buffer %y: f32[4] in "arena"
  input %x
  input %z
  call "c0" kernel "k": %y = add(%x, %z)
  output %y
  output %flat
}
"""

STATES = """program 2 "net" for "host" {
  memory "arena" align 16
  memory "state" align 16
  buffer %x: f32[4] in "arena"
  buffer %kept: f32[4] in "state"
  state %kept = [0.0, 0.0, 0.0, 0.0]
  input %x
  call "c0" kernel "k": %kept = relu(%x)
  output %kept
}
"""


def places(program: Program) -> dict[str, str]:
    return {buffer.name: buffer.memory for buffer in program.buffers}


def test_an_input_and_an_output_have_memories_of_their_own() -> None:
    made = ExposeEnds().run(parse_program(CHAIN))
    assert places(made) == {"x": "in", "t": "arena", "y": "out"}
    assert [memory.name for memory in made.memories] == ["arena", "in", "out"]


def test_the_arena_is_smaller_by_what_the_caller_keeps() -> None:
    placed = AllocateBuffers().allocate(ExposeEnds().run(parse_program(CHAIN))).plans
    assert {name: plan.arena_bytes for name, plan in placed.items()} == {
        "arena": 16,
        "in": 16,
        "out": 16,
    }


def test_what_is_input_and_output_lies_once() -> None:
    made = ExposeEnds().run(parse_program(TWO))
    assert places(made) == {"x": "in_0", "z": "in_1", "y": "out_0"}


def test_a_program_without_anything_else_needs_no_arena() -> None:
    made = ExposeEnds().run(parse_program(TWO))
    assert "arena" not in {memory.name for memory in made.memories}


def test_states_stay_where_they_are() -> None:
    made = ExposeEnds().run(parse_program(STATES))
    assert places(made) == {"x": "in", "kept": "state"}


def test_names_that_are_taken_get_numbers() -> None:
    made = ExposeEnds().run(parse_program(CHAIN.replace('"arena"', '"in"')))
    assert places(made) == {"x": "in.2", "t": "in", "y": "out"}


def test_engines_are_refused() -> None:
    text = CHAIN.replace("  buffer %x", '  engine "dma" reaches "arena" align 4\n  buffer %x', 1)
    with pytest.raises(UnsupportedError, match="expose-ends: expected a program of the core alone"):
        ExposeEnds().run(parse_program(text))
