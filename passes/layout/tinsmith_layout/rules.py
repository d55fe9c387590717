"""What operators compute if a tensor of theirs lies otherwise: the same elements in other places, bit by bit."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import (
    ArgExtremum,
    BatchMatmul,
    Broadcast,
    Concat,
    CumSum,
    FullyConnected,
    Gather,
    Operator,
    Pad,
    Ranking,
    Reduction,
    Slice,
    Trait,
)
from tinsmith_ir.operators.rows import RowOperator

from tinsmith_layout.axes import Axes, arranged, axes_of, without
from tinsmith_layout.rearrangement import Rearrangement, Shape, rearranged, reshaped

RESULT = -1
"""The port of a node that is its result; the others are its operands by number."""


@dataclass(frozen=True)
class Variant:
    """Another way to compute a node: `operator` on operands that are rearranged gives the result, rearranged.

    operands: for each operand how it lies, seen from how the node reads it; None of one that is absent.
    """

    operator: Operator
    operands: tuple[Rearrangement | None, ...]
    result: Rearrangement

    def at(self, port: int) -> Rearrangement | None:
        """How the tensor at a port lies."""
        return self.result if port == RESULT else self.operands[port]


Wishes = Sequence[Rearrangement | None]
"""For each operand how it would lie if it were read as it is stored; None where nothing is known."""

Rule = Callable[[Node, int, Rearrangement, Wishes], Variant | None]
"""The variant of a node in which the tensor at a port lies so, or at least its elements in this order."""


def rule_of(node: Node) -> Rule | None:
    """What the operator bears; None if its tensors have to lie as they do."""
    # Weights stay as they are.
    inputs = node.present_inputs[: 1 if isinstance(node.operator, FullyConnected) else None]
    if len(node.outputs) != 1 or any(map(_is_per_axis, (*inputs, *node.outputs))):
        return None
    return next(
        (rule for kind, rule in RULES.items() if isinstance(node.operator, kind)), None
    ) or (elementwise if Trait.ELEMENTWISE in node.operator.traits else None)


def _is_per_axis(value: Value) -> bool:
    return value.type.quantization is not None and value.type.quantization.axis is not None


def shape_at(node: Node, port: int) -> Shape:
    """The shape of the tensor at a port, which must be there."""
    value = node.outputs[0] if port == RESULT else node.inputs[port]
    return () if value is None else value.type.shape


def elementwise(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Any order of elements, if every operand that is broadcast has one that is broadcast to it."""
    del wishes
    for whole in _whole(node, port, label):
        operands = [_broadcast(whole, value.type.shape) for value in node.present_inputs]
        if len(operands) == len(node.inputs) and None not in operands:
            return Variant(node.operator, tuple(operands), whole)
    return None


def _broadcasts(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """As elementwise operators; the shape is the new one."""
    found = elementwise(node, port, label, wishes)
    return found and replace(found, operator=Broadcast(found.result.after))


def _whole(node: Node, port: int, label: Rearrangement) -> Iterator[Rearrangement]:
    """The label as one of the result, if the tensor at the port has as many elements; and as one of whole axes."""
    shape, given = shape_at(node, RESULT), shape_at(node, port)
    if math.prod(given) != math.prod(shape):
        return
    whole = reshaped(shape, given).then(label)
    if whole is None:
        return
    yield whole
    for axes in axes_of(whole):
        found = arranged(axes, shape)
        if found is not None:
            yield found


def _broadcast(whole: Rearrangement, shape: Shape) -> Rearrangement | None:
    """What lies as an operand of `shape` does that is broadcast to `whole.before`, so that it is to `whole.after`.

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
    if any(1 < size < all_ for size, all_ in zip(after, whole.after, strict=True)):
        return None
    by_source = sorted(there, key=lambda piece: piece.source)
    order = [by_source.index(piece) for piece in there]
    return rearranged(shape, [piece.size for piece in by_source], order, tuple(after))


def _same_axes(
    node: Node, port: int, label: Rearrangement, make: Callable[[Axes], Operator | None]
) -> Variant | None:
    """Of an operator whose tensors all have the same axes: `make` gives it for others, or None."""
    for axes in axes_of(label):
        operator = make(axes)
        operands = [arranged(axes, value.type.shape) for value in node.present_inputs]
        result = arranged(axes, shape_at(node, RESULT))
        if operator is not None and result is not None and None not in operands:
            return Variant(operator, tuple(operands), result)
    return None


def _pads(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes, each with its padding."""
    del wishes
    operator = node.operator
    assert isinstance(operator, Pad)
    pairs = list(zip(operator.padding[::2], operator.padding[1::2], strict=True))

    def make(axes: Axes) -> Operator:
        moved = [(0, 0) if axis is None else pairs[axis] for axis in axes]
        return replace(operator, padding=tuple(size for pair in moved for size in pair))

    return _same_axes(node, port, label, make)


def _slices(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes, each with its part."""
    del wishes
    operator = node.operator
    assert isinstance(operator, Slice)

    def make(axes: Axes) -> Operator:
        begin = tuple(0 if axis is None else operator.begin[axis] for axis in axes)
        shape = tuple(1 if axis is None else operator.shape[axis] for axis in axes)
        steps = tuple(1 if axis is None else operator.steps[axis] for axis in axes)
        return Slice(begin, shape, steps)

    return _same_axes(node, port, label, make)


def _along_axis(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes, and the one that it goes along."""
    del wishes
    operator = node.operator
    assert isinstance(operator, Concat | CumSum)

    def make(axes: Axes) -> Operator | None:
        is_there = operator.axis in axes
        return replace(operator, axis=axes.index(operator.axis)) if is_there else None

    return _same_axes(node, port, label, make)


def _rows(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes, the last of which stays the last."""
    del wishes
    last = len(shape_at(node, RESULT)) - 1
    return _same_axes(
        node, port, label, lambda axes: node.operator if axes[-1:] == (last,) else None
    )


def _reduces(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes; of float32 those that are reduced keep their order, since sums and the sign of zeros follow it."""
    operator = node.operator
    assert isinstance(operator, Reduction)
    if port == RESULT:
        return _as_wished(node, label, wishes, _reduces)
    shape = shape_at(node, 0)
    for axes in axes_of(label):
        places = [at for at, axis in enumerate(axes) if axis in operator.axes]
        long = [axis for axis in axes if axis in operator.axes and shape[axis] > 1]
        in_order = long == sorted(long) or node.outputs[0].type.dtype is not DType.FLOAT32
        if len(places) != len(operator.axes) or not in_order:
            continue
        kept = axes if operator.keep_dims else without(axes, operator.axes)
        operand, result = arranged(axes, shape), arranged(kept, shape_at(node, RESULT))
        if operand is not None and result is not None:
            return Variant(replace(operator, axes=tuple(places)), (operand,), result)
    return None


def _finds(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes, of which one goes."""
    operator = node.operator
    assert isinstance(operator, ArgExtremum)
    if port == RESULT:
        return _as_wished(node, label, wishes, _finds)
    for axes in axes_of(label):
        if operator.axis not in axes:
            continue
        operand = arranged(axes, shape_at(node, 0))
        result = arranged(without(axes, [operator.axis]), shape_at(node, RESULT))
        if operand is not None and result is not None:
            changed = replace(operator, axis=axes.index(operator.axis))
            return Variant(changed, (operand,), result)
    return None


def _gathers(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes of the input; those of the indices stay together, in their order."""
    operator = node.operator
    assert isinstance(operator, Gather)
    if port == RESULT:
        return _as_wished(node, label, wishes, _gathers)
    if port != 0:
        return None
    indices = shape_at(node, 1)
    for axes in axes_of(label):
        if operator.axis not in axes:
            continue
        operand = arranged(axes, shape_at(node, 0))
        result = arranged(_gathered(axes, operator.axis, len(indices)), shape_at(node, RESULT))
        if operand is not None and result is not None:
            changed = replace(operator, axis=axes.index(operator.axis))
            return Variant(changed, (operand, reshaped(indices, indices)), result)
    return None


def _gathered(axes: Axes, taken: int, count: int) -> Axes:
    """The axes of the result, where `count` ones stand for the one that is taken from."""
    found: list[int | None] = []
    for axis in axes:
        if axis == taken:
            found += range(taken, taken + count)
        else:
            is_behind = axis is not None and axis > taken
            found.append(axis + count - 1 if axis is not None and is_behind else axis)
    return tuple(found)


def _as_wished(node: Node, label: Rearrangement, wishes: Wishes, rule: Rule) -> Variant | None:
    """The variant that reads operand 0 as it is stored, if its result then lies as the label says.

    A result says too little of an operand that has more axes.
    """
    wish = wishes[0]
    found = None if wish is None else rule(node, 0, wish, wishes)
    if found is None or (found.result.sizes, found.result.order) != (label.sizes, label.order):
        return None
    return found


def _fully_connected(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes before the last, where rows keep their dimensions."""
    del wishes
    operator, last = node.operator, len(shape_at(node, RESULT)) - 1
    assert isinstance(operator, FullyConnected)
    if not operator.keep_dims or port not in (0, RESULT):
        return None
    for axes in axes_of(label):
        operand, result = arranged(axes, shape_at(node, 0)), arranged(axes, shape_at(node, RESULT))
        if axes[-1:] == (last,) and operand is not None and result is not None:
            others = [
                value and reshaped(value.type.shape, value.type.shape) for value in node.inputs
            ]
            return Variant(operator, (operand, *others[1:]), result)
    return None


def _multiplies(node: Node, port: int, label: Rearrangement, wishes: Wishes) -> Variant | None:
    """Whole axes of the batch, where both operands have all of them, or one is a single matrix."""
    del wishes
    shapes = [shape_at(node, at) for at in (0, 1, RESULT)]
    rank = len(shapes[2])
    for axes in axes_of(label):
        if len(label.before) != rank or set(axes[-2:]) != {rank - 2, rank - 1}:
            continue
        # Exchanged rows and columns of an operand are the business of its reading.
        whole = (*axes[:-2], rank - 2, rank - 1)
        lhs, rhs, result = (
            reshaped(shape, shape) if len(shape) == 2 else arranged(whole, shape)
            for shape in shapes
        )
        is_same = all(len(shape) in (2, rank) for shape in shapes)
        if is_same and lhs is not None and rhs is not None and result is not None:
            return Variant(node.operator, (lhs, rhs), result)
    return None


RULES: Mapping[type[Operator], Rule] = {
    Broadcast: _broadcasts,
    Pad: _pads,
    Slice: _slices,
    Concat: _along_axis,
    CumSum: _along_axis,
    RowOperator: _rows,
    Ranking: _rows,
    Reduction: _reduces,
    ArgExtremum: _finds,
    Gather: _gathers,
    FullyConnected: _fully_connected,
    BatchMatmul: _multiplies,
}
"""By class; what is elementwise needs none."""
