"""Numbers as those that integers stand for, on batches, and how what is lost changes with the range of the integers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tinsmith_quantization.training.exact import Reals, total


@dataclass(frozen=True)
class Rounding:
    """Numbers scale * (n - zero) for integers n from `least` to `most`."""

    scale: float
    zero: int
    least: int
    most: int


@dataclass(frozen=True)
class RangeSlopes:
    """How a sum changes with the natural logarithm of the scale, which is that of the range; and with the zero."""

    logarithm: float
    zero: float


@dataclass(frozen=True)
class RoundedStep:
    """result: of a batch. back: of the derivative by it, that by what was rounded. slopes: of the same derivative."""

    result: Reals
    back: Callable[[Reals], Reals]
    slopes: Callable[[Reals], RangeSlopes]


def rounded(read: Reals, by: Rounding) -> RoundedStep:
    """The nearest number of each, halves to even.

    Derivatives pass as if nothing had been rounded, but nothing passes of what was clipped (Bengio et al., 2013). The
    scale counts by what rounding moved a number, in steps, and what was clipped moves with the end of the range, as in
    "Learned Step Size Quantization" (Esser et al., 2020); with the zero point both ends move, and nothing between them
    ("LSQ+", Bhalgat et al., 2020).
    """
    exact = read / by.scale
    integers = np.clip(np.rint(exact), by.least - by.zero, by.most - by.zero)
    is_inside = (exact >= by.least - by.zero) & (exact <= by.most - by.zero)
    moved = integers - np.where(is_inside, exact, 0.0)

    def slopes(gradient: Reals) -> RangeSlopes:
        axes = tuple(range(gradient.ndim))
        clipped = np.where(is_inside, 0.0, gradient)
        by_scale, by_zero = total(moved * gradient, axes), total(clipped, axes)
        return RangeSlopes(by.scale * float(by_scale), -by.scale * float(by_zero))

    return RoundedStep(
        integers * by.scale, lambda gradient: np.where(is_inside, gradient, 0.0), slopes
    )
