"""Cross-layer equalization: channels between two layers are scaled so that both have use for all their integers.

A channel that one layer makes twice as large, and the next one multiplies by half as much, gives the same network, if
nothing between them but a rectifier that knows no upper end. So scales can be taken where a layer's channels differ
much, which integers with one scale for a layer, or for a tensor, pay for. Nagel et al., "Data-Free Quantization Through
Weight Equalization and Bias Correction" (2019). Here scales are powers of two, which change no bit of a float32 result
but where numbers leave its range; and no channel grows beyond the largest one of its tensor, as the samples show it,
since a channel of weights near 0 may have a large bias.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators.base import activation_of

from tinsmith_quantization.channels.channels import (
    HOMOGENEOUS,
    axis_of_inputs,
    axis_of_outputs,
    reads_channels,
)
from tinsmith_quantization.execution import Samples, evaluated, is_real_layer

_ROUNDS = 8
_LARGEST_EXPONENT = 20
_Exponents = NDArray[np.int64]


def equalized(graph: Graph, samples: Samples) -> Graph:
    """The same network with other weights; `graph` itself if no two layers follow one another that allow it.

    samples: see `execution.Samples`.
    """
    pairs = [pair for node in graph.nodes for pair in [_pair(graph, node)] if pair is not None]
    if not pairs:
        return graph
    heights = _heights(graph, samples, {first.name for first, _ in pairs})
    data = {name: np.array(array) for name, array in graph.constant_data.items()}
    for _ in range(_ROUNDS):
        moved = [_move(data, heights, first, second) for first, second in pairs]
        if not any(moved):
            break
    if all(np.array_equal(array, graph.constant_data[name]) for name, array in data.items()):
        return graph
    constants = (replace(each, data=data[each.value.name]) for each in graph.constants)
    return graph.rebuilt(constants=constants)


def _pair(graph: Graph, node: Node) -> tuple[Node, Node] | None:
    """A layer and the only one that reads what it gives; nobody else reads the constants of either."""
    if not is_real_layer(graph, node) or activation_of(node.operator) not in HOMOGENEOUS:
        return None
    reader = graph.only_user(node.outputs[0])
    if reader is None or not is_real_layer(graph, reader):
        return None
    source = reader.inputs[0]
    if source is None or source.name != node.name or not reads_channels(reader):
        return None
    constants = [*node.present_inputs[1:], *reader.present_inputs[1:2]]
    if any(graph.only_user(value) is None for value in constants):
        return None
    return node, reader


def _heights(graph: Graph, samples: Samples, names: set[str]) -> dict[str, NDArray[np.float64]]:
    """The largest magnitude of each channel, the last axis, of tensors by name."""
    return {
        value.name: _peaks(array, array.ndim - 1)
        for value, array in evaluated(graph, samples)
        if value.name in names
    }


def _move(
    data: Mapping[str, Array],
    heights: dict[str, NDArray[np.float64]],
    first: Node,
    second: Node,
) -> bool:
    """Scale the channels between two layers; False if they are as they should be."""
    height = heights[first.name]
    weights, later = first.present_inputs[1], second.present_inputs[1]
    made = _peaks(data[weights.name], axis_of_outputs(first))
    read = _peaks(data[later.name], axis_of_inputs(second))
    known = (made > 0) & (read > 0) & (height > 0)
    ratio = np.where(known, made, 1.0) / np.where(known, read, 1.0)
    exponents = np.rint(np.log2(ratio) / 2).astype(np.int64)
    lowest = np.ceil(np.log2(np.where(known, height, 1.0) / height.max(initial=1e-300)))
    exponents = np.where(known, np.maximum(exponents, np.minimum(lowest, 0)), 0).astype(np.int64)
    exponents = np.clip(exponents, -_LARGEST_EXPONENT, _LARGEST_EXPONENT)
    if not exponents.any():
        return False
    heights[first.name] = height * np.exp2(-exponents.astype(np.float64))
    _scale(data, weights, -exponents, axis_of_outputs(first))
    _scale(data, later, exponents, axis_of_inputs(second))
    if len(first.present_inputs) > 2:
        _scale(data, first.present_inputs[2], -exponents, 0)
    return True


def _peaks(array: Array, axis: int) -> NDArray[np.float64]:
    """The largest magnitude at each index of an axis."""
    rows = np.moveaxis(np.abs(array.astype(np.float64)), axis, 0)
    return np.asarray(rows.reshape(len(rows), -1).max(axis=1), np.float64)


def _scale(data: Mapping[str, Array], value: Value, exponents: _Exponents, axis: int) -> None:
    """Multiply by powers of two, one for each index of an axis."""
    array = data[value.name]
    shape = [1] * array.ndim
    shape[axis] = -1
    factors = np.exp2(exponents.astype(np.float64)).reshape(shape)
    array[...] = (array.astype(np.float64) * factors).astype(array.dtype)
