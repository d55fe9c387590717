"""Powers of float32 by integers, so that C gives the same bits. The C twin is kernels/reference/powers.c.

x**y = 2**(y log2 x). log2 x = e + log2 m with m between the roots of 1/2 and 2; log2 m is t P(t**2) with t = (m - 1) /
(m + 1), 2**f of a fraction f is 1 + f Q(f); P and Q are polynomials fitted to what they stand for.
"""

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float32]
_Words = NDArray[np.uint64]
_Integers = NDArray[np.int64]

_FRACTION_BITS, _BIAS = 23, 127
_ROOT_2 = 0xB504F3
"""The root of 2 with 23 bits behind the point."""
_LOGARITHM = (3098164009, 1032721314, 619638781, 442030158, 365857802)
"""P, the lowest power first, with 30 bits behind the point."""
_EXPONENTIAL = (1488522236, 515882450, 119194884, 20650514, 2875340, 313683, 44540)
"""Q, the lowest power first, with 31 bits behind the point."""
_QUOTIENT_BITS = 62
"""Of the dividend for t."""
_LOG_BITS = 55
"""Of a logarithm behind the point: 8 are left for the whole part; that of a number next to 1 has more than 32."""
_KEPT_BITS = 39
"""Of a logarithm that is multiplied by the 24 bits of a power."""
_LARGEST_BITS = 40
"""Of powers of two that float32 has, with 32 bits behind the point."""
_SUBNORMAL_BITS = 24


@np.errstate(all="ignore")
def pow_f32(base: _Floats, exponent: _Floats) -> _Floats:
    """x**y within 1.5 units in the last place, with the ends of C99: 1 for y = 0 or x = 1 whatever the other, NaN
    below zero where y is no integer. The operands broadcast.
    """
    x, y = np.broadcast_arrays(base.astype(np.float32), exponent.astype(np.float32))
    size = np.abs(x)
    whole = np.floor(y) == y
    is_odd = whole & (np.floor(y * np.float32(0.5)) != y * np.float32(0.5))
    is_end = (size == 0) | np.isinf(size) | np.isinf(y)
    is_plain = ~(is_end | np.isnan(x) | np.isnan(y) | (y == 0))
    one = np.float32(1)
    powers = _finite(np.where(is_plain, size, one), np.where(is_plain, y, one))
    ends = np.where((size > 1) == (y > 0), np.float32(np.inf), np.float32(0))
    result = np.where(size == 1, one, np.where(is_end, ends, powers))
    result = np.where(np.signbit(x) & is_odd, -result, result)
    is_undefined = np.isnan(x) | np.isnan(y) | ((x < 0) & ~whole & np.isfinite(x))
    result = np.where(is_undefined, np.float32(np.nan), result)
    return np.where((y == 0) | (x == 1), one, result).astype(np.float32, copy=False)


def _finite(size: _Floats, y: _Floats) -> _Floats:
    """Of a finite size above 0 and a finite y that is not 0."""
    fraction, unit = _parts(np.abs(y))
    logarithm = _log2(size)
    kept, shift = _normal(np.abs(logarithm).astype(np.uint64), _KEPT_BITS)
    product, place = fraction * kept, unit - _LOG_BITS + shift + 32
    is_large = (product >> _word(_LARGEST_BITS - place)) != 0
    moved = np.where(place >= 0, product << _word(place), _rounded_right(product, -place))
    power = np.where(is_large, np.uint64(1 << _LARGEST_BITS), moved).astype(np.int64)
    return _exp2(np.where((logarithm < 0) != (y < 0), -power, power))


def _log2(size: _Floats) -> _Integers:
    """With 55 bits behind the point."""
    is_small = size < np.float32(2.0**-126)
    fraction, unit = _parts(np.where(is_small, size * np.float32(2.0**_SUBNORMAL_BITS), size))
    is_above = fraction > _ROOT_2
    exponent = unit + _FRACTION_BITS - _SUBNORMAL_BITS * is_small + is_above
    one = np.where(is_above, 1 << 24, 1 << 23).astype(np.int64)
    rest = fraction.astype(np.int64) - one
    dividend, scale = np.abs(rest).astype(np.uint64), np.zeros(size.shape, np.int64)
    for _ in range(_QUOTIENT_BITS):
        is_low = dividend < np.uint64(1 << _QUOTIENT_BITS)
        dividend, scale = np.where(is_low, dividend << np.uint64(1), dividend), scale + is_low
    t = dividend // (fraction + one.astype(np.uint64))
    t32 = t >> _word(scale - 32)
    z = (t32 * t32) >> np.uint64(32)
    p = np.full_like(z, _LOGARITHM[-1])
    for coefficient in _LOGARITHM[-2::-1]:
        p = np.uint64(coefficient) + ((p * z) >> np.uint64(32))
    low = (p * (t & np.uint64(127))) >> np.uint64(7)
    product = p * (t >> np.uint64(7)) + low  # with scale + 23 bits behind the point
    log_m = (product >> _word(scale + _FRACTION_BITS - _LOG_BITS)).astype(np.int64)
    log_m = np.where(rest == 0, 0, np.where(rest < 0, -log_m, log_m))
    return (exponent << _LOG_BITS) + log_m


def _exp2(power: _Integers) -> _Floats:
    """2**power with 32 bits behind the point, rounded to nearest; infinity and 0 where they are."""
    whole = power >> 32
    f = (power & np.int64(0xFFFFFFFF)).astype(np.uint64)
    q = np.full_like(f, _EXPONENTIAL[-1])
    for coefficient in _EXPONENTIAL[-2::-1]:
        q = np.uint64(coefficient) + ((q * f) >> np.uint64(32))
    mantissa = np.uint64(1 << 31) + ((q * f) >> np.uint64(32))
    below = np.clip(1 - _BIAS - whole, 0, 40)  # digits that subnormal numbers do not have
    rounded = _rounded_right(mantissa, 31 - _FRACTION_BITS + below).astype(np.int64)
    biased = np.where(below > 0, 0, np.clip(whole, -_BIAS, _BIAS) + _BIAS - 1)
    bits = (biased << _FRACTION_BITS) + rounded
    infinity = np.int64(0xFF << _FRACTION_BITS)
    return np.where(whole > _BIAS, infinity, bits).astype(np.uint32).view(np.float32)


def _parts(size: _Floats) -> tuple[_Words, _Integers]:
    """The fraction of a finite number, an integer, and the exponent of its unit."""
    bits = size.view(np.uint32).astype(np.int64)
    biased = bits >> _FRACTION_BITS
    fraction = (bits & 0x7FFFFF) | np.where(biased == 0, 0, 1 << _FRACTION_BITS)
    return fraction.astype(np.uint64), np.maximum(biased, 1) - _BIAS - _FRACTION_BITS


def _normal(values: _Words, bits: int) -> tuple[_Words, _Integers]:
    """Halved until they have at most `bits` bits, and how often."""
    shift = np.zeros(values.shape, np.int64)
    for _ in range(64 - bits):
        is_large = values >= np.uint64(1 << bits)
        values, shift = np.where(is_large, values >> np.uint64(1), values), shift + is_large
    return values, shift


def _rounded_right(values: _Words, shift: _Integers) -> _Words:
    """values / 2**shift, to nearest; values below 2**63, shift above 0 (else 0 or what there is)."""
    last = (values >> _word(shift - 1)) + np.uint64(1)
    return np.where(shift > 63, np.uint64(0), last >> np.uint64(1))


def _word(shift: _Integers) -> _Words:
    """A shift that processors have."""
    return np.clip(shift, 0, 63).astype(np.uint64)
