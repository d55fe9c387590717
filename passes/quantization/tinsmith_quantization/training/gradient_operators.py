"""Operators without weights on batches, and their derivatives: one function for each kind."""

from collections.abc import Callable, Sequence

import numpy as np
from tinsmith_ir.graph import Node
from tinsmith_ir.operators import (
    Add,
    Arithmetic,
    AveragePool2D,
    BatchMatmul,
    Broadcast,
    Concat,
    Div,
    LayerNorm,
    MaxPool2D,
    Mean,
    Mul,
    Pad,
    Pool,
    Reshape,
    RmsNorm,
    Select,
    Slice,
    Softmax,
    Sub,
    Sum,
    Transpose,
)
from tinsmith_ir.operators.base import Operator, Trait, activation_of
from tinsmith_ir.operators.windows import pad_spatial, spatial, taps

from tinsmith_quantization.training.exact import Reals, on_grid, total
from tinsmith_quantization.training.gradient_products import matrix_product, norm
from tinsmith_quantization.training.gradient_steps import (
    RESULT_BITS,
    Make,
    Step,
    aligned,
    shares,
    summed,
)

_CURVE_STEP = 1 / 64
"""Of the argument, between which a function of one number is taken for a straight line."""


def operator_step(node: Node) -> Make | None:
    """What computes a node of operands (N, *shape), constants (1, *shape); None if that is not known here."""
    operator = node.operator
    for kind, make in _KINDS.items():
        if isinstance(operator, kind):
            return lambda operands: _activated(node, make(node, operands))
    is_curve = Trait.ELEMENTWISE in operator.traits and len(node.present_inputs) == 1
    return (lambda operands: _curve(node, operands[0])) if is_curve else None


def _activated(node: Node, step: Step) -> Step:
    if Trait.FUSES_CLAMP not in node.operator.traits and not isinstance(node.operator, Concat):
        return step
    low, high = activation_of(node.operator).real_range
    if low == -np.inf and high == np.inf:
        return step
    real = step.result

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        return step.backward(np.where((real > low) & (real < high), gradient, 0.0))

    return Step(np.clip(real, low, high), backward)


def _arithmetic(node: Node, operands: Sequence[Reals]) -> Step:
    rank = max(array.ndim for array in operands)
    lhs, rhs = (aligned(array, rank) for array in operands)
    operator = node.operator
    if isinstance(operator, Mul):
        return Step(lhs * rhs, lambda g: shares(operands, g * rhs, g * lhs))
    if isinstance(operator, Add):
        return Step(lhs + rhs, lambda g: shares(operands, g, g))
    if isinstance(operator, Div):
        ratio = lhs / rhs
        return Step(ratio, lambda g: shares(operands, g / rhs, -g * ratio / rhs))
    assert isinstance(operator, Sub)
    return Step(lhs - rhs, lambda g: shares(operands, g, -g))


def _curve(node: Node, read: Reals) -> Step:
    """A function of one number, by what the operator itself says, and the slope between two numbers beside it."""
    operator = node.operator
    slope = _values(operator, node, read + _CURVE_STEP) - _values(
        operator, node, read - _CURVE_STEP
    )
    slope /= 2 * _CURVE_STEP
    return Step(_values(operator, node, read), lambda gradient: [gradient * slope])


def _values(operator: Operator, node: Node, read: Reals) -> Reals:
    types = [node.present_inputs[0].type], [node.outputs[0].type]
    numbers = read.astype(np.float32)
    found = [operator.evaluate([sample], *types)[0] for sample in numbers]
    return on_grid(np.stack(found).astype(np.float64), RESULT_BITS)


def _pool_views(node: Node, images: Reals, fill: float) -> tuple[Reals, list[Reals]]:
    operator = node.operator
    assert isinstance(operator, Pool)
    padded = np.asarray(pad_spatial(images, operator.padding, fill), np.float64)
    size = spatial(node.outputs[0].type.shape)
    seen = taps(padded, operator.window, operator.stride, (1, 1), size)
    return padded, [np.asarray(view, np.float64) for _, _, view in seen]


def _unpooled(node: Node, read: Reals, parts: Sequence[Reals]) -> Reals:
    """What windows give back to the elements that they saw, one position of the window after another."""
    operator = node.operator
    assert isinstance(operator, Pool)
    images = read.reshape(-1, *read.shape[-3:])
    padded, views = _pool_views(node, np.zeros_like(images), 0.0)
    for view, part in zip(views, parts, strict=True):
        view += part
    top, bottom, left, right = operator.padding
    inside = padded[:, top : padded.shape[1] - bottom, left : padded.shape[2] - right]
    return inside.reshape(read.shape)


def _max_pool(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    _, views = _pool_views(node, read.reshape(-1, *read.shape[-3:]), -np.inf)
    seen = np.stack(views)
    winners = seen.argmax(axis=0)
    result = seen.max(axis=0).reshape(len(read), *node.outputs[0].type.shape)

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        given = gradient.reshape(winners.shape)
        parts = [np.where(winners == tap, given, 0.0) for tap in range(len(views))]
        return [_unpooled(node, read, parts)]

    return Step(result, backward)


def _average_pool(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    images = read.reshape(-1, *read.shape[-3:])
    _, views = _pool_views(node, images, 0.0)
    _, ones = _pool_views(node, np.ones((1, *images.shape[1:3], 1)), 0.0)
    counts = sum(ones[1:], ones[0])
    result = sum(views[1:], views[0]) / counts

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        share = gradient.reshape(result.shape) / counts
        return [_unpooled(node, read, [share] * len(views))]

    return Step(result.reshape(len(read), *node.outputs[0].type.shape), backward)


def _reduction(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    operator = node.operator
    assert isinstance(operator, Mean | Sum)
    axes = tuple(axis + 1 for axis in operator.axes)
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(read.shape))
    factor = 1.0
    if isinstance(operator, Mean):
        factor = 1 / np.prod([read.shape[axis] for axis in axes])
    result = total(read, axes) * factor

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        return [np.broadcast_to(gradient.reshape(kept) * factor, read.shape)]

    return Step(result.reshape(len(read), *node.outputs[0].type.shape), backward)


def _reshape(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    result = read.reshape(len(read), *node.outputs[0].type.shape)
    return Step(result, lambda gradient: [gradient.reshape(read.shape)])


def _transpose(node: Node, operands: Sequence[Reals]) -> Step:
    operator = node.operator
    assert isinstance(operator, Transpose)
    order = (0, *(axis + 1 for axis in operator.permutation))
    back = tuple(np.argsort(order).tolist())
    return Step(operands[0].transpose(order), lambda gradient: [gradient.transpose(back)])


def _slice(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    operator = node.operator
    assert isinstance(operator, Slice)
    axes = zip(operator.begin, operator.shape, operator.steps, strict=True)
    indices = [begin + np.arange(size) * step for begin, size, step in axes]
    where = np.ix_(np.arange(len(read)), *indices)

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        found = np.zeros_like(read)
        found[where] = gradient
        return [found]

    return Step(read[where], backward)


def _pad(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    operator = node.operator
    assert isinstance(operator, Pad)
    pairs = list(zip(operator.padding[::2], operator.padding[1::2], strict=True))
    value = 0.0 if operator.value is None else float(operator.value)
    inside = tuple(
        slice(before, before + size)
        for (before, _), size in zip(pairs, read.shape[1:], strict=True)
    )
    result = np.pad(read, [(0, 0), *pairs], constant_values=value)
    return Step(result, lambda gradient: [gradient[(slice(None), *inside)]])


def _concat(node: Node, operands: Sequence[Reals]) -> Step:
    operator = node.operator
    assert isinstance(operator, Concat)
    axis, count = operator.axis + 1, max(map(len, operands))
    arrays = [np.broadcast_to(array, (count, *array.shape[1:])) for array in operands]
    ends = np.cumsum([array.shape[axis] for array in arrays])[:-1].tolist()
    result = np.concatenate(arrays, axis=axis)
    return Step(result, lambda gradient: list(np.split(gradient, ends, axis=axis)))


def _broadcast(node: Node, operands: Sequence[Reals]) -> Step:
    (read,) = operands
    shape = (len(read), *node.outputs[0].type.shape)
    result = np.broadcast_to(aligned(read, len(shape)), shape)
    return Step(result, lambda gradient: [summed(gradient, read.shape)])


def _select(node: Node, operands: Sequence[Reals]) -> Step:
    rank = len(node.outputs[0].type.shape) + 1
    condition, on_true, on_false = (aligned(array, rank) for array in operands)
    where = condition != 0
    result = np.where(where, on_true, on_false)

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        parts = np.where(where, gradient, 0.0), np.where(where, 0.0, gradient)
        return [None, *shares(operands[1:], *parts)]

    return Step(result, backward)


def _softmax(node: Node, operands: Sequence[Reals]) -> Step:
    operator = node.operator
    assert isinstance(operator, Softmax)
    result = softmax(operands[0] * operator.beta)

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        mean = total(gradient * result, (gradient.ndim - 1,))[..., None]
        return [operator.beta * result * (gradient - mean)]

    return Step(result, backward)


def softmax(scores: Reals) -> Reals:
    """exp(scores) over their sum, along the last axis; without the last bits, in which libraries differ."""
    raised = on_grid(np.exp(scores - scores.max(axis=-1, keepdims=True)), RESULT_BITS)
    return raised / total(raised, (raised.ndim - 1,))[..., None]


_KINDS: dict[type[Operator], Callable[[Node, Sequence[Reals]], Step]] = {
    Arithmetic: _arithmetic,
    AveragePool2D: _average_pool,
    BatchMatmul: matrix_product,
    Broadcast: _broadcast,
    Concat: _concat,
    Div: _arithmetic,
    LayerNorm: norm,
    MaxPool2D: _max_pool,
    Mean: _reduction,
    Pad: _pad,
    Reshape: _reshape,
    RmsNorm: norm,
    Select: _select,
    Slice: _slice,
    Softmax: _softmax,
    Sum: _reduction,
    Transpose: _transpose,
}
