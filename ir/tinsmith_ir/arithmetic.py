"""Fixed-point arithmetic shared by the evaluator and the backends: each mode of rounding, once.

`tflite` is bit-exact with TFLite 2.14: the rounding rules are those of gemmlowp's `fixedpoint.h` and of
TFLite's `kernels/internal/{common,quantization_util}.h` in their default double-rounding form. `nearest`
is the same header's form with TFLITE_SINGLE_ROUNDING, for any width of the multiplier; `floor` what
PULP-NN's kernels do (Garofalo et al., "PULP-NN: accelerating quantized neural networks on parallel
ultra-low-power RISC-V processors", 2020). The code here is vectorised numpy written from those formulas.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.errors import GraphError
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

Int32Like = NDArray[np.int32] | int
INT32_MIN = -(1 << 31)
INT32_MAX = (1 << 31) - 1
MAX_SHIFT_64 = 7
"""Largest left shift of `multiply_by_quantized_multiplier_64`."""
MULTIPLIER_BITS = 31
"""Of a multiplier of full width; times an accumulator of 32 bits it stays below 2**62."""
MULTIPLIER_BITS_64 = 15
"""Of one for an accumulator of 64 bits, |acc| < 2**47: the product stays below 2**62, too."""
MAX_RIGHT_SHIFT = 62
"""Largest `s` of a single rounding: half of 2**s added to such a product stays within int64."""


def round_half_away(real: float) -> int:
    """Nearest integer, halves away from zero (C `round`); `real` must be finite."""
    whole = math.trunc(real)
    return whole + (0 if abs(real - whole) < 0.5 else (1 if real > 0 else -1))


def exponent_of(scale: float) -> int | None:
    """The exponent of a scale that is a power of two within 0.07 %, as TFLite's `CheckedLog2`; else None."""
    logarithm = math.log2(np.float32(scale))
    exponent = round(logarithm)
    return exponent if abs(logarithm - exponent) < 1e-3 else None


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


@functools.lru_cache(maxsize=1 << 16)
def quantize_scale(real: float, rounding: Rounding, bits: int) -> tuple[int, int]:
    """`real` as (multiplier, shift) with real = multiplier * 2**(shift - 31), as `rounding` computes
    with it: TFLITE as `quantize_multiplier`, the others with a multiplier below 2**bits, nearest to
    `real` with as many bits as fit, and shift in [-31, 31].

    bits: in [1, MULTIPLIER_BITS]; of TFLITE it is not read. A multiplier of 1 bit is 1: the nearest
    power of two. Raises GraphError for a negative or non-finite value and for one of 2**bits or more.
    """
    if rounding is Rounding.TFLITE:
        return quantize_multiplier(real)
    if not math.isfinite(real) or real < 0:
        raise GraphError(f"expected a finite scale >= 0 to quantize, got {real}")
    fraction, exponent = math.frexp(real)
    right = min(bits - exponent, MAX_RIGHT_SHIFT)
    # Less than all bits where the shift ends. Exact: a product with a power of two.
    multiplier = round_half_away(math.ldexp(fraction, min(exponent + right, bits)))
    if multiplier == 1 << bits:
        multiplier, right = multiplier // 2, right - 1
    if right < 0:
        raise GraphError(f"expected a scale below 2**{bits} for {rounding.value}, got {real}")
    return (multiplier, MULTIPLIER_BITS - right) if multiplier else (0, 0)


def rounded_right(
    product: NDArray[np.int64], shift: Int32Like, rounding: Rounding
) -> NDArray[np.int64]:
    """Product * 2**(shift - 31), rounded once; NEAREST or FLOOR.

    product: |product| <= 2**62. shift: in [-31, 31], broadcasting.
    """
    right = MULTIPLIER_BITS - np.asarray(shift, np.int64)
    half = (np.int64(1) << right) >> 1 if rounding is Rounding.NEAREST else np.int64(0)
    return (product + half) >> right


def rescale(
    acc: NDArray[np.int64], multiplier: Int32Like, shift: Int32Like, rounding: Rounding
) -> NDArray[np.int64]:
    """Acc * multiplier * 2**(shift - 31) for an accumulator that is kept in 32 bits, whatever its mode.

    acc: any shape; the low 32 bits count. multiplier, shift: as `quantize_scale` gives them, broadcasting.
    """
    kept = wrap_int32(acc)
    if rounding is Rounding.TFLITE:
        return multiply_by_quantized_multiplier(kept, multiplier, shift).astype(np.int64)
    return rounded_right(kept.astype(np.int64) * np.asarray(multiplier, np.int64), shift, rounding)


def rescale_64(
    acc: NDArray[np.int64], multiplier: Int32Like, shift: Int32Like, rounding: Rounding
) -> NDArray[np.int64]:
    """The same for one of 64 bits, |acc| < 2**47; multipliers of single roundings have MULTIPLIER_BITS_64."""
    if rounding is Rounding.TFLITE:
        return multiply_by_quantized_multiplier_64(acc, multiplier, shift).astype(np.int64)
    return rounded_right(acc * np.asarray(multiplier, np.int64), shift, rounding)


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
