"""Sum, ReduceMax, ReduceMin, ArgMax, ArgMin and ResizeBilinear by hand."""

from collections.abc import Callable

import pytest
from tinsmith_ir import Box, GraphError, TensorType, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import ArgMax, ResizeBilinear

Run = Callable[..., list[object]]
NAN, INFINITY = float("nan"), float("inf")


def test_sum_counts_the_zero_point_for_each_element(run: Run) -> None:
    # (3 - 1 + 5 - 1) * 0.5 and (-7 - 1 + 0 - 1) * 0.5 in units of 0.25 from 2 on
    body = "input %x: i8[2,2]<0.5, 1> %y: i8[2]<0.25, 2> = sum(%x) {axes=[1]} output %y"
    assert run(body, [3, 5, -7, 0]) == [14, -16]


def test_sum_saturates(run: Run) -> None:
    body = "input %x: i8[3]<1.0, 0> %y: i8[]<0.5, 0> = sum(%x) {axes=[0]} output %y"
    assert run(body, [127, 127, 127]) == [127]
    assert run(body, [-128, -128, -128]) == [-128]


def test_float_sum_begins_with_0_and_goes_on_in_order(run: Run) -> None:
    body = "input %x: f32[4] %y: f32[1] = sum(%x) {axes=[0], keep_dims=true} output %y"
    assert run(body, [2.0**24, 1.0, 1.0, 1.0]) == [2.0**24]
    assert run(body, [1.0, 1.0, 1.0, 2.0**24]) == [2.0**24 + 4]


def test_the_largest_and_smallest_stay_as_they_are(run: Run) -> None:
    head = "input %x: i8[2,3]<0.5, 7> %y: i8[2]<0.5, 7> = "
    assert run(head + "reduce_max(%x) {axes=[1]} output %y", [1, 3, 2, -5, -128, -6]) == [3, -5]
    assert run(head + "reduce_min(%x) {axes=[1]} output %y", [1, 3, 2, -5, 127, -6]) == [1, -6]


def test_any_and_all(run: Run) -> None:
    head = "input %x: bool[2,2] %y: bool[2] = "
    assert run(head + "reduce_max(%x) {axes=[0]} output %y", [0, 1, 0, 0]) == [False, True]
    assert run(head + "reduce_min(%x) {axes=[0]} output %y", [0, 1, 1, 1]) == [False, True]


def test_nan_is_never_the_largest_and_infinities_end_at_what_is_finite(run: Run) -> None:
    body = "input %x: f32[2] %y: f32[] = reduce_max(%x) {axes=[0]} output %y"
    assert run(body, [NAN, 1.0]) == [1.0]
    assert run(body, [-INFINITY, -INFINITY]) == [-3.4028234663852886e38]
    assert run(body, [INFINITY, 0.0]) == [INFINITY]


def test_arg_is_the_first_of_equal_ones(run: Run) -> None:
    head = "input %x: i8[2,3]<0.5, 7> "
    largest = head + "%y: i32[2] = arg_max(%x) {axis=1} output %y"
    assert run(largest, [1, 3, 3, -5, -128, -5]) == [1, 0]
    smallest = head + "%y: i32[3] = arg_min(%x) {axis=0} output %y"
    assert run(smallest, [1, 3, 3, 1, 2, 4]) == [0, 1, 0]


def test_nothing_wins_over_nan_in_front(run: Run) -> None:
    body = "input %x: f32[3] %y: i32[] = arg_max(%x) {axis=0} output %y"
    assert run(body, [NAN, 1.0, 2.0]) == [0]
    assert run(body, [1.0, NAN, 2.0]) == [2]


def test_a_part_of_indices_reads_the_axis_whole() -> None:
    types = [TensorType((4, 5, 6), DType.INT8)]
    part = ArgMax(axis=1).restrict(Box(((1, 2), (3, 6))), types, [TensorType((4, 6), DType.INT32)])
    assert part is not None
    assert part.operands == (Box(((1, 2), (0, 5), (3, 6))),)


def resized(run: Run, attributes: str, row: list[float], *, of_integers: bool = False) -> object:
    """A row of two elements as one of four."""
    dtype, quantization = ("i8", "<1.0, 0>") if of_integers else ("f32", "")
    return run(
        f"input %x: {dtype}[1,1,2,1]{quantization} %y: {dtype}[1,1,4,1]{quantization} = "
        f"resize_bilinear(%x) {{size=[1,4]{attributes}}} output %y",
        row,
    )


def test_places_of_resized_elements(run: Run) -> None:
    assert resized(run, "", [0, 4]) == [0, 2, 4, 4]
    assert resized(run, ", align_corners=true", [0, 3]) == [0, 1, 2, 3]
    assert resized(run, ", half_pixel_centers=true", [0, 4]) == [0, 1, 3, 4]


def test_halves_of_resized_integers_go_away_from_zero(run: Run) -> None:
    assert resized(run, "", [0, 5], of_integers=True) == [0, 3, 5, 5]
    assert resized(run, "", [0, -5], of_integers=True) == [0, -3, -5, -5]


def test_rows_and_columns_are_not_cut() -> None:
    types = [TensorType((2, 4, 4, 3), DType.FLOAT32)]
    result = [TensorType((2, 8, 8, 3), DType.FLOAT32)]
    operator = ResizeBilinear((8, 8))
    part = operator.restrict(Box(((1, 2), (0, 8), (0, 8), (0, 2))), types, result)
    assert part is not None
    assert part.operands == (Box(((1, 2), (0, 4), (0, 4), (0, 2))),)
    assert operator.restrict(Box(((0, 2), (0, 4), (0, 8), (0, 3))), types, result) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("input %x: f32[2] %y: f32[] = sum(%x)", "expected axes in rising order, got"),
        ("input %x: bool[2] %y: bool[] = sum(%x) {axes=[0]}", "f32, i8, i16, i32, i64, got bool"),
        (
            "input %x: i8[2]<1.0, 0> %y: i8[]<2.0, 0> = reduce_max(%x) {axes=[0]}",
            "same quantization of input and result",
        ),
        ("input %x: i8[2] %y: i8[] = reduce_min(%x) {axes=[0]}", "with a quantization"),
        ("input %x: f32[2] %y: i32[] = arg_max(%x) {axis=1}", "axis within rank 1, got 1"),
        (
            "input %x: bool[2] %y: i32[] = arg_max(%x)",
            "input of dtype f32, i8, i16, i32, i64, got bool",
        ),
        ("input %x: f32[2] %y: f32[1] = resize_bilinear(%x)", "input of rank 4"),
        (
            "input %x: f32[1,2,2,1] %y: f32[1,1,1,1] = resize_bilinear(%x) {size=[0,1]}",
            "size of 1 to 1048576",
        ),
        (
            "input %x: f32[1,2,2,1] %y: f32[1,1,1,1] = resize_bilinear(%x) "
            "{align_corners=true, half_pixel_centers=true}",
            "align_corners or half_pixel_centers, got both",
        ),
    ],
)
def test_what_does_not_fit_is_named(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} output %y }}')
