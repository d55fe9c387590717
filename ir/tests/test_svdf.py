"""SvdfState and Svdf by hand."""

from collections.abc import Callable

import pytest
from tinsmith_ir import Box, GraphError, TensorType, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Svdf, SvdfState

Run = Callable[..., list[object]]

STATE = """
  const %h: {dtype}[1,6]<0.5, {zero}> = [1, 2, 3, 4, 5, 6]
  input %x: i8[1,2]<0.5, 1>
  const %w: i8[2,2]<0.5, 0> = [1, 2, 3, -4]
  %y: {dtype}[1,6]<0.5, {zero}> = svdf_state(%h, %x, %w)
  output %y"""


def test_each_filter_forgets_its_oldest_product(run: Run) -> None:
    # 0.5 * (9 * 1 + 4 * 2), then 0.5 * (9 * 3 - 4 * 4)
    assert run(STATE.format(dtype="i16", zero=0), [10, 5]) == [2, 3, 9, 5, 6, 6]


def test_the_zero_point_of_a_small_state_comes_behind_the_clamp(run: Run) -> None:
    assert run(STATE.format(dtype="i8", zero=-3), [10, 5]) == [2, 3, 6, 5, 6, 3]
    # 0.5 * (-129 * 3 - 127 * 4 ...) is clamped to -128, of which 8 bits are left: 125.
    assert run(STATE.format(dtype="i8", zero=-3), [-128, 127])[5] == 125


def test_a_unit_is_its_bias_and_the_sums_of_its_filters(run: Run) -> None:
    body = """
      const %h: i16[1,4]<1.0, 0> = [1, 2, 3, 4]
      input %x: i16[2,2]<1.0, 0>
      const %b: i32[1] = [100]
      %y: i8[1,1]<1.0, -5> = svdf(%h, %x, %b) {rank=2}
      output %y"""
    assert run(body, [1, -1, 2, 3]) == [100 + (1 - 2) + (6 + 12) - 5]


def test_floats_are_summed_filter_by_filter(run: Run) -> None:
    body = """
      const %h: f32[1,4] = [16777216.0, 1.0, 1.0, -16777216.0]
      input %x: f32[2,2]
      %y: f32[1,1] = svdf(%h, %x) {rank=2}
      output %y"""
    # 2**24 + 1 is no float, so that each filter loses its 1.
    assert run(body, [1, 1, 1, 1]) == [1]


def test_parts_are_whole_filters_and_units() -> None:
    state = TensorType((2, 12), DType.FLOAT32)
    features = [state, TensorType((2, 5), DType.FLOAT32), TensorType((4, 5), DType.FLOAT32)]
    part = SvdfState().restrict(Box(((1, 2), (3, 9))), features, [state])
    assert part is not None
    assert part.operands == (
        Box(((1, 2), (3, 9))),
        Box(((1, 2), (0, 5))),
        Box(((1, 3), (0, 5))),
    )
    assert SvdfState().restrict(Box(((0, 2), (2, 9))), features, [state]) is None
    over_time = [state, TensorType((4, 3), DType.FLOAT32)]
    unit = Svdf(2).restrict(Box(((0, 1), (1, 2))), over_time, [TensorType((2, 2), DType.FLOAT32)])
    assert unit is not None
    assert unit.operands == (Box(((0, 1), (6, 12))), Box(((2, 4), (0, 3))))


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("svdf(%h, %t) {rank=3}", "a rank that divides 4 filters, got 3"),
        ("svdf(%h, %u)", "a state of 4 filters of 2 steps"),
        ("svdf(%h, %s)", "weights of dtype i16, got i8"),
        ("svdf(%h, %t, %h)", r"bias of shape \(4,\)"),
    ],
)
def test_layers_that_do_not_fit(operation: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f"""graph 2 "g" {{
          input %h: i16[1,12]<1.0, 0>
          input %t: i16[4,3]<1.0, 0>
          input %u: i16[4,2]<1.0, 0>
          input %s: i8[4,3]<1.0, 0>
          %y: i8[1,4]<1.0, 0> = {operation}
          output %y
        }}""")


@pytest.mark.parametrize(
    ("x", "w", "message"),
    [
        ("i8[1,3]<0.5, 1>", "i8[2,2]<0.5, 0>", r"an input of shape \(1, 2\)"),
        ("i8[1,2]<0.5, 1>", "i8[4,2]<0.5, 0>", "as many steps for each of 4 filters"),
        ("i8[1,2]<0.5, 1>", "i8[2,2]<0.5, 3>", "weights with zero point 0, got 3"),
        ("f32[1,2]", "f32[2,2]", "state of dtype f32, got i16"),
    ],
)
def test_memories_that_do_not_fit(x: str, w: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f"""graph 2 "g" {{
          input %h: i16[1,6]<0.5, 0>
          input %x: {x}
          input %w: {w}
          %y: i16[1,6]<0.5, 0> = svdf_state(%h, %x, %w)
          output %y
        }}""")
