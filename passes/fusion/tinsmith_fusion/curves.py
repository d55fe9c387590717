"""Finds curves that exporters take apart: what is one operator here is four or five in their files."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node, Value
from tinsmith_ir.operators import (
    Add,
    Div,
    Erf,
    Gelu,
    HardSwish,
    Mul,
    Operator,
    Relu0To1,
    Relu6,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.rewrite import Rewrite

_CLOSE = 1e-5
"""Of numbers that exporters round, as 1/6: relative."""


def is_hard_swish(graph: GraphView, node: Node) -> Rewrite | None:
    """x * relu6(x + 3) / 6, or x * clip(x / 6 + 1/2) to [0, 1]; divided where exporters like to."""
    for scale, x, gate in _products(graph, node):
        if _is(scale, 1 / 6) and _same(_raised(graph, gate), x):
            return _instead(node, HardSwish(), x)
        if _is(scale, 1.0) and _same(_hard_sigmoid(graph, gate), x):
            return _instead(node, HardSwish(), x)
    return None


def is_gelu(graph: GraphView, node: Node) -> Rewrite | None:
    """x / 2 * (1 + erf(x / sqrt(2)))."""
    for scale, x, gate in _products(graph, node):
        if _is(scale, 0.5) and _same(_error_gate(graph, gate), x):
            return _instead(node, Gelu(), x)
    return None


def _instead(node: Node, operator: Operator, x: Value) -> Rewrite | None:
    if x.type != node.outputs[0].type:
        return None
    return Rewrite(node.outputs, (replace(node, operator=operator, inputs=(x,)),))


def _products(graph: GraphView, node: Node) -> Iterator[tuple[float, Value, Value]]:
    """All ways in which the node is number * one * other, of float32: the number inside, outside, or 1."""
    if node.outputs[0].type.dtype is not DType.FLOAT32:
        return
    scaled = _scaled(graph, node)
    if scaled is not None:
        inner = graph.producer(scaled[1])
        if inner is not None and _is_plain(inner, Mul):
            for one, other in _both(inner):
                yield scaled[0], one, other
    if not _is_plain(node, Mul):
        return
    for one, other in _both(node):
        yield 1.0, one, other
        producer = graph.producer(one)
        within = producer and _scaled(graph, producer)
        if within:
            yield within[0], within[1], other
            yield within[0], other, within[1]


def _scaled(graph: GraphView, node: Node) -> tuple[float, Value] | None:
    """(c, x) of c * x, x * c or x / d."""
    if _is_plain(node, Mul):
        return _with_number(graph, node)
    if not _is_plain(node, Div):
        return None
    divisor = _number(graph, node.present_inputs[1])
    return None if not divisor else (1.0 / divisor, node.present_inputs[0])


def _raised(graph: GraphView, value: Value) -> Value | None:
    """x of relu6(x + 3)."""
    producer = graph.producer(value)
    if producer is not None and isinstance(producer.operator, Relu6):
        return _plus(graph, producer.present_inputs[0], 3.0, Activation.NONE)
    return _plus(graph, value, 3.0, Activation.RELU6)


def _hard_sigmoid(graph: GraphView, value: Value) -> Value | None:
    """x of x / 6 + 1/2, within [0, 1]."""
    producer = graph.producer(value)
    if producer is None or not isinstance(producer.operator, Relu0To1):
        return None
    return _times(graph, _plus(graph, producer.present_inputs[0], 0.5, Activation.NONE), 1 / 6)


def _error_gate(graph: GraphView, value: Value) -> Value | None:
    """x of 1 + erf(x / sqrt(2))."""
    inner = _plus(graph, value, 1.0, Activation.NONE)
    producer = inner and graph.producer(inner)
    if not producer or not isinstance(producer.operator, Erf):
        return None
    return _times(graph, producer.present_inputs[0], math.sqrt(0.5))


def _plus(graph: GraphView, value: Value, number: float, activation: Activation) -> Value | None:
    """x, if the value is x + number, clamped so."""
    producer = graph.producer(value)
    if producer is None or not isinstance(producer.operator, Add):
        return None
    found = _with_number(graph, producer)
    if found is None or activation_of(producer.operator) is not activation:
        return None
    return found[1] if _is(found[0], number) else None


def _times(graph: GraphView, value: Value | None, number: float) -> Value | None:
    """x, if the value is x * number."""
    producer = value and graph.producer(value)
    found = producer and _scaled(graph, producer)
    return found[1] if found and _is(found[0], number) else None


def _with_number(graph: GraphView, node: Node) -> tuple[float, Value] | None:
    """The number and the other operand."""
    for one, other in _both(node):
        number = _number(graph, one)
        if number is not None:
            return number, other
    return None


def _number(graph: GraphView, value: Value) -> float | None:
    """What all elements of a constant are."""
    data = graph.constant(value)
    if data is None or not bool(np.all(data == data.reshape(-1)[0])):
        return None
    return float(data.reshape(-1)[0])


def _both(node: Node) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    lhs, rhs = node.present_inputs
    return (lhs, rhs), (rhs, lhs)


def _is_plain(node: Node, kind: Callable[..., Operator]) -> bool:
    return type(node.operator) is kind and activation_of(node.operator) is Activation.NONE


def _is(number: float, wanted: float) -> bool:
    return math.isclose(number, wanted, rel_tol=_CLOSE)


def _same(value: Value | None, other: Value) -> bool:
    return value is not None and value.name == other.name
