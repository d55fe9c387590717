"""Functions that put elements where indices say: by known indices a gathering, by computed ones a comparison.

Indices below 0 count from the end. Of several updates of one element the last remains, unless they are combined.
"""

import enum
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Gather

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import (
    add,
    cast,
    equal,
    floor_mod,
    less,
    less_equal,
    maximum,
    minimum,
    mul,
    sub,
    where,
)
from tinsmith_tensors.indexing import (
    INDEX,
    as_indices,
    counted,
    gather_at,
    normalized_indices,
    positions,
    row_indices,
    take,
    wrapped,
)
from tinsmith_tensors.movement import concat, move_axis, part, reshape, unsqueeze
from tinsmith_tensors.reductions import largest, normalized_axes, product, smallest, total

_MOST_COMPARED = 1 << 22
"""Pairs of an element and an update that may be for it."""


class Combine(enum.Enum):
    """What becomes of an element and its updates."""

    REPLACE = "none"
    ADD = "add"
    MUL = "mul"
    MIN = "min"
    MAX = "max"


def scatter_elements(
    c: Composer,
    x: Tensor,
    indices: Tensor,
    updates: Tensor,
    axis: int,
    combine: Combine = Combine.REPLACE,
) -> Tensor:
    """x with each update at its own place, but at its index along the axis. Indices and updates have one shape.

    Along other axes there may be fewer updates than elements of x.
    Raises UnsupportedError for computed indices of more than a few million comparisons.
    """
    (place,) = normalized_axes([axis], x.rank)
    if indices.rank != x.rank or indices.shape != updates.shape:
        raise UnsupportedError(
            f"expected indices and updates of one shape of rank {x.rank}, got {list(indices.shape)} "
            f"and {list(updates.shape)}"
        )
    if indices.elements == 0:
        return x
    if indices.array is not None:
        c.check_known_size((indices.rank, *indices.shape))
        grid = list(np.indices(indices.shape, np.int64))
        grid[place] = wrapped(indices.array, x.shape[place])
        return _put(c, x, grid, updates, combine)
    along = normalized_indices(c, indices, x.shape[place])
    shape = [x.shape[place] if each == place else size for each, size in enumerate(indices.shape)]
    if tuple(shape) == x.shape:
        return _written(c, x, along, updates, place, combine)
    corner = x
    for each, size in enumerate(shape):
        corner = part(c, corner, each, 0, size)
    corner = _written(c, corner, along, updates, place, combine)
    return _with_box(c, x, corner, [(0, size) for size in shape])


def scatter_nd(
    c: Composer, x: Tensor, indices: Tensor, updates: Tensor, combine: Combine = Combine.REPLACE
) -> Tensor:
    """x with updates at what rows of indices name of its first axes.

    updates: in the shape of the rows, then of the axes behind those that are named. Raises as `scatter_elements`.
    """
    parts = row_indices(c, x.shape, indices)
    rest = x.shape[len(parts) :]
    if updates.shape != (*indices.shape[:-1], *rest):
        raise UnsupportedError(
            f"expected updates of shape {[*indices.shape[:-1], *rest]}, got {list(updates.shape)}"
        )
    count = math.prod(indices.shape[:-1])
    if updates.elements == 0:
        return x
    if indices.array is not None:
        coordinates = [as_indices(part_.array) for part_ in parts if part_.array is not None]
        return _put(c, x, coordinates, updates, combine)
    rows = reshape(c, updates, (count, *rest))
    lead = x.shape[: len(parts)]
    places = reshape(c, positions(c, lead, parts), (count, *(1,) * len(rest)))
    joined = reshape(c, x, (math.prod(lead), *rest))
    return reshape(c, _written(c, joined, places, rows, 0, combine), x.shape)


def scatter_windows(
    c: Composer,
    x: Tensor,
    updates: Tensor,
    begins: Tensor | None,
    axis: int,
    *,
    is_circular: bool,
) -> Tensor:
    """x with updates along an axis from where `begins` says for each batch, or from 0: how caches of keys are kept.

    begins: one for each element of the first axis. is_circular: what goes beyond the end comes to the begin.
    """
    (place,) = normalized_axes([axis], x.rank)
    batches, size, count = x.shape[0], x.shape[place], updates.shape[place]
    if place == 0 or count > size or updates.shape[0] != batches:
        raise UnsupportedError(
            f"expected updates within {list(x.shape)} along an axis behind the first, got {list(updates.shape)}"
        )
    c.check_known_size([batches, size])
    begins = c.known(np.zeros(batches, np.int64)) if begins is None else begins
    first, news = move_axis(c, x, place, 1), move_axis(c, updates, place, 1)
    if begins.array is not None:
        columns = as_indices(begins.array).reshape(batches, 1) + np.arange(count)
        if not is_circular and int(columns.max()) >= size:
            raise UnsupportedError(
                f"expected updates that end within {size}, got one up to {columns.max() + 1}"
            )
        grid = [np.repeat(np.arange(batches), count), (columns % size).reshape(-1)]
        return move_axis(c, _put(c, first, grid, news, Combine.REPLACE), 1, place)
    begin = reshape(c, cast(c, begins, INDEX), (batches, 1))
    distance = sub(c, c.known(np.arange(size, dtype=INDEX)), begin)
    if is_circular:
        distance = floor_mod(c, distance, c.number(size, distance))
    return move_axis(c, _with_windows(c, first, news, distance), 1, place)


def _with_windows(c: Composer, x: Tensor, updates: Tensor, distance: Tensor) -> Tensor:
    """(batch, size, ...): the update at `distance`, (batch, size), where there is one."""
    batches, count = updates.shape[:2]
    is_new = less(c, distance, c.number(count, distance))
    is_new = minimum(c, is_new, less_equal(c, c.number(0, distance), distance))
    is_new = reshape(c, is_new, (*distance.shape, *(1,) * (x.rank - 2)))
    if count == 1:
        return where(c, is_new, updates, x)
    rows = c.known(np.arange(batches, dtype=np.int64).reshape(batches, 1))
    places = positions(c, (batches, count), [rows, distance])
    joined = reshape(c, updates, (batches * count, *updates.shape[2:]))
    return where(c, is_new, c.emit(Gather(0), joined, places), x)


# By known indices


def _put(
    c: Composer,
    x: Tensor,
    coordinates: Sequence[NDArray[np.int64]],
    updates: Tensor,
    combine: Combine,
) -> Tensor:
    """x with updates where coordinates along its first axes say: as many, in row-major order."""
    lead, rest = x.shape[: len(coordinates)], x.shape[len(coordinates) :]
    spread = np.broadcast_arrays(*coordinates)
    places = np.ravel_multi_index(tuple(each.reshape(-1) for each in spread), lead).astype(np.int64)
    if x.array is not None and updates.array is not None:
        rows = updates.array.reshape(places.size, *rest)
        return c.known(_put_array(x.array, places, rows, combine, len(lead)), x.hint)
    box = _box(places, lead)
    if box is not None:
        sizes = [end - begin for begin, end in box]
        whole = reshape(c, updates, (*sizes, *rest))
        return _with_box(c, x, whole, box, combine)
    joined = reshape(c, x, (math.prod(lead), *rest))
    rows = reshape(c, updates, (places.size, *rest))
    put = _replaced if combine is Combine.REPLACE else _combined
    return reshape(c, put(c, joined, places, rows, combine), x.shape)


def _put_array(
    x: Array, places: NDArray[np.int64], updates: Array, combine: Combine, axes: int
) -> Array:
    result = x.reshape(-1, *x.shape[axes:]).copy()
    match combine:
        case Combine.REPLACE:
            result[places] = updates
        case Combine.ADD:
            np.add.at(result, places, updates)
        case Combine.MUL:
            np.multiply.at(result, places, updates)
        case Combine.MIN:
            np.minimum.at(result, places, updates)
        case Combine.MAX:
            np.maximum.at(result, places, updates)
    return result.reshape(x.shape)


def _box(places: NDArray[np.int64], shape: Sequence[int]) -> list[tuple[int, int]] | None:
    """From where to where along each axis, if places are those of a box in row-major order."""
    coordinates = np.unravel_index(places, tuple(shape))
    box = [(int(each.min()), int(each.max()) + 1) for each in coordinates]
    if math.prod(end - begin for begin, end in box) != places.size:
        return None
    axes = np.ix_(*(np.arange(begin, end) for begin, end in box))
    inside = np.ravel_multi_index(tuple(np.broadcast_arrays(*axes)), tuple(shape)).reshape(-1)
    return box if np.array_equal(inside, places) else None


def _with_box(
    c: Composer,
    x: Tensor,
    updates: Tensor,
    box: Sequence[tuple[int, int]],
    combine: Combine = Combine.REPLACE,
    axis: int = 0,
) -> Tensor:
    """x with updates in a box of its first axes, from `axis` on."""
    if axis == len(box):
        return updates if combine is Combine.REPLACE else _COMBINING[combine](c, x, updates)
    begin, end = box[axis]
    inside = _with_box(c, part(c, x, axis, begin, end), updates, box, combine, axis + 1)
    parts = [inside]
    if begin > 0:
        parts.insert(0, part(c, x, axis, 0, begin))
    if end < x.shape[axis]:
        parts.append(part(c, x, axis, end, x.shape[axis]))
    return concat(c, parts, axis)


def _replaced(
    c: Composer, x: Tensor, places: NDArray[np.int64], updates: Tensor, combine: Combine
) -> Tensor:
    """Of (elements, ...): each from x, or from the last update that is for it."""
    del combine
    count = x.shape[0]
    sources = c.numbers(count)
    sources[places] = count + np.arange(places.size)
    if bool((sources >= count).all()):
        return take(c, updates, sources - count, 0)
    return take(c, concat(c, [x, updates], 0), sources, 0)


def _combined(
    c: Composer, x: Tensor, places: NDArray[np.int64], updates: Tensor, combine: Combine
) -> Tensor:
    """Of (elements, ...): each with all updates that are for it, side by side with what changes nothing."""
    count = x.shape[0]
    c.check_known_size([count])
    most = int(np.bincount(places).max())
    _check_compared(count * most * math.prod(x.shape[1:]))
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    turns = np.arange(places.size) - np.searchsorted(sorted_places, sorted_places)
    sources = np.full((count, most), places.size)
    sources[sorted_places, turns] = order
    neutral = c.known(np.full((1, *x.shape[1:]), _neutral(combine, x.dtype), x.dtype))
    beside = take(c, concat(c, [updates, neutral], 0), sources, 0)
    return _COMBINING[combine](c, x, _REDUCING[combine](c, beside, [1], keep_dims=False))


# By computed indices


def _written(
    c: Composer, x: Tensor, indices: Tensor, updates: Tensor, axis: int, combine: Combine
) -> Tensor:
    """x with updates where computed indices say along an axis.

    indices: as updates, or with 1 along other axes, where they hold for all.
    """
    size, count = x.shape[axis], updates.shape[axis]
    _check_compared(count * math.prod(x.shape if combine is not Combine.REPLACE else (size,)))
    places = np.arange(size, dtype=INDEX).reshape(size, *(1,) * (x.rank - axis))
    is_for = equal(c, unsqueeze(c, indices, [axis]), c.known(places))
    if combine is not Combine.REPLACE:
        neutral = c.known(np.asarray(_neutral(combine, x.dtype), x.dtype))
        beside = where(c, is_for, unsqueeze(c, updates, [axis]), neutral)
        return _COMBINING[combine](c, x, _REDUCING[combine](c, beside, [axis + 1], keep_dims=False))
    if count == 1:
        is_new = reshape(
            c, is_for, [size_ for i, size_ in enumerate(is_for.shape) if i != axis + 1]
        )
        return where(c, is_new, updates, x)
    numbers = np.arange(count, dtype=INDEX).reshape(count, *(1,) * (x.rank - axis - 1))
    numbered = where(c, is_for, c.known(numbers), c.known(np.asarray(-1, INDEX)))
    last = largest(c, numbered, [axis + 1], keep_dims=False)
    is_new = less_equal(c, c.number(0, last), last)
    if last.elements == size:  # one update for all along the other axes
        taken = c.emit(Gather(axis), updates, reshape(c, last, [size]))
    else:
        grid = [c.known(counted(c, last.shape, each)) for each in range(x.rank)]
        taken = gather_at(c, updates, [*grid[:axis], last, *grid[axis + 1 :]])
    return where(c, is_new, taken, x)


def _check_compared(pairs: int) -> None:
    if pairs > _MOST_COMPARED:
        raise UnsupportedError(
            f"expected at most {_MOST_COMPARED:,} pairs of an element and an update that may be for it, got {pairs:,}"
        )


def _neutral(combine: Combine, dtype: np.dtype[np.generic]) -> float:
    """What changes no element."""
    match combine:
        case Combine.REPLACE | Combine.ADD:
            return 0
        case Combine.MUL:
            return 1
        case Combine.MIN:
            return _extreme(dtype, 1)
        case Combine.MAX:
            return _extreme(dtype, -1)


_DTYPES = {dtype.numpy: dtype for dtype in DType if not dtype.is_packed}


def _extreme(dtype: np.dtype[np.generic], sign: int) -> float:
    if dtype.kind == "f":
        return sign * math.inf
    if dtype.kind == "b":
        return sign > 0
    low, high = _DTYPES[dtype].integer_range
    return high if sign > 0 else low


_COMBINING: dict[Combine, Callable[[Composer, Tensor, Tensor], Tensor]] = {
    Combine.ADD: add,
    Combine.MUL: mul,
    Combine.MIN: minimum,
    Combine.MAX: maximum,
}
_REDUCING: dict[Combine, Callable[..., Tensor]] = {
    Combine.ADD: total,
    Combine.MUL: product,
    Combine.MIN: smallest,
    Combine.MAX: largest,
}
