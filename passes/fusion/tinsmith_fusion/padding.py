"""Lets a window operator pad its input itself."""

from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node
from tinsmith_ir.operators import Convolution, MaxPool2D, Pad
from tinsmith_ir.parameters import zero_of
from tinsmith_ir.rewrite import Rewrite
from tinsmith_ir.types import TensorType

Padding2D = tuple[int, int, int, int]


def pads_convolution(graph: GraphView, node: Node) -> Rewrite | None:
    """A Conv2D or DepthwiseConv2D that takes the padding of rows and columns in.

    The pad's value must be the real zero that convolutions pad with. float32 weights must be
    finite: 0.0 times infinity would have been NaN.
    """
    if not isinstance(node.operator, Convolution):
        return None
    pad = _spatial_pad(graph, node)
    if pad is None:
        return None
    inner, added = pad
    type_ = inner.outputs[0].type
    if _filled_with(inner, type_) != _stored(zero_of(type_), type_):
        return None
    if type_.dtype is DType.FLOAT32 and not _has_finite_weights(graph, node):
        return None
    return _padded(node, inner, _sum(node.operator.padding, added))


def pads_max_pool(graph: GraphView, node: Node) -> Rewrite | None:
    """A MaxPool2D that takes the padding of rows and columns in.

    Its own padding never wins, so the pad's value must not win either: it must be the least integer
    there is. Each window must still see a real element. (An AveragePool2D does not count its own
    padding, so for it the two are never the same.)
    """
    if not isinstance(node.operator, MaxPool2D):
        return None
    pad = _spatial_pad(graph, node)
    if pad is None:
        return None
    inner, added = pad
    type_ = inner.outputs[0].type
    if not type_.dtype.is_integer:
        return None
    if _filled_with(inner, type_) != _stored(type_.dtype.integer_range[0], type_):
        return None
    top, bottom, left, right = padding = _sum(node.operator.padding, added)
    height, width = node.operator.window
    if max(top, bottom) >= height or max(left, right) >= width:
        return None
    return _padded(node, inner, padding)


def _spatial_pad(graph: GraphView, node: Node) -> tuple[Node, Padding2D] | None:
    """The Pad of rows and columns that only `node` reads, and its (top, bottom, left, right)."""
    operand = node.present_inputs[0]
    inner = graph.producer(operand)
    if inner is None or not isinstance(inner.operator, Pad) or len(operand.type.shape) != 4:
        return None
    if graph.only_user(operand) is not node:
        return None
    batch0, batch1, top, bottom, left, right, channel0, channel1 = inner.operator.padding
    if any((batch0, batch1, channel0, channel1)):
        return None
    return inner, (top, bottom, left, right)


def _padded(node: Node, pad: Node, padding: Padding2D) -> Rewrite:
    operator = node.operator
    assert isinstance(operator, Convolution | MaxPool2D)
    inputs = (pad.inputs[0], *node.inputs[1:])
    return Rewrite(
        node.outputs, (replace(node, operator=replace(operator, padding=padding), inputs=inputs),)
    )


def _sum(one: Padding2D, other: Padding2D) -> Padding2D:
    return (one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3])


def _filled_with(pad: Node, type_: TensorType) -> bytes:
    operator = pad.operator
    assert isinstance(operator, Pad)
    return _stored(zero_of(type_) if operator.value is None else operator.value, type_)


def _stored(value: float, type_: TensorType) -> bytes:
    """The bytes of a value, so that -0.0 differs from 0.0."""
    return np.array(value, type_.dtype.numpy).tobytes()


def _has_finite_weights(graph: GraphView, node: Node) -> bool:
    weights = graph.constant(node.inputs[1])
    return weights is not None and bool(np.isfinite(weights).all())
