"""Converters of operators that take a part of a tensor: slices, and splits into several results."""

from collections.abc import Mapping

from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Reshape, Slice

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import ALL, SEVERAL, Rule


def slice_(context: OperatorContext) -> Conversion:
    """SLICE: constant begin and size of each axis; a size of -1 is the rest."""
    source = context.value(0)
    shape = source.type.shape
    begin, sizes = context.integers(1), context.integers(2)
    if not len(begin) == len(sizes) == len(shape):
        raise context.error(
            f"expected a begin and a size of {len(shape)} axes, got {list(begin)} and {list(sizes)}"
        )
    axes = zip(begin, sizes, shape, strict=True)
    taken = tuple(length - at if size == -1 else size for at, size, length in axes)
    return Slice(begin=begin, shape=taken), (source,)


def strided_slice(context: OperatorContext) -> Conversion:
    """STRIDED_SLICE by constants, and a reshape behind it where axes are dropped or new."""
    source = context.value(0)
    ranges, shape = _strided(context, source.type.shape)
    operator = Slice(
        begin=tuple(indices.start for indices in ranges),
        shape=tuple(len(indices) for indices in ranges),
        strides=tuple(indices.step for indices in ranges),
    )
    if shape == operator.shape:
        return operator, (source,)
    return Reshape(shape=shape), (context.step(operator, [source]),)


def split(context: OperatorContext) -> Conversion:
    """SPLIT: of equal parts along a constant axis, the one that the result is."""
    source = context.value(1)
    axis = _axis(context, 0, source)
    length, count = source.type.shape[axis], len(context.operator.outputs)
    if length % count:
        raise context.error(f"expected {count} equal parts of axis {axis}, got {length} elements")
    size = length // count
    return _along(source, axis, context.number * size, size), (source,)


def split_v(context: OperatorContext) -> Conversion:
    """SPLIT_V: of parts of constant sizes along a constant axis, one of which may be -1, the rest."""
    source = context.value(0)
    asked, axis = context.integers(1), _axis(context, 2, source)
    length, count = source.type.shape[axis], len(context.operator.outputs)
    rest = length - sum(size for size in asked if size != -1)
    sizes = [rest if size == -1 else size for size in asked]
    if len(sizes) != count or min(sizes) < 1 or sum(sizes) != length:
        raise context.error(
            f"expected {count} parts of together {length} elements of axis {axis}, got {list(asked)}"
        )
    return _along(source, axis, sum(sizes[: context.number]), sizes[context.number]), (source,)


def unpack(context: OperatorContext) -> Conversion:
    """UNPACK: of the elements along an axis, which is dropped, the one that the result is."""
    source = context.value(0)
    shape = source.type.shape
    axis = context.axis(context.options.integer("Axis"), len(shape))
    count = len(context.operator.outputs)
    if count != shape[axis]:
        raise context.error(f"expected {shape[axis]} results along axis {axis}, got {count}")
    part = context.step(_along(source, axis, context.number, 1), [source])
    return Reshape(shape=(*shape[:axis], *shape[axis + 1 :])), (part,)


def _along(source: Value, axis: int, begin: int, size: int) -> Slice:
    """`size` elements of one axis from `begin` on, all of the others."""
    shape = source.type.shape
    return Slice(
        begin=tuple(begin if at == axis else 0 for at in range(len(shape))),
        shape=(*shape[:axis], size, *shape[axis + 1 :]),
    )


def _axis(context: OperatorContext, position: int, source: Value) -> int:
    axes = context.integers(position)
    if len(axes) != 1:
        raise context.error(f"expected one axis, got {list(axes)}")
    return context.axis(axes[0], len(source.type.shape))


def _strided(
    context: OperatorContext, shape: tuple[int, ...]
) -> tuple[list[range], tuple[int, ...]]:
    """The indices that a STRIDED_SLICE takes of each axis of `shape`, and the shape of its result.

    Its operands have an entry for each axis in turn, for each new axis of the result, and for an ellipsis, which
    stands for all axes that have none; without it, those are the last.
    """
    ellipsis, new, shrink = (
        context.options.integer(f"{what}Mask") for what in ("Ellipsis", "NewAxis", "ShrinkAxis")
    )
    entries = _entries(context)
    named = sum(not (ellipsis | new) >> number & 1 for number in range(len(entries)))
    unnamed = len(shape) - named
    ellipses = sum(ellipsis >> number & 1 for number in range(len(entries)))
    if unnamed < 0 or ellipses > 1:
        raise context.error(
            f"expected entries for {len(shape)} axes and at most one ellipsis, got {named} and {ellipses}"
        )
    ranges: list[range] = []
    result: list[int] = []
    for number, entry in enumerate(entries):
        axis = len(ranges)
        if ellipsis >> number & 1:
            result += shape[axis : axis + unnamed]
            ranges += [range(size) for size in shape[axis : axis + unnamed]]
        elif new >> number & 1:
            result.append(1)
        elif shrink >> number & 1:
            ranges.append(_one(context, entry, shape[axis]))
        else:
            ranges.append(_several(context, entry, shape[axis]))
            result.append(len(ranges[-1]))
    rest = shape[len(ranges) :]
    return [*ranges, *(range(size) for size in rest)], (*result, *rest)


_Entry = tuple[int | None, int | None, int]
"""Begin, end, stride, as in Python's slices."""


def _entries(context: OperatorContext) -> list[_Entry]:
    begin_mask = context.options.integer("BeginMask")
    end_mask = context.options.integer("EndMask")
    if context.options.boolean("Offset"):
        raise context.unsupported("expected ends that are indices, got offsets from the begins")
    begins, ends, strides = (context.integers(position) for position in (1, 2, 3))
    if not len(begins) == len(ends) == len(strides):
        raise context.error(
            f"expected as many begins, ends and strides, got {list(begins)}, {list(ends)}, {list(strides)}"
        )
    return [
        (
            None if begin_mask >> number & 1 else begin,
            None if end_mask >> number & 1 else end,
            stride,
        )
        for number, (begin, end, stride) in enumerate(zip(begins, ends, strides, strict=True))
    ]


def _several(context: OperatorContext, entry: _Entry, length: int) -> range:
    """Indices from begin to end."""
    taken = range(length)[slice(*entry)] if entry[2] != 0 else range(0)
    if not taken:
        raise context.error(
            f"expected begin, end and stride that take elements of {length}, got {list(entry)}"
        )
    return taken


def _one(context: OperatorContext, entry: _Entry, length: int) -> range:
    """The index of an axis that is dropped: its begin, whatever its end."""
    begin, _, stride = entry
    at = context.axis(begin or 0, length, "an index")
    if stride < 1:
        raise context.error(f"expected a positive stride of an axis that is dropped, got {stride}")
    return range(at, at + 1)


RULES: Mapping[str, Rule] = {
    "SLICE": Rule(6, (3, 3), "SliceOptions", (Slice,), slice_, ALL),
    "SPLIT": Rule(4, (2, 2), "SplitOptions", (Slice,), split, ALL, outputs=SEVERAL),
    "SPLIT_V": Rule(2, (3, 3), "SplitVOptions", (Slice,), split_v, ALL, outputs=SEVERAL),
    "STRIDED_SLICE": Rule(8, (4, 4), "StridedSliceOptions", (Slice, Reshape), strided_slice, ALL),
    "UNPACK": Rule(4, (1, 1), "UnpackOptions", (Slice, Reshape), unpack, ALL, outputs=SEVERAL),
}
