"""Merges operators that only move elements, and turns those that need no move into reshapes."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph, GraphView, Node, Value
from tinsmith_ir.operators import (
    Activation,
    Concat,
    FullyConnected,
    Mean,
    Pad,
    Reduction,
    Reshape,
    Slice,
    Transpose,
)
from tinsmith_ir.parameters import zero_of
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import Pattern, Rewrite, apply_patterns, fresh_name
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class SimplifyLayout:
    """Merge reshapes, transposes, pads, slices and concats, and make reshapes of moves that move nothing."""

    name: ClassVar[str] = "simplify-layout"
    # The same elements arrive in the same places.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer moves; `graph` itself if none can be saved."""
        return apply_patterns(graph, PATTERNS)


def reshapes_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """A reshape of a reshape is one reshape."""
    if not isinstance(node.operator, Reshape):
        return None
    inner = graph.producer(node.present_inputs[0])
    if inner is None or not isinstance(inner.operator, Reshape):
        return None
    return _instead(node.with_inputs(inner.inputs))


def flattens_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """A fully connected layer makes rows of its input by itself, unless it keeps dimensions."""
    if not isinstance(node.operator, FullyConnected) or node.operator.keep_dims:
        return None
    inner = graph.producer(node.present_inputs[0])
    if inner is None or not isinstance(inner.operator, Reshape):
        return None
    return _instead(node.with_inputs((*inner.inputs, *node.inputs[1:])))


def drops_what_is_flattened(graph: GraphView, node: Node) -> Rewrite | None:
    """A reduction keeps dimensions where only a fully connected layer reads it, which makes rows of any shape."""
    operator, result = node.operator, node.outputs[0]
    if not isinstance(operator, Reduction) or operator.keep_dims:
        return None
    user = graph.only_user(result)
    if user is None or not isinstance(user.operator, FullyConnected) or user.operator.keep_dims:
        return None
    if user.inputs[0] != result or user.inputs.count(result) > 1:
        return None
    keeping = replace(operator, keep_dims=True)
    (type_,) = keeping.infer([node.present_inputs[0].type])
    name = fresh_name(graph, f"{node.name}.kept")
    kept = Value(name, result.type.with_shape(type_.shape))
    reshape = replace(node, operator=Reshape(result.type.shape), inputs=(kept,))
    return Rewrite(node.outputs, (replace(node, operator=keeping, outputs=(kept,)), reshape))


def transposes_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """A transpose of a transpose is one transpose."""
    if not isinstance(node.operator, Transpose):
        return None
    inner = graph.producer(node.present_inputs[0])
    if inner is None or not isinstance(inner.operator, Transpose):
        return None
    first = inner.operator.permutation
    operator = Transpose(tuple(first[axis] for axis in node.operator.permutation))
    return _instead(replace(node, operator=operator, inputs=inner.inputs))


def transposes_only_ones(graph: GraphView, node: Node) -> Rewrite | None:
    """A transpose that keeps the order of all axes longer than 1 is a reshape."""
    if not isinstance(node.operator, Transpose):
        return None
    operand = node.present_inputs[0]
    moved = [axis for axis in node.operator.permutation if operand.type.shape[axis] > 1]
    if moved != sorted(moved):
        return None
    return _instead(replace(node, operator=Reshape(node.outputs[0].type.shape)))


def pads_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """A pad of a pad with the same value is one pad."""
    if not isinstance(node.operator, Pad):
        return None
    operand = node.present_inputs[0]
    inner = graph.producer(operand)
    if inner is None or not isinstance(inner.operator, Pad):
        return None
    if _fill(node.operator, operand.type) != _fill(inner.operator, operand.type):
        return None
    pairs = zip(node.operator.padding, inner.operator.padding, strict=True)
    operator = Pad(tuple(outer + inner for outer, inner in pairs), node.operator.value)
    return _instead(replace(node, operator=operator, inputs=inner.inputs))


def pads_what_was_reshaped(graph: GraphView, node: Node) -> Rewrite | None:
    """A pad between two reshapes that move axes of length 1 alone is a pad: around images of one channel."""
    if not isinstance(node.operator, Reshape):
        return None
    pad = graph.producer(node.present_inputs[0])
    if pad is None or not isinstance(pad.operator, Pad):
        return None
    if graph.only_user(node.present_inputs[0]) is not node:
        return None
    inner = graph.producer(pad.present_inputs[0])
    if inner is None or not isinstance(inner.operator, Reshape):
        return None
    (source,) = inner.present_inputs
    padding = _padding_of(source.type.shape, pad.operator, pad.present_inputs[0].type.shape)
    if padding is None:
        return None
    operator = Pad(padding, pad.operator.value)
    if operator.infer([source.type])[0].shape != node.outputs[0].type.shape:
        return None
    return _instead(replace(pad, operator=operator, inputs=(source,), outputs=node.outputs))


def _padding_of(
    shape: tuple[int, ...], pad: Pad, padded: tuple[int, ...]
) -> tuple[int, ...] | None:
    """What a pad of a tensor of shape `padded` adds, in terms of `shape`; None if axes longer than 1 are others, or if
    it adds to one of length 1.
    """
    pairs = list(zip(pad.padding[::2], pad.padding[1::2], strict=True))
    long = [(size, pair) for size, pair in zip(padded, pairs, strict=True) if size > 1]
    if [size for size in shape if size > 1] != [size for size, _ in long]:
        return None
    if any(any(pair) for size, pair in zip(padded, pairs, strict=True) if size == 1):
        return None
    added = iter(pair for _, pair in long)
    return tuple(each for size in shape for each in (next(added) if size > 1 else (0, 0)))


def slices_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """A slice of a slice that nobody else reads is one slice; else the whole might have to stay for longer."""
    outer, operand = node.operator, node.present_inputs[0]
    if not isinstance(outer, Slice):
        return None
    inner = graph.producer(operand)
    if inner is None or not isinstance(inner.operator, Slice):
        return None
    if graph.only_user(operand) is not node:
        return None
    first = zip(inner.operator.begin, outer.begin, inner.operator.steps, strict=True)
    begin = tuple(at + within * step for at, within, step in first)
    steps = zip(inner.operator.steps, outer.steps, strict=True)
    operator = Slice(begin, outer.shape, tuple(one * other for one, other in steps))
    return _instead(replace(node, operator=operator, inputs=inner.inputs))


def concatenates_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """A concat that nobody else reads becomes part of a concat along the same axis."""
    operator = node.operator
    if not isinstance(operator, Concat):
        return None
    for index, operand in enumerate(node.present_inputs):
        inner = graph.producer(operand)
        if inner is None or inner.operator != Concat(operator.axis, Activation.NONE):
            continue
        is_plain = all(
            value.type.quantization == operand.type.quantization for value in inner.present_inputs
        )
        if is_plain and graph.only_user(operand) is node:
            inputs = (*node.inputs[:index], *inner.inputs, *node.inputs[index + 1 :])
            return _instead(node.with_inputs(inputs))
    return None


def averages_only_ones(graph: GraphView, node: Node) -> Rewrite | None:
    """An integer Mean over axes of length 1 that does not rescale is a reshape.

    Not for float32: the sum starts at 0.0, which turns -0.0 into 0.0.
    """
    if not isinstance(node.operator, Mean):
        return None
    operand, result = node.present_inputs[0].type, node.outputs[0].type
    if not operand.dtype.is_integer:
        return None
    if any(operand.shape[axis] != 1 for axis in node.operator.axes):
        return None
    if operand.quantization != result.quantization:
        return None
    return _instead(replace(node, operator=Reshape(result.shape)))


def reduces_what_was_reshaped(graph: GraphView, node: Node) -> Rewrite | None:
    """A reduction reads what a reshape only gave or took axes of length 1; the result is reshaped instead.

    Not of what a network gives, where the reshape would be a copy.
    """
    operator = node.operator
    if not isinstance(operator, Reduction) or graph.is_output(node.outputs[0]):
        return None
    inner = graph.producer(node.present_inputs[0])
    if inner is None or not isinstance(inner.operator, Reshape):
        return None
    source = inner.present_inputs[0]
    ours, theirs = _long_axes(node.present_inputs[0].type), _long_axes(source.type)
    moved = {axis: its for (axis, _), (its, _) in zip(ours, theirs, strict=False)}
    axes = tuple(moved[axis] for axis in operator.axes if axis in moved)
    if [size for _, size in ours] != [size for _, size in theirs] or not axes:
        return None
    result = node.outputs[0]
    reducing = replace(operator, axes=axes, keep_dims=True)
    (type_,) = reducing.infer([source.type])
    reduced = Value(fresh_name(graph, f"{node.name}.reduced"), result.type.with_shape(type_.shape))
    first = replace(node, operator=reducing, inputs=(source,), outputs=(reduced,))
    second = replace(node, operator=Reshape(result.type.shape), inputs=(reduced,))
    return Rewrite(node.outputs, (first, second))


def _long_axes(type_: TensorType) -> list[tuple[int, int]]:
    """Those longer than 1, with their sizes."""
    return [(axis, size) for axis, size in enumerate(type_.shape) if size > 1]


def _instead(node: Node) -> Rewrite:
    """`node` in the place of the one that computes the same results."""
    return Rewrite(node.outputs, (node,))


def _fill(operator: Pad, type_: TensorType) -> bytes:
    """The bytes of what is padded with, so that -0.0 differs from 0.0."""
    value = zero_of(type_) if operator.value is None else operator.value
    return np.array(value, type_.dtype.numpy).tobytes()


PATTERNS: tuple[Pattern, ...] = (
    reshapes_twice,
    flattens_twice,
    drops_what_is_flattened,
    transposes_twice,
    transposes_only_ones,
    pads_twice,
    pads_what_was_reshaped,
    slices_twice,
    concatenates_twice,
    averages_only_ones,
    reduces_what_was_reshaped,
)
