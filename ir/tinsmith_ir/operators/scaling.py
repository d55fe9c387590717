"""The last step of integer operators: rescale an accumulator, add the offset, clamp, narrow."""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import (
    activation_range_f32,
    rescale,
    rescale_64,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators.base import Array
from tinsmith_ir.parameters import ConvParameters, MeanParameters, RequantizeParameters


def clamp(values: NDArray[np.int64], offset: int, low: int, high: int, dtype: DType) -> Array:
    """Values + offset within [low, high], as `dtype`."""
    return np.clip(values + offset, low, high).astype(dtype.numpy)


def store_accumulator(
    acc: NDArray[np.int64], parameters: ConvParameters, dtype: DType, *, wide: bool
) -> Array:
    """The result of an accumulator whose last axis is the output channel.

    wide: the accumulator has 64 bits, as TFLite's for int16 activations; else it wraps to 32.
    """
    chosen = rescale_64 if wide else rescale
    scaled = chosen(acc, parameters.multipliers, parameters.shifts, parameters.rounding)
    low, high = parameters.clamp_min, parameters.clamp_max
    return clamp(scaled, parameters.output_offset, low, high, dtype)


def requantize(array: Array, parameters: RequantizeParameters, dtype: DType) -> Array:
    """Integers of one quantization as integers of another."""
    centred = array.astype(np.int64) + parameters.input_offset
    scaled = rescale(centred, parameters.multiplier, parameters.shift, parameters.rounding)
    low, high = parameters.clamp_min, parameters.clamp_max
    return clamp(scaled, parameters.output_offset, low, high, dtype)


def clamp_f32(values: NDArray[np.float32], activation: Activation) -> NDArray[np.float32]:
    """Values within the bounds of `activation`; one that equals a bound stays, -0.0 like 0.0.

    As std::min(std::max(value, low), high). np.maximum(-0.0, 0.0) is either, by the length of the array.
    Without a bound an infinity becomes the largest finite number, as in TFLite; NaN stays.
    """
    low, high = (np.float32(bound) for bound in activation_range_f32(activation))
    raised = np.where(values < low, low, values)
    return np.where(raised > high, high, raised)


def larger_f32(best: NDArray[np.float32], candidate: NDArray[np.float32]) -> NDArray[np.float32]:
    """Elementwise maximum; of two that are equal the first, so that the sign of a zero is certain."""
    return np.where(candidate > best, candidate, best)


def rescaled_sums(total: NDArray[np.int64], p: MeanParameters, dtype: DType) -> Array:
    """Sums of integers, without what their zero point adds, rescaled and clamped."""
    scaled = rescale(total - p.input_zero_point * p.count, p.multiplier, p.shift, p.rounding)
    return clamp(scaled, p.output_offset, p.clamp_min, p.clamp_max, dtype)


def rounded_mean(
    total: NDArray[np.int64],
    count: NDArray[np.int64] | np.int64,
    zero_point: int | None,
    *,
    halves_up: bool,
) -> NDArray[np.int64]:
    """Total by count, halves away from zero, or up; with a zero point, to where they are even without it."""
    if zero_point is not None:
        # Both are below 2**53 and a half is exact in float64, so the quotient is never at one by rounding.
        centred = total - zero_point * count
        return np.rint(centred / count).astype(np.int64) + zero_point
    sign = np.ones_like(total) if halves_up else np.sign(total)
    return sign * ((sign * total + count // 2) // count)
