"""Converters of operators that take elements more than once, or in another order: by indices or repeated."""

import math
from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Add,
    Broadcast,
    Concat,
    Gather,
    Maximum,
    Minimum,
    Mul,
    Reshape,
    Slice,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import MOVED, SEVERAL, Rule

_SYMMETRIC = 1  # of MirrorPadMode, whose other one is REFLECT


def pack(context: OperatorContext) -> Conversion:
    """PACK as a concatenation: each operand gets the new axis first."""
    values = [context.value(position) for position in range(len(context.operator.inputs))]
    shape = values[0].type.shape
    axis = context.axis(context.options.integer("Axis"), len(shape) + 1)
    for value in values:
        if value.type != values[0].type:
            raise context.error(
                f"expected inputs of one type, got {values[0].type} and {value.type}"
            )
    apart = (*shape[:axis], 1, *shape[axis:])
    parts = [context.step(Reshape(shape=apart), [value]) for value in values]
    return Concat(axis=axis), parts


def gather(context: OperatorContext) -> Conversion:
    """GATHER by constant or computed indices."""
    source = context.value(0)
    axis = context.axis(context.options.integer("Axis"), len(source.type.shape))
    indices = context.indices(1, source.type.shape[axis])
    rank = len(indices.type.shape)
    asked = context.options.integer("BatchDims")
    batches = asked + rank if asked < 0 else asked
    if not 0 <= batches <= min(rank, axis):
        raise context.error(
            f"expected at most {min(rank, axis)} batch dimensions, got {context.options.integer('BatchDims')}"
        )
    if batches == 0:
        return Gather(axis=axis), (source, indices)
    return _gather_batches(context, (source, indices), axis, batches)


def _gather_batches(
    context: OperatorContext, operands: tuple[Value, Value], axis: int, batches: int
) -> Conversion:
    """Each batch by its own indices: of the axes up to `axis` joined to one, with the begin of each row added."""
    source, indices = operands
    shape, rest = source.type.shape, indices.type.shape[batches:]
    if shape[:batches] != indices.type.shape[:batches]:
        raise context.error(
            f"expected batches of one shape, got {list(shape)} and indices {list(indices.type.shape)}"
        )
    count, rows = shape[axis], math.prod(shape[:axis])
    if rows * count > np.iinfo(np.int32).max:
        raise context.unsupported(f"expected fewer than 2**31 elements, got {rows * count}")
    context.values.file.spend(4 * rows * max(1, math.prod(rest)))
    starts = (np.arange(rows, dtype=np.int32) * np.int32(count)).reshape(shape[:axis])
    starts = starts[(..., *(np.newaxis,) * len(rest))]
    apart = (*shape[:batches], *(1,) * (axis - batches), *rest)
    known = context.values.data(indices)
    if known is not None:
        places = context.constant("places", known.astype(np.int32).reshape(apart) + starts)
    else:
        places = context.step(Reshape(shape=apart), [indices])
        # What does not exist takes the nearest of its own row.
        for operator, bound in ((Maximum(), 0), (Minimum(), count - 1)):
            limit = context.constant(operator.mnemonic, np.array(bound, np.int32))
            places = context.step(operator, [places, limit])
        places = context.step(Add(), [places, context.constant("starts", starts)])
    joined = context.step(Reshape(shape=(rows * count, *shape[axis + 1 :])), [source])
    return Gather(axis=0), (joined, places)


def embedding_lookup(context: OperatorContext) -> Conversion:
    """EMBEDDING_LOOKUP: rows of a table by indices."""
    table = context.value(1)
    if not table.type.shape:
        raise context.error("expected a table of at least one dimension, got a scalar")
    return Gather(axis=0), (table, context.indices(0, table.type.shape[0]))


def gather_nd(context: OperatorContext) -> Conversion:
    """GATHER_ND: each row of indices names one element of the first axes, which are joined to one here."""
    source = context.value(0)
    shape = source.type.shape
    is_known = context.is_constant(1)
    largest = max(shape, default=1)
    sizes = context.known_indices(1, largest).shape if is_known else context.value(1).type.shape
    count = sizes[-1] if sizes else 0
    if not 1 <= count <= len(shape):
        raise context.error(f"expected 1 to {len(shape)} indices of an element, got {count}")
    axes = shape[:count]
    joined = context.step(Reshape(shape=(math.prod(axes), *shape[count:])), [source])
    places = _known_places if is_known else _computed_places
    return Gather(axis=0), (joined, places(context, axes))


def _known_places(context: OperatorContext, axes: tuple[int, ...]) -> Value:
    """Of constant indices, input 1, of elements of `axes`: where these lie."""
    rows = context.known_indices(1, max(axes))
    if np.any(rows >= np.array(axes)):
        raise context.error(f"expected indices within {list(axes)}, got larger ones")
    places = np.ravel_multi_index(tuple(np.moveaxis(rows, -1, 0)), axes)
    return context.constant("indices", np.asarray(places, np.int32))


def _computed_places(context: OperatorContext, axes: tuple[int, ...]) -> Value:
    """The same of indices that a run brings; what does not exist takes the nearest along each axis."""
    rows = context.value(1)
    if rows.type.dtype is not DType.INT32:
        raise context.unsupported(
            f"expected constant indices, or computed ones of int32, got {rows.type.dtype.value}"
        )
    strides = np.cumprod((1, *axes[:0:-1]))[::-1]
    for operator, numbers in ((Maximum(), [0]), (Minimum(), np.array(axes) - 1), (Mul(), strides)):
        constant = context.constant(operator.mnemonic, np.asarray(numbers, np.int32))
        rows = context.step(operator, [rows, constant])
    shape = rows.type.shape[:-1]
    parts = [
        context.step(
            Reshape(shape=shape),
            [context.step(Slice(begin=(*(0,) * len(shape), axis), shape=(*shape, 1)), [rows])],
        )
        for axis in range(len(axes))
    ]
    places, *others = parts
    for part in others:
        places = context.step(Add(), [places, part])
    return places


def reverse_v2(context: OperatorContext) -> Conversion:
    """REVERSE_V2 as a slice backwards along constant axes."""
    source = context.value(0)
    shape = source.type.shape
    axes = {context.axis(axis, len(shape)) for axis in context.integers(1)}
    return (
        Slice(
            begin=tuple(size - 1 if axis in axes else 0 for axis, size in enumerate(shape)),
            shape=shape,
            strides=tuple(-1 if axis in axes else 1 for axis in range(len(shape))),
        ),
        (source,),
    )


def tile(context: OperatorContext) -> Conversion:
    """TILE by constant multiples: a new axis in front of each, along which it is repeated."""
    source = context.value(0)
    shape, times = source.type.shape, context.integers(1)
    if len(times) != len(shape) or min(times, default=1) < 1:
        raise context.error(f"expected {len(shape)} multiples of at least 1, got {list(times)}")
    pairs = [*zip(times, shape, strict=True)]
    apart = tuple(size for _, length in pairs for size in (1, length))
    repeated = tuple(size for pair in pairs for size in pair)
    whole = tuple(count * length for count, length in pairs)
    parts = context.step(Reshape(shape=apart), [source])
    return Reshape(shape=whole), (context.step(Broadcast(shape=repeated), [parts]),)


def broadcast_to(context: OperatorContext) -> Conversion:
    """BROADCAST_TO a constant shape."""
    return Broadcast(shape=context.integers(1)), (context.value(0),)


def fill(context: OperatorContext) -> Conversion:
    """FILL a constant shape with a scalar."""
    value = context.value(1)
    if value.type.shape not in ((), (1,)):
        raise context.error(f"expected a scalar to fill with, got {list(value.type.shape)}")
    shape = context.integers(0)
    if value.type.shape and not shape:
        return Reshape(shape=()), (value,)
    return Broadcast(shape=shape), (value,)


def zeros_like(context: OperatorContext) -> Conversion:
    """ZEROS_LIKE: stored zeros, which stand for no real number."""
    type_ = context.output.type
    zero = context.constant("zero", np.zeros((), type_.dtype.numpy), type_.quantization)
    return Broadcast(shape=context.value(0).type.shape), (zero,)


def mirror_pad(context: OperatorContext) -> Conversion:
    """MIRROR_PAD as a gathering along each axis that grows."""
    source = context.value(0)
    shape = source.type.shape
    paddings = context.paddings(1, len(shape))
    left_out = 0 if context.options.integer("Mode") == _SYMMETRIC else 1  # the border itself
    grown: list[tuple[int, Value]] = []
    for axis, size in enumerate(shape):
        before, after = paddings[2 * axis : 2 * axis + 2]
        if max(before, after) > size - left_out:
            raise context.error(
                f"expected paddings that axis {axis} of size {size} can mirror, got {before} and {after}"
            )
        if before or after:
            context.values.file.spend(8 * (before + size + after))
            front = np.arange(before)[::-1] + left_out
            back = size - 1 - left_out - np.arange(after)
            indices = np.concatenate([front, np.arange(size), back]).astype(np.int32)
            grown.append((axis, context.constant(f"axis{axis}", indices)))
    if not grown:
        return Reshape(shape=shape), (source,)
    *first, (last, indices) = grown
    for axis, places in first:
        source = context.step(Gather(axis=axis), [source, places])
    return Gather(axis=last), (source, indices)


RULES: Mapping[str, Rule] = {
    "BROADCAST_TO": Rule(3, (2, 2), "BroadcastToOptions", (Broadcast,), broadcast_to, MOVED),
    "EMBEDDING_LOOKUP": Rule(3, (2, 2), "", (Gather,), embedding_lookup, MOVED),
    "FILL": Rule(4, (2, 2), "FillOptions", (Broadcast, Reshape), fill, MOVED),
    "GATHER": Rule(7, (2, 2), "GatherOptions", (Gather,), gather, MOVED),
    "GATHER_ND": Rule(5, (2, 2), "GatherNdOptions", (Gather,), gather_nd, MOVED),
    "MIRROR_PAD": Rule(3, (2, 2), "MirrorPadOptions", (Gather, Reshape), mirror_pad, MOVED),
    "PACK": Rule(4, SEVERAL, "PackOptions", (Concat,), pack, MOVED),
    "REVERSE_V2": Rule(3, (2, 2), "ReverseV2Options", (Slice,), reverse_v2, MOVED),
    "TILE": Rule(3, (2, 2), "TileOptions", (Reshape,), tile, MOVED),
    "ZEROS_LIKE": Rule(1, (1, 1), "ZerosLikeOptions", (Broadcast,), zeros_like, MOVED),
}
