"""Layouts of operators with channels, which may be in another order among themselves: then weights are, too."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tinsmith_ir.operators import BatchMatmul, DepthwiseConv2D, FullyConnected

from tinsmith_layout.axes import arranged, axes_of
from tinsmith_layout.elementwise import broadcast_label
from tinsmith_layout.rearrangement import Rearrangement, Shape, blocks_of, side_by_side, transposed
from tinsmith_layout.variants import RESULT, Case, Variant, nothing

_INPUT, _WEIGHTS = 0, 1


def fully_connects(case: Case) -> Variant | None:
    """Rows in any order; within a row, outputs in any order, and inputs if the sums bear it."""
    operator = case.node.operator
    assert isinstance(operator, FullyConnected)
    outputs, depth = case.shape(_WEIGHTS)
    found = _orders(case, _Weights((outputs, depth), 0, 1))
    if found is None:
        return None
    shape = case.shape(RESULT)
    order = side_by_side((found.rows, found.read))
    for operand in _in_shapes(case, order):
        rows = operand.after[:-1] if operator.keep_dims else shape[:-1]
        if operator.keep_dims and operand.after[-1] != depth:
            continue
        result = side_by_side((found.rows, found.made)).between(shape, (*rows, outputs))
        return Variant(operator, (operand, found.weights, *_bias(case, found.made)), result)
    return None


def convolves(case: Case) -> Variant | None:
    """Outputs in any order, and inputs if the sums bear it; of one group."""
    shape, depth = case.shape(_WEIGHTS), case.shape(_INPUT)[-1]
    if len(shape) == 5:
        weights = _Weights((math.prod(shape[:3]), *shape[3:]), 2, 1)
    else:
        weights = _Weights((shape[0], shape[1] * shape[2], shape[3]), 0, 2)
    found = _orders(case, weights)
    if found is None or not found.rows.is_reshape or depth != weights.lengths[weights.read]:
        return None
    operand, result = _in_place(case, _INPUT, found.read), _in_place(case, RESULT, found.made)
    return Variant(case.node.operator, (operand, found.weights, *_bias(case, found.made)), result)


def convolves_channels(case: Case) -> Variant | None:
    """Inputs in any order, and with them the outputs that each has."""
    assert isinstance(case.node.operator, DepthwiseConv2D)
    shape, depth = case.shape(_WEIGHTS), case.shape(_INPUT)[-1]
    each = shape[3] // depth
    if case.port not in (_INPUT, RESULT):
        return None
    given = math.prod(case.shape(case.port)) // depth
    lengths = (given, depth) if case.port == _INPUT else (given // each, depth, each)
    asked = blocks_of(case.label, lengths)
    if asked is None or not all(order.is_reshape for order in (asked[0], *asked[2:])):
        return None
    made = side_by_side((asked[1], nothing((each,)))).between((shape[3],), (shape[3],))
    weights = side_by_side((nothing(shape[:3]), made))
    operand, result = _in_place(case, _INPUT, asked[1]), _in_place(case, RESULT, made)
    return Variant(case.node.operator, (operand, weights, *_bias(case, made)), result)


def keeps_channels(case: Case) -> Variant | None:
    """Channels in any order."""
    shape = case.shape(case.port)
    asked = blocks_of(case.label, (math.prod(shape[:-1]), shape[-1]))
    if asked is None or not asked[0].is_reshape:
        return None
    operand, result = (_in_place(case, port, asked[1]) for port in (_INPUT, RESULT))
    return Variant(case.node.operator, (operand,), result)


def normalizes(case: Case) -> Variant | None:
    """Rows in any order and of any axes, each as it is, as gamma and beta are."""
    shape, factors = case.shape(RESULT), case.node.inputs[1:]
    rows = (math.prod(shape[:-1]), shape[-1])
    asked = blocks_of(case.label, rows) if case.port in (_INPUT, RESULT) else None
    if asked is None or not asked[1].is_reshape:
        return None
    given = case.label.after
    label = case.label.between(shape, given if given[-1:] == shape[-1:] else rows)
    kept = (factor and nothing(factor.type.shape) for factor in factors)
    return Variant(case.node.operator, (label, *kept), label)


def multiplies(case: Case) -> Variant | None:
    """Matrices in any order; rows and columns of the result in any order, and what is summed up if the sums bear it."""
    operator = case.node.operator
    assert isinstance(operator, BatchMatmul)
    now = _components(case.current, operator, case)
    asked = _component(case.label, case.port, operator, case)
    if now is None or asked is None:
        return None
    chosen = now | asked
    if not (chosen["k"].is_reshape or case.is_of_integers or case.may_round):
        return None
    batch = case.shape(RESULT)[:-2]
    for whole in _batches(chosen["batch"], batch):
        labels = [_matrices(whole, chosen, port, operator, case) for port in (0, 1, RESULT)]
        lhs, rhs, result = labels
        if lhs is not None and rhs is not None and result is not None:
            return Variant(operator, (lhs, rhs), result)
    return None


@dataclass(frozen=True)
class _Weights:
    """lengths: of the weights' blocks; made, read: which of them counts outputs, and which inputs."""

    lengths: tuple[int, ...]
    made: int
    read: int


@dataclass(frozen=True)
class _Orders:
    """rows: of what stands before the channels; read, made: of inputs and outputs; weights: of theirs."""

    rows: Rearrangement
    read: Rearrangement
    made: Rearrangement
    weights: Rearrangement


def _orders(case: Case, weights: _Weights) -> _Orders | None:
    """What a label asks for, and what is as it was; None if it asks for something else, or for other sums."""
    label, shape = case.current.operands[_WEIGHTS], case.shape(_WEIGHTS)
    now = None if label is None else blocks_of(label, weights.lengths)
    if now is None or case.port not in (_INPUT, RESULT):
        return None
    channels = weights.lengths[weights.made if case.port == RESULT else weights.read]
    if math.prod(case.shape(case.port)) % channels:
        return None
    asked = blocks_of(case.label, (math.prod(case.shape(case.port)) // channels, channels))
    if asked is None:
        return None
    read = now[weights.read] if case.port == RESULT else asked[1]
    made = asked[1] if case.port == RESULT else now[weights.made]
    if not (read.is_reshape or case.is_of_integers or case.may_round):
        return None
    blocks = [nothing((length,)) for length in weights.lengths]
    blocks[weights.read], blocks[weights.made] = read, made
    return _Orders(asked[0], read, made, side_by_side(blocks).between(shape, shape))


def _bias(case: Case, made: Rearrangement) -> tuple[Rearrangement | None, ...]:
    return tuple(value and made for value in case.node.inputs[2:])


def _in_place(case: Case, port: int, channels: Rearrangement) -> Rearrangement:
    """The last axis of a tensor in another order."""
    shape = case.shape(port)
    return side_by_side((nothing(shape[:-1]), channels)).between(shape, shape)


def _in_shapes(case: Case, order: Rearrangement) -> Iterator[Rearrangement]:
    """The input in an order, in the shapes that it may have, best first: as asked for, as stored, as now."""
    shape, wish = case.shape(_INPUT), case.wishes[_INPUT]
    if case.port == _INPUT:
        yield order.between(shape, case.label.after)
    elif wish is not None and wish.same_order(order):
        yield wish
    yield order.between(shape, shape)


_Components = dict[str, Rearrangement]
"""Orders by name: of the batch, and of m, n and k in the product of (m, k) and (k, n)."""


def _components(variant: Variant, operator: BatchMatmul, case: Case) -> _Components | None:
    """All orders of a variant."""
    found: _Components = {}
    for port, label in (
        (0, variant.operands[0]),
        (1, variant.operands[1]),
        (RESULT, variant.result),
    ):
        one = None if label is None else _component(label, port, operator, case)
        if one is None:
            return None
        found |= one
    return found


def _component(
    label: Rearrangement, port: int, operator: BatchMatmul, case: Case
) -> _Components | None:
    """The orders of one tensor; rows and columns that are exchanged are the business of who reads it."""
    shape, batch = case.shape(port), math.prod(case.shape(RESULT)[:-2])
    count, first, second = math.prod(shape[:-2]), *shape[-2:]
    asked = blocks_of(label, (count, first, second))
    if asked is None:
        turned = label.between(label.before, (count, second, first))
        back = turned.then(transposed((count, second, first), (0, 2, 1)))
        asked = None if back is None else blocks_of(back, (count, first, second))
    if asked is None or count not in (1, batch):
        return None
    names = _matrix(port, operator)
    found = dict(zip(names, asked[1:], strict=True))
    return found if count != batch else {"batch": asked[0], **found}


def _matrix(port: int, operator: BatchMatmul) -> tuple[str, str]:
    """What the last two axes of a tensor count."""
    match port:
        case 0:
            return ("k", "m") if operator.transpose_lhs else ("m", "k")
        case 1:
            return ("n", "k") if operator.transpose_rhs else ("k", "n")
        case _:
            return ("m", "n")


def _batches(order: Rearrangement, shape: Shape) -> Iterator[Rearrangement]:
    """The batch in an order, as one of whole axes if it is."""
    for axes in axes_of(order.between(shape, (math.prod(shape),))):
        found = arranged(axes, shape)
        if found is not None:
            yield found
    yield order.between(shape, shape)


def _matrices(
    batch: Rearrangement, orders: _Components, port: int, operator: BatchMatmul, case: Case
) -> Rearrangement | None:
    """How the tensor at a port lies."""
    shape = case.shape(port)
    lead = broadcast_label(batch, shape[:-2]) if len(shape) > 2 else nothing(())
    return lead and side_by_side((lead, *(orders[name] for name in _matrix(port, operator))))
