"""Numbers for tests, and how they are compared."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Array

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]


def numbers(seed: int, *shape: int) -> Floats:
    """Random numbers around 0."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def reals(array: Array) -> Reals:
    """What an array holds, to compute with."""
    return array.astype(np.float64)


def assert_close(found: Array, wanted: Array) -> None:
    """Raise AssertionError where they differ by more than float32 explains, or in shape.

    An infinity is as good as the largest finite number, where sums of graphs end.
    """
    np.testing.assert_allclose(_finite(found), _finite(wanted), rtol=1e-4, atol=1e-5, strict=True)


def _finite(array: Array) -> Reals:
    largest = float(np.finfo(np.float32).max)
    return np.clip(reals(array), -largest, largest)
