"""Scales of the blocks of a row as whole multiples of one scale for the row, where they are such."""

import numpy as np
from numpy.typing import NDArray

_MOST = 255
"""The largest multiple: blocks have a byte each."""
_NEAR = 2.0**-9
"""How far, relatively, a scale may be from its multiple: of a result that uses its 256 steps, half a step."""
_SAME = 2.0**-21
"""What the rounding of float32 alone explains."""
_STEPS = (-2, -1, 0, 1, 2)
"""Numbers of float32 beside the first guess of a row's scale that are tried."""


def multiples(
    scales: NDArray[np.float32], counts: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.uint8]] | None:
    """A scale for each row of `scales` (N, B), all above 0, and multiples (N, B), 1 to 255, that give these.

    counts: which blocks have weights other than 0; the scales of others are free, and become the multiple 1. Of
    multiples that are as near the smallest are taken, so that the same numbers come back from the scales that they
    give. None where a row has none within _NEAR.
    """
    real = np.where(counts, scales, 0).astype(np.float64)
    top = np.asarray(real.max(axis=1), np.float64)
    shares = real / np.where(top > 0, top, 1.0)[:, None]
    error = np.full(len(real), np.inf)
    found = np.ones(real.shape, np.int64)
    for most in range(1, _MOST + 1):
        tried = np.maximum(np.rint(shares * most), 1).astype(np.int64)
        errors = _errors(shares * most / tried, counts)
        better = errors < error * (1 - 1e-6)
        error = np.where(better, errors, error)
        found = np.where(better[:, None], tried, found)
        if not error.any():
            break
    if float(error.max()) > _NEAR:
        return None
    rows = _row_scales(scales, found, counts)
    # Once more by the scales that these are written as, so that who reads them finds the same.
    rows = _row_scales(rows[:, None] * found.astype(np.float32), found, counts)
    return rows, found.astype(np.uint8)


def _ends(
    ratios: NDArray[np.float64], counts: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest of each row that count; 1 and 1 where none does."""
    is_empty = ~counts.any(axis=1)
    high = np.where(is_empty, 1.0, np.where(counts, ratios, 0).max(axis=1))
    low = np.where(is_empty, 1.0, np.where(counts, ratios, np.inf).min(axis=1))
    return low, high


def _errors(ratios: NDArray[np.float64], counts: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of each row how far scales are from multiples of the one that is nearest to all; 0 where float32 explains it."""
    low, high = _ends(ratios, counts)
    spread = np.sqrt(high / low) - 1
    return np.where(spread <= _SAME, 0.0, spread)


def _row_scales(
    scales: NDArray[np.float32], found: NDArray[np.int64], counts: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """The least number of float32 whose multiples are the scales to the bit, else one in the middle."""
    low, high = _ends(scales.astype(np.float64) / found, counts)
    usual = scales.max(axis=1).astype(np.float64)
    guess = np.where(counts.any(axis=1), np.sqrt(low * high), usual).astype(np.float32)
    result, is_open = guess, np.ones(len(guess), np.bool_)
    for step in _STEPS:
        tried = guess
        for _ in range(abs(step)):
            tried = np.nextafter(tried, np.float32(np.sign(step) * np.inf), dtype=np.float32)
        same = tried[:, None] * found.astype(np.float32) == scales
        is_right = is_open & (same | ~counts).all(axis=1)
        result = np.where(is_right, tried, result)
        is_open = is_open & ~is_right
    return result
