"""Sums of products that are the same on any computer, whatever order its library adds in.

Training repeats small steps thousands of times, and would make another network of the last bit of a sum. Operands are
rounded to so few bits that a double holds every sum of their products exactly.
"""

import math

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

_BITS = 53
"""Of a double's significand."""


def on_grid(array: Reals, bits: int) -> Reals:
    """The nearest multiples of 2**-bits of the power of two above the largest magnitude."""
    if array.size == 0:
        return array
    peak = max(float(array.max()), -float(array.min()))
    if peak == 0.0 or not math.isfinite(peak):
        return array
    # Adding and taking away 1.5 * 2**52 units leaves a multiple of the unit, as far as it is below 2**51 units.
    magic = math.ldexp(1.5, math.frexp(peak)[1] - bits + _BITS - 1)
    return (array + magic) - magic


def matmul(lhs: Reals, rhs: Reals) -> Reals:
    """lhs @ rhs of operands with about 20 bits."""
    bits = _product_bits(lhs.shape[-1])
    return on_grid(lhs, bits) @ on_grid(rhs, bits)


def total(array: Reals, axes: tuple[int, ...]) -> Reals:
    """The sum over some axes."""
    terms = math.prod(array.shape[axis] for axis in axes)
    return np.asarray(on_grid(array, _BITS - 2 - max(terms, 1).bit_length()).sum(axis=axes))


def total_product(lhs: Reals, rhs: Reals, axes: tuple[int, ...]) -> Reals:
    """The sum of lhs * rhs, of one shape, over some axes."""
    bits = _product_bits(math.prod(lhs.shape[axis] for axis in axes))
    return np.asarray((on_grid(lhs, bits) * on_grid(rhs, bits)).sum(axis=axes))


def _product_bits(terms: int) -> int:
    return min((_BITS - 2 - max(terms, 1).bit_length()) // 2, 24)
