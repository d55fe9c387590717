"""Fixed-point numbers of 32 bits in numpy, for softmax and its logarithm: exponential, reciprocal, logarithm.

After gemmlowp's `fixedpoint.h`, the logarithm after TFLite 2.14's `internal/common.h`: a raw int32 with k integer
bits stands for raw * 2**(k - 31). Only the formulas and constants are taken from there. Arrays are int32 unless said.
"""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import (
    INT32_MAX,
    INT32_MIN,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
    wrap_int32,
)

Raw = NDArray[np.int32]

# exp(-2**k) with no integer bits, for k = -2..4
_EXP_OF_MINUS_POWER = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_EXP_OF_MINUS_ONE_EIGHTH = 1895147668
_ONE_THIRD = 715827883
_48_OVER_17 = 1515870810  # two integer bits
_MINUS_32_OVER_17 = -1010580540  # two integer bits
_LOG_2 = 1488522236
_ROOT_HALF = 1518500250
_FOURTH_ROOT_HALF = 1805811301
# Of a quotient that is the logarithm around the fourth root of 1/2.
_LOG_NUMERATOR = 117049297
_LOG_DENOMINATOR = (1057819769, 127690142, 638450708)


def saturating_shift_left(values: Raw, bits: int | NDArray[np.int64]) -> Raw:
    """Values * 2**bits, clamped to int32."""
    return np.clip(values.astype(np.int64) << bits, INT32_MIN, INT32_MAX).astype(np.int32)


def exp_of_negative(values: Raw, integer_bits: int) -> Raw:
    """exp(x) for x <= 0 with `integer_bits` integer bits (at most 5); the result has none.

    x is split into a multiple of 1/4 and a rest in [-1/4, 0), whose exponential is a polynomial.
    """
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    rest = (values & np.int32(quarter - 1)) - np.int32(quarter)
    result = _exp_between_minus_quarter_and_0(saturating_shift_left(rest, integer_bits))
    whole = wrap_int32(rest.astype(np.int64) - values)
    for index, factor in enumerate(_EXP_OF_MINUS_POWER[: integer_bits + 2]):
        bit = np.int32(1 << (fraction_bits - 2 + index))
        product = saturating_rounding_doubling_high_mul(result, factor)
        result = np.where(whole & bit, product, result)
    return np.where(values == 0, np.int32(INT32_MAX), result).astype(np.int32)


def _exp_between_minus_quarter_and_0(values: Raw) -> Raw:
    """Taylor's series around -1/8 to the fourth power; no integer bits."""
    mul = saturating_rounding_doubling_high_mul
    x = values + np.int32(1 << 28)
    x2 = mul(x, x)
    x3 = mul(x2, x)
    x4_over_4 = rounding_divide_by_pot(mul(x2, x2), 2)
    tail = rounding_divide_by_pot(mul(x4_over_4 + x3, _ONE_THIRD) + x2, 1)
    return mul(x + tail, _EXP_OF_MINUS_ONE_EIGHTH) + np.int32(_EXP_OF_MINUS_ONE_EIGHTH)


def reciprocal(values: Raw, integer_bits: int) -> tuple[Raw, Raw]:
    """1 / x for x >= 1 with `integer_bits` integer bits, as (scale, bits over unit).

    scale has no integer bits and 1 / x = scale * 2**-bits. x is normalised to 1 + f, f in [0, 1).
    """
    headroom = np.array(32 - np.ceil(np.log2(values.astype(np.float64) + 1.0)), np.int64)
    fraction = wrap_int32((values.astype(np.int64) << headroom) - (1 << 31))
    bits_over_unit = (integer_bits - headroom).astype(np.int32)
    return _one_over_one_plus(fraction), bits_over_unit


def _one_over_one_plus(values: Raw) -> Raw:
    """1 / (1 + x) for x in [0, 1), both without integer bits, by three Newton steps."""
    mul = saturating_rounding_doubling_high_mul
    # The mean of x and 1, rounded half up (both are positive).
    half_denominator = wrap_int32((values.astype(np.int64) + INT32_MAX + 1) >> 1)
    x = mul(half_denominator, _MINUS_32_OVER_17) + np.int32(_48_OVER_17)
    for _ in range(3):
        error = np.int32(1 << 29) - mul(half_denominator, x)
        x = x + saturating_shift_left(mul(x, error), 2)
    return saturating_shift_left(x, 1)


def log_of_at_least_1(values: Raw, integer_bits: int, result_bits: int) -> Raw:
    """log(x) for x >= 1 with `integer_bits` integer bits; the result has `result_bits`.

    x = r * 2**k with r around the fourth root of 1/2: of two ways to choose k, by x itself and by x times the root
    of 1/2, that with the smaller r. Then log(x) = k log(2) + log(r), that by a quotient of polynomials.
    """
    mul = saturating_rounding_doubling_high_mul
    kept_bits = result_bits + 1
    quarter = np.int32(1 << (29 - kept_bits))
    zeros = _leading_zeros(values)
    by_itself = saturating_shift_left(mul(saturating_shift_left(values, zeros - 1), _ROOT_HALF), 1)
    itself_power = ((integer_bits - zeros) << (31 - kept_bits)).astype(np.int32) + quarter
    headroom = _leading_zeros(mul(values, _ROOT_HALF)) - 1
    by_root = saturating_shift_left(values, headroom)
    root_power = ((integer_bits - headroom) << (31 - kept_bits)).astype(np.int32) - quarter
    r = np.minimum(by_itself, by_root)
    power = np.maximum(itself_power, root_power)

    # The mean is rounded half up: both are positive.
    mean = wrap_int32((r.astype(np.int64) + _FOURTH_ROOT_HALF + 1) >> 1)
    distance = (r - np.int32(_FOURTH_ROOT_HALF)) * np.int32(2)
    square = mul(distance, distance)
    numerator = mul(distance, r) + mul(mul(distance, square), _LOG_NUMERATOR)
    first, second, third = _LOG_DENOMINATOR
    sum_ = np.int32(first) + distance + mul(square, second)
    denominator = mul(mean, sum_) + mul(distance, third)
    quotient = mul(rounding_divide_by_pot(numerator, kept_bits), _one_over_one_plus(denominator))
    return saturating_shift_left(mul(power, _LOG_2) + quotient, 1)


def _leading_zeros(values: Raw) -> NDArray[np.int64]:
    """Of positive int32."""
    return 31 - np.floor(np.log2(values.astype(np.float64))).astype(np.int64)
