"""How far results are apart where they need not be equal: other software adds floats in another order."""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.graph import Array


def shares(expected: Array, got: Array) -> NDArray[np.float64]:
    """Of every element, the difference as a share of the largest finite magnitude in `expected`, or the
    difference itself where that is 0.

    Two NaNs or equal infinities differ by 0, a number and one of those by the largest number.
    """
    left, right = expected.astype(np.float64), got.astype(np.float64)
    scale = np.abs(left[np.isfinite(left)]).max(initial=0.0) or 1.0
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore", over="ignore"):
        share = np.where(same, 0.0, np.abs(left - right) / scale)
    limit = np.finfo(np.float64).max
    return np.nan_to_num(share, nan=limit, posinf=limit)


def noise(expected: Array, got: Array) -> float:
    """The root of the mean square of the differences as a share of the standard deviation of `expected`, both arrays of
    integers of one scale and zero point. The deviation counts as 1 at least: what is constant may move by less than a
    step. -20 * log10 of it is the ratio of signal and noise in decibels, whatever the zero point.
    """
    left, right = expected.astype(np.float64), got.astype(np.float64)
    return float(np.sqrt(np.mean((left - right) ** 2)) / max(float(np.std(left)), 1.0))
