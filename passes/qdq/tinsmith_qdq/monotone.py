"""Operators that only choose among elements: the same on real numbers as on the integers that stand for them.

Integers of one quantization are in the order of what they stand for. So a Dequantize goes behind such an operator, and
a Quantize in front of it, with the same integers as result.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node, Value
from tinsmith_ir.operators import (
    Activation,
    ArgMax,
    ArgMin,
    Broadcast,
    Clamp,
    Concat,
    Dequantize,
    Gather,
    Maximum,
    MaxPool2D,
    Minimum,
    Operator,
    Pad,
    Quantize,
    ReduceMax,
    ReduceMin,
    Relu,
    Reshape,
    Select,
    Slice,
    TopK,
    TopKIndices,
    Transpose,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.rewrite import Rewrite, fresh_name
from tinsmith_ir.types import TensorType

_CHOOSING = (
    Broadcast,
    Concat,
    Gather,
    Maximum,
    MaxPool2D,
    Minimum,
    Pad,
    ReduceMax,
    ReduceMin,
    Relu,
    Reshape,
    Select,
    Slice,
    TopK,
    Transpose,
)
"""The result is elements of the operands, or 0."""
_ASKING = (ArgMax, ArgMin, TopKIndices)
"""The result says which element."""


def is_choosing(operator: Operator) -> bool:
    """Whether it is exchanged with what quantizes, if it can be, and not folded."""
    return isinstance(operator, (*_CHOOSING, *_ASKING, Clamp))


def sinks(graph: GraphView, node: Node) -> Rewrite | None:
    """A Dequantize behind an operator that chooses; none behind one that asks."""
    if not isinstance(node.operator, (*_CHOOSING, *_ASKING)):
        return None
    integers = _integers(graph, node)
    if integers is None:
        return None
    operator = _of_integers(node.operator, integers[1].type, is_exact=True)
    if operator is None:
        return None
    if isinstance(operator, _ASKING):
        return Rewrite(node.outputs, (replace(node, operator=operator, inputs=integers[0]),))
    result = node.outputs[0]
    type_ = integers[1].type.with_shape(result.type.shape)
    inner = Value(fresh_name(graph, f"{result.name}_integers"), type_)
    chosen = Node(operator, integers[0], (inner,), node.location)
    return Rewrite(
        node.outputs, (chosen, Node(Dequantize(), (inner,), node.outputs, node.location))
    )


def rises(graph: GraphView, node: Node) -> Rewrite | None:
    """A Quantize in front of operators that choose, or that clamp: of as many as there are one behind the other."""
    if not isinstance(node.operator, Quantize) or not node.operator.halves_to_even:
        return None
    result = node.outputs[0]
    chain = _chain(graph, node)
    if not chain:
        return None
    nodes: list[Node] = []
    made: Value | None = None
    for number, (chooser, operator) in enumerate(reversed(chain)):
        following = None if number == 0 else chain[len(chain) - number][0].outputs[0]
        inputs: list[Value | None] = []
        for at, value in enumerate(chooser.inputs):
            if value is None or value.type.dtype is not DType.FLOAT32:
                inputs.append(value)
            elif following is not None and value.name == following.name:
                inputs.append(made)
            else:
                name = fresh_name(graph, f"{result.name}_of_{number}_{at}")
                quantized = Value(name, result.type.with_shape(value.type.shape))
                nodes.append(Node(node.operator, (value,), (quantized,), node.location))
                inputs.append(quantized)
        made = result
        if number < len(chain) - 1:
            name = fresh_name(graph, f"{result.name}_of_{number}")
            made = Value(name, result.type.with_shape(chooser.outputs[0].type.shape))
        nodes.append(Node(operator, tuple(inputs), (made,), chooser.location))
    return Rewrite(node.outputs, tuple(nodes))


def _chain(graph: GraphView, quantize: Node) -> Sequence[tuple[Node, Operator]]:
    """What a Quantize is exchanged with, the last first, each with the operator of integers that it becomes."""
    found: list[tuple[Node, Operator]] = []
    type_, user, value = quantize.outputs[0].type, quantize, quantize.present_inputs[0]
    while type_.dtype is not DType.UINT8:
        node = graph.producer(value)
        if node is None or graph.only_user(value) is not user:
            break
        operator = (
            _of_integers(node.operator, type_, is_exact=False)
            if isinstance(node.operator, (*_CHOOSING, Clamp))
            else None
        )
        if operator is None:
            break
        found.append((node, operator))
        computed = {
            operand.name: operand
            for operand in node.present_inputs
            if operand.type.dtype is DType.FLOAT32 and graph.constant(operand) is None
        }
        if len(computed) != 1:
            break
        (value,) = computed.values()
        user = node
    return found


def _integers(graph: GraphView, node: Node) -> tuple[tuple[Value | None, ...], Value] | None:
    """The operands before they were dequantized, all float ones of one quantization, and one of these."""
    operands: list[Value | None] = []
    found: Value | None = None
    for value in node.inputs:
        if value is None or value.type.dtype is not DType.FLOAT32:
            operands.append(value)
            continue
        producer = graph.producer(value)
        if producer is None or not isinstance(producer.operator, Dequantize):
            return None
        source = producer.present_inputs[0]
        found = found or source
        if not _are_alike(source.type, found.type):
            return None
        operands.append(source)
    return None if found is None else (tuple(operands), found)


def _are_alike(first: TensorType, second: TensorType) -> bool:
    return (
        first.quantization == second.quantization and first.dtype is second.dtype is not DType.UINT8
    )


def _of_integers(operator: Operator, type_: TensorType, *, is_exact: bool) -> Operator | None:
    """The operator on integers of that type; None if it clamps at what is no integer.

    is_exact: what a Pad adds is the very number in integers, and not what it is rounded to.
    """
    if isinstance(operator, Pad):
        return _pad(operator, type_, is_exact=is_exact)
    if not isinstance(operator, Clamp) and activation_of(operator) not in _AT_ZERO:
        return None
    return operator


_AT_ZERO = (Activation.NONE, Activation.RELU)


def _pad(operator: Pad, type_: TensorType, *, is_exact: bool) -> Pad | None:
    quantization = type_.quantization
    if operator.value is None or quantization is None:
        return operator
    steps = float(np.float32(operator.value) / np.float32(quantization.scale))
    low, high = type_.dtype.integer_range
    shifted = np.rint(np.clip(steps, low - high, high - low)) + quantization.zero_point
    integer = int(np.clip(shifted, low, high))
    real = np.float32(quantization.scale) * np.float32(integer - quantization.zero_point)
    if is_exact and real != np.float32(operator.value):
        return None
    return Pad(operator.padding, integer)
