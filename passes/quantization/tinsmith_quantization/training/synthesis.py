"""Inputs made of a few samples, for a network that is to learn from them: moved, bent, mixed with one another.

What such an input shows is for the float network to say, so it need not look like anything; it should only make the
network do what it does on real ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array

from tinsmith_quantization.training.exact import Reals

_SHORTEST = 4
"""Of an axis along which a sample is moved."""
_TURN, _STRETCH, _SHEAR, _SHIFT, _BEND = 0.35, 0.2, 0.25, 0.2, 0.08
"""Largest angle; share of the size; of half of the size; deviation of bends, of half of the size."""
_KNOTS = 3
"""Along each axis, between which bends and the borders of mixtures run smoothly."""
_GAIN, _NOISE = 0.4, 0.05
"""Largest logarithm of the gain, and largest deviation of noise as a share of the range."""
_FURTHER, _SMALL = 1.5, 0.4
"""By how much a sample is moved further that covers others; the level of a field above which it does."""


@dataclass(frozen=True)
class _Plan:
    """Of a batch: which samples are mixed, how, and by what shares; the same for all inputs of the network."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    third: NDArray[np.int64]
    kinds: NDArray[np.int64]
    covers: NDArray[np.int64]
    shares: Reals
    gains: Reals

    @staticmethod
    def drawn(random: np.random.Generator, samples: int, count: int) -> "_Plan":
        """For `count` inputs made of `samples`."""
        first, second, third = random.integers(0, samples, (3, count))
        kinds, covers = random.integers(0, 4, count), random.integers(0, 3, count)
        gains = np.exp(random.uniform(-_GAIN, _GAIN, count)).astype(np.float32)
        shares = random.random(count)
        return _Plan(first, second, third, kinds, covers, shares, gains.astype(np.float64))


@dataclass(frozen=True)
class Synthesis:
    """samples: by input, (samples, *shape); real numbers are mixed, integers are those of one of the samples."""

    samples: Mapping[str, Array]
    random: np.random.Generator

    def batch(self, count: int) -> dict[str, Reals]:
        """So many new inputs, by name."""
        size = len(next(iter(self.samples.values())))
        plan = _Plan.drawn(self.random, size, count)
        found: dict[str, Reals] = {}
        for name, array in self.samples.items():
            if array.dtype.kind != "f":
                found[name] = array[plan.first].astype(np.float64)
                continue
            real = array.astype(np.float64)
            found[name] = self._loud(
                array, self._covered(self._mixed(real, plan), real, plan), plan
            )
        return found

    def _mixed(self, array: Reals, plan: _Plan) -> Reals:
        """One sample as it is, a weighted mean of two, one here and the other there, or the larger of both."""
        lhs, rhs = self._moved(array[plan.first]), self._moved(array[plan.second])
        share = _per_sample(plan.shares, lhs.ndim)
        kind = _per_sample(plan.kinds, lhs.ndim)
        either = [
            lhs,
            share * lhs + (1 - share) * rhs,
            np.where(self._region(lhs, 0.0), lhs, rhs),
            np.maximum(lhs, rhs),
        ]
        return np.select([kind == number for number in range(3)], either[:3], either[3])

    def _covered(self, mixed: Reals, array: Reals, plan: _Plan) -> Reals:
        """As it is, another sample that is moved further in its place, or in some place of it."""
        other = self._moved(array[plan.third], _FURTHER)
        cover = _per_sample(plan.covers, mixed.ndim)
        partly = np.where(self._region(mixed, _SMALL), other, mixed)
        return np.where(cover == 0, other, np.where(cover == 1, partly, mixed))

    def _loud(self, array: Array, mixed: Reals, plan: _Plan) -> Reals:
        """With a gain and noise, within the range of the samples."""
        low, high = float(array.min()), float(array.max())
        noise = self.random.normal(size=mixed.shape).astype(np.float32) * (high - low)
        deviations = _NOISE * self.random.random(len(mixed))
        loud = mixed * _per_sample(plan.gains, mixed.ndim)
        return np.clip(loud + noise * _per_sample(deviations, mixed.ndim), low, high)

    def _region(self, array: Reals, level: float) -> NDArray[np.bool_]:
        """Some of the places of each sample, next to one another; half of them for level 0, fewer above."""
        axes = _spatial_axes(array.shape)
        if not axes:
            return self.random.normal(size=array.shape) > level
        sizes = [array.shape[axis] for axis in axes]
        field = _smooth(self.random.normal(size=(len(array), *[_KNOTS] * len(axes))), sizes)
        shape = [array.shape[axis] if axis in (0, *axes) else 1 for axis in range(array.ndim)]
        return np.broadcast_to(field.reshape(shape) > level, array.shape)

    def _moved(self, array: Reals, far: float = 1.0) -> Reals:
        """Turned, stretched, shifted and bent along its longest axes, each sample in its own way."""
        axes = _spatial_axes(array.shape)
        if not axes:
            return array
        ahead = np.moveaxis(array, axes, range(1, len(axes) + 1))
        flat = ahead.reshape(*ahead.shape[: len(axes) + 1], -1)
        places = self._places(len(array), flat.shape[1:-1], far)
        moved = _read_between(flat, places).reshape(ahead.shape)
        return np.moveaxis(moved, range(1, len(axes) + 1), axes)

    def _places(self, count: int, sizes: tuple[int, ...], far: float) -> list[Reals]:
        """Of each element of each sample, where it comes from, along each axis in elements: (samples, *sizes)."""
        rank = len(sizes)
        grid = np.meshgrid(*[np.linspace(-1, 1, size) for size in sizes], indexing="ij")
        map_ = self._maps(count, rank, far)
        shift = far * self.random.uniform(-_SHIFT, _SHIFT, (count, rank))
        found: list[Reals] = []
        for axis, size in enumerate(sizes):
            bend = _BEND * self.random.normal(size=(count, *[_KNOTS] * rank))
            place = _smooth(bend, sizes) + _per_sample(shift[:, axis], rank + 1)
            for other in range(rank):
                place = place + _per_sample(map_[:, axis, other], rank + 1) * grid[other]
            found.append((place + 1) * ((size - 1) / 2))
        return found

    def _maps(self, count: int, rank: int, far: float) -> Reals:
        """Linear maps near to the identity, (samples, rank, rank)."""
        maps = np.zeros((count, rank, rank))
        stretch = 1 + far * self.random.uniform(-_STRETCH, _STRETCH, (count, rank))
        if rank == 1:
            maps[:, 0, 0] = stretch[:, 0]
            return maps
        turn = far * self.random.uniform(-_TURN, _TURN, count)
        cos, sin = (f(turn).astype(np.float32).astype(np.float64) for f in (np.cos, np.sin))
        maps[:, 0, 0], maps[:, 1, 1] = cos * stretch[:, 0], cos * stretch[:, 1]
        maps[:, 0, 1] = sin
        maps[:, 1, 0] = far * self.random.uniform(-_SHEAR, _SHEAR, count) - sin
        return maps


def _per_sample(numbers: NDArray[np.generic], rank: int) -> Reals:
    return np.asarray(numbers, np.float64).reshape(-1, *[1] * (rank - 1))


def _spatial_axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Of samples (count, *shape), the axes along which there are neighbours: the longest of those behind the batch,
    two of four or more, one of three; none if they are short.
    """
    rank = len(shape) - 1
    if rank < 3:
        return ()
    by_length = sorted(range(2, rank + 1), key=lambda axis: -shape[axis])
    chosen = sorted(by_length[: 2 if rank > 3 else 1])
    return tuple(axis for axis in chosen if shape[axis] >= _SHORTEST)


def _smooth(knots: Reals, sizes: tuple[int, ...] | list[int]) -> Reals:
    """Numbers between knots (samples, *knots) as (samples, *sizes), linear along each axis."""
    found = knots[..., None]
    places = np.meshgrid(*[np.linspace(0, _KNOTS - 1, size) for size in sizes], indexing="ij")
    spread = [np.broadcast_to(place, (len(knots), *place.shape)) for place in places]
    return _read_between(found, spread)[..., 0]


def _read_between(array: Reals, places: list[Reals]) -> Reals:
    """Elements (samples, *axes, rest) at places between them, the nearest one outside; linear along each axis."""
    rank = len(places)
    samples = np.arange(len(array)).reshape(-1, *[1] * rank)
    low: list[NDArray[np.int64]] = []
    above: list[Reals] = []
    for axis, place in enumerate(places):
        inside = np.clip(place, 0, array.shape[axis + 1] - 1)
        floor = np.minimum(inside.astype(np.int64), max(array.shape[axis + 1] - 2, 0))
        low.append(floor)
        above.append(inside - floor)
    found = np.zeros((*places[0].shape, array.shape[-1]))
    for corner in np.ndindex(*[2] * rank):
        weight = np.ones(places[0].shape)
        index: list[NDArray[np.int64]] = []
        for axis, step in enumerate(corner):
            weight = weight * (above[axis] if step else 1 - above[axis])
            index.append(np.minimum(low[axis] + step, array.shape[axis + 1] - 1))
        found += array[(samples, *index)] * weight[..., None]
    return found
