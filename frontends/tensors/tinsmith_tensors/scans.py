"""Running sums and products along an axis, and the largest elements of rows in their order."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import CumSum, Exp, Log, Neg, TopK, TopKIndices

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import absolute, add, cast, maximum, mul, sub
from tinsmith_tensors.movement import flip, move_axis, pad
from tinsmith_tensors.reductions import normalized_axes

_SUMMED = (DType.FLOAT32.numpy, DType.INT32.numpy, DType.INT64.numpy)
_RANKED = (DType.FLOAT32.numpy, DType.INT32.numpy)
_LOWEST = float(np.finfo(np.float32).min)
"""Whose exponential is 0 beside that of any other number."""


def cumsum(
    c: Composer, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False
) -> Tensor:
    """Along an axis the sum of an element and of all in front of it.

    exclusive: without the element itself. reverse: of all behind it.
    """
    (place,) = normalized_axes([axis], x.rank)
    if x.array is not None:
        c.check_known_size(x.shape)
        return c.known(_scanned(x.array, np.cumsum, 0, (place, exclusive, reverse)), x.hint)
    wide = x if x.dtype in _SUMMED else cast(c, x, DType.INT32.numpy)
    return cast(c, c.emit(CumSum(place, exclusive, reverse), wide), x.dtype)


def cumprod(
    c: Composer, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False
) -> Tensor:
    """As `cumsum`, the product. Floats are multiplied by halves, not one after the other."""
    (place,) = normalized_axes([axis], x.rank)
    if x.array is not None:
        c.check_known_size(x.shape)
        return c.known(_scanned(x.array, np.cumprod, 1, (place, exclusive, reverse)), x.hint)
    if reverse:
        turned = flip(c, x, [place])
        return flip(c, cumprod(c, turned, place, exclusive=exclusive), [place])
    x = _behind(c, x, place, 1) if exclusive else x
    distance = 1
    while distance < x.shape[place]:  # each is the product of `distance` elements now
        x = mul(c, x, _behind(c, x, place, distance))
        distance *= 2
    return x


def log_cumsum_exp(c: Composer, x: Tensor, axis: int) -> Tensor:
    """Along an axis the logarithm of the sum of exponentials of an element and of all in front of it, added by halves;
    the larger of two is taken out first, so that none overflows.
    """
    (place,) = normalized_axes([axis], x.rank)
    distance = 1
    while distance < x.shape[place]:  # each is of `distance` elements now
        before = _behind(c, x, place, distance, _LOWEST)
        apart = absolute(c, sub(c, x, before))
        share = c.emit(Exp(), c.emit(Neg(), apart))
        grown = c.emit(Log(), add(c, share, c.number(1.0, share)))
        x = add(c, maximum(c, x, before), grown)
        distance *= 2
    return x


def _behind(c: Composer, x: Tensor, axis: int, distance: int, fill: float = 1) -> Tensor:
    """x moved along an axis, with `fill` in front."""
    if distance >= x.shape[axis]:
        c.check_known_size(x.shape, x.dtype.itemsize)
        return c.known(np.full(x.shape, fill, x.dtype))
    widths = [(distance, -distance) if each == axis else (0, 0) for each in range(x.rank)]
    return pad(c, x, widths, fill)


def _scanned(
    array: Array, function: Callable[..., Array], neutral: int, how: tuple[int, bool, bool]
) -> Array:
    """Of a known array. how: axis, exclusive, reverse."""
    axis, exclusive, reverse = how
    rows = np.moveaxis(array, axis, 0)[:: -1 if reverse else 1]
    if exclusive:
        rows = np.concatenate([np.full_like(rows[:1], neutral), rows[:-1]])
    with np.errstate(all="ignore"):
        result = function(rows, axis=0).astype(array.dtype)
    return np.ascontiguousarray(np.moveaxis(result[:: -1 if reverse else 1], 0, axis))


def top_k(
    c: Composer, x: Tensor, count: int, axis: int, *, largest: bool = True
) -> tuple[Tensor, Tensor]:
    """Along an axis the `count` largest elements, or the smallest, in their order, and where they are as int32.

    Of equal ones the first comes first. NaN comes behind all others.
    """
    (place,) = normalized_axes([axis], x.rank)
    last = x.rank - 1
    if not 0 <= count <= x.shape[place]:
        raise UnsupportedError(f"expected a count of at most {x.shape[place]}, got {count}")
    rows = move_axis(c, x, place, last)
    values, indices = _ranked(c, rows, count, largest)
    return move_axis(c, values, last, place), move_axis(c, indices, last, place)


def _ranked(c: Composer, x: Tensor, count: int, largest: bool) -> tuple[Tensor, Tensor]:
    """Of the last axis."""
    if x.array is not None or count == 0:
        return _ranked_known(c, x, count, largest)
    if x.dtype == DType.INT64.numpy:
        raise UnsupportedError("expected computed elements of at most 32 bits to rank, got int64")
    ranked = x if x.dtype in _RANKED else cast(c, x, DType.INT32.numpy)
    ordered = ranked if largest else _turned(c, ranked)
    values, indices = c.emit(TopK(count), ordered), c.emit(TopKIndices(count), ordered)
    values = values if largest else _turned(c, values)
    return cast(c, values, x.dtype), indices


def _turned(c: Composer, x: Tensor) -> Tensor:
    """In the opposite order: of integers -1 - x, which never overflows."""
    return sub(c, c.number(0 if x.is_float else -1, x), x)


def _ranked_known(c: Composer, x: Tensor, count: int, largest: bool) -> tuple[Tensor, Tensor]:
    if x.array is None:
        empty = (*x.shape[:-1], 0)
        return c.known(np.empty(empty, x.dtype)), c.known(np.empty(empty, np.int32))
    c.check_known_size(x.shape)
    ranks: NDArray[np.int64] = np.unique(x.array, return_inverse=True)[1].reshape(x.shape)
    if x.is_float:
        ranks[np.isnan(x.array)] = -1 if largest else x.elements
    order = np.argsort(-ranks if largest else ranks, axis=-1, kind="stable")[..., :count]
    values = np.take_along_axis(x.array, order, axis=-1)
    return c.known(values, x.hint), c.known(order.astype(np.int32))
