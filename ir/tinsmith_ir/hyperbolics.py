"""sinh and cosh of float32, and their inverses and that of tanh, by its additions, multiplications, divisions and
square roots only, so that C gives the same bits.

The C twins are in kernels/reference/hyperbolics.h. Near 0 polynomials of our own fit, elsewhere by exp and log in the
ways of fdlibm (Sun): the inverses by log(1 + u), which is that of w = 1 + u in float32 and of what w has lost.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.float_arithmetic import exp_f32, horner_f32
from tinsmith_ir.float_functions import log_f32

_Floats = NDArray[np.float32]

_ONE, _HALF, _TWO = np.float32(1.0), np.float32(0.5), np.float32(2.0)
_QUARTER = np.float32(0.25)
_LN2 = np.float32(math.log(2))
_NEARLY_EXP_HIGHEST = np.float32(80.0)
"""From here on exp(x) is exp(x - 2) exp(2), which reaches as far as sinh and cosh do."""
_HALF_EXP_2 = np.float32(math.exp(2) / 2)
_LARGE = np.float32(4096.0)
"""From here on asinh and acosh are log(2 x)."""
_SINH = tuple(
    np.float32(value)
    for value in (2.81743817874e-6, 0.000198360668516, 0.00833335059212, 0.166666664889)
)
_COSH = tuple(
    np.float32(value) for value in (2.54012239222e-5, 0.00138847911825, 0.0416667533731, 0.5)
)
_ASINH = tuple(
    np.float32(value)
    for value in (
        -0.0132485624397,
        0.0281759661682,
        -0.0443859825701,
        0.0749866452877,
        -0.166666439046,
    )
)
_ATANH = tuple(
    np.float32(value)
    for value in (
        0.177188331052,
        0.0509923096086,
        0.11833753153,
        0.142215149554,
        0.200025861034,
        0.333332988709,
    )
)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def sinh_f32(values: _Floats) -> _Floats:
    """sinh(x) within 3 units in the last place. NaN and -0.0 stay."""
    size = np.abs(values)
    z = size * size
    small = size + size * (z * horner_f32(_SINH, z))
    half = _half_exp(size)
    positive = np.where(size < 1, small, half - _QUARTER / half)
    return np.where(np.isnan(values), values, np.copysign(positive, values))


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def cosh_f32(values: _Floats) -> _Floats:
    """cosh(x), at least 1, within 3 units in the last place. NaN stays."""
    size = np.abs(values)
    z = size * size
    half = _half_exp(size)
    result = np.where(size < 1, _ONE + z * horner_f32(_COSH, z), half + _QUARTER / half)
    return np.where(np.isnan(values), values, result)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def asinh_f32(values: _Floats) -> _Floats:
    """asinh(x) within 2 units in the last place. NaN and -0.0 stay."""
    size = np.abs(values)
    z = size * size
    small = size + size * (z * horner_f32(_ASINH, z))
    beyond = size + z / (_ONE + np.sqrt(_ONE + z))
    middle = _log_above_one(np.asarray(beyond, np.float32))
    above = np.where(size < _LARGE, middle, log_f32(size) + _LN2)
    positive = np.where(size < _HALF, small, above)
    return np.where(np.isnan(values), values, np.copysign(positive, values))


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def acosh_f32(values: _Floats) -> _Floats:
    """acosh(x) within 3 units in the last place; NaN below 1. NaN stays."""
    above = np.maximum(values - _ONE, np.float32(0))
    middle = _log_above_one(above + np.sqrt(above * (above + _TWO)))
    result = np.where(values < _LARGE, middle, log_f32(values) + _LN2)
    defined = np.where(values < 1, np.float32(np.nan), result)
    return np.where(np.isnan(values), values, defined)


@np.errstate(invalid="ignore", over="ignore", under="ignore", divide="ignore")
def atanh_f32(values: _Floats) -> _Floats:
    """atanh(x) within 2 units in the last place; infinities of 1 and -1, NaN beyond. NaN and -0.0 stay."""
    size = np.abs(values)
    z = size * size
    small = size + size * (z * horner_f32(_ATANH, z))
    above = _HALF * _log_above_one(_TWO * size / (_ONE - size))
    inside = np.where(size < _HALF, small, above)
    ends = np.where(size == 1, np.float32(np.inf), np.float32(np.nan))
    positive = np.where(size < 1, inside, ends)
    defined = np.where(size > 1, positive, np.copysign(positive, values))
    return np.where(np.isnan(values), values, defined)


def _half_exp(size: _Floats) -> _Floats:
    """exp(x) / 2 of x at least 0, infinity where it is nearest."""
    is_high = size > _NEARLY_EXP_HIGHEST
    power = exp_f32(np.where(is_high, size - _TWO, size))
    return power * np.where(is_high, _HALF_EXP_2, _HALF)


def _log_above_one(u: _Floats) -> _Floats:
    """log(1 + u) of u in [0, 2**26]."""
    w = _ONE + u
    return np.asarray(log_f32(w) + (u - (w - _ONE)) / w, np.float32)
