"""sin, cos and tan of all float32 by its additions and multiplications and by integers, so that C gives the same bits.

The C twins are in kernels/reference/trigonometry.h. From pi / 4 on, x * 2 / pi is computed in integers, with those 96
digits of 2 / pi that matter (Payne and Hanek), so that no x is too large; what is left of a multiple of pi / 2 goes
into the polynomials of Cephes' `sinf` and `cosf`, for tan into one of our own fit.
"""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.float_arithmetic import horner_f32

_Floats = NDArray[np.float32]
_Words = NDArray[np.uint64]

_QUARTER = np.float32(0.7853981633974483)
_SCALE = np.float32(1.5707963267948966 * 2.0**-62)
"""A quarter turn, for numbers with 62 fraction bits."""
_DIGITS = np.array(
    [
        0,
        0xA2F9836E,
        0x4E441529,
        0xFC2757D1,
        0xF534DDC0,
        0xDB629599,
        0x3C439041,
        0xFE5163AB,
    ],
    np.uint64,
)
"""Of 2 / pi, 32 a word, behind a word of zeros."""
_SINE = tuple(np.float32(value) for value in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1))
_COSINE = tuple(
    np.float32(value)
    for value in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
)

_TANGENT = tuple(
    np.float32(value)
    for value in (
        0.00946498028564,
        0.00297574944987,
        0.0245272581539,
        0.053381594126,
        0.133391952812,
        0.333331397151,
    )
)


def sin_f32(values: _Floats) -> _Floats:
    """sin(x) within 3 units in the last place; NaN of infinities. NaN and -0.0 stay."""
    return _turned(values, 0)


def cos_f32(values: _Floats) -> _Floats:
    """cos(x) within 3 units in the last place; NaN of infinities."""
    return _turned(values, 1)


@np.errstate(invalid="ignore", over="ignore", under="ignore", divide="ignore")
def tan_f32(values: _Floats) -> _Floats:
    """tan(x) within 4 units in the last place; NaN of infinities. NaN and -0.0 stay."""
    quarters, x = _small(values)
    z = x * x
    tangent = x + x * (z * horner_f32(_TANGENT, z))
    result = np.where(quarters % 2 == 1, np.float32(-1.0) / tangent, tangent)
    return np.where(np.isfinite(values), result, np.float32(np.nan)).astype(np.float32, copy=False)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def _turned(values: _Floats, ahead: int) -> _Floats:
    """sin(x + ahead * pi / 2)."""
    quarters, x = _small(values)
    turns = quarters + ahead
    z = x * x
    sine = ((_SINE[0] * z + _SINE[1]) * z + _SINE[2]) * z * x + x
    one, half = np.float32(1.0), np.float32(0.5)
    cosine = ((_COSINE[0] * z + _COSINE[1]) * z + _COSINE[2]) * z * z - half * z + one
    result = np.where(turns % 2 == 1, cosine, np.where(x == 0, x, sine))
    signed = np.where(turns % 4 >= 2, -result, result)
    return np.where(np.isfinite(values), signed, np.float32(np.nan)).astype(np.float32, copy=False)


def _small(values: _Floats) -> tuple[NDArray[np.int64], _Floats]:
    """Quarter turns, and what is left of x, in [-pi / 4, pi / 4]; those of 1 for what is not finite."""
    is_small = np.abs(values) < _QUARTER
    quarters, rest = _reduced(np.where(is_small | ~np.isfinite(values), np.float32(1.0), values))
    return np.where(is_small, 0, quarters), np.where(is_small, values, rest)


@np.errstate(over="ignore")
def _reduced(values: _Floats) -> tuple[NDArray[np.int64], _Floats]:
    """Quarter turns, and what is left of x, in [-pi / 4, pi / 4]; |x| at least pi / 4."""
    bits = values.view(np.uint32).astype(np.uint64)
    fraction = (bits & np.uint64(0x7FFFFF)) | np.uint64(1 << 23)
    # x is fraction * 2**exponent; digits in front of this place give whole turns.
    place = ((bits >> np.uint64(23)) & np.uint64(0xFF)).astype(np.int64) - 150 - 2 + 32
    first, second, third = (_word(place + 32 * number) for number in range(3))
    high = ((fraction * first) & np.uint64(0xFFFFFFFF)) << np.uint64(32)
    turn = high + fraction * second + ((fraction * third) >> np.uint64(32))
    quarters = (turn + np.uint64(1 << 61)) >> np.uint64(62)
    rest = (turn - (quarters << np.uint64(62))).view(np.int64).astype(np.float32) * _SCALE
    is_negative = np.signbit(values)
    turns = quarters.astype(np.int64)
    return np.where(is_negative, -turns, turns), np.where(is_negative, -rest, rest)


def _word(place: NDArray[np.int64]) -> _Words:
    """32 digits of 2 / pi."""
    at, shift = place >> 5, (place & 31).astype(np.uint64)
    both = (_DIGITS[at] << np.uint64(32)) | _DIGITS[np.minimum(at + 1, len(_DIGITS) - 1)]
    return (both >> (np.uint64(32) - shift)) & np.uint64(0xFFFFFFFF)
