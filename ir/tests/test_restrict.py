"""Operators cut into boxes: parts put together are the whole, bit by bit."""

import functools
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import pytest
from tinsmith_ir import (
    OPERATORS,
    Add,
    Array,
    Box,
    Conv2D,
    DType,
    FullyConnected,
    Graph,
    GraphError,
    Node,
    Requantize,
    Restriction,
    TensorType,
    UsageError,
    cut_type,
    evaluate_graph,
    parse_graph,
)
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.operators.base import Rescaling, activation_of
from tinsmith_ir.parameters import fully_connected_channel_parameters, fully_connected_parameters
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.type_rules import operator_findings

SEEDS = 60
BOXES = 4
DTYPES = (DType.INT8, DType.INT16, DType.FLOAT32)


def restricted(node: Node, box: Box) -> Restriction | None:
    inputs = [value.type if value else None for value in node.inputs]
    return node.operator.restrict(box, inputs, [value.type for value in node.outputs])


def compute(node: Node, box: Box, restriction: Restriction, values: Mapping[str, Array]) -> Array:
    """The part as the restricted operator computes it."""
    return compute_as(node, restriction, cut_type(node.outputs[0].type, box), values)


def compute_as(
    node: Node, restriction: Restriction, output: TensorType, values: Mapping[str, Array]
) -> Array:
    """What a restricted operator computes, which must accept its operands and `output`."""
    inputs = restriction.cut_types([value.type if value else None for value in node.inputs])
    assert list(operator_findings(restriction.operator, inputs, [output])) == []
    pairs = zip(node.inputs, restriction.operands, strict=True)
    parts = [
        values[value.name][read.slices] if value is not None and read is not None else None
        for value, read in pairs
    ]
    with np.errstate(all="ignore"):
        (result,) = restriction.operator.evaluate(restriction.taken(parts), inputs, [output])
    return result


def random_box(random: np.random.Generator, shape: tuple[int, ...]) -> Box:
    ranges: list[tuple[int, int]] = []
    for size in shape:
        begin, end = sorted(int(at) for at in random.choice(size + 1, 2, replace=False))
        ranges.append((begin, end) if random.random() < 0.6 else (0, size))
    return Box(tuple(ranges))


def nodes(dtype: DType) -> Iterator[tuple[Graph, Mapping[str, Array], Node]]:
    """Each node of random networks, and all values there."""
    for seed in range(SEEDS):
        graph = random_graph(seed, dtype=dtype, nodes=12)
        values = evaluate_graph(graph, random_inputs(graph, seed), keep=True)
        for node in graph.nodes:
            yield graph, {**graph.constant_data, **values}, node


@functools.cache
def cut_operators(dtype: DType) -> frozenset[str]:
    """Operators that were cut, each part compared with the whole."""
    random = np.random.default_rng(1)
    seen: set[str] = set()
    for graph, values, node in nodes(dtype):
        whole = values[node.name]
        for _ in range(BOXES):
            box = random_box(random, whole.shape)
            restriction = restricted(node, box)
            if restriction is None:
                continue
            part = compute(node, box, restriction, values)
            assert equal_arrays(part, whole[box.slices].copy()), (graph.name, node.name, str(box))
            if not box.is_whole(whole.shape):
                seen.add(node.operator.mnemonic)
    return frozenset(seen)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.value)
def test_parts_are_what_the_whole_has_there(dtype: DType) -> None:
    assert cut_operators(dtype)


def with_several_results() -> set[str]:
    """The operators that are never cut."""
    return {
        node.operator.mnemonic
        for dtype in DTYPES
        for _, _, node in nodes(dtype)
        if len(node.outputs) > 1
    }


def test_every_operator_is_cut_somewhere_in_random_networks() -> None:
    cut = frozenset[str]().union(*(cut_operators(dtype) for dtype in DTYPES))
    missing = sorted(set(OPERATORS) - cut - with_several_results())
    assert not missing, (
        f"{missing}: no part of theirs was compared with the whole; give them a step in "
        "tinsmith_ir/random_steps, and a restrict_part unless their results can never be cut"
    )


def test_the_whole_of_an_operator_that_cannot_be_cut_is_the_operator() -> None:
    node = only_node("input %x: f32[2,8] %y: f32[2,8] = softmax(%x) output %y")
    assert restricted(node, Box.whole((2, 8))) == Restriction(node.operator, (Box.whole((2, 8)),))


def only_node(body: str) -> Node:
    (node,) = parse_graph(f'graph 2 "g" {{ {body} }}').nodes
    return node


CONVOLUTION = only_node("""
  input %x: f32[1,8,8,4]
  input %w: f32[6,3,3,2]
  %y: f32[1,4,8,6] = conv2d(%x, %w, none) {stride=[2,1], padding=[1,0,1,1]}
  output %y
""")


def test_a_convolution_reads_its_halo_and_pads_only_at_the_border() -> None:
    top = restricted(CONVOLUTION, Box(((0, 1), (0, 2), (0, 8), (0, 6))))
    assert top is not None
    assert top.operator == Conv2D(stride=(2, 1), padding=(1, 0, 1, 1))
    assert top.operands[0] == Box(((0, 1), (0, 4), (0, 8), (0, 4)))
    inner = restricted(CONVOLUTION, Box(((0, 1), (2, 3), (3, 5), (0, 6))))
    assert inner is not None
    assert inner.operator == Conv2D(stride=(2, 1))
    assert inner.operands[0] == Box(((0, 1), (3, 6), (2, 6), (0, 4)))


def test_a_convolution_in_groups_is_cut_within_one_or_between_them() -> None:
    within = restricted(CONVOLUTION, Box(((0, 1), (0, 4), (0, 8), (1, 2))))
    between = restricted(CONVOLUTION, Box(((0, 1), (0, 4), (0, 8), (3, 6))))
    across = restricted(CONVOLUTION, Box(((0, 1), (0, 4), (0, 8), (2, 4))))
    assert within is not None
    assert within.operands[0] == Box(((0, 1), (0, 8), (0, 8), (0, 2)))
    assert within.operands[1:] == (Box(((1, 2), (0, 3), (0, 3), (0, 2))), None)
    assert between is not None
    assert between.operands[0] == Box(((0, 1), (0, 8), (0, 8), (2, 4)))
    assert across is None


@pytest.mark.parametrize(
    ("body", "box"),
    [
        ("input %x: f32[2,8] %y: f32[2,8] = softmax(%x) output %y", Box(((0, 2), (0, 4)))),
        (
            "input %x: i8[2,8] %y: i8[4,4] = reshape(%x) {shape=[4,4]} output %y",
            Box(((0, 4), (0, 2))),
        ),
        (
            "input %x: i8[2] %y: i8[6] = pad(%x) {padding=[4,0], value=1} output %y",
            Box(((0, 3),)),
        ),
        (
            "input %x: f32[1,2,2,1] input %w: f32[1,1,1,1] "
            "%y: f32[1,8,2,1] = conv2d(%x, %w, none) {padding=[6,0,0,0]} output %y",
            Box(((0, 1), (0, 2), (0, 2), (0, 1))),
        ),
    ],
    ids=["within a row of softmax", "across a reshape", "padding alone", "windows in padding"],
)
def test_what_cannot_be_cut_says_so(body: str, box: Box) -> None:
    assert restricted(only_node(body), box) is None


def test_a_concat_takes_only_the_operands_it_has_elements_of() -> None:
    node = only_node("""
      input %a: i8[1,3] input %b: i8[1,2] input %c: i8[1,4]
      %y: i8[1,9] = concat(%a, %b, %c) {axis=1} output %y
    """)
    found = restricted(node, Box(((0, 1), (4, 7))))
    assert found is not None
    assert found.operands == (None, Box(((0, 1), (1, 2))), Box(((0, 1), (0, 2))))
    assert found.taken(["a", "b", "c"]) == ("b", "c")
    assert found.taken([None, "b", "c"]) == ("b", "c")


def test_one_channel_of_weights_with_a_scale_each_keeps_its_multiplier() -> None:
    node = only_node("""
      input %x: i8[1,2]<0.1, 0> input %w: i8[2,2]<[0.1, 0.3], [0, 0], axis 0>
      %y: i8[1,2]<0.07, 0> = fully_connected(%x, %w, none) output %y
    """)
    box = Box(((0, 1), (1, 2)))
    found = restricted(node, box)
    assert found is not None
    operator, inputs = FullyConnected(), [value.type if value else None for value in node.inputs]
    output = node.outputs[0].type
    whole = fully_connected_channel_parameters(operator, inputs, output)
    part = fully_connected_channel_parameters(
        operator, found.cut_types(inputs), cut_type(output, box)
    )
    assert part.multipliers.tolist() == whole.multipliers[1:].tolist()
    per_tensor = fully_connected_parameters(operator, found.cut_types(inputs), output)
    assert per_tensor.multiplier != part.multipliers[0], "the scales must tell both formulas apart"


def test_a_box_that_the_result_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match=r"within the result of shape \(1, 4, 8, 6\)"):
        restricted(CONVOLUTION, Box(((0, 1), (0, 5), (0, 8), (0, 6))))


def ended(node: Node, accumulator: TensorType, total: Array) -> Array:
    """The sums of all parts, rescaled and clamped as the operator would."""
    output = node.outputs[0].type
    operator = node.operator
    assert isinstance(operator, Rescaling)
    end = Requantize(
        dtype=output.dtype,
        activation=activation_of(operator),
        rounding=operator.rounding,
        multiplier_bits=operator.multiplier_bits,
    )
    assert list(operator_findings(end, [accumulator], [output])) == []
    return end.evaluate([total], [accumulator], [output])[0]


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16], ids=lambda dtype: dtype.value)
def test_sums_over_parts_of_the_input_channels_are_the_whole(dtype: DType) -> None:
    random = np.random.default_rng(2)
    seen: set[str] = set()
    for graph, values, node in nodes(dtype):
        operator, types = node.operator, [value.type if value else None for value in node.inputs]
        if not isinstance(operator, Conv2D | FullyConnected) or operator.accumulator is not None:
            continue
        weights, output = node.present_inputs[1].type, node.outputs[0].type
        middle = int(random.integers(1, weights.shape[-1])) if weights.shape[-1] > 1 else 1
        bounds = sorted({0, middle, weights.shape[-1]})
        parts = [operator.restrict_sum((a, b), types, [output]) for a, b in pairwise(bounds)]
        if None in parts:
            continue
        found = [part for part in parts if part is not None]
        (accumulator,) = found[0].operator.infer(found[0].cut_types(types))
        sums = [compute_as(node, part, accumulator, values) for part in found]
        total, add = sums[0], Add()
        for other in sums[1:]:
            assert list(operator_findings(add, [accumulator, accumulator], [accumulator])) == []
            (total,) = add.evaluate([total, other], [accumulator, accumulator], [accumulator])
        assert equal_arrays(ended(node, accumulator, total), values[node.name]), graph.name
        seen.add(operator.mnemonic)
    assert seen == {"conv2d", "fully_connected"}


def test_floats_are_not_summed_in_parts() -> None:
    types = [value.type if value else None for value in CONVOLUTION.inputs]
    assert isinstance(CONVOLUTION.operator, Conv2D)
    assert CONVOLUTION.operator.restrict_sum((0, 1), types, [CONVOLUTION.outputs[0].type]) is None


_SUMS = """
  input %x: i8[1,2]<0.5, 3> input %w: i8[3,2]<0.25, 0>
  %a: i32[1,3]<0.125, 0> = fully_connected(%x, %w, none) {accumulator=i32}
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (_SUMS.replace("0.125", "0.25") + "output %a", "same quantization of input"),
        (_SUMS.replace("=i32}", "=i32, activation=relu}") + "output %a", "no activation"),
        (_SUMS.replace("i32", "i64") + "output %a", "accumulator of i32 for an input of i8"),
        (_SUMS + "%y: i32[1,3]<0.125, 0> = mul(%a, %a) output %y", "without quantization"),
        (_SUMS + "%y: i32[1,3]<0.25, 0> = add(%a, %a) output %y", "accumulator's type"),
        (
            "input %x: f32[1,2] input %w: f32[3,2] "
            "%a: i32[1,3] = fully_connected(%x, %w, none) {accumulator=i32} output %a",
            "accumulator of none for an input of f32",
        ),
        (
            "input %x: i64[1,3]<[0.5, 1.0, 1.0], [0, 0, 1], axis 1> "
            "%y: i8[1,3]<0.5, 0> = requantize(%x) output %y",
            "zero point 0",
        ),
        ("input %x: i64[1,3]<0.5, 0> %y: i64[1,3]<0.5, 0> = requantize(%x) {dtype=i64} output %y",
         "result of dtype i8, i16"),
    ],
)  # fmt: skip
def test_wrong_accumulators_are_refused(body: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {body} }}')


def test_an_accumulator_is_the_sum_itself() -> None:
    graph = parse_graph(f'graph 2 "g" {{ {_SUMS} output %a }}')
    inputs: list[Array] = [
        np.array([[4, 1]], np.int8), np.array([[1, 2], [100, 0], [-128, -128]], np.int8)
    ]  # fmt: skip
    (sums,) = evaluate_graph(graph, inputs).values()
    assert (sums.dtype, sums.tolist()) == (np.int32, [[1 - 4, 100, 128]])
