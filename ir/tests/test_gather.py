"""Gather and Broadcast by hand."""

from collections.abc import Callable

import pytest
from tinsmith_ir import Box, GraphError, TensorType, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Broadcast, Gather

Run = Callable[..., list[object]]


def test_gather_takes_rows_in_the_order_of_the_indices(run: Run) -> None:
    body = """
      input %x: i8[3,2]<0.5, 7>
      input %i: i32[4]
      %y: i8[4,2]<0.5, 7> = gather(%x, %i)
      output %y"""
    assert run(body, [1, 2, 3, 4, 5, 6], [2, 0, 0, 1]) == [5, 6, 1, 2, 1, 2, 3, 4]


def test_the_shape_of_the_indices_stands_for_the_axis(run: Run) -> None:
    body = (
        "input %x: i32[2,3] input %i: i32[2,2] %y: i32[2,2,2] = gather(%x, %i) {axis=1} output %y"
    )
    assert run(body, [1, 2, 3, 4, 5, 6], [0, 2, 1, 1]) == [1, 3, 2, 2, 4, 6, 5, 5]
    scalar = "input %x: i32[2,3] input %i: i32[] %y: i32[2] = gather(%x, %i) {axis=1} output %y"
    assert run(scalar, [1, 2, 3, 4, 5, 6], [2]) == [3, 6]


def test_indices_of_nothing_take_the_nearest_element(run: Run) -> None:
    body = "input %x: f32[3] input %i: i32[3] %y: f32[3] = gather(%x, %i) output %y"
    assert run(body, [1, 2, 3], [-1, 3, 2147483647]) == [1, 3, 3]


def test_a_part_of_a_gather_reads_its_axis_whole() -> None:
    types = [TensorType((4, 5, 6), DType.INT8), TensorType((2, 3), DType.INT32)]
    box = Box(((1, 3), (0, 1), (1, 3), (2, 6)))
    part = Gather(axis=1).restrict(box, types, [TensorType((4, 2, 3, 6), DType.INT8)])
    assert part is not None
    assert part.operands == (Box(((1, 3), (0, 5), (2, 6))), Box(((0, 1), (1, 3))))


def test_broadcast_repeats_what_is_1_or_missing(run: Run) -> None:
    body = (
        "input %x: i8[2,1]<0.5, 7> %y: i8[2,2,3]<0.5, 7> = broadcast(%x) {shape=[2,2,3]} output %y"
    )
    assert run(body, [4, 5]) == [4, 4, 4, 5, 5, 5] * 2
    assert run("input %x: i32[] %y: i32[2] = broadcast(%x) {shape=[2]} output %y", [3]) == [3, 3]


def test_a_part_of_a_broadcast_reads_what_it_repeats() -> None:
    types = [TensorType((2, 1), DType.INT8)]
    box = Box(((0, 1), (1, 2), (1, 3)))
    part = Broadcast(shape=(4, 2, 3)).restrict(box, types, [TensorType((4, 2, 3), DType.INT8)])
    assert part is not None
    assert (part.operator, part.operands) == (Broadcast(shape=(1, 1, 2)), (Box(((1, 2), (0, 1))),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "input %x: i8[2] input %i: i32[1] %y: i8[1] = gather(%x, %i) {axis=1}",
            "axis within rank 1, got 1",
        ),
        (
            "input %x: i8[2] input %i: i8[1] %y: i8[1] = gather(%x, %i)",
            "indices of dtype i32, got i8",
        ),
        (
            "input %x: i8[2]<1.0, 0> input %i: i32[1] %y: i8[1]<2.0, 0> = gather(%x, %i)",
            "same quantization of input and result",
        ),
        (
            "input %x: i8[2]<[1.0,0.5], [0,0], axis 0> input %i: i32[2] "
            "%y: i8[2]<[1.0,0.5], [0,0], axis 0> = gather(%x, %i)",
            "not quantized per axis",
        ),
        ("input %x: i8[2] %y: i8[4] = broadcast(%x) {shape=[4]}", r"a shape that \(2,\) fills"),
        ("input %x: i8[1,1] %y: i8[4] = broadcast(%x) {shape=[4]}", r"a shape that \(1, 1\) fills"),
        ("input %x: i8[1] %y: i8[1] = broadcast(%x) {shape=[0,1]}", "fills, got"),
    ],
)
def test_what_does_not_fit_is_named(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} output %y }}')
