"""Channels of a family of tensors that are there more than once, and what that makes of weights and other constants.

A channel is split in two: each takes half of its share of what layers add up. The half is either of the weights of
these layers, or of the tensors from some segment on, which then hold half of the channel in both. The numbers by which
anything is multiplied are powers of two, so this is exact; but columns of weights are also moved by a quarter of their
step up in one copy, and down in the other. So both, rounded, add up to what the sum of the two rounds to, as Zhao et
al. have it ("Improving Neural Network Quantization without Retraining using Outlier Channel Splitting", 2019).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array

from tinsmith_quantization.products import Matrix

_Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Copies:
    """origins: for each channel the one that it is a copy of, by its number in the float network, whose channels come
    first, each as its own.

    shares: for each, how often what layers add up of it is halved. halvings: (segments, channels), how often
    a copy's tensors are halved in each segment. splits: (the channel that was halved, in which segments), in order.
    """

    origins: _Integers
    shares: _Integers
    halvings: _Integers
    splits: tuple[tuple[int, frozenset[int]], ...] = ()

    @staticmethod
    def none(channels: int, segments: int) -> "Copies":
        """Each channel once."""
        zeros = np.zeros(channels, np.int64)
        return Copies(np.arange(channels), zeros, np.zeros((segments, channels), np.int64))

    def split(self, channel: int, halved: frozenset[int]) -> "Copies":
        """With one more copy of a channel, the last. halved: the segments whose tensors hold half of it, which are all
        behind each of them; in the others it is the weights behind them.
        """
        shares, halvings = self.shares.copy(), self.halvings.copy()
        shares[channel] += 1
        halvings[sorted(halved), channel] += 1
        return Copies(
            np.append(self.origins, self.origins[channel]),
            np.append(shares, shares[channel]),
            np.concatenate([halvings, halvings[:, channel : channel + 1]], axis=1),
            (*self.splits, (channel, halved)),
        )

    @property
    def before(self) -> int:
        """How many channels there were."""
        return len(self.origins) - len(self.splits)

    def factors(self, segment: int) -> Matrix:
        """What a tensor holds of each copy's channel."""
        return np.asarray(np.exp2(-self.halvings[segment]), np.float64)

    def counts(self, segment: int) -> Matrix:
        """What layers take each copy times, so that all make the channel: the share over what the tensor holds."""
        return np.asarray(np.exp2(self.halvings[segment] - self.shares), np.float64)

    def taken(self, array: Array, factors: Matrix | None = None) -> Array:
        """An array whose last axis is the channels, one or more times, with the copies; times their factors."""
        folded = np.reshape(array, (*array.shape[:-1], -1, self.before))
        found = folded[..., self.origins]
        if factors is not None:
            found = (found.astype(np.float64) * factors).astype(array.dtype)
        return np.reshape(found, (*array.shape[:-1], -1))

    def columns(self, matrix: Matrix, segment: int, steps: Matrix) -> Matrix:
        """Weights (O, T, C) of a layer that reads a segment, for each copy. steps: of integers, (O,)."""
        before, moved = self.before, (steps / 4)[:, None]
        found = np.empty((*matrix.shape[:2], len(self.origins)))
        found[:, :, :before] = matrix
        finer = np.ones(len(self.origins))
        for number, (channel, halved) in enumerate(self.splits):
            base, by = found[:, :, channel] / 2, moved
            if segment in halved:  # as large as before: both together are of half the step
                base, by = found[:, :, channel], moved * finer[channel]
                finer[[channel, before + number]] = finer[channel] / 2
            found[:, :, before + number] = base + by
            found[:, :, channel] = base - by
        return found

    def summed(self, copies: Matrix, axis: int, factors: Matrix) -> Matrix:
        """Along an axis of copies, what all of each channel make together, each times its factor."""
        moved = np.moveaxis(copies, axis, 0) * factors.reshape(-1, *[1] * (copies.ndim - 1))
        found = moved[: self.before].copy()
        for number, origin in enumerate(self.origins[self.before :]):
            found[origin] += moved[self.before + number]
        return np.moveaxis(found, 0, axis)
