"""Tensors in another size, axis by axis: nearest elements, and curves through two, four or more of them."""

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import ResizeBilinear

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, cast, mul, where
from tinsmith_tensors.movement import channels_first, channels_last, move_axis, reshape
from tinsmith_tensors.products import linear
from tinsmith_tensors.resampling import (
    Floats,
    Interpolation,
    ResizedAxis,
    Resizing,
    matrix,
    nearest,
    outside,
    reach,
    weighed,
)
from tinsmith_tensors.selection import pick

_MOST_TAPS = 4
"""Elements along an axis that are picked and weighted one by one; more of them are a product with a matrix."""
_UNIT = 2.0**-23
"""Of coordinates in float32, for each element of an axis."""


def resize(c: Composer, x: Tensor, axes: Sequence[ResizedAxis], resizing: Resizing) -> Tensor:
    """x with other sizes along some axes. Of integers curves are computed in float32, and cut off towards zero."""
    if x.elements == 0 or any(axis.size < 1 or axis.scale <= 0 for axis in axes):
        raise UnsupportedError(
            f"expected sizes of at least 1 and scales above 0, got {[axis.size for axis in axes]} by "
            f"{[axis.scale for axis in axes]} of {list(x.shape)}"
        )
    if resizing.interpolation is Interpolation.NEAREST:
        resized = _nearest(c, x, axes, resizing)
    else:
        real = x if x.is_float else cast(c, x, np.dtype("<f4"))
        resized = cast(c, _weighted(c, real, _matrices(c, x, axes, resizing)), x.dtype)
    if resizing.extrapolation is None:
        return resized
    return _extrapolated(c, x.shape, resized, axes, resizing, resizing.extrapolation)


def _nearest(c: Composer, x: Tensor, axes: Sequence[ResizedAxis], resizing: Resizing) -> Tensor:
    for axis in axes:
        c.check_known_size([axis.size])
    chosen = {axis.axis: nearest(x.shape[axis.axis], axis, resizing) for axis in axes}
    resized = x
    for axis in _smallest_first(x, chosen):
        resized = pick(c, resized, axis, chosen[axis])
    return resized


def _matrices(
    c: Composer, x: Tensor, axes: Sequence[ResizedAxis], resizing: Resizing
) -> dict[int, Floats]:
    """By which each axis is resized."""
    for axis in axes:
        c.check_known_size((axis.size, x.shape[axis.axis]), 4)
        c.check_known_size((2 * reach(axis, resizing), axis.size))
    return {axis.axis: matrix(x.shape[axis.axis], axis, resizing) for axis in axes}


def _weighted(c: Composer, x: Tensor, matrices: Mapping[int, Floats]) -> Tensor:
    """Along two axes by the graph's own operator, where that does the same."""
    left = {axis: weights for axis, weights in matrices.items() if not _is_identity(weights)}
    for rows, columns in _images(x.rank):
        inside = {axis for axis in left if axis in (rows, columns)}
        if not inside or (len(left) > len(inside) and x.rank == 4):
            continue
        sizes = x.shape[rows] if rows is not None else 1, x.shape[columns]
        along_rows = None if rows is None else left.get(rows)
        operator = _bilinear(sizes, (along_rows, left.get(columns)))
        if operator is not None:
            x = _by_operator(c, x, operator, is_last=columns == x.rank - 2)
            left = {axis: weights for axis, weights in left.items() if axis not in inside}
            break
    for axis in _smallest_first(x, left):
        x = _along(c, x, axis, left[axis])
    return x


def _images(rank: int) -> list[tuple[int | None, int]]:
    """Rows and columns, channels first or last, of a tensor that has channels; None for the only row."""
    if rank < 3:
        return []
    if rank == 3:
        return [(None, 2)]
    return [(rank - 2, rank - 1), (rank - 3, rank - 2)]


def _bilinear(
    there: tuple[int, int], matrices: tuple[Floats | None, Floats | None]
) -> ResizeBilinear | None:
    """The operator that weights rows and columns as these matrices do; None stands for no change."""
    height, width = (
        size if weights is None else weights.shape[0]
        for size, weights in zip(there, matrices, strict=True)
    )
    for corners, centers in ((False, True), (True, False), (False, False)):
        operator = ResizeBilinear(
            size=(height, width), align_corners=corners, half_pixel_centers=centers
        )
        if all(
            weights is None or _does(operator, size, weights)
            for size, weights in zip(there, matrices, strict=True)
        ):
            return operator
    return None


def _does(operator: ResizeBilinear, there: int, weights: Floats) -> bool:
    """Whether it weights the elements of an axis so, up to what float32 leaves open of a place."""
    size = weights.shape[0]
    found = operator.places(there, size, DType.FLOAT32)
    above = found.above.astype(np.float32)
    made = weighed(there, np.stack([found.low, found.high]), np.stack([1 - above, above]))
    return bool(np.abs(made - weights).max() <= 4 * _UNIT * max(there, size))


def _by_operator(c: Composer, x: Tensor, operator: ResizeBilinear, *, is_last: bool) -> Tensor:
    """is_last: whether x is channels last already. Axes in front of rows count as a batch."""
    last = x if is_last else channels_last(c, x)
    if last.rank == 3:
        image = reshape(c, last, (last.shape[0], 1, *last.shape[1:]))
    else:
        image = reshape(c, last, (math.prod(last.shape[:-3]), *last.shape[-3:]))
    resized = c.emit(operator, image)
    front = last.shape[:-3] if last.rank > 3 else last.shape[:1]
    sizes = resized.shape[1:] if last.rank > 3 else resized.shape[2:]
    result = reshape(c, resized, (*front, *sizes))
    return result if is_last else channels_first(c, result)


def _along(c: Composer, x: Tensor, axis: int, weights: Floats) -> Tensor:
    """A product with a matrix along one axis, or what it amounts to."""
    if _is_selection(weights):
        return pick(c, x, axis, weights.argmax(axis=1))
    size, there = weights.shape
    is_used = weights != 0
    first = is_used.argmax(axis=1)
    last = there - 1 - is_used[:, ::-1].argmax(axis=1)
    count = int((last - first).max()) + 1
    if count > _MOST_TAPS:
        return move_axis(c, linear(c, move_axis(c, x, axis, -1), c.known(weights), None), -1, axis)
    first = np.minimum(first, there - count)
    spread = tuple(size if at == axis else 1 for at in range(x.rank))
    parts: list[Tensor] = []
    for tap in range(count):
        share = weights[np.arange(size), first + tap]
        picked = pick(c, x, axis, first + tap)
        parts.append(mul(c, picked, c.known(share.reshape(spread))))
    return functools.reduce(functools.partial(add, c), parts)


def _extrapolated(
    c: Composer,
    before: Sequence[int],
    resized: Tensor,
    axes: Sequence[ResizedAxis],
    resizing: Resizing,
    value: float,
) -> Tensor:
    """The value at places that are outside along any axis."""
    c.check_known_size(resized.shape, 1)
    mask = np.zeros((1,) * resized.rank, np.bool_)
    for axis in axes:
        spread = [axis.size if at == axis.axis else 1 for at in range(resized.rank)]
        along = outside(before[axis.axis], axis, resizing.coordinates)
        mask = mask | along.reshape(spread)
    if not mask.any():
        return resized
    whole = np.ascontiguousarray(np.broadcast_to(mask, resized.shape))
    return where(c, c.known(whole), c.number(value, resized), resized)


def _smallest_first(x: Tensor, by_axis: Mapping[int, Array]) -> list[int]:
    """Axes in the order in which the fewest elements are computed. by_axis: as long as axes of the result."""
    return sorted(by_axis, key=lambda axis: (len(by_axis[axis]) / x.shape[axis], axis))


def _is_identity(weights: Floats) -> bool:
    return weights.shape[0] == weights.shape[1] and bool((weights == np.eye(len(weights))).all())


def _is_selection(weights: Floats) -> bool:
    """Whether each element of the result is one of the input."""
    return bool(((weights != 0).sum(axis=1) == 1).all() and (weights.max(axis=1) == 1).all())
