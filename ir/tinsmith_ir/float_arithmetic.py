"""exp, tanh and the logistic function of float32 by its additions, multiplications and divisions only, so
that C gives the same bits.

The C twins are in the reference kernels. exp: x = n ln 2 + r with |r| <= ln 2 / 2, ln 2 in two parts
(Cody and Waite); exp(r) by the polynomial of Cephes' `expf`; 2**n through the exponent bits. tanh is
that of fdlibm (Sun), by its exp(x) - 1, in the same order of operations: what newlib and glibc before
2.39 give.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EXP_LOWEST = np.float32(-87.0)
EXP_HIGHEST = np.float32(88.0)
LOG2_E = np.float32(1.44269504)
ROUND_MAGIC = np.float32(12582912.0)
"""1.5 * 2**23: adding and subtracting it rounds a float32 to an integer, ties to even."""
LN2_HIGH = np.float32(0.693359375)
LN2_LOW = np.float32(-2.12194440e-4)
EXP_COEFFICIENTS = tuple(
    np.float32(value)
    for value in (
        1.9875691500e-4,
        1.3981999507e-3,
        8.3334519073e-3,
        4.1665795894e-2,
        1.6666665459e-1,
        5.0000001201e-1,
    )
)

LOGISTIC_LOWEST, LOGISTIC_HIGHEST = np.float32(-9.0), np.float32(16.619047164916992)
"""Below: exp(x) alone; above: 1. As TFLite's reference kernel."""

TANH_HIGHEST = np.float32(10.0)
"""tanh is 1 in float32 from here on, and some way before."""
_EXPM1_LN2_HIGH = np.float32(6.9313812256e-01)
_EXPM1_LN2_LOW = np.float32(9.0580006145e-06)
_EXPM1_COEFFICIENTS = tuple(
    np.float32(value)
    for value in (
        -2.0109921195e-07,
        4.0082177293e-06,
        -7.9365076090e-05,
        1.5873016091e-03,
        -3.3333335072e-02,
        1.0,
    )
)


def horner_f32(
    coefficients: Sequence[np.float32], values: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The polynomial of `values`; coefficients: at least one, that of the highest power first."""
    result = np.full_like(values, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * values + coefficient
    return result


def exp_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """exp(x) within 2 units in the last place; x is first clamped to [-87, 88]."""
    x = np.minimum(np.maximum(values, EXP_LOWEST), EXP_HIGHEST)
    n = (x * LOG2_E + ROUND_MAGIC) - ROUND_MAGIC
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    polynomial = np.full_like(r, EXP_COEFFICIENTS[0])
    for coefficient in EXP_COEFFICIENTS[1:]:
        polynomial = polynomial * r + coefficient
    result = (polynomial * (r * r) + r) + np.float32(1.0)
    return (result * _power_of_two(n)).astype(np.float32, copy=False)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def logistic_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """1 / (1 + exp(-x)), below -9 exp(x), as in TFLite; within 4 units in the last place, subnormal numbers
    within one. NaN stays.
    """
    # Its square reaches down to where exp ends, which `exp_f32` does not.
    root = exp_f32(values * np.float32(0.5))
    middle = np.float32(1.0) / (np.float32(1.0) + exp_f32(-values))
    upper = np.where(values > LOGISTIC_HIGHEST, np.float32(1.0), middle)
    return np.where(values < LOGISTIC_LOWEST, root * root, upper)


@np.errstate(invalid="ignore", under="ignore")
def tanh_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """tanh(x) within 2 units in the last place. NaN and -0.0 stay."""
    magnitude = np.minimum(np.abs(values), TANH_HIGHEST)
    two = np.float32(2.0)
    is_large = magnitude >= 1
    t = expm1_f32(np.where(is_large, two * magnitude, -two * magnitude))
    result = np.where(is_large, np.float32(1.0) - two / (t + two), -t / (t + two))
    signed = np.where(values < 0, -result, result)
    return np.where((values == 0) | np.isnan(values), values, signed)


def expm1_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """exp(x) - 1 for x in [-20, 0] and [2, 20]."""
    one, half = np.float32(1.0), np.float32(0.5)
    n = np.trunc(values * LOG2_E + np.copysign(half, values))
    high, low = values - n * _EXPM1_LN2_HIGH, n * _EXPM1_LN2_LOW
    r = high - low
    lost = (high - r) - low
    half_r = half * r
    square = r * half_r
    polynomial = np.full_like(r, _EXPM1_COEFFICIENTS[0])
    for coefficient in _EXPM1_COEFFICIENTS[1:]:
        polynomial = polynomial * square + coefficient
    t = np.float32(3.0) - polynomial * half_r
    error = square * ((polynomial - t) / (np.float32(6.0) - r * t))
    rest = ((r * (error - lost) - lost) - square) - r
    power = _power_of_two(n)
    small = power * (one - rest) - one
    return np.where(n <= -2, small, power * ((one - one / power) - rest))


def _power_of_two(exponents: NDArray[np.float32]) -> NDArray[np.float32]:
    return ((exponents.astype(np.int32) + np.int32(127)) << np.int32(23)).view(np.float32)
