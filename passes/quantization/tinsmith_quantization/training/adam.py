"""Steps along gradients whose length does not depend on that of the gradients (Kingma and Ba, "Adam", 2015)."""

import math
from collections.abc import Sequence

import numpy as np

from tinsmith_quantization.training.exact import Reals

_MOMENTS, _EPSILON = (0.9, 0.999), 1e-8


class Adam:
    """Moves some arrays in place, each at a rate of its own."""

    def __init__(self, numbers: Sequence[Reals], rates: Sequence[float]) -> None:
        """numbers: what is moved."""
        self._numbers, self._rates = numbers, rates
        self._first, self._second = ([np.zeros_like(each) for each in numbers] for _ in range(2))

    def step(self, gradients: Sequence[Reals], count: int, share: float) -> None:
        """gradients: of each array. count: of steps, with this one. share: of the rates that is left."""
        slow, slower = _MOMENTS
        corrected = share * math.sqrt(1 - slower**count) / (1 - slow**count)
        for number, gradient, mean, square, rate in zip(
            self._numbers, gradients, self._first, self._second, self._rates, strict=True
        ):
            mean += (1 - slow) * (gradient - mean)
            square += (1 - slower) * (gradient**2 - square)
            number -= rate * corrected * mean / (np.sqrt(square) + _EPSILON)


def share_left(step: int, steps: int) -> float:
    """Of a rate, which falls to nothing as half a cosine."""
    return (1 + math.cos(math.pi * step / steps)) / 2
