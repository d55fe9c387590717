"""Sums, means, extremes and such over axes."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import (
    ArgMax,
    ArgMin,
    Exp,
    Log,
    Mean,
    Operator,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Sqrt,
    Square,
    Sum,
)
from tinsmith_ir.types import Quantization

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.element_types import graph_dtype
from tinsmith_tensors.elementwise import absolute, add, cast, div, mul, sub
from tinsmith_tensors.movement import flip, reshape, squeeze, unsqueeze

_WIDE = np.dtype("<i8")
_REAL = np.dtype("<f4")
_BYTE = np.dtype("u1")
_COMPARED_ALIKE = (np.dtype("i1"), _BYTE, np.dtype("<i2"))
_MOST_SUMMED = 1 << 14
"""Floats one after another: rounding may then be off by a thousandth of their magnitude."""
_ArrayReduction = Callable[..., Array]


def _reduced(
    c: Composer,
    x: Tensor,
    axes: Sequence[int] | None,
    keep_dims: bool,
    make: Callable[..., Operator],
    function: _ArrayReduction,
) -> Tensor:
    """axes: None for all. function: the same of a known array."""
    chosen = normalized_axes(axes, x.rank)
    x = cast(c, x, graph_dtype(x.dtype).numpy) if x.dtype.kind == "V" else x
    if x.array is not None:
        c.check_known_size([size for axis, size in enumerate(x.shape) if axis not in chosen])
        with np.errstate(all="ignore"):
            result = np.asarray(function(x.array, axis=chosen, keepdims=keep_dims))
        return c.known(result.astype(x.dtype, copy=False))
    if not chosen:
        return x
    return c.emit(make(axes=chosen, keep_dims=keep_dims), x)


def normalized_axes(axes: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Sorted, counted from the front; None is all. Raises UnsupportedError for what is no axis, or there twice."""
    if axes is None:
        return tuple(range(rank))
    if any(not -rank <= axis < rank for axis in axes) or len({axis % rank for axis in axes}) < len(
        axes
    ):
        raise UnsupportedError(f"expected different axes within rank {rank}, got {list(axes)}")
    return tuple(sorted(axis % rank for axis in axes))


def total(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The sum."""
    return _reduced(c, x, axes, keep_dims, Sum, np.sum)


def mean(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The mean; of integers cut off. That of many numbers is a mean of means, as sums of floats round one by one."""
    if x.is_float:
        chosen = normalized_axes(axes, x.rank)
        sizes = [x.shape[axis] for axis in chosen]
        if not x.is_known and len(chosen) > 1 and math.prod(sizes) > _MOST_SUMMED:
            rows = _reduced(c, x, chosen[-1:], True, Mean, np.mean)
            means = mean(c, rows, chosen[:-1], keep_dims=True)
            return means if keep_dims else squeeze(c, means, chosen)
        return _reduced(c, x, axes, keep_dims, Mean, np.mean)
    count = int(np.prod([x.shape[axis] for axis in normalized_axes(axes, x.rank)], dtype=np.int64))
    summed = total(c, x, axes, keep_dims=keep_dims)
    return div(c, summed, c.number(count, summed))


def product(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The product."""
    return _reduced(c, x, axes, keep_dims, ReduceProd, np.prod)


def largest(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The largest element; of bool whether any is true. Of none it is the lowest that there is."""
    reduced = _reduced(
        c, comparable(c, x), axes, keep_dims, ReduceMax, _extreme(np.max, is_lowest=True)
    )
    return as_compared(c, reduced, x)


def smallest(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The smallest element; of bool whether all are true. Of none it is the largest that there is."""
    reduced = _reduced(
        c, comparable(c, x), axes, keep_dims, ReduceMin, _extreme(np.min, is_lowest=False)
    )
    return as_compared(c, reduced, x)


def comparable(c: Composer, x: Tensor) -> Tensor:
    """x as the graph compares elements: bytes and int16 that stand for themselves, uint8 as int16. Casts that move
    nothing, but for uint8.
    """
    if x.is_known or x.dtype not in _COMPARED_ALIKE or (x.quantization and x.dtype != _BYTE):
        return x
    wide = cast(c, x, np.dtype("<i2")) if x.dtype == _BYTE else x
    return c.reinterpreted(wide, Quantization.per_tensor(1.0, 0))


def as_compared(c: Composer, chosen: Tensor, x: Tensor) -> Tensor:
    """Elements that were chosen of `comparable` ones of x, as those of x."""
    if chosen.is_known or chosen.quantization == x.quantization:
        return chosen
    plain = cast(c, c.reinterpreted(chosen, None), x.dtype)
    return c.reinterpreted(plain, x.quantization)


def _extreme(function: _ArrayReduction, *, is_lowest: bool) -> _ArrayReduction:
    """np.max or np.min that begins with the end of the element type's range."""

    def reduced(array: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
        if array.dtype.kind == "f":
            initial: float | bool = -np.inf if is_lowest else np.inf
        elif array.dtype.kind == "b":
            initial = not is_lowest
        else:
            limits = np.iinfo(array.dtype.name)
            initial = limits.min if is_lowest else limits.max
        return np.asarray(function(array, axis=axis, keepdims=keepdims, initial=initial))

    return reduced


def l1_norm(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The sum of magnitudes."""
    return total(c, absolute(c, x), axes, keep_dims=keep_dims)


def square_sum(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The sum of squares."""
    squares = c.emit(Square(), x) if x.is_float else mul(c, x, x)
    return total(c, squares, axes, keep_dims=keep_dims)


def l2_norm(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The root of the sum of squares; of integers cut off."""
    return _of_real(c, square_sum(c, x, axes, keep_dims=keep_dims), Sqrt())


def log_sum(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The logarithm of the sum; of integers cut off."""
    return _of_real(c, total(c, x, axes, keep_dims=keep_dims), Log())


def _of_real(c: Composer, x: Tensor, operator: Operator) -> Tensor:
    """A function of float32, of which integers keep the whole part."""
    return cast(c, c.emit(operator, cast(c, x, _REAL)), x.dtype)


def log_sum_exp(c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool) -> Tensor:
    """The logarithm of the sum of exponentials; the largest is taken out first, so that none overflows."""
    top = largest(c, x, axes, keep_dims=True)
    if x.elements == 0:
        return log_sum(c, x, axes, keep_dims=keep_dims)
    summed = log_sum(c, c.emit(Exp(), sub(c, x, top)), axes, keep_dims=True)
    result = add(c, summed, top)
    if keep_dims:
        return result
    dropped = normalized_axes(axes, x.rank)
    return reshape(
        c, result, [size for axis, size in enumerate(result.shape) if axis not in dropped]
    )


def arg_max(c: Composer, x: Tensor, axis: int, *, keep_dims: bool, last: bool = False) -> Tensor:
    """Where the largest element is, as int64; of equal ones the first, or the last."""
    return _arg(c, x, axis, keep_dims, ArgMax, last)


def arg_min(c: Composer, x: Tensor, axis: int, *, keep_dims: bool, last: bool = False) -> Tensor:
    """Where the smallest element is, as int64; of equal ones the first, or the last."""
    return _arg(c, x, axis, keep_dims, ArgMin, last)


def _arg(
    c: Composer, x: Tensor, axis: int, keep_dims: bool, make: Callable[..., Operator], last: bool
) -> Tensor:
    (place,) = normalized_axes([axis], x.rank)
    compared = comparable(c, flip(c, x, [place]) if last else x)
    found = cast(c, c.emit(make(axis=place), compared), _WIDE)
    if last:
        found = sub(c, c.number(x.shape[place] - 1, found), found)
    return unsqueeze(c, found, [place]) if keep_dims else found
