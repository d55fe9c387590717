"""The distribution of a tensor's elements, of one sample after another."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

BINS = 4096
"""At most so many, and more than half as many of what is not one number."""


@dataclass
class Histogram:
    """Counts of numbers in bins as wide as a power of two, which doubles where the range asks for it.

    So what is counted does not depend on which sample came first. minima, maxima: of each array that was added.
    """

    exponent: int = 0
    first: int = 0
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    minima: list[float] = field(default_factory=list[float])
    maxima: list[float] = field(default_factory=list[float])

    def add(self, array: NDArray[np.float32]) -> None:
        """Count the elements, which are finite; at least one."""
        low, high = float(array.min()), float(array.max())
        self.minima.append(low)
        self.maxima.append(high)
        low, high = min(self.minima), max(self.maxima)
        needed = _exponent(low, high)
        if not self.counts.size:
            self.exponent, self.first = needed, _bin(low, needed)
        while self.exponent < needed:
            self._widen()
        begin = min(self.first, _bin(low, self.exponent))
        end = max(self.first + self.counts.size, _bin(high, self.exponent) + 1)
        grown = np.zeros(end - begin, np.int64)
        grown[self.first - begin :][: self.counts.size] = self.counts
        places = np.floor(np.ldexp(array.astype(np.float64).reshape(-1), -self.exponent))
        grown += np.bincount(places.astype(np.int64) - begin, minlength=grown.size)
        self.first, self.counts = begin, grown

    @property
    def low(self) -> float:
        """The least number."""
        return min(self.minima)

    @property
    def high(self) -> float:
        """The largest number."""
        return max(self.maxima)

    @property
    def centres(self) -> NDArray[np.float64]:
        """What the numbers of each bin are taken for."""
        middles = np.arange(self.first, self.first + self.counts.size) + 0.5
        return np.clip(np.ldexp(middles, self.exponent), self.low, self.high)

    def outside(self, low: float, high: float) -> float:
        """The share of numbers that a range leaves out, of bins that lie outside."""
        centres = self.centres
        left_out = self.counts[(centres < low) | (centres > high)].sum()
        return float(left_out / max(self.counts.sum(), 1))

    def _widen(self) -> None:
        """Bins of twice the width."""
        odd = self.first % 2
        padded = np.pad(self.counts, (odd, (odd + self.counts.size) % 2))
        self.counts = padded.reshape(-1, 2).sum(axis=1)
        self.first, self.exponent = (self.first - odd) // 2, self.exponent + 1


def _bin(number: float, exponent: int) -> int:
    return math.floor(math.ldexp(number, -exponent))


def _exponent(low: float, high: float) -> int:
    """Of the narrowest bins of which BINS reach from `low` to `high`."""
    span = max(high - low, abs(high) * 2.0**-20, abs(low) * 2.0**-20, 2.0**-120)
    exponent = math.frexp(span / BINS)[1] - 1
    while _bin(high, exponent) - _bin(low, exponent) >= BINS:
        exponent += 1
    return exponent
