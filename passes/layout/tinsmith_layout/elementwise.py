"""Layouts of operators that compute element by element, with numpy's broadcasting."""

import math
from collections.abc import Iterator
from dataclasses import replace

from tinsmith_ir.operators import Broadcast

from tinsmith_layout.axes import arranged, axes_of, in_digits
from tinsmith_layout.rearrangement import Rearrangement, Shape, rearranged, reshaped
from tinsmith_layout.variants import RESULT, Case, Variant


def elementwise(case: Case) -> Variant | None:
    """Any order of elements in which every operand can still be broadcast."""
    node = case.node
    for whole in _whole(case):
        operands = [broadcast_label(whole, value.type.shape) for value in node.present_inputs]
        if len(operands) == len(node.inputs) and None not in operands:
            return Variant(node.operator, tuple(operands), whole)
    return None


def broadcasts(case: Case) -> Variant | None:
    """As elementwise operators; the attribute is the new shape."""
    found = elementwise(case)
    return found and replace(found, operator=Broadcast(found.result.after))


def broadcast_label(whole: Rearrangement, shape: Shape) -> Rearrangement | None:
    """How an operand of `shape` has to lie, which is broadcast to `whole.before`, so that it is to `whole.after`.

    None if an axis of `whole.after` would be broadcast in parts.
    """
    if math.prod(shape) == math.prod(whole.before):
        return reshaped(shape, whole.before).then(whole)
    if math.prod(shape) == 1:
        return reshaped(shape, shape[: len(whole.after)])
    pieces = whole.pieces
    if pieces is None:
        return None
    extended = (1,) * (len(whole.before) - len(shape)) + shape
    there = [piece for piece in pieces if extended[piece.before] > 1]
    after = [1] * len(whole.after)
    for piece in there:
        after[piece.after] *= piece.size
    if any(1 < size < full for size, full in zip(after, whole.after, strict=True)):
        return None
    by_source = sorted(there, key=lambda piece: piece.source)
    order = [by_source.index(piece) for piece in there]
    return rearranged(shape, [piece.size for piece in by_source], order, tuple(after))


def _whole(case: Case) -> Iterator[Rearrangement]:
    """The label as one of the result, if the tensor at the port has as many elements; then in shapes of finer axes, in
    which more can be broadcast.
    """
    shape, given = case.shape(RESULT), case.shape(case.port)
    if math.prod(given) != math.prod(shape):
        return
    whole = reshaped(shape, given).then(case.label)
    if whole is None:
        return
    yield whole
    for axes in axes_of(whole):
        found = arranged(axes, shape)
        if found is not None:
            yield found
    apart = in_digits(whole)
    if apart is not None:
        yield apart
