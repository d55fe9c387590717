"""The parts of a norm of float32 over the last axis: mean, variance, mean square, and what divides by their root."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.graph import GraphView, Node, Value
from tinsmith_ir.operators import (
    Add,
    Div,
    Mean,
    Mul,
    Operator,
    Pow,
    Rsqrt,
    Sqrt,
    Square,
    SquaredDifference,
    Sub,
)
from tinsmith_ir.operators.base import activation_of


@dataclass(frozen=True)
class Part:
    """A value as a function of another, `of`. nodes: what computes it, its own node first."""

    of: Value
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Divisor(Part):
    """sqrt(of + epsilon), or its inverse, then times `gain` if there is one."""

    epsilon: float
    gain: Value | None = None


def mean_of_rows(graph: GraphView, value: Value) -> Part | None:
    """The mean over the last axis, which stays as 1."""
    node = graph.producer(value)
    if node is None or not isinstance(node.operator, Mean):
        return None
    (operand,) = node.present_inputs
    is_last = node.operator.axes == (len(operand.type.shape) - 1,)
    return Part(operand, (node,)) if is_last and node.operator.keep_dims else None


def centred(graph: GraphView, value: Value) -> Part | None:
    """x less the mean of its row."""
    node = plain(graph, value, Sub)
    if node is None:
        return None
    x, subtracted = node.present_inputs
    mean = mean_of_rows(graph, subtracted)
    return Part(x, (node, *mean.nodes)) if mean is not None and is_same(mean.of, x) else None


def mean_square(graph: GraphView, value: Value) -> Part | None:
    """The mean of squares of a row."""
    mean = mean_of_rows(graph, value)
    square = mean and _square(graph, mean.of)
    return Part(square.of, (*mean.nodes, *square.nodes)) if mean and square else None


def variance(graph: GraphView, value: Value) -> Part | None:
    """The mean square of what lies between x and its mean."""
    squares = mean_square(graph, value)
    rest = squares and centred(graph, squares.of)
    if squares and rest:
        return Part(rest.of, (*squares.nodes, *rest.nodes))
    mean = mean_of_rows(graph, value)
    node = mean and plain(graph, mean.of, SquaredDifference)
    if not mean or not node:
        return None
    for x, centre in both(node):
        inner = mean_of_rows(graph, centre)
        if inner is not None and is_same(inner.of, x):
            return Part(x, (*mean.nodes, node, *inner.nodes))
    return None


def root(graph: GraphView, value: Value) -> Divisor | None:
    """sqrt(x + epsilon)."""
    node = plain(graph, value, Sqrt)
    if node is not None:
        return _raised(graph, node)
    node = plain(graph, value, Pow)
    return _raised(graph, node) if node and _exponent(graph, node) == 0.5 else None


def inverse_root(graph: GraphView, value: Value) -> Divisor | None:
    """1 / sqrt(x + epsilon), or that times a constant."""
    node = graph.producer(value)
    if node is None or activation_of(node.operator) is not Activation.NONE:
        return None
    match node.operator:
        case Rsqrt():
            return _raised(graph, node)
        case Pow():
            return _raised(graph, node) if _exponent(graph, node) == -0.5 else None
        case Div():
            one, divisor = node.present_inputs
            found = root(graph, divisor) if number(graph, one) == 1.0 else None
            return found and replace(found, nodes=(node, *found.nodes))
        case Mul():
            for inner, gain in both(node):
                found = inverse_root(graph, inner) if graph.constant(gain) is not None else None
                if found is not None and found.gain is None:
                    return replace(found, nodes=(node, *found.nodes), gain=gain)
            return None
        case _:
            return None


def quotients(graph: GraphView, node: Node) -> Iterator[tuple[Value, Divisor]]:
    """All ways in which a node divides a value by such a root."""
    if is_plain(node, Div):
        value, divisor = node.present_inputs
        found = root(graph, divisor)
        if found is not None:
            yield value, found
    if is_plain(node, Mul):
        for value, factor in both(node):
            found = inverse_root(graph, factor)
            if found is not None:
                yield value, found


def plain(graph: GraphView, value: Value, kind: Callable[..., Operator]) -> Node | None:
    """The node of that kind, without a clamp, that computes the value."""
    node = graph.producer(value)
    return node if node is not None and is_plain(node, kind) else None


def is_plain(node: Node, kind: Callable[..., Operator]) -> bool:
    """Whether it is of that kind, without a clamp."""
    return type(node.operator) is kind and activation_of(node.operator) is Activation.NONE


def both(node: Node) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    """The two operands in either order."""
    lhs, rhs = node.present_inputs
    return (lhs, rhs), (rhs, lhs)


def is_same(value: Value, other: Value) -> bool:
    """Whether both are one value."""
    return value.name == other.name


def number(graph: GraphView, value: Value) -> float | None:
    """What all elements of a constant are."""
    data = graph.constant(value)
    if data is None or not bool(np.all(data == data.reshape(-1)[0])):
        return None
    return float(data.reshape(-1)[0])


def _square(graph: GraphView, value: Value) -> Part | None:
    node = graph.producer(value)
    if node is None or activation_of(node.operator) is not Activation.NONE:
        return None
    match node.operator:
        case Square():
            return Part(node.present_inputs[0], (node,))
        case Mul():
            lhs, rhs = node.present_inputs
            return Part(lhs, (node,)) if is_same(lhs, rhs) else None
        case Pow():
            return Part(node.present_inputs[0], (node,)) if _exponent(graph, node) == 2.0 else None
        case _:
            return None


def _exponent(graph: GraphView, node: Node) -> float | None:
    return number(graph, node.present_inputs[1])


def _raised(graph: GraphView, node: Node) -> Divisor | None:
    """A node whose operand is x + epsilon, of the shape of x."""
    inner = plain(graph, node.present_inputs[0], Add)
    if inner is None:
        return None
    for x, added in both(inner):
        epsilon = number(graph, added)
        if epsilon is None or x.type != inner.outputs[0].type:
            continue
        if math.isfinite(epsilon) and epsilon > 0:
            return Divisor(x, (node, inner), epsilon)
    return None
