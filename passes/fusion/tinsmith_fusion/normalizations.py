"""Finds layer norms, and norms by the root of the mean square, that exporters take apart: nine operators for one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Constant, GraphView, Node, Value
from tinsmith_ir.operators import Add, LayerNorm, Mul, RmsNorm, Sub
from tinsmith_ir.rewrite import Rewrite, fresh_name
from tinsmith_ir.types import TensorType

from tinsmith_fusion.moments import (
    Divisor,
    both,
    centred,
    inverse_root,
    is_plain,
    is_same,
    mean_of_rows,
    mean_square,
    plain,
    quotients,
    variance,
)


@dataclass(frozen=True)
class _Norm:
    """What a norm reads. inner: the nodes that nothing else may read."""

    operator: LayerNorm | RmsNorm
    x: Value
    gain: Value | None = None
    offset: Value | None = None
    inner: tuple[Node, ...] = ()


def is_layer_norm(graph: GraphView, node: Node) -> Rewrite | None:
    """(x - mean) / sqrt(variance + epsilon), or times the inverse of that root, which gamma may be in."""
    for value, divisor in quotients(graph, node):
        rest, spread = centred(graph, value), variance(graph, divisor.of)
        if rest is not None and spread is not None and is_same(spread.of, rest.of):
            inner = (*rest.nodes, *divisor.nodes, *spread.nodes)
            norm = _Norm(LayerNorm(divisor.epsilon), rest.of, divisor.gain, inner=inner)
            return _instead(graph, node, norm)
    return None


def is_rms_norm(graph: GraphView, node: Node) -> Rewrite | None:
    """x / sqrt(mean of squares + epsilon), or times the inverse of that root, which gamma may be in."""
    for x, divisor in quotients(graph, node):
        squares = mean_square(graph, divisor.of)
        if squares is not None and is_same(squares.of, x):
            inner = (*divisor.nodes, *squares.nodes)
            norm = _Norm(RmsNorm(divisor.epsilon), x, divisor.gain, inner=inner)
            return _instead(graph, node, norm)
    return None


def is_moved_layer_norm(graph: GraphView, node: Node) -> Rewrite | None:
    """x * s + (beta - mean * s), with s of gamma / sqrt(variance + epsilon), as TensorFlow has it."""
    if not is_plain(node, Add):
        return None
    for product, shift in both(node):
        scaled, offset = plain(graph, product, Mul), plain(graph, shift, Sub)
        moved = offset and plain(graph, offset.present_inputs[1], Mul)
        if not scaled or not offset or not moved:
            continue
        for x, divisor, more in _moved(graph, scaled, moved):
            inner = (scaled, offset, moved, *divisor.nodes, *more)
            beta = offset.present_inputs[0]
            norm = _Norm(LayerNorm(divisor.epsilon), x, divisor.gain, beta, inner)
            return _instead(graph, node, norm)
    return None


def takes_gain(graph: GraphView, node: Node) -> Rewrite | None:
    """A norm times a constant row."""
    if not is_plain(node, Mul):
        return None
    for value, gain in both(node):
        norm = _norm(graph, value, node)
        if norm is not None and norm.gain is None and norm.offset is None:
            return _instead(graph, node, replace(norm, gain=gain))
    return None


def takes_offset(graph: GraphView, node: Node) -> Rewrite | None:
    """A layer norm plus a constant row."""
    if not is_plain(node, Add):
        return None
    for value, offset in both(node):
        norm = _norm(graph, value, node)
        if norm is None or not isinstance(norm.operator, LayerNorm) or norm.offset is not None:
            continue
        return _instead(graph, node, replace(norm, offset=offset))
    return None


def _moved(
    graph: GraphView, scaled: Node, moved: Node
) -> Iterator[tuple[Value, Divisor, tuple[Node, ...]]]:
    """x, what it is multiplied by, and the nodes of mean and variance, of x * s and mean * s."""
    for x, factor in both(scaled):
        divisor = inverse_root(graph, factor)
        spread = divisor and variance(graph, divisor.of)
        if not divisor or not spread or not is_same(spread.of, x):
            continue
        for centre, same in both(moved):
            mean = mean_of_rows(graph, centre)
            if mean is not None and is_same(mean.of, x) and is_same(same, factor):
                yield x, divisor, (*spread.nodes, *mean.nodes)


def _norm(graph: GraphView, value: Value, node: Node) -> _Norm | None:
    """A norm that is there already, and that the node alone reads."""
    found = graph.producer(value)
    if found is None or graph.only_user(value) is not node:
        return None
    if not isinstance(found.operator, LayerNorm | RmsNorm):
        return None
    x, gain, offset = (*found.inputs, None, None)[:3]
    assert x is not None  # it needs one
    return _Norm(found.operator, x, gain, offset)


def _instead(graph: GraphView, node: Node, norm: _Norm) -> Rewrite | None:
    """The operator in place of a node, if nothing else reads what computes it, and its factors are rows."""
    if norm.x.type != node.outputs[0].type or norm.x.type.dtype is not DType.FLOAT32:
        return None
    names = {node.name, *(each.name for each in norm.inner)}
    for each in norm.inner:
        value = each.outputs[0]
        if graph.is_output(value) or any(user.name not in names for user in graph.readers(value)):
            return None
    operands: list[Value | None] = [norm.x]
    constants: list[Constant] = []
    for factor in (norm.gain, norm.offset)[: len(norm.operator.operands) - 1]:
        row = factor and _row(graph, factor, norm.x.type.shape[-1])
        if factor is not None and row is None:
            return None
        operands.append(row and row.value)
        if row is not None and row.value is not factor:
            constants.append(row)
    made = replace(node, operator=norm.operator, inputs=tuple(operands))
    return Rewrite(node.outputs, (made,), tuple(constants))


def _row(graph: GraphView, value: Value, length: int) -> Constant | None:
    """A constant that differs along the last axis alone, as a row: itself if it is one."""
    data = graph.constant(value)
    if data is None or data.size not in (1, length) or (data.ndim and data.shape[-1] != data.size):
        return None
    if data.shape == (length,):
        return Constant(value, data)
    row = np.array(np.broadcast_to(data.reshape(-1), (length,)))
    type_ = TensorType((length,), DType.FLOAT32)
    return Constant(Value(fresh_name(graph, f"{value.name}_row"), type_), row)
