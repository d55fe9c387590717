"""What tensors hold in each channel, and the noise of rounding them while some channels are halved."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array

from tinsmith_quantization.channels.channel_copies import Copies
from tinsmith_quantization.products import Matrix
from tinsmith_quantization.ranges.histogram import Histogram
from tinsmith_quantization.ranges.ranges import quantization_of, range_of
from tinsmith_quantization.schemes import Scheme

_BINS = 1024
_LEAST_SPAN = 2.0**-100


@dataclass(frozen=True)
class Seen:
    """A tensor's numbers on all samples by channel, in bins as wide as 2**exponent that all channels share.

    counts: (C, bins), the first of which is number `first`. zeros: of these the numbers that are 0, (C,). minima,
    maxima: (samples, C).
    """

    exponent: int
    first: int
    counts: NDArray[np.int32]
    zeros: NDArray[np.int64]
    minima: Matrix
    maxima: Matrix

    @staticmethod
    def of(array: Array, channels: int) -> "Seen":
        """Of (samples, *shape), whose last axis is the channels, one or more times."""
        rows = np.reshape(array, (len(array), -1, channels))
        minima = rows.min(axis=1).astype(np.float64)
        maxima = rows.max(axis=1).astype(np.float64)
        low, high = float(minima.min()), float(maxima.max())
        exponent = math.frexp(max(high - low, _LEAST_SPAN) / _BINS)[1]
        first, last = (math.floor(math.ldexp(end, -exponent)) for end in (low, high))
        width = last - first + 1
        offsets = np.arange(channels) * width - first
        counts = np.zeros(channels * width, np.int32)
        for sample in rows:  # one after another, as these are wide numbers
            places = np.floor(np.ldexp(sample.astype(np.float64), -exponent)).astype(np.int64)
            counts += np.bincount((places + offsets).reshape(-1), minlength=counts.size)
        zeros = np.count_nonzero(rows == 0, axis=(0, 1))
        return Seen(exponent, first, counts.reshape(channels, width), zeros, minima, maxima)

    def peaks(self, copies: Copies, segment: int) -> Matrix:
        """The largest magnitude of each copy."""
        largest = np.maximum(-self.minima.min(axis=0), self.maxima.max(axis=0))
        return np.maximum(largest, 0.0)[copies.origins] * copies.factors(segment)

    def noise(self, copies: Copies, segment: int, weighed: Matrix, scheme: Scheme) -> float:
        """The mean square of what rounding and clipping the tensor does to channels, each as much as it is weighed.

        weighed: (C,). Copies that hold equally much are equally wrong.
        """
        histogram = self._histogram(copies, segment)
        found = range_of(histogram, scheme)
        integers = quantization_of(found, scheme.activations, power_of_two=scheme.power_of_two)
        least, most = scheme.activations.integer_range
        low = integers.scale * (least - integers.zero_point)
        high = integers.scale * (most - integers.zero_point)
        halvings, counts = copies.halvings[segment], copies.counts(segment)
        total = 0.0
        for halved in np.unique(halvings):
            taken = np.zeros(len(self.counts))
            chosen = halvings == halved
            np.add.at(taken, copies.origins[chosen], counts[chosen])
            squares = self._squares(float(np.exp2(-halved)), low, high, integers.scale)
            total += float((weighed * taken**2 * squares).sum())
        return total

    def _squares(self, factor: float, low: float, high: float, step: float) -> Matrix:
        """The mean square error of each channel times a factor, (C,)."""
        centres = self._centres() * factor
        beyond = np.maximum(centres - high, 0.0) + np.maximum(low - centres, 0.0)
        inside = self.counts[:, beyond == 0.0].sum(axis=1) - self.zeros
        found = self.counts @ beyond**2 + np.maximum(inside, 0) * step**2 / 12
        return np.asarray(found / self.counts.sum(axis=1), np.float64)

    def _centres(self) -> Matrix:
        return np.asarray(np.ldexp(self._numbers() + 0.5, self.exponent), np.float64)

    def _numbers(self) -> NDArray[np.int64]:
        """Of the bins."""
        return self.first + np.arange(int(self.counts.shape[1]), dtype=np.int64)

    def _histogram(self, copies: Copies, segment: int) -> Histogram:
        """Of the tensor that has the copies."""
        factors, halvings = copies.factors(segment), copies.halvings[segment]
        minima = (self.minima[:, copies.origins] * factors).min(axis=1)
        maxima = (self.maxima[:, copies.origins] * factors).max(axis=1)
        numbers = self._numbers()
        first = min(self.first, 0)
        counts = np.zeros(max(int(numbers[-1]), 0) - first + 1, np.int64)
        for halved in np.unique(halvings):
            chosen = self.counts[copies.origins[halvings == halved]].sum(axis=0, dtype=np.int64)
            np.add.at(counts, (numbers >> halved) - first, chosen)
        return Histogram(self.exponent, first, counts, minima.tolist(), maxima.tolist())
