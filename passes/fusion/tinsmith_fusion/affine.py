"""Folds multiplications by constants and additions of constants into weights and bias."""

from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, GraphView, Node, Value
from tinsmith_ir.operators import Activation, Add, Mul, Sub, Weighted
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.rewrite import Rewrite

from tinsmith_fusion.layer import Layer, Reals, find_layer, put_layer


def scales_result(graph: GraphView, node: Node) -> Rewrite | None:
    """A Mul of a layer's result by a constant per channel: weights and bias take it in."""
    if not isinstance(node.operator, Mul):
        return None
    found = _layer_and_constant(graph, node)
    if found is None:
        return None
    layer, factors, _ = found
    scaled = layer.with_scaled_outputs(factors)
    return put_layer(graph, node, scaled, node.operator.activation)


def shifts_result(graph: GraphView, node: Node) -> Rewrite | None:
    """An Add of a constant per channel to a layer's result, or a Sub in either order: the bias takes
    it in, and the weights the sign.
    """
    if not isinstance(node.operator, Add | Sub):
        return None
    found = _layer_and_constant(graph, node)
    if found is None:
        return None
    layer, terms, constant_is_lhs = found
    if isinstance(node.operator, Sub) and constant_is_lhs:
        layer = layer.with_scaled_outputs(np.full_like(terms, -1.0))
    elif isinstance(node.operator, Sub):
        terms = -terms
    shifted = layer.with_shifted_outputs(terms)
    return put_layer(graph, node, shifted, node.operator.activation)


def scales_operand(graph: GraphView, node: Node) -> Rewrite | None:
    """A Mul of a layer's input by a constant per channel: the weights take it in.

    Padding stays right, as zero times anything finite is zero.
    """
    if not isinstance(node.operator, Weighted):
        return None
    operand = node.present_inputs[0]
    scaling = graph.producer(operand)
    if scaling is None or scaling.operator != Mul() or graph.only_user(operand) is not node:
        return None
    found = _value_and_constant(graph, scaling)
    layer = None if found is None else find_layer(graph, node)
    if found is None or layer is None:
        return None
    value, factors, _ = found
    scaled = layer.with_scaled_inputs(factors)
    if scaled is None:
        return None
    moved = replace(scaled, operand=value)
    return put_layer(graph, node, moved, activation_of(layer.operator))


def _layer_and_constant(graph: GraphView, node: Node) -> tuple[Layer, Reals, bool] | None:
    """The layer without activation whose result only `node` reads, the constant per channel that
    `node` combines it with, and whether that one is the left operand.
    """
    found = _value_and_constant(graph, node)
    if found is None:
        return None
    value, constant, constant_is_lhs = found
    producer = graph.producer(value)
    if producer is None or graph.only_user(value) is not node:
        return None
    layer = find_layer(graph, producer)
    if layer is None or activation_of(layer.operator) is not Activation.NONE:
        return None
    return layer, constant, constant_is_lhs


def _value_and_constant(graph: GraphView, node: Node) -> tuple[Value, Reals, bool] | None:
    """Of a float32 Mul, Add or Sub: the operand of the result's type; the other, if it is a constant
    that varies along the last axis only; and whether that one is the left operand.
    """
    result = node.outputs[0].type
    lhs, rhs = node.present_inputs
    for value, other, constant_is_lhs in ((lhs, rhs, False), (rhs, lhs, True)):
        data = graph.constant(other)
        if data is None or value.type != result or result.dtype is not DType.FLOAT32:
            continue
        per_channel = _per_channel(data, result.shape[-1:])
        if per_channel is not None:
            return value, per_channel, constant_is_lhs
    return None


def _per_channel(data: Array, channels: tuple[int, ...]) -> Reals | None:
    """A constant that varies along the last axis at most, as one number per channel; a scalar has no channels."""
    if not channels or (data.size != 1 and data.shape[-1:] != (data.size,)):
        return None
    return np.broadcast_to(data.reshape(-1).astype(np.float64), channels)
