"""asin, acos and atan of float32 by its additions, multiplications, divisions and square roots only, so that C gives
the same bits.

The C twins are in kernels/reference/arcs.h. asin(x) above a half by that of the root of (1 - x) / 2, atan(x) from
tan(pi / 8) on by that of an angle that is nearer to 0, as Cephes' `asinf` and `atanf`; polynomials of our own fit.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.float_arithmetic import horner_f32

_Floats = NDArray[np.float32]

_ONE, _HALF, _TWO = np.float32(1.0), np.float32(0.5), np.float32(2.0)
_PI, _HALF_PI, _QUARTER_PI = (np.float32(math.pi / divisor) for divisor in (1, 2, 4))
_PI_REST, _HALF_PI_REST, _QUARTER_PI_REST = (
    np.float32(math.pi / divisor - float(np.float32(math.pi / divisor))) for divisor in (1, 2, 4)
)
"""What float32 has lost of each."""
_TAN_EIGHTH, _TAN_THREE_EIGHTHS = np.float32(math.sqrt(2) - 1), np.float32(math.sqrt(2) + 1)
"""tan(pi / 8) and tan(3 pi / 8)."""
_ASIN = tuple(
    np.float32(value)
    for value in (
        0.0422177718442,
        0.0241482865647,
        0.0454769069735,
        0.0749524375965,
        0.166667538711,
    )
)
_ATAN = tuple(
    np.float32(value)
    for value in (
        -0.0608350606384,
        0.105960501081,
        -0.142438603992,
        0.199984904168,
        -0.333333155288,
    )
)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def asin_f32(values: _Floats) -> _Floats:
    """asin(x) within 3 units in the last place; NaN beyond 1. NaN and -0.0 stay."""
    size = np.abs(values)
    angle = _small_asin(size)
    positive = np.where(size < _HALF, angle, _HALF_PI - (_TWO * angle - _HALF_PI_REST))
    return _within_one(values, np.copysign(positive, values))


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def acos_f32(values: _Floats) -> _Floats:
    """acos(x) within 2 units in the last place; NaN beyond 1. NaN stays."""
    angle = _small_asin(np.abs(values))
    middle = _HALF_PI - (np.copysign(angle, values) - _HALF_PI_REST)
    below = _PI - (_TWO * angle - _PI_REST)
    ends = np.where(values < 0, below, _TWO * angle)
    return _within_one(values, np.where(np.abs(values) < _HALF, middle, ends))


@np.errstate(invalid="ignore", over="ignore", under="ignore", divide="ignore")
def atan_f32(values: _Floats) -> _Floats:
    """atan(x) within 2 units in the last place. NaN and -0.0 stay."""
    size = np.abs(values)
    is_small, is_large = size < _TAN_EIGHTH, size > _TAN_THREE_EIGHTHS
    turned = np.where(is_large, -_ONE / size, (size - _ONE) / (size + _ONE))
    t = np.where(is_small, size, turned)
    rest = t * (t * t * horner_f32(_ATAN, t * t))
    half = _HALF_PI + (t + (rest + _HALF_PI_REST))
    quarter = _QUARTER_PI + (t + (rest + _QUARTER_PI_REST))
    positive = np.where(is_small, t + rest, np.where(is_large, half, quarter))
    return np.where(np.isnan(values), values, np.copysign(positive, values))


def _small_asin(size: _Floats) -> _Floats:
    """asin(x) of x in [0, 1/2), above that asin of the root of (1 - x) / 2."""
    is_small = size < _HALF
    z = np.where(is_small, size * size, _HALF * (_ONE - size))
    s = np.where(is_small, size, np.sqrt(z))
    return s + s * (z * horner_f32(_ASIN, z))


def _within_one(values: _Floats, results: _Floats) -> _Floats:
    defined = np.where(np.abs(values) > 1, np.float32(np.nan), results)
    return np.where(np.isnan(values), values, defined)
