"""How N-EUREKA comes from a sum to a result: (sum * scale + bias) >> shift in 32 bits, clipped to int8, with one shift
for all channels of a layer.

Zero points, the layer's bias and half a step lie in the bias; a channel's multiplier is moved to the left by what its
shift is less than the layer's. The rules prove that nothing wraps, so the result is that of the layer, to the bit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN, MULTIPLIER_BITS, rescale
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType
from tinsmith_lowering import Layer, channel_parameters, given_biases, weight_rows

ROUNDINGS = (Rounding.NEAREST, Rounding.FLOOR)

_LARGEST_SHIFT = 31


@dataclass(frozen=True, eq=False)
class Scales:
    """rows: weights (channels, taps); scales, biases: int64 (channels,). low, high: of sum * scale + bias over all int8
    inputs; on the way there products and biases may wrap, which does no harm. A channel that has one value whatever the
    input is a bias alone.
    """

    rows: NDArray[np.int64]
    scales: NDArray[np.int64]
    biases: NDArray[np.int64]
    shift: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def products_fit(layer: Layer) -> str | None:
    """Every sum times its multiplier, moved to the one shift of the layer (that of the channel with the smallest
    scale, 0 to 31), with half a step and the zero point, stays within 32 bits; set-rounding{one_shift=yes} sees to it.
    """
    sums = _sums_of(layer)
    shifts = sums.shifts
    if int(shifts.min()) < 0 or int(shifts.max()) > _LARGEST_SHIFT:
        return f"shifts are {int(shifts.min())} to {int(shifts.max())}"
    found = scales_of(layer)
    wrong = (found.low < INT32_MIN) | (found.high > INT32_MAX) | (found.scales > INT32_MAX)
    if not wrong.any():
        return None
    worst = int(np.flatnonzero(wrong)[0])
    return f"those of channel {worst} are {int(found.low[worst]):,} to {int(found.high[worst]):,}"


def clips_to_int8(layer: Layer) -> str | None:
    """The result is clipped to all of int8, as a ReLU does whose zero point is -128."""
    p = channel_parameters(layer)
    is_whole = (p.clamp_min, p.clamp_max) == (-128, 127)
    return None if is_whole else f"it is clipped to {p.clamp_min} to {p.clamp_max}"


@dataclass(frozen=True, eq=False)
class _Sums:
    """rows: weights. low, high: of each channel's sum, bias and zero point inside. shifts: of the product, to the
    right; of a channel that needs none, the largest of the others. constant, value: which channels have one value.
    """

    rows: NDArray[np.int64]
    bias: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    shifts: NDArray[np.int64]
    constant: NDArray[np.bool_]
    value: NDArray[np.int64]


def scales_of(layer: Layer) -> Scales:
    """Of a layer whose shifts are 0 to 31."""
    p, sums = channel_parameters(layer), _sums_of(layer)
    shift = int(sums.shifts.max())
    half = (1 << shift) >> 1 if p.rounding is Rounding.NEAREST else 0
    addend = half + (p.output_offset << shift)
    scales = np.where(
        sums.constant, 0, _clipped(_products(1 << (shift - sums.shifts), p.multipliers, 0))
    )
    low, high, biases = (
        np.where(sums.constant, sums.value << shift, _clipped(_products(each, scales, addend)))
        for each in (sums.low, sums.high, sums.bias)
    )
    rows = np.where(sums.constant[:, None], 0, sums.rows)
    return Scales(rows, scales, biases, shift, low, high)


def zero_point_of(type_: TensorType) -> int:
    """Of a quantized tensor; raises ValueError of another."""
    if type_.quantization is None:
        raise ValueError("expected a quantized tensor")
    return type_.quantization.zero_point


def _sums_of(layer: Layer) -> _Sums:
    p, rows = channel_parameters(layer), weight_rows(layer)
    bias = given_biases(layer) - zero_point_of(layer.input(0)) * rows.sum(axis=1)
    low, high = (
        bias + np.where(rows > 0, rows * at_positive, rows * at_negative).sum(axis=1)
        for at_positive, at_negative in ((-128, 127), (127, -128))
    )
    # What precedes the clamp rises with the sum, so equal ends mean equal values between.
    are_words = (low >= INT32_MIN) & (high <= INT32_MAX)
    first, last = (
        np.clip(
            rescale(np.where(are_words, end, 0), p.multipliers, p.shifts, p.rounding)
            + p.output_offset,
            p.clamp_min,
            p.clamp_max,
        ).astype(np.int64)
        for end in (low, high)
    )
    constant = are_words & (first == last)
    shifts = MULTIPLIER_BITS - p.shifts.astype(np.int64)
    counts = ~constant & (p.multipliers != 0)
    largest = int(shifts[counts].max()) if counts.any() else 0
    return _Sums(rows, bias, low, high, np.where(counts, shifts, largest), constant, first)


def _products(ones: NDArray[np.int64], others: NDArray[np.integer], addend: int) -> list[int]:
    """In Python's integers, as some leave 64 bits where the rule refuses them."""
    return [int(one) * int(other) + addend for one, other in zip(ones, others, strict=True)]


def _clipped(values: list[int]) -> NDArray[np.int64]:
    """Far beyond int32 all are alike."""
    most = 1 << 62
    return np.array([min(max(value, -most), most) for value in values], np.int64)
