"""Functions on the bits of integers, composed of arithmetic: shifts are products and quotients, others go bit by bit.

Integers are in two's complement. A graph has no unsigned integers of more than 8 bits: of such, in a wider type, NOT
and shifts to the left leave bits above theirs, which `bitwise_and` takes away.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Gather

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import (
    cast,
    floor_div,
    floor_mod,
    less,
    maximum,
    minimum,
    mul,
    only_number,
    sub,
    where,
)
from tinsmith_tensors.indexing import INDEX, as_indices
from tinsmith_tensors.movement import unsqueeze
from tinsmith_tensors.reductions import total

_Function = Callable[[Composer, Tensor, Tensor], Tensor]


def shift_left(c: Composer, x: Tensor, distance: Tensor) -> Tensor:
    """x * 2**distance, without what goes beyond the type; 0 for distances below 0, or as long as the type is wide."""
    width, wide = 8 * x.dtype.itemsize, _wide(x)
    if x.array is not None and distance.array is not None:
        c.check_known_size(np.broadcast_shapes(x.shape, distance.shape))
        by = as_indices(distance.array)
        is_within = (by >= 0) & (by < width)
        shifted = np.left_shift(x.array, np.where(is_within, by, 0).astype(x.dtype))
        return c.known(np.where(is_within, shifted, 0).astype(x.dtype))
    factors = np.append(_powers(np.arange(width), wide), wide.type(0))
    return cast(c, mul(c, cast(c, x, wide), _looked_up(c, factors, distance)), x.dtype)


def shift_right(c: Composer, x: Tensor, distance: Tensor) -> Tensor:
    """The largest integer that is not above x / 2**distance; distances below 0 are as those beyond the width."""
    width, wide = 8 * x.dtype.itemsize, _wide(x)
    most = width if x.dtype.kind == "u" else width - 1
    if x.array is not None and distance.array is not None:
        c.check_known_size(np.broadcast_shapes(x.shape, distance.shape))
        by = as_indices(distance.array)
        is_within = (by >= 0) & (by < width)
        halved = np.right_shift(x.array, np.where(is_within, by, 0).astype(x.dtype))
        beyond = -np.less(x.array, 0).astype(np.int8)  # as many signs
        return c.known(np.where(is_within, halved, beyond).astype(x.dtype))
    first, second = _divisors(np.arange(most + 1), wide)
    quotient = floor_div(c, cast(c, x, wide), _looked_up(c, first, distance))
    if second.max() > 1:
        quotient = floor_div(c, quotient, _looked_up(c, second, distance))
    return cast(c, quotient, x.dtype)


def _looked_up(c: Composer, table: Array, distance: Tensor) -> Tensor:
    """table[distance], the last of the table for distances that are not in it."""
    last = len(table) - 1
    if distance.array is not None:
        places = as_indices(distance.array)
        return c.known(table[np.where((places < 0) | (places > last), last, places)])
    places = cast(c, distance, INDEX)
    if distance.dtype.kind != "u":
        end = c.number(last, places)
        places = where(c, less(c, places, c.number(0, places)), end, places)
    return c.emit(Gather(0), c.known(table, "powers_of_two"), places)  # behind the last is the last


def _powers(exponents: NDArray[np.int64], dtype: np.dtype[np.generic]) -> Array:
    """Powers of two in two's complement."""
    return np.left_shift(np.int64(1), exponents).astype(dtype)


def _divisors(exponents: NDArray[np.int64], dtype: np.dtype[np.generic]) -> tuple[Array, Array]:
    """Powers of two as products of two: the sign's is no positive integer of the type."""
    most = 8 * dtype.itemsize - 2
    return _powers(np.minimum(exponents, most), dtype), np.where(exponents > most, 2, 1).astype(
        dtype
    )


def _wide(x: Tensor) -> np.dtype[np.generic]:
    return (DType.INT64 if x.dtype.itemsize == 8 else DType.INT32).numpy


def bitwise_not(c: Composer, x: Tensor) -> Tensor:
    """All bits the other way round."""
    if x.array is not None:
        return c.known(np.invert(x.array))
    return sub(c, c.number(255 if x.dtype.kind == "u" else -1, x), x)


def bitwise_and(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Bits that both have; of a known mask of low bits the rest of a division."""
    if lhs.array is not None and rhs.array is not None:
        c.check_broadcast_size(lhs.array, rhs.array)
        return c.known(np.bitwise_and(lhs.array, rhs.array))
    for x, mask in ((lhs, only_number(rhs)), (rhs, only_number(lhs))):
        if mask is not None and mask >= 0 and float(mask + 1).is_integer():
            size = int(mask) + 1
            if size & (size - 1) == 0 and size <= 1 << (8 * x.dtype.itemsize - 2):
                shape = np.broadcast_shapes(lhs.shape, rhs.shape)
                if shape == x.shape:
                    return floor_mod(c, x, c.number(size, x))
    return _by_bits(c, lhs, rhs, minimum)


def bitwise_or(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Bits that one of both has."""
    if lhs.array is not None and rhs.array is not None:
        c.check_broadcast_size(lhs.array, rhs.array)
        return c.known(np.bitwise_or(lhs.array, rhs.array))
    return _by_bits(c, lhs, rhs, maximum)


def bitwise_xor(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Bits that only one of both has."""
    if lhs.array is not None and rhs.array is not None:
        return c.known(np.bitwise_xor(lhs.array, rhs.array))
    return _by_bits(c, lhs, rhs, lambda c, x, y: sub(c, maximum(c, x, y), minimum(c, x, y)))


def _by_bits(c: Composer, lhs: Tensor, rhs: Tensor, function: _Function) -> Tensor:
    """A function of 0 and 1, of each bit by itself: bits are one more axis."""
    wide, count = _wide(lhs), 8 * lhs.dtype.itemsize
    found = function(c, _bits(c, cast(c, lhs, wide), count), _bits(c, cast(c, rhs, wide), count))
    weights = c.known(_powers(np.arange(count), wide))
    return cast(c, total(c, mul(c, found, weights), [-1], keep_dims=False), lhs.dtype)


def _bits(c: Composer, x: Tensor, count: int) -> Tensor:
    """The low bits, the lowest first, along a new last axis."""
    first, second = (c.known(each) for each in _divisors(np.arange(count), x.dtype))
    shifted = floor_div(c, floor_div(c, unsqueeze(c, x, [-1]), first), second)
    return floor_mod(c, shifted, c.number(2, x))
