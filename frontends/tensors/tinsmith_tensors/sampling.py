"""Images looked at in places between their elements, which a network may compute: grids, regions, moved windows.

The neighbours of each place are gathered, and added up by weights that fall with their distance.
"""

import enum
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Floor, Round

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import absolute, add, cast, equal, floor_mod, maximum, mul, sub
from tinsmith_tensors.elementwise import minimum as smaller
from tinsmith_tensors.indexing import gather_at
from tinsmith_tensors.movement import (
    channels_first,
    channels_last,
    concat,
    part,
    reshape,
    transpose,
    unsqueeze,
)
from tinsmith_tensors.pools import Windows
from tinsmith_tensors.products import matmul
from tinsmith_tensors.reductions import largest, mean
from tinsmith_tensors.resampling import Interpolation
from tinsmith_tensors.windows import convolution

_CUBIC = -0.75
_WHOLE = np.dtype("<i4")
_REAL = np.dtype("<f4")


class Outside(enum.Enum):
    """What lies around an image: zeros, the elements at its ends, or its mirror image."""

    ZEROS = "zeros"
    BORDER = "border"
    REFLECTION = "reflection"


@dataclass(frozen=True, eq=False)
class _Tap:
    """index: which element along an axis, int32. weight: how much of it, float32; None for all."""

    index: Tensor
    weight: Tensor | None


@dataclass(frozen=True)
class _Axis:
    """size: elements along an axis of an image. align_corners: whether it ends in the middle of the last element."""

    size: int
    outside: Outside
    align_corners: bool = False


def grid_sample(
    c: Composer,
    x: Tensor,
    grid: Tensor,
    interpolation: Interpolation,
    outside: Outside,
    *,
    align_corners: bool,
) -> Tensor:
    """x (N, C, ...) at the places of a grid (N, ..., axes), the last axis first, from -1 to 1: (N, C, ...)."""
    rank = x.rank - 2
    fits = grid.rank == x.rank and grid.shape[-1] == rank and grid.shape[0] == x.shape[0]
    if not fits or not 1 <= rank <= 3:
        raise UnsupportedError(
            f"expected an image (N, C, ...) and a grid (N, ..., axes), got {list(x.shape)} and {list(grid.shape)}"
        )
    if interpolation is Interpolation.CUBIC and rank != 2:
        raise UnsupportedError(f"expected cubic sampling of two axes, got {rank}")
    taps: list[list[_Tap]] = []
    for at, size in enumerate(x.shape[2:]):
        last = rank - 1 - at
        share = reshape(c, part(c, grid, rank + 1, last, last + 1), grid.shape[:-1])
        axis = _Axis(size, outside, align_corners)
        taps.append(_taps(c, _place(c, share, axis), axis, interpolation))
    batch = c.numbers(x.shape[0]).reshape(-1, *(1,) * rank)
    return channels_first(c, _looked_up(c, channels_last(c, x), [c.known(batch)], taps, add))


def affine_grid(c: Composer, theta: Tensor, sizes: Sequence[int], *, align_corners: bool) -> Tensor:
    """The grid (N, *sizes, axes) that theta (N, axes, axes + 1) makes of the places of a result."""
    rank = len(sizes)
    if theta.shape[1:] != (rank, rank + 1):
        raise UnsupportedError(
            f"expected matrices (N, {rank}, {rank + 1}), got {list(theta.shape)}"
        )
    c.check_known_size((*sizes, rank + 1), 4)
    axes = [_even(size, align_corners) for size in sizes]
    places = np.meshgrid(*axes, indexing="ij")
    base = np.stack([*reversed(places), np.ones(tuple(sizes))], axis=-1)
    known = c.known(base.reshape(-1, rank + 1).astype(np.float32))
    grid = matmul(c, known, transpose(c, theta, (0, 2, 1)))
    return reshape(c, grid, (theta.shape[0], *sizes, rank))


@dataclass(frozen=True)
class RegionPooling:
    """size: rows and columns of a result. scale: elements of the image to a unit of regions. samples: rows and columns
    looked up for each element of the result; 0 as many as it covers. offset: where the first element lies in those
    units; without one, regions are at least one element large. takes_largest: of all weighted neighbours, instead of
    the mean.
    """

    size: tuple[int, int]
    scale: float
    samples: int
    offset: float
    takes_largest: bool


def roi_align(
    c: Composer, x: Tensor, regions: Tensor, images: Tensor, pooling: RegionPooling
) -> Tensor:
    """x (N, C, H, W) within regions (R, 4) of images (R,), left, top, right and bottom: (R, C, *size)."""
    count = regions.shape[0]
    if x.rank != 4 or regions.shape != (count, 4) or images.shape != (count,):
        raise UnsupportedError(
            f"expected an image (N, C, H, W), regions (R, 4) and numbers of images (R,), got {list(x.shape)}, "
            f"{list(regions.shape)} and {list(images.shape)}"
        )
    if pooling.samples:
        return _pooled(c, x, regions, images, pooling, (pooling.samples, pooling.samples))
    if regions.array is None:
        raise UnsupportedError(
            "expected a sampling ratio above 0, or regions that are known while importing, got neither"
        )
    results: list[Tensor] = []
    for row, region in enumerate(regions.array.astype(np.float32)):
        first, last = region[:2] * pooling.scale, region[2:] * pooling.scale
        width, height = (max(float(side), 0.0 if pooling.offset else 1.0) for side in last - first)
        samples = math.ceil(height / pooling.size[0]), math.ceil(width / pooling.size[1])
        own = part(c, regions, 0, row, row + 1), part(c, images, 0, row, row + 1)
        results.append(_pooled(c, x, *own, pooling, (max(samples[0], 1), max(samples[1], 1))))
    return concat(c, results, 0)


def deform_conv(
    c: Composer,
    x: Tensor,
    weights: Tensor,
    offsets: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    windows: Windows,
    *,
    groups: int,
    offset_groups: int,
) -> Tensor:
    """A convolution of x (N, C, H, W) by weights (O, C / groups, kh, kw) whose taps are moved.

    offsets: (N, offset_groups * kh * kw * 2, OH, OW), rows before columns. mask: (N, offset_groups * kh * kw, OH, OW).
    """
    if x.rank != 4:
        raise UnsupportedError(f"expected an image of two axes, got {list(x.shape)}")
    batch, channels, taps = x.shape[0], x.shape[1], math.prod(windows.size)
    counts = windows.counts(x.shape[2:])
    shape = (batch, offset_groups, taps, *counts)
    if offsets.elements != 2 * math.prod(shape) or channels % offset_groups:
        raise UnsupportedError(
            f"expected offsets of {2 * offset_groups * taps} channels over {list(counts)}, got {list(offsets.shape)}"
        )
    c.check_known_size((taps, *counts))
    pairs = reshape(c, offsets, (batch, offset_groups, taps, 2, *counts))
    along: list[list[_Tap]] = []
    for at, size in enumerate(x.shape[2:]):
        moved = reshape(c, part(c, pairs, 3, at, at + 1), shape)
        place = add(c, moved, c.known(_bases(windows, counts, at)))
        along.append(_taps(c, place, _Axis(size, Outside.ZEROS), Interpolation.LINEAR))
    grouped = reshape(c, x, (batch, offset_groups, channels // offset_groups, *x.shape[2:]))
    last = transpose(c, grouped, (0, 1, 3, 4, 2))
    numbers = [
        c.known(c.numbers(count).reshape(-1, *(1,) * axes))
        for count, axes in ((batch, 4), (offset_groups, 3))
    ]
    found = _looked_up(c, last, numbers, along, add)
    if mask is not None:
        found = mul(c, found, reshape(c, mask, (*shape, 1)))
    columns = reshape(c, transpose(c, found, (0, 1, 5, 2, 3, 4)), (batch, channels * taps, *counts))
    flat = reshape(c, weights, (weights.shape[0], weights.shape[1] * taps, 1, 1))
    ones, none = (1, 1), ((0, 0), (0, 0))
    return convolution(c, columns, flat, bias, stride=ones, dilation=ones, pads=none, groups=groups)


# Places and their neighbours


def _even(size: int, align_corners: bool) -> NDArray[np.float64]:
    """Places from -1 to 1 along an axis."""
    index = np.arange(size)
    if not align_corners:
        return (2 * index + 1) / size - 1
    return 2 * index / (size - 1) - 1 if size > 1 else np.zeros(1)


def _place(c: Composer, share: Tensor, axis: _Axis) -> Tensor:
    """Shares from -1 to 1 as places among elements."""
    above = add(c, share, c.number(1.0, share))
    if axis.align_corners:
        return mul(c, above, c.number((axis.size - 1) / 2, share))
    return sub(c, mul(c, above, c.number(axis.size / 2, share)), c.number(0.5, share))


def _taps(c: Composer, place: Tensor, axis: _Axis, interpolation: Interpolation) -> list[_Tap]:
    """The elements around places along one axis."""
    if interpolation is Interpolation.NEAREST:
        return [_tap(c, c.emit(Round(), place), None, axis)]
    below = c.emit(Floor(), place)
    above = sub(c, place, below)
    one = c.number(1.0, place)
    if interpolation is Interpolation.LINEAR:
        weights = {0: sub(c, one, above), 1: above}
    else:
        rest = sub(c, one, above)
        weights = {
            -1: _far(c, above),
            0: _near(c, above),
            1: _near(c, rest),
            2: _far(c, rest),
        }
    return [
        _tap(c, add(c, below, c.number(offset, place)), weight, axis)
        for offset, weight in weights.items()
    ]


def _near(c: Composer, distance: Tensor) -> Tensor:
    """Keys' cubic curve up to distance 1."""
    falling = mul(c, distance, c.number(_CUBIC + 2, distance))
    square = mul(c, distance, distance)
    inner = mul(c, sub(c, falling, c.number(_CUBIC + 3, distance)), square)
    return add(c, inner, c.number(1.0, distance))


def _far(c: Composer, above: Tensor) -> Tensor:
    """The same curve at distance 1 + above."""
    rest = sub(c, c.number(1.0, above), above)
    return mul(c, mul(c, mul(c, rest, rest), above), c.number(_CUBIC, above))


def _tap(c: Composer, index: Tensor, weight: Tensor | None, axis: _Axis) -> _Tap:
    """index: whole numbers as float32, which may lie outside."""
    last = c.number(axis.size - 1, index)
    if axis.outside is Outside.REFLECTION:
        index = _reflected(c, index, axis)
    inside = smaller(c, maximum(c, index, c.number(0.0, index)), last)
    if axis.outside is Outside.ZEROS:
        counts = cast(c, equal(c, index, inside), _REAL)
        weight = counts if weight is None else mul(c, weight, counts)
    return _Tap(cast(c, inside, _WHOLE), weight)


def _reflected(c: Composer, index: Tensor, axis: _Axis) -> Tensor:
    """Mirrored at both ends until it is inside."""
    low = 0.0 if axis.align_corners else -0.5
    length = axis.size - 1 if axis.align_corners else axis.size
    if length == 0:
        return mul(c, index, c.number(0.0, index))
    first, period = c.number(low, index), c.number(2.0 * length, index)
    rest = floor_mod(c, absolute(c, sub(c, index, first)), period)
    return add(c, smaller(c, rest, sub(c, period, rest)), first)


def _looked_up(
    c: Composer,
    x: Tensor,
    first: Sequence[Tensor],
    axes: Sequence[Sequence[_Tap]],
    combine: Callable[[Composer, Tensor, Tensor], Tensor],
) -> Tensor:
    """All neighbours by their weights, combined: (..., C) of x, channels last.

    first: indices along the axes in front. axes: taps of each axis behind them; all broadcast.
    """
    parts: list[Tensor] = []
    for taps in itertools.product(*axes):
        found = gather_at(c, x, [*first, *(tap.index for tap in taps)])
        weights = [tap.weight for tap in taps if tap.weight is not None]
        if weights:
            share = functools.reduce(functools.partial(mul, c), weights)
            found = mul(c, found, unsqueeze(c, share, [share.rank]))
        parts.append(found)
    return functools.reduce(functools.partial(combine, c), parts)


# Regions


def _pooled(
    c: Composer,
    x: Tensor,
    regions: Tensor,
    images: Tensor,
    pooling: RegionPooling,
    samples: tuple[int, int],
) -> Tensor:
    """samples: rows and columns looked up for each element of the result."""
    count = regions.shape[0]
    scaled = mul(c, regions, c.number(pooling.scale, regions))
    edges = sub(c, scaled, c.number(pooling.offset, scaled))
    taps: list[list[_Tap]] = []
    for at, column in ((0, 1), (1, 0)):
        shape = (count, -1, 1) if at == 0 else (count, 1, -1)
        begin = part(c, edges, 1, column, column + 1)
        side = sub(c, part(c, edges, 1, column + 2, column + 3), begin)
        if not pooling.offset:
            side = maximum(c, side, c.number(1.0, side))
        taps.append(_within(c, begin, side, x.shape[2 + at], pooling.size[at], samples[at], shape))
    numbers = reshape(c, cast(c, images, _WHOLE), (count, 1, 1))
    combine = maximum if pooling.takes_largest else add
    found = _looked_up(c, channels_last(c, x), [numbers], taps, combine)
    height, width = pooling.size
    apart = reshape(c, found, (count, height, samples[0], width, samples[1], x.shape[1]))
    reduce = largest if pooling.takes_largest else mean
    return channels_first(c, reduce(c, apart, (2, 4), keep_dims=False))


def _within(
    c: Composer,
    begin: Tensor,
    side: Tensor,
    size: int,
    count: int,
    samples: int,
    shape: tuple[int, ...],
) -> list[_Tap]:
    """Samples along one axis of regions, begin and side (R, 1). An element around the image counts as its end."""
    numbers = c.numbers(count * samples).astype(np.float32)
    shares = (numbers + np.float32(0.5)) / np.float32(samples)
    steps = mul(c, side, c.number(1.0 / count, side))
    place = add(c, begin, mul(c, steps, c.known(shares[None])))
    spread = tuple(place.shape[1] if axis == -1 else axis for axis in shape)
    place = reshape(c, place, spread)
    near = smaller(c, maximum(c, place, c.number(-1.0, place)), c.number(size, place))
    counts = cast(c, equal(c, near, place), _REAL)
    inside = smaller(c, maximum(c, place, c.number(0.0, place)), c.number(size - 1, place))
    return [
        _Tap(tap.index, counts if tap.weight is None else mul(c, tap.weight, counts))
        for tap in _taps(c, inside, _Axis(size, Outside.BORDER), Interpolation.LINEAR)
    ]


def _bases(windows: Windows, counts: Sequence[int], at: int) -> NDArray[np.float32]:
    """Where taps of a window lie along one axis unless they are moved: (1, 1, taps, OH, OW)."""
    taps = np.indices(windows.size)[at].reshape(1, 1, -1, 1, 1) * windows.dilation[at]
    shape = [1] * 5
    shape[3 + at] = counts[at]
    results = np.arange(counts[at]).reshape(shape) * windows.stride[at]
    first = results + taps - windows.pads[at][0]
    return np.broadcast_to(first, (1, 1, first.shape[2], *counts)).astype(np.float32)
