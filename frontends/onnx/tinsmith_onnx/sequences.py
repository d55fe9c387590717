"""Rules of sequences and optional values, which exist only while importing: their lengths and indices are known."""

from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_tensors import Tensor, movement

from tinsmith_onnx.context import Item, OperatorContext, TensorList
from tinsmith_onnx.rules import Rule

_MOST_PARTS = 1 << 16
"""Of one tensor, each of which becomes an operator."""


def construct(context: OperatorContext) -> TensorList:
    """SequenceConstruct."""
    return TensorList(tuple(context.present()))


def at(context: OperatorContext) -> Tensor:
    """SequenceAt."""
    tensors = context.sequence(0)
    return tensors[_place(context, 1, len(tensors))]


def insert(context: OperatorContext) -> TensorList:
    """SequenceInsert: at the end, if no place is said."""
    tensors = context.sequence(0)
    place = (
        _place(context, 2, len(tensors), is_end_allowed=True) if context.has(2) else len(tensors)
    )
    return TensorList((*tensors[:place], context.tensor(1), *tensors[place:]))


def erase(context: OperatorContext) -> TensorList:
    """SequenceErase: the last, if no place is said."""
    tensors = context.sequence(0)
    place = _place(context, 1, len(tensors)) if context.has(1) else len(tensors) - 1
    if place < 0:
        raise context.error("expected a sequence of at least one tensor, got an empty one")
    return TensorList((*tensors[:place], *tensors[place + 1 :]))


def _place(
    context: OperatorContext, position: int, length: int, *, is_end_allowed: bool = False
) -> int:
    """A known index into a sequence, from its end on if it is below 0."""
    index = int(context.number_of(position))
    if not -length <= index < length + is_end_allowed:
        raise context.error(f"expected an index into a sequence of {length} tensors, got {index}")
    return index + length if index < 0 else index


def split(context: OperatorContext) -> TensorList:
    """SplitToSequence: into parts of equal size, of said sizes, or into elements."""
    x = context.tensor(0)
    axis = context.axis(context.integer("axis"), x.rank)
    total = x.shape[axis]
    if context.has(1) and context.tensor(1).rank:
        sizes = context.integers_of(1)
    else:
        chunk = int(context.number_of(1)) if context.has(1) else 1
        if chunk < 1:
            raise context.error(f"expected parts of at least 1, got {chunk}")
        if total > _MOST_PARTS * chunk:
            raise context.unsupported(
                f"expected at most {_MOST_PARTS:,} parts, got {-(-total // chunk):,}"
            )
        sizes = tuple(min(chunk, total - begin) for begin in range(0, total, chunk))
    if sum(sizes) != total or min(sizes, default=0) < 0:
        raise context.error(f"expected parts of {total} in all, got {list(sizes)}")
    ends = np.cumsum(sizes).tolist()
    pairs = zip(sizes, ends, strict=True)
    parts = [movement.part(context.c, x, axis, end - size, end) for size, end in pairs]
    if not context.has(1) and not context.integer("keepdims"):
        parts = [movement.squeeze(context.c, part, [axis]) for part in parts]
    return TensorList(tuple(parts))


def concat(context: OperatorContext) -> Tensor:
    """ConcatFromSequence: along an axis, or along a new one."""
    tensors, axis = context.sequence(0), context.integer("axis")
    if not tensors:
        raise context.error("expected a sequence of at least one tensor, got an empty one")
    if context.integer("new_axis"):
        return movement.stack(context.c, tensors, context.axis(axis, tensors[0].rank + 1))
    return movement.concat(context.c, tensors, context.axis(axis, tensors[0].rank))


def each(context: OperatorContext) -> Sequence[Item]:
    """SequenceMap: a body for the tensors of each place; what is no sequence is the same in all."""
    body = context.graph("body")
    items = [context.item(position) for position in range(len(context.operands))]
    lengths = {len(item.tensors) for item in items if isinstance(item, TensorList)}
    if len(lengths) != 1 or len(body.input) != len(items):
        raise context.error(
            f"expected sequences of one length and a body of {len(items)} inputs, got lengths {sorted(lengths)} and "
            f"{len(body.input)} inputs"
        )
    (length,) = lengths
    names = [value.name for value in body.input]
    found: list[list[Tensor]] = [[] for _ in body.output]
    for place in range(length):
        given = [item.tensors[place] if isinstance(item, TensorList) else item for item in items]
        results = context.subgraph(body, dict(zip(names, given, strict=True)))
        for parts, result in zip(found, results, strict=True):
            if isinstance(result, TensorList):
                raise context.error("expected a body that gives tensors, got a sequence")
            parts.append(result)
    return [TensorList(tuple(parts)) for parts in found]


def length(context: OperatorContext) -> Tensor:
    """SequenceLength."""
    return context.c.known(np.array(len(context.sequence(0)), np.int64))


def optional(context: OperatorContext) -> Item:
    """Optional: the value itself; one that is not there cannot be asked for anything else than whether it is."""
    if not context.has(0):
        raise context.unsupported("expected an optional value that is there, got an empty one")
    return context.item(0)


def has_element(context: OperatorContext) -> Tensor:
    """OptionalHasElement: what is imported is there."""
    return context.c.known(np.array(context.has(0)))


RULES: Mapping[str, Rule] = {
    "ConcatFromSequence": Rule(concat),
    "Optional": Rule(optional, "of values that are there"),
    "OptionalGetElement": Rule(optional),
    "OptionalHasElement": Rule(has_element),
    "SequenceAt": Rule(at, "of known indices"),
    "SequenceConstruct": Rule(construct),
    "SequenceEmpty": Rule(lambda _: TensorList(())),
    "SequenceErase": Rule(erase, "of known indices"),
    "SequenceInsert": Rule(insert, "of known indices"),
    "SequenceLength": Rule(length),
    "SequenceMap": Rule(each),
    "SplitToSequence": Rule(split),
}
