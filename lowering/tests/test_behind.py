"""Room behind results: `lower` makes it, and a plan without it is refused."""

from dataclasses import replace

import pytest
from tinsmith_ir import Graph, GraphError, parse_graph, parse_program, verify_program
from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import Program, View
from tinsmith_ir.types import DType, TensorType
from tinsmith_lowering import Kernel, Layer, Layouts, check_calls, lower, touched_bytes
from tinsmith_lowering.testing import toys
from tinsmith_target import target

_BEHIND = 20


def graph() -> Graph:
    return parse_graph("""graph 2 "g" {
  input %x: f32[3]
  %y: f32[3] = relu(%x)
  %z: f32[3] = relu(%y)
  output %z
}""")


def kernel() -> Kernel:
    return replace(toys().relu, layouts=_behind)


def _behind(layer: Layer) -> Layouts:
    del layer
    return Layouts(behind=(_BEHIND,))


def program() -> Program:
    return lower(graph(), target("host"), [kernel()])


def test_lower_makes_the_buffer_of_a_result_larger() -> None:
    made = program()
    verify_program(made)
    check_calls(made, target("host"), [kernel()])
    assert [buffer.size_bytes for buffer in made.buffers] == [12, 12 + _BEHIND, 12 + _BEHIND]
    assert {view.type.size_bytes for view in made.views} == {12}


def test_a_result_that_is_written_behind_lies_over_no_operand() -> None:
    assert all(not call.over for call in program().calls)


def test_too_little_room_is_refused() -> None:
    made = program()
    buffers = [replace(each, size_bytes=31) if each.name == "y" else each for each in made.buffers]
    with pytest.raises(GraphError, match=r"writes 20 bytes behind %y: .* buffer %y, got 19; make"):
        check_calls(made.with_buffers(tuple(buffers)), target("host"), [kernel()])


def test_a_tensor_in_the_room_is_refused() -> None:
    made = program()
    other = View("other", TensorType((2,), DType.FLOAT32), "y", Expression(12))
    with pytest.raises(
        GraphError, match=r"behind %y: expected no tensor there, got\n  view %other"
    ):
        check_calls(replace(made, views=(*made.views, other)), target("host"), [kernel()])


def test_a_state_has_no_room_so_its_next_is_copied_there() -> None:
    keeping = parse_graph("""graph 2 "g" {
  input %x: f32[3]
  state %s: f32[3] = [0.0, 0.0, 0.0] next %y
  %z: f32[3] = relu(%s)
  %y: f32[3] = relu(%x)
  output %z
}""")
    made = lower(keeping, target("host"), [kernel()])
    verify_program(made)
    check_calls(made, target("host"), [kernel()])
    assert made.buffer["s"].size_bytes == 12


def test_what_is_touched_ends_with_the_room_of_calls_but_those_that_are_left_out() -> None:
    made = program()
    larger = [replace(each, size_bytes=each.size_bytes + 64) for each in made.buffers]
    given = made.with_buffers(tuple(larger))
    for without, y in (((), 12 + _BEHIND), (("y",), 12)):
        found = touched_bytes(given, ("x", "y"), target("host"), [kernel()], without=without)
        assert found == {"x": 12, "y": y}


def test_all_of_a_buffer_is_touched_where_a_loop_moves_a_view() -> None:
    given = parse_program("""program 2 "p" for "host" {
  memory "arena" align 16
  buffer %x: i8[64] in "arena"
  buffer %y: 96 bytes in "arena"
  view %from: i8[16] of %x start 16*i
  view %row: i8[16] of %y start 16*i
  view %all: i8[64] of %y
  input %x
  loop i of 4 {
    copy %from -> %row
  }
  output %all
}""")
    assert touched_bytes(given, ("x", "y"), target("host"), ()) == {"x": 64, "y": 96}
