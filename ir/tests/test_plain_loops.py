"""The vectorised evaluator against plain loops over single elements, on random networks."""

import itertools
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from tinsmith_ir import (
    Array,
    AveragePool2D,
    Conv2D,
    DepthwiseConv2D,
    DType,
    Graph,
    MaxPool2D,
    Node,
    evaluate_graph,
)
from tinsmith_ir.arithmetic import activation_range, multiply_by_quantized_multiplier
from tinsmith_ir.parameters import conv_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_graph, random_inputs

SEEDS = range(16)


def nodes_of(dtype: DType) -> list[tuple[Graph, Node, Mapping[str, Array]]]:
    """Each node with a window, its graph, and the value of everything in that graph."""
    found: list[tuple[Graph, Node, Mapping[str, Array]]] = []
    for seed in SEEDS:
        graph = random_graph(seed, dtype=dtype, roundings=(Rounding.TFLITE,))
        values = evaluate_graph(graph, random_inputs(graph, seed), keep=True)
        known = {**graph.constant_data, **values}
        kinds = Conv2D | DepthwiseConv2D | AveragePool2D | MaxPool2D
        found += [(graph, node, known) for node in graph.nodes if isinstance(node.operator, kinds)]
    return found


def seen(node: Node, array: Array, place: tuple[int, ...]) -> list[tuple[int, int, list[float]]]:
    """(kernel row, kernel column, channels there) for each place of the window within the input."""
    operator = node.operator
    assert isinstance(operator, Conv2D | DepthwiseConv2D | AveragePool2D | MaxPool2D)
    if isinstance(operator, AveragePool2D | MaxPool2D):
        window, dilation = operator.window, (1, 1)
    else:
        weights = node.present_inputs[1].type.shape
        window, dilation = (weights[1], weights[2]), operator.dilation
    found: list[tuple[int, int, list[float]]] = []
    for row, column in itertools.product(range(window[0]), range(window[1])):
        y = place[1] * operator.stride[0] + row * dilation[0] - operator.padding[0]
        x = place[2] * operator.stride[1] + column * dilation[1] - operator.padding[2]
        if 0 <= y < array.shape[1] and 0 <= x < array.shape[2]:
            found.append((row, column, array[place[0], y, x].tolist()))
    return found


def accumulate(node: Node, values: Mapping[str, Array], place: tuple[int, ...]) -> float:
    """The accumulator of one output element, rounded to float32 at each step in a float32 network.

    A double holds every product of two float32 and every sum here without a second rounding that
    could matter, and every integer sum exactly.
    """
    operands = node.present_inputs
    array, weights = values[operands[0].name], values[operands[1].name]
    quantization = operands[0].type.quantization
    zero_point = quantization.zero_point if quantization else 0
    acc = 0.0
    for row, column, channels in seen(node, array, place):
        for element, weight in products(node, weights, channels, (row, column, place[3])):
            acc = stored(acc + stored((element - zero_point) * weight, array), array)
    if len(operands) > 2:
        acc = stored(acc + float(values[operands[2].name].tolist()[place[3]]), array)
    return acc


def stored(value: float, like: Array) -> float:
    """`value` as an accumulator for `like` holds it."""
    return float(np.float32(value)) if like.dtype == np.float32 else value


def products(
    node: Node, weights: Array, channels: list[float], where: tuple[int, int, int]
) -> list[tuple[float, float]]:
    """(element, weight) of one place of the window, for (kernel row, kernel column, channel)."""
    row, column, channel = where
    if isinstance(node.operator, DepthwiseConv2D):
        multiplier = weights.shape[3] // len(channels)
        return [(channels[channel // multiplier], float(weights.tolist()[0][row][column][channel]))]
    per_group = weights.shape[3]
    groups = len(channels) // per_group
    first = channel * groups // weights.shape[0] * per_group
    row_of_weights: list[float] = weights[channel, row, column].tolist()
    return list(zip(channels[first : first + per_group], row_of_weights, strict=True))


def places(graph: Graph, node: Node) -> list[tuple[int, ...]]:
    """Up to 40 places of the result, spread over it."""
    del graph
    everything = list(np.ndindex(node.outputs[0].type.shape))
    return everything[:: max(1, len(everything) // 40)]


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32])
def test_convolutions_equal_plain_loops(dtype: DType) -> None:
    compared = 0
    for graph, node, values in nodes_of(dtype):
        operator, output = node.operator, node.outputs[0].type
        if not isinstance(operator, Conv2D | DepthwiseConv2D):
            continue
        result = values[node.name]
        for place in places(graph, node):
            acc = accumulate(node, values, place)
            if dtype is DType.FLOAT32:
                low, high = operator.activation.real_range
                expected = min(max(float(acc), low), high)
            elif operator.accumulator is not None:
                expected = acc
            else:
                p = conv_parameters(operator, [v.type for v in node.present_inputs], output)
                channel = place[3]
                scaled = multiply_by_quantized_multiplier(
                    np.array([acc], np.int32), int(p.multipliers[channel]), int(p.shifts[channel])
                )
                shifted = int(scaled[0]) + p.output_offset
                expected = min(max(shifted, p.clamp_min), p.clamp_max)
            assert result[place] == expected, (graph.name, node.name, place)
            compared += 1
    assert compared > 200


def test_integer_pools_equal_plain_loops() -> None:
    compared = 0
    for graph, node, values in nodes_of(DType.INT8):
        operator, output = node.operator, node.outputs[0].type
        if not isinstance(operator, AveragePool2D | MaxPool2D):
            continue
        array = values[node.present_inputs[0].name]
        low, high = activation_range(operator.activation, output)
        for place in places(graph, node):
            elements = [int(channels[place[3]]) for _, _, channels in seen(node, array, place)]
            if isinstance(operator, MaxPool2D):
                best = max(elements)
            elif operator.halves_to_even:
                assert output.quantization is not None
                zero_point = output.quantization.zero_point
                best = round(Fraction(sum(elements), len(elements)) - zero_point) + zero_point
            else:
                half = len(elements) // 2 if sum(elements) > 0 else -(len(elements) // 2)
                best = int((sum(elements) + half) / len(elements))
            assert values[node.name][place] == min(max(best, low), high), (graph.name, node.name)
            compared += 1
    assert compared > 40
