"""The logistic function and tanh of fixed-point numbers of 16 bits, which TFLite's LSTM of integers takes.

After gemmlowp's `fixedpoint.h`, as fixed_point.py: a raw int16 with k integer bits stands for raw * 2**(k - 15).
Results have no integer bits. Kernels compute them anew each time; here they are looked up in tables of all int16.
"""

import functools

import numpy as np
from numpy.typing import NDArray

Raw = NDArray[np.int64]

_MIN, _MAX = -(1 << 15), (1 << 15) - 1
# exp(-2**k) with no integer bits, for k = -2..4
_EXP_OF_MINUS_POWER = (25520, 19875, 12055, 4435, 600, 11, 0)
_EXP_OF_MINUS_ONE_EIGHTH = 28918
_ONE_THIRD = 10923
_48_OVER_17 = 23130  # two integer bits
_MINUS_32_OVER_17 = -15420  # two integer bits
_LOGISTIC_BITS = 3


def logistic_s16(values: NDArray[np.int16]) -> NDArray[np.int16]:
    """1 / (1 + exp(-x)) of numbers with 3 integer bits."""
    return _looked_up(_logistic_table(), values)


def tanh_s16(values: NDArray[np.int16], integer_bits: int) -> NDArray[np.int16]:
    """tanh(x) of numbers with `integer_bits` in [0, 6]."""
    return _looked_up(_tanh_table(integer_bits), values)


def _looked_up(table: NDArray[np.int16], values: NDArray[np.int16]) -> NDArray[np.int16]:
    return table[values.astype(np.int64) - _MIN]


@functools.cache
def _logistic_table() -> NDArray[np.int16]:
    values = np.arange(_MIN, _MAX + 1)
    exponential = _exp_of_negative(-np.abs(values), _LOGISTIC_BITS)
    above = _saturated_left(_reciprocal(exponential), 1)
    return np.where(values == 0, 1 << 14, np.where(values > 0, above, _MAX - above)).astype(
        np.int16
    )


@functools.cache
def _tanh_table(integer_bits: int) -> NDArray[np.int16]:
    values = np.arange(_MIN, _MAX + 1)
    # exp(-2 |x|): the same bits with one integer bit more.
    exponential = _exp_of_negative(-np.abs(values), integer_bits + 1)
    above = _saturated_left(_reciprocal(exponential) - (1 << 13), 2)
    return np.where(values == 0, 0, np.where(values > 0, above, -above)).astype(np.int16)


def _multiply(lhs: Raw | int, rhs: Raw | int) -> Raw:
    """High 16 bits of 2 * lhs * rhs, rounded half up."""
    return np.minimum((np.asarray(lhs * rhs, np.int64) + (1 << 14)) >> 15, _MAX)


def _divided(values: Raw, exponent: int) -> Raw:
    """Values / 2**exponent, rounded half away from zero."""
    return (values + (1 << (exponent - 1)) - (values < 0)) >> exponent


def _saturated_left(values: Raw, bits: int) -> Raw:
    return np.clip(values << bits, _MIN, _MAX)


def _exp_of_negative(values: Raw, integer_bits: int) -> Raw:
    """exp(x) for x <= 0; see `fixed_point.exp_of_negative`. Below -32 it is 0."""
    fraction_bits = 15 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    rest = (values & (quarter - 1)) - quarter
    result = _exp_between_minus_quarter_and_0(_saturated_left(rest, integer_bits))
    whole = rest - values
    for index, factor in enumerate(_EXP_OF_MINUS_POWER[: integer_bits + 2]):
        bit = 1 << (fraction_bits - 2 + index)
        result = np.where(whole & bit, _multiply(result, factor), result)
    if integer_bits > 5:
        result = np.where(values < -32 << fraction_bits, 0, result)
    return np.where(values == 0, _MAX, result)


def _exp_between_minus_quarter_and_0(values: Raw) -> Raw:
    """Taylor's series around -1/8 to the fourth power; no integer bits."""
    x = values + (1 << 12)
    x2 = _multiply(x, x)
    x3 = _multiply(x2, x)
    x4_over_4 = _divided(_multiply(x2, x2), 2)
    tail = _divided(_multiply(x4_over_4 + x3, _ONE_THIRD) + x2, 1)
    product = _multiply(x + tail, _EXP_OF_MINUS_ONE_EIGHTH)
    return np.minimum(product + _EXP_OF_MINUS_ONE_EIGHTH, _MAX)


def _reciprocal(values: Raw) -> Raw:
    """2 / (1 + x) for x in [0, 1] without integer bits, with two, by three Newton steps."""
    half_denominator = (values + _MAX + 1) >> 1
    x = _multiply(half_denominator, _MINUS_32_OVER_17) + _48_OVER_17
    for _ in range(3):
        error = (1 << 13) - _multiply(half_denominator, x)
        x = x + _saturated_left(_multiply(x, error), 2)
    return x
