"""Reshape, Pad, Slice, Transpose and Concat by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import (
    Box,
    DType,
    GraphError,
    TensorType,
    evaluate_graph,
    parse_graph,
    print_graph,
)
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.operators import Slice
from tinsmith_ir.testing import random_graph, random_inputs

Run = Callable[..., list[object]]


def test_reshape_keeps_the_order(run: Run) -> None:
    body = "input %x: i32[2,3] %y: i32[3,2] = reshape(%x) {shape=[3,2]} output %y"
    assert run(body, [1, 2, 3, 4, 5, 6]) == [1, 2, 3, 4, 5, 6]


def test_reshape_to_the_same_shape_keeps_scales_of_an_axis(run: Run) -> None:
    head = "input %x: i8[2,1]<[1.0,0.5], [0,0], axis 0> "
    same = head + "%y: i8[2,1]<[1.0,0.5], [0,0], axis 0> = reshape(%x) {shape=[2,1]} output %y"
    assert run(same, [3, 4]) == [3, 4]
    other = head + "%y: i8[1,2]<[1.0,0.5], [0,0], axis 1> = reshape(%x) {shape=[1,2]} output %y"
    with pytest.raises(GraphError, match="same quantization"):
        run(other, [3, 4])


def test_pad_adds_the_zero_point_unless_told_otherwise(run: Run) -> None:
    head = "input %x: i8[1,2]<1.0, 7> %y: i8[1,4]<1.0, 7> = pad(%x) "
    assert run(head + "{padding=[0,0,1,1]} output %y", [1, 2]) == [7, 1, 2, 7]
    assert run(head + "{padding=[0,0,2,0], value=-3} output %y", [1, 2]) == [-3, -3, 1, 2]


def test_transpose_moves_axes(run: Run) -> None:
    body = "input %x: i8[1,2,3] %y: i8[3,1,2] = transpose(%x) {permutation=[2,0,1]} output %y"
    assert run(body, [1, 2, 3, 4, 5, 6]) == [1, 4, 2, 5, 3, 6]


@pytest.mark.parametrize(
    ("shape", "attributes", "expected"),
    [
        ("2,2", "begin=[0,1], shape=[2,2]", [1, 2, 4, 5]),
        ("1,2", "begin=[1,0], shape=[1,2], strides=[1,2]", [3, 5]),
        ("2,3", "begin=[1,2], shape=[2,3], strides=[-1,-1]", [5, 4, 3, 2, 1, 0]),
        ("1,1", "begin=[1,1], shape=[1,1], strides=[7,-9]", [4]),
    ],
)
def test_slice_takes_elements_in_strides(
    run: Run, shape: str, attributes: str, expected: list[int]
) -> None:
    body = f"input %x: i8[2,3] %y: i8[{shape}] = slice(%x) {{{attributes}}} output %y"
    assert run(body, list(range(6))) == expected


def test_strides_of_one_are_not_written() -> None:
    text = "input %x: i8[2,3] %y: i8[2,2] = slice(%x) {begin=[0,1], shape=[2,2], strides=[1,1]}"
    printed = print_graph(parse_graph(f'graph 2 "g" {{ {text} output %y }}'))
    assert "slice(%x) {begin=[0,1], shape=[2,2]}" in printed


def test_slice_reads_the_hull_of_what_it_takes() -> None:
    operator = Slice(begin=(8, 1), shape=(3, 4), strides=(-4, 2))
    types = [TensorType((9, 9), DType.INT8)]
    part = operator.restrict(Box(((1, 3), (2, 4))), types, operator.infer(types))
    assert part is not None
    assert part.operands == (Box(((0, 5), (5, 8))),)
    assert part.operator == Slice(begin=(4, 0), shape=(2, 2), strides=(-4, 2))


def test_concat_joins_along_the_axis(run: Run) -> None:
    body = """
      input %x: bool[2,1]
      input %z: bool[2,2]
      %y: bool[2,3] = concat(%x, %z) {axis=1}
      output %y"""
    expected = [True, False, False, False, True, True]
    assert run(body, [True, False], [False, False, True, True]) == expected


def test_concat_of_integers_without_scales_copies(run: Run) -> None:
    text = "input %x: i8[1] input %z: i8[2] %y: i8[3] = concat(%x, %z)"
    assert run(text + " output %y", [-1], [5, 7]) == [-1, 5, 7]
    with pytest.raises(GraphError, match="input with a quantization, got i8 without"):
        run(text + " {activation=relu} output %y", [-1], [5, 7])


def test_concat_of_integers_with_and_without_scales_is_refused(run: Run) -> None:
    text = "input %x: i8[1]<1.0, 0> input %z: i8[2] %y: i8[3]<1.0, 0> = concat(%x, %z) output %y"
    with pytest.raises(GraphError, match="input with a quantization, got i8 without"):
        run(text, [-1], [5, 7])


def test_concat_requantizes_inputs_of_other_scales(run: Run) -> None:
    body = """
      input %x: i8[2]<1.0, 0>
      input %z: i8[2]<0.5, 10>
      %y: i8[4]<1.0, 0> = concat(%x, %z) {activation=relu6}
      output %y"""
    assert run(body, [-1, 9], [13, 16]) == [0, 6, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("input %x: i8[2,3] %y: i8[4] = reshape(%x) {shape=[4]}", "6 elements"),
        ("input %x: i8[4] %y: i8[2,2] = reshape(%x) {shape=[-2,-2]}", "4 elements"),
        ("input %x: i8[2] %y: i8[2] = pad(%x)", "2 paddings"),
        ("input %x: i8[2] %y: i8[2] = pad(%x) {padding=[-1,1]}", "at least 0"),
        ("input %x: i8[2] %y: i8[3] = pad(%x) {padding=[0,1], value=200}", "a value of dtype i8"),
        ("input %x: i8[2] %y: i8[3] = pad(%x) {padding=[0,1], value=0.5}", "a value of dtype i8"),
        ("input %x: i8[2,1] %y: i8[1,2] = transpose(%x) {permutation=[1,1]}", "permutation"),
        ("input %x: i8[2]<1.0, 0> %y: i8[2]<2.0, 0> = reshape(%x) {shape=[2]}", "same quantiz"),
        ("input %x: i8[2] input %z: i8[2] %y: i8[4] = concat(%x, %z) {axis=1}", "axis within"),
        ("input %x: i32[2,2] input %z: i32[2] %y: i32[4] = concat(%x, %z)", "inputs like"),
        ("input %x: i32[2] %y: i32[2] = concat(%x, none)", "no gap"),
        ("%y: i32[2] = concat()", "operand 'inputs'"),
        (
            "input %x: i8[4] %y: i8[2] = slice(%x) {begin=[0], shape=[2], strides=[1,1]}",
            r"a begin, a size and a stride for each of 1 axes, got \(0,\), \(2,\) and \(1, 1\)",
        ),
        ("input %x: i8[4] %y: i8[1] = slice(%x)", "for each of 1 axes"),
        (
            "input %x: i8[4] %y: i8[2] = slice(%x) {begin=[0], shape=[2], strides=[0]}",
            "strides other than 0",
        ),
        (
            "input %x: i8[4] %y: i8[2] = slice(%x) {begin=[3], shape=[2]}",
            "elements within 0 and 3 of axis 0, got 3 to 4",
        ),
        (
            "input %x: i8[4] %y: i8[2] = slice(%x) {begin=[1], shape=[2], strides=[-2]}",
            "got 1 to -1",
        ),
        (
            "input %x: i8[2]<[1.0,0.5], [0,0], axis 0> "
            "%y: i8[1]<1.0, 0> = slice(%x) {begin=[0], shape=[1]}",
            "quantization",
        ),
    ],
)
def test_what_does_not_fit_is_named(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} output %y }}')


def test_what_only_moves_says_where_to() -> None:
    kinds: set[str] = set()
    for seed in range(40):
        graph = random_graph(seed, dtype=DType.INT8, nodes=12)
        values = evaluate_graph(graph, random_inputs(graph, seed), keep=True)
        values = {**graph.constant_data, **values}
        for node in graph.nodes:
            types = [value.type if value else None for value in node.inputs]
            placement = node.operator.placement(types, [value.type for value in node.outputs])
            if placement is None:
                continue
            kinds.add(node.operator.mnemonic)
            whole = values[node.outputs[0].name]
            built = np.zeros_like(whole)
            count = np.zeros(whole.shape, np.int32)
            for part in placement.parts:
                value = node.inputs[part.operand]
                assert value is not None
                built[part.destination.slices] = values[value.name][part.source.slices]
                count[part.destination.slices] += 1
            for box in placement.filled:
                built[box.slices] = placement.value
                count[box.slices] += 1
            assert equal_arrays(built, whole)
            assert (count == 1).all()
    assert kinds == {"concat", "pad", "slice"}
