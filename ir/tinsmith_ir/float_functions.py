"""Functions of float32 by its additions, multiplications and divisions only, so that C gives the same bits; more of
them are in float_arithmetic.py. The C twins are in kernels/reference/functions_f32.c.

log is that of fdlibm (Sun), in the same order of operations; exp squares a root where `exp_f32` ends.
"""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.float_arithmetic import exp_f32, expm1_f32, horner_f32, tanh_f32

_Floats = NDArray[np.float32]

_ONE, _HALF = np.float32(1.0), np.float32(0.5)
_EXPM1_LOWEST = np.float32(-20.0)
"""exp(x) - 1 is -1 in float32 from here on, and some way before."""
_LN2_HIGH, _LN2_LOW = np.float32(6.9313812256e-01), np.float32(9.0580006145e-06)
_LOG_COEFFICIENTS = tuple(
    np.float32(value) for value in (0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841)
)
_ERFC_COEFFICIENTS = tuple(
    np.float32(value)
    for value in (
        0.1465371698141098,
        -0.030171917751431465,
        -0.26214587688446045,
        0.10857897251844406,
        0.2793043255805969,
        -0.15764042735099792,
        -0.3750615119934082,
        0.18936584889888763,
        1.345285415649414,
        -0.671794056892395,
    )
)
_ERF_COEFFICIENTS = tuple(
    np.float32(value)
    for value in (
        7.85384982843e-5,
        -0.000801020269927,
        0.00518833048259,
        -0.0268538145821,
        0.112835852486,
        -0.376126258375,
        0.12837916573,
    )
)
_ERFC_HIGHEST = np.float32(11.0)
"""erfc is 0 in float32 from here on, and some way before."""
_UPPER_BITS = np.int32(-4096)
"""Of a float32 whose square is exact."""
_ROOT_HALF = np.float32(0.7071067811865476)
_ROOT_2_OVER_PI = np.float32(0.7978845608028654)
_CUBIC = np.float32(0.044715)
_SMALLEST_NORMAL = np.float32(2.0**-126)
_SUBNORMAL_BITS = 25
_ROOT_HALF_BITS = 0x3F3504F3
"""Of the float32 next to the root of 1/2."""


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def full_exp_f32(values: _Floats) -> _Floats:
    """exp(x) of all x within 5 units in the last place: 0 and infinity where they are nearest. NaN stays."""
    root = exp_f32(values * _HALF)
    return root * root


@np.errstate(invalid="ignore")
def sqrt_f32(values: _Floats) -> _Floats:
    """The square root, nearest; below zero the NaN that C has, whatever the processor's."""
    return np.where(values < 0, np.float32(np.nan), np.sqrt(values))


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def log_f32(values: _Floats) -> _Floats:
    """The natural logarithm within 1 unit in the last place; minus infinity of 0, NaN below. NaN stays."""
    is_small = values < _SMALLEST_NORMAL
    scaled = np.where(is_small, values * np.float32(2.0**_SUBNORMAL_BITS), values)
    # The mantissa between the roots of 1/2 and 2.
    bits = scaled.view(np.int32) - np.int32(_ROOT_HALF_BITS)
    exponents = (bits >> np.int32(23)).astype(np.float32)
    exponents -= np.where(is_small, np.float32(_SUBNORMAL_BITS), np.float32(0))
    mantissas = ((bits & np.int32(0x7FFFFF)) + np.int32(_ROOT_HALF_BITS)).view(np.float32)
    f = mantissas - _ONE
    s = f / (np.float32(2.0) + f)
    z = s * s
    w = z * z
    c1, c2, c3, c4 = _LOG_COEFFICIENTS
    rest = z * (c1 + w * c3) + w * (c2 + w * c4)
    half_square = _HALF * f * f
    result = s * (half_square + rest) + exponents * _LN2_LOW - half_square + f
    result = result + exponents * _LN2_HIGH
    finite = np.isfinite(values)
    bounded = np.where(finite, result.astype(np.float32, copy=False), values)
    ends = np.where(values == 0, np.float32(-np.inf), np.float32(np.nan))
    return np.where((values > 0) | np.isnan(values), bounded, ends)


@np.errstate(invalid="ignore", under="ignore")
def elu_f32(values: _Floats) -> _Floats:
    """x < 0 ? exp(x) - 1 : x within 2 units in the last place. NaN and -0.0 stay."""
    negative = np.maximum(np.where(values < 0, values, np.float32(0)), _EXPM1_LOWEST)
    return np.where(values < 0, expm1_f32(negative), values)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def gelu_f32(values: _Floats) -> _Floats:
    """x / 2 * erfc(-x / sqrt(2)), as TFLite with -x / sqrt(2) in float32: far below zero within 1e-5, relatively."""
    return _HALF * values * _erfc_f32(values * -_ROOT_HALF)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def gelu_by_tanh_f32(values: _Floats) -> _Floats:
    """x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), which below zero loses all but some bits."""
    cubic = np.asarray(values + _CUBIC * values * values * values, np.float32)
    tanh = tanh_f32(np.asarray(_ROOT_2_OVER_PI * cubic, np.float32))
    return np.asarray(_HALF * values * (_ONE + tanh), np.float32)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def erf_f32(values: _Floats) -> _Floats:
    """erf(x) within 2 units in the last place: x + x P(x**2) below 1, with a polynomial P fitted to erf(x) / x - 1,
    and 1 - erfc(x) above. NaN and -0.0 stay.
    """
    size = np.abs(values)
    z = size * size
    small = values + values * horner_f32(_ERF_COEFFICIENTS, z)
    positive = _ONE - _erfc_f32(size)
    return np.where(size < 1, small, np.where(values < 0, -positive, positive))


def _erfc_f32(values: _Floats) -> _Floats:
    """1 - erf(x): t exp(-x**2 + P(t)), t = 1 / (1 + |x| / 2), with a polynomial P fitted to erfc."""
    x = np.where(np.isnan(values), values, np.minimum(np.abs(values), _ERFC_HIGHEST))
    t = _ONE / (_ONE + _HALF * x)
    u = t - _HALF
    upper = (x.view(np.int32) & _UPPER_BITS).view(np.float32)
    rest = np.asarray((upper - x) * (upper + x) + horner_f32(_ERFC_COEFFICIENTS, u), np.float32)
    positive = t * full_exp_f32(-upper * upper) * full_exp_f32(rest)
    return np.where(values < 0, np.float32(2.0) - positive, positive)


@np.errstate(invalid="ignore")
def round_f32(values: _Floats) -> _Floats:
    """The nearest integer, ties to even; 0.0 above -0.5."""
    lower = np.floor(values)
    rest = values - lower
    is_even = lower * _HALF == np.floor(lower * _HALF)
    stays = (rest < _HALF) | ((rest == _HALF) & is_even)
    return np.where(stays, lower, lower + _ONE)
