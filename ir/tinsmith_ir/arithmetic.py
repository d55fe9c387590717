"""Fixed-point arithmetic shared by the evaluator and the backends, bit-exact with TFLite 2.14.

The rounding rules are those of gemmlowp's `fixedpoint.h` and of TFLite's
`kernels/internal/{common,quantization_util}.h` in their default double-rounding form; the code here
is vectorised numpy written from those formulas.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import TensorType

Int32Like = NDArray[np.int32] | int
INT32_MIN = -(1 << 31)
INT32_MAX = (1 << 31) - 1
MAX_SHIFT_64 = 7
"""Largest left shift of `multiply_by_quantized_multiplier_64`."""


def round_half_away(real: float) -> int:
    """Nearest integer, halves away from zero (C `round`); `real` must be finite."""
    whole = math.trunc(real)
    return whole + (0 if abs(real - whole) < 0.5 else (1 if real > 0 else -1))


@functools.lru_cache(maxsize=1 << 16)  # a graph is verified after each pass, its scales stay
def quantize_multiplier(real: float) -> tuple[int, int]:
    """`real` as (multiplier, shift) with real = multiplier * 2**(shift - 31), as TFLite's
    `QuantizeMultiplier`.

    Returns multiplier 0 or in [2**30, 2**31) and shift >= -31. A value below 2**-32 becomes (0, 0).
    Raises GraphError for a negative or non-finite value and when the shift would exceed 30.
    """
    if not math.isfinite(real) or real < 0:
        raise GraphError(f"expected a finite scale >= 0 to quantize, got {real}")
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = round_half_away(fraction * (1 << 31))
    if multiplier == 1 << 31:
        multiplier, shift = multiplier // 2, shift + 1
    if shift < -31:
        return 0, 0
    if shift > 30:
        raise GraphError(f"expected a scale below 2**30, got {real}")
    return multiplier, shift


def wrap_int32(values: NDArray[np.int64]) -> NDArray[np.int32]:
    """The low 32 bits, as an int32 register holds them."""
    return values.astype(np.int32)


def saturating_rounding_doubling_high_mul(
    values: NDArray[np.int32], multiplier: Int32Like
) -> NDArray[np.int32]:
    """(values * multiplier * 2) >> 32 rounded half up, gemmlowp's `SaturatingRoundingDoublingHighMul`.

    Both are int32 of shapes that broadcast. Only INT32_MIN * INT32_MIN saturates.
    """
    product = np.asarray(values, np.int64) * np.asarray(multiplier, np.int64)
    # gemmlowp nudges by sign and truncates; for every product that is a floor of (product + 2**30).
    high = (product + (1 << 30)) >> 31
    return np.minimum(high, INT32_MAX).astype(np.int32)


def rounding_divide_by_pot(values: NDArray[np.int32], exponent: Int32Like) -> NDArray[np.int32]:
    """Values / 2**exponent rounded half away from zero; exponent in [0, 31], broadcasting."""
    wide = np.asarray(values, np.int64)
    power = np.asarray(exponent, np.int64)
    half = (np.int64(1) << power) >> 1
    # Halves go away from zero: below zero the tie must stay below, hence one less to add.
    return ((wide + half - ((wide < 0) & (power > 0))) >> power).astype(np.int32)


def multiply_by_quantized_multiplier(
    acc: NDArray[np.int32], multiplier: Int32Like, shift: Int32Like
) -> NDArray[np.int32]:
    """Acc * multiplier * 2**(shift - 31) with two roundings, as TFLite's
    `MultiplyByQuantizedMultiplier` for int32.

    acc: any shape. multiplier: Q31, 0 or in [2**30, 2**31). shift: in [-31, 30], positive is left;
    both may be arrays that broadcast (per channel). The left shift wraps as int32 does.
    """
    shifts = np.asarray(shift, np.int64)
    left = np.maximum(shifts, 0)
    shifted = wrap_int32(np.asarray(acc, np.int64) << left)
    high = saturating_rounding_doubling_high_mul(shifted, multiplier)
    return rounding_divide_by_pot(high, np.maximum(-shifts, 0).astype(np.int32))


def multiply_by_quantized_multiplier_64(
    acc: NDArray[np.int64], multiplier: Int32Like, shift: Int32Like
) -> NDArray[np.int32]:
    """The same for a 64-bit accumulator with |acc| < 2**47, as TFLite does for int16 activations:
    the multiplier is first reduced to 15 bits, then one rounding (half up).

    shift: in [-31, MAX_SHIFT_64].
    """
    wide = np.asarray(multiplier, np.int64)
    reduced = np.where(wide < 0x7FFF0000, (wide + (1 << 15)) >> 16, 0x7FFF)
    total_shift = 15 - np.asarray(shift, np.int64)
    product = np.asarray(acc, np.int64) * reduced
    return ((product + (np.int64(1) << (total_shift - 1))) >> total_shift).astype(np.int32)


def quantize_real(real: float, type_: TensorType) -> int:
    """The integer that stands for `real` in `type_` before any clamp: zero_point + round(real / scale)
    with a float32 division, as TFLite quantizes activation bounds.

    Raises GraphError where that is no int32, as TFLite does.
    """
    quantization = type_.quantization
    if quantization is None:
        raise GraphError("expected a quantized tensor")
    with np.errstate(over="ignore"):
        quotient = np.float32(real) / np.float32(quantization.scale)
    if abs(quotient) > INT32_MAX:
        raise GraphError(f"expected {real} / scale within int32, got scale {quantization.scale}")
    return quantization.zero_point + round_half_away(float(quotient))


def activation_range(activation: Activation, type_: TensorType) -> tuple[int, int]:
    """Smallest and largest integer that an operator with `activation` may store in `type_`.

    int8 and int16 follow the quantization; int32 without quantization clamps to the real bounds.
    As TFLite's `CalculateActivationRangeQuantized`.
    """
    lowest, highest = type_.dtype.integer_range
    low, high = activation.real_range
    if math.isfinite(low):
        lowest = max(lowest, _integer_of(low, type_))
    if math.isfinite(high):
        highest = min(highest, _integer_of(high, type_))
    return lowest, highest


def _integer_of(real: float, type_: TensorType) -> int:
    return round_half_away(real) if type_.quantization is None else quantize_real(real, type_)


def activation_range_f32(activation: Activation) -> tuple[np.float32, np.float32]:
    """Bounds of a float32 result; the largest finite numbers where there is no bound."""
    low, high = activation.real_range
    limits = np.finfo(np.float32)
    return (
        np.float32(low) if math.isfinite(low) else limits.min,
        np.float32(high) if math.isfinite(high) else limits.max,
    )
