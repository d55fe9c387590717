"""Constants of float32 as the integers that stand for them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Array, GraphView, Value
from tinsmith_ir.operators import Dequantize, Mul, Reshape, Transpose
from tinsmith_ir.types import Quantization


@dataclass(frozen=True, eq=False)
class IntegerConstant:
    """real = scales * (array - zero_point). array: int8. scales: of as many axes, each as long or 1."""

    array: Array
    scales: NDArray[np.float32]
    zero_point: int

    def varies_within(self, axis: int) -> bool:
        """Whether scales differ along another axis than `axis`."""
        return any(size > 1 for each, size in enumerate(self.scales.shape) if each != axis)

    def quantization(self, axis: int) -> Quantization | str:
        """One scale for all, or one for each index of `axis`; else why not."""
        if self.varies_within(axis):
            return "its weights have scales that differ within an output channel"
        if self.scales.size == 1:
            scale = float(self.scales.reshape(-1)[0])
            return Quantization.per_tensor(scale, self.zero_point)
        if self.zero_point:
            return "its weights have a scale per channel and a zero point"
        scales = tuple(float(scale) for scale in self.scales.reshape(-1))
        return Quantization(scales, (0,) * len(scales), axis)


_MOST_STEPS = 16
"""Between the integers and the value that they stand for."""


def integer_constant(
    graph: GraphView, value: Value, steps: int = _MOST_STEPS
) -> IntegerConstant | None:
    """The integers behind a constant that the graph dequantizes; None if it is another value, or many steps away."""
    node = graph.producer(value)
    if node is None or not steps:
        return None
    operands = node.present_inputs
    match node.operator:
        case Dequantize():
            array, quantization = _stored(graph, operands[0], steps), operands[0].type.quantization
            if array is None or quantization is None or array.dtype != np.int8:
                return None
            scales = np.full((1,) * array.ndim, quantization.scale, np.float32)
            return IntegerConstant(array, scales, quantization.zero_point)
        case Mul():
            found = integer_constant(graph, operands[0], steps - 1)
            stored = graph.constant(operands[1])
            if found is None or stored is None or stored.ndim != found.array.ndim:
                return None
            factor = np.asarray(stored, np.float32)
            if operands[0].type.shape != value.type.shape or not bool((factor > 0).all()):
                return None
            scales = found.scales * factor
            return IntegerConstant(found.array, scales, found.zero_point)
        case Transpose(permutation=permutation):
            return _moved(graph, operands[0], steps, lambda array: array.transpose(permutation))
        case Reshape(shape=shape):
            return _moved(graph, operands[0], steps, lambda array: array.reshape(shape))
        case _:
            return None


def real_constant(
    graph: GraphView, value: Value, steps: int = _MOST_STEPS
) -> NDArray[np.float32] | None:
    """The numbers of a constant of float32, or of one that the graph dequantizes; None if it is another value."""
    found = _known(graph, value, steps)
    return None if found is None else found.astype(np.float32)


def _known(graph: GraphView, value: Value, steps: int) -> Array | None:
    node = graph.producer(value)
    if node is None or not steps:
        return graph.constant(value)
    if not isinstance(node.operator, Dequantize | Mul | Transpose | Reshape):
        return None
    arrays: dict[str, Array] = {}
    for operand in node.present_inputs:
        array = _known(graph, operand, steps - 1)
        if array is None:
            return None
        arrays[operand.name] = array
    return evaluate_node(node, arrays)[0]


def _stored(graph: GraphView, value: Value, steps: int) -> Array | None:
    """The elements of a constant, or of one that is moved."""
    node = graph.producer(value)
    if node is None or not steps:
        return graph.constant(value)
    array = _stored(graph, node.present_inputs[0], steps - 1)
    if array is None:
        return None
    match node.operator:
        case Transpose(permutation=permutation):
            return array.transpose(permutation)
        case Reshape(shape=shape):
            return array.reshape(shape)
        case _:
            return None


def _moved(
    graph: GraphView, value: Value, steps: int, move: Callable[[Array], Array]
) -> IntegerConstant | None:
    found = integer_constant(graph, value, steps - 1)
    if found is None:
        return None
    scales = move(np.broadcast_to(found.scales, found.array.shape))
    for axis in range(scales.ndim):
        first = scales.take([0], axis)
        if bool((scales == first).all()):
            scales = first
    array = np.ascontiguousarray(move(found.array))
    return IntegerConstant(array, np.asarray(scales, np.float32), found.zero_point)
