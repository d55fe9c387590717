"""Functions that take elements by indices: known ones at once, computed ones by gathering.

Indices below 0 count from the end. Computed ones beyond an axis have no meaning in the formats; here they take some
element of the tensor, so that firmware reads nothing else.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Gather

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, cast, equal, less, mul, sub, where
from tinsmith_tensors.movement import (
    move_axis,
    part,
    reshape,
    slice_,
    squeeze,
    unsqueeze,
)
from tinsmith_tensors.reductions import largest, normalized_axes

INDEX = np.dtype("<i4")
"""Of indices in a graph."""


def gather(c: Composer, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """The elements along an axis that indices name, in the shape of the indices instead of that axis.

    Raises UnsupportedError for known indices beyond the axis.
    """
    (place,) = normalized_axes([axis], x.rank)
    if indices.array is not None:
        c.check_known_size(indices.shape)
        return take(c, x, wrapped(indices.array, x.shape[place]), place)
    return c.emit(Gather(place), x, computed_indices(c, indices, x.shape[place]))


def gather_elements(c: Composer, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """For each index the element of x at its own place, but at the index along the axis.

    Along other axes there may be fewer indices than elements of x.
    """
    (place,) = normalized_axes([axis], x.rank)
    if indices.rank != x.rank:
        raise UnsupportedError(f"expected indices of rank {x.rank}, got {indices.rank}")
    along = normalized_indices(c, indices, x.shape[place])
    parts = [
        along if each == place else c.known(counted(c, indices.shape, each))
        for each in range(x.rank)
    ]
    return gather_at(c, x, parts)


def gather_nd(c: Composer, x: Tensor, indices: Tensor, batches: int = 0) -> Tensor:
    """Each row of indices names what it takes of the axes behind the first `batches`, which both tensors share."""
    return gather_at(c, x, row_indices(c, x.shape, indices, batches))


def row_indices(
    c: Composer, shape: Sequence[int], indices: Tensor, batches: int = 0
) -> list[Tensor]:
    """Indices along each of the first axes of `shape` that rows of indices name; they broadcast with each other.

    The first `batches` axes are shared: there each row names its own.
    """
    count = indices.shape[-1] if indices.rank else 0
    if not 1 <= count <= len(shape) - batches:
        raise UnsupportedError(
            f"expected rows of 1 to {len(shape) - batches} indices, got {list(indices.shape)}"
        )
    rows = indices.shape[:-1]
    if tuple(rows[:batches]) != tuple(shape[:batches]):
        raise UnsupportedError(
            f"expected batches {list(shape[:batches])}, got indices {list(indices.shape)}"
        )
    shared = [c.known(counted(c, rows, axis)) for axis in range(batches)]
    last = indices.rank - 1
    named = [
        normalized_indices(
            c,
            squeeze(c, part(c, indices, last, index, index + 1), [last]),
            shape[batches + index],
        )
        for index in range(count)
    ]
    return shared + named


def positions(c: Composer, shape: Sequence[int], parts: Sequence[Tensor]) -> Tensor:
    """Where elements of `shape` lie in row-major order: known int64, or computed int32.

    parts: their indices along each axis, none below 0, which broadcast with each other.
    """
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    c.check_known_size(np.broadcast_shapes(*(part_.shape for part_ in parts if part_.is_known)))
    known: Array = np.zeros((), np.int64)
    computed: Tensor | None = None
    for part_, stride in zip(parts, strides, strict=True):
        if part_.array is not None:
            known = known + part_.array.astype(np.int64) * stride
            continue
        scaled = part_ if stride == 1 else mul(c, part_, c.number(stride, part_))
        computed = scaled if computed is None else add(c, computed, scaled)
    if computed is None:
        return c.known(np.asarray(known))
    if not known.any() and known.shape in ((), computed.shape):
        return computed
    return add(c, computed, c.known(known.astype(INDEX)))


def gather_at(c: Composer, x: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """The elements at indices along each of the first axes, which broadcast; none of them is below 0."""
    lead, rest = x.shape[: len(parts)], x.shape[len(parts) :]
    places = positions(c, lead, parts)
    joined = reshape(c, x, (math.prod(lead), *rest))
    if places.array is not None:
        return take(c, joined, as_indices(places.array), 0)
    return c.emit(Gather(0), joined, places)


def take(c: Composer, x: Tensor, indices: NDArray[np.int64], axis: int) -> Tensor:
    """As `gather`, by known indices within the axis; neighbours of equal distance are a slice."""
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    if x.array is not None or indices.size == 0:
        c.check_known_size(shape, x.dtype.itemsize)
        array = np.empty(shape, x.dtype) if x.array is None else np.take(x.array, indices, axis)
        return c.known(np.asarray(array), x.hint)
    flat = indices.reshape(-1)
    step = int(flat[1] - flat[0]) if flat.size > 1 else 1
    if step and bool((np.diff(flat) == step).all()):
        begin, sizes, steps = [0] * x.rank, list(x.shape), [1] * x.rank
        begin[axis], sizes[axis], steps[axis] = int(flat[0]), flat.size, step
        return reshape(c, slice_(c, x, begin, sizes, steps), shape)
    return c.emit(Gather(axis), x, c.known(indices.astype(INDEX), f"{x.hint}_indices"))


def wrapped(indices: Array, size: int) -> NDArray[np.int64]:
    """Known indices from 0 on. Raises UnsupportedError for one beyond an axis of that size."""
    whole = as_indices(indices)
    if whole.size and not (-size <= int(whole.min()) and int(whole.max()) < size):
        raise UnsupportedError(
            f"expected indices in [{-size}, {size - 1}], got {whole.min()} to {whole.max()}"
        )
    return np.where(whole < 0, whole + size, whole)


def computed_indices(c: Composer, indices: Tensor, size: int) -> Tensor:
    """Computed indices as int32, those below 0 counted from the end of an axis of that size."""
    is_signed = indices.dtype.kind != "u"
    indices = cast(c, indices, INDEX)
    if not is_signed:
        return indices
    return where(
        c, less(c, indices, c.number(0, indices)), add(c, indices, c.number(size, indices)), indices
    )


def normalized_indices(c: Composer, indices: Tensor, size: int) -> Tensor:
    """Indices from 0 on: `wrapped` if they are known, else `computed_indices`."""
    if indices.array is not None:
        c.check_known_size(indices.shape)
        return c.known(wrapped(indices.array, size), indices.hint)
    return computed_indices(c, indices, size)


def one_hot(
    c: Composer, indices: Tensor, depth: int, on: Tensor, off: Tensor, axis: int = -1
) -> Tensor:
    """Along a new axis of that depth `on` where an index says, else `off`; indices beyond it leave all off.

    on, off: of one element. axis: of the result.
    """
    (place,) = normalized_axes([axis], indices.rank + 1)
    counts = c.numbers(depth).astype(INDEX).reshape(depth, *(1,) * (indices.rank - place))
    if indices.array is not None:
        c.check_known_size((*indices.shape, depth))
        whole = as_indices(indices.array)
        found = c.known(np.expand_dims(np.where(whole < 0, whole + depth, whole), place) == counts)
    else:
        wide = unsqueeze(c, computed_indices(c, indices, depth), [place])
        found = equal(c, wide, c.known(counts))
    return where(c, found, reshape(c, on, ()), reshape(c, off, ()))


def look_up(c: Composer, x: Tensor, keys: Sequence[float], values: Array, default: Array) -> Tensor:
    """For each element the value beside the key that it equals, or the default, which is one element."""
    table = c.known(np.concatenate([default.reshape(1), values]).astype(values.dtype), "values")
    numbers = np.arange(1, len(keys) + 1, dtype=INDEX)
    found = equal(c, unsqueeze(c, x, [x.rank]), c.known(np.asarray(keys, x.dtype), "keys"))
    places = where(c, found, c.known(numbers), c.known(np.zeros((), INDEX)))
    return gather_at(c, table, [largest(c, places, [-1], keep_dims=False)])


def compress(c: Composer, x: Tensor, condition: Array, axis: int | None) -> Tensor:
    """The elements along an axis where a known condition holds; those behind it are left out. None: of x as a row."""
    c.check_known_size([int(np.count_nonzero(condition))])
    (chosen,) = np.nonzero(condition.reshape(-1))
    if axis is None:
        return take(c, reshape(c, x, [x.elements]), wrapped(chosen, x.elements), 0)
    (place,) = normalized_axes([axis], x.rank)
    return take(c, x, wrapped(chosen, x.shape[place]), place)


def triangle(c: Composer, x: Tensor, diagonal: int, *, upper: bool) -> Tensor:
    """The elements on that diagonal of the last two axes and above it, or below it; zeros elsewhere.

    diagonal: above the main one; below 0 under it.
    """
    rows, columns = x.shape[-2:]
    c.check_known_size((rows, columns), 1)
    first = c.numbers(rows)[:, np.newaxis] + min(max(diagonal, -rows), columns)  # on the diagonal
    kept = c.numbers(columns) >= first if upper else c.numbers(columns) <= first
    if kept.all():
        return x
    return where(c, c.known(kept), x, c.number(0, x))


def reverse_sequences(
    c: Composer, x: Tensor, lengths: Tensor, time_axis: int, batch_axis: int
) -> Tensor:
    """Of each batch the first `lengths` elements along time backwards; the others stay. lengths: (batches,)."""
    time, batch = normalized_axes([time_axis], x.rank)[0], normalized_axes([batch_axis], x.rank)[0]
    if time == batch:
        raise UnsupportedError(f"expected two axes, got {time_axis} and {batch_axis}")
    first = move_axis(c, x, batch, 0)
    steps_first = time + 1 if time < batch else time
    ordered = move_axis(c, first, steps_first, 1)
    turned = _reversed(c, ordered, lengths)
    return move_axis(c, move_axis(c, turned, 1, steps_first), 0, batch)


def _reversed(c: Composer, x: Tensor, lengths: Tensor) -> Tensor:
    """The same of (batch, time, ...)."""
    batches, size = x.shape[:2]
    steps = c.numbers(size)
    rows = c.known(c.numbers(batches).reshape(batches, 1))
    if lengths.array is not None:
        c.check_known_size((batches, size))
        counts = as_indices(lengths.array).reshape(batches, 1)
        return gather_at(c, x, [rows, c.known(np.where(steps < counts, counts - 1 - steps, steps))])
    counts = reshape(c, cast(c, lengths, INDEX), (batches, 1))
    walked = c.known(steps.astype(INDEX))
    backwards = sub(c, sub(c, counts, c.number(1, counts)), walked)
    return gather_at(c, x, [rows, where(c, less(c, walked, counts), backwards, walked)])


def as_indices(array: Array) -> NDArray[np.int64]:
    """Known indices as int64, of whatever type they come."""
    return np.asarray(array).astype(np.int64)


def counted(c: Composer, shape: Sequence[int], axis: int) -> NDArray[np.int64]:
    """Indices of elements of `shape` along an axis, which broadcast to it."""
    return c.numbers(shape[axis]).reshape(-1, *(1,) * (len(shape) - axis - 1))
