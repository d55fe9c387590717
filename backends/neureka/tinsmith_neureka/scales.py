"""How N-EUREKA comes from a sum to a result: (sum * scale + bias) >> shift in 32 bits, clipped to int8, with one shift for
all channels of a layer.

Zero points, the layer's bias and half a step lie in the bias; a channel's multiplier is moved to the left by what its
shift is less than the layer's. The rules prove that nothing wraps, so the result is that of the layer, to the bit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN, MULTIPLIER_BITS
from tinsmith_ir.operators import Convolution
from tinsmith_ir.parameters import conv_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType
from tinsmith_lowering import Layer

ROUNDINGS = (Rounding.NEAREST, Rounding.FLOOR)

_LARGEST_SHIFT = 31
_MOST_SPREAD = 30


@dataclass(frozen=True, eq=False)
class Scales:
    """int64 (channels,) each but the shift. low, high: of sum * scale + bias over all int8 inputs, and of products
    alone on the way, which wrap without harm.
    """

    scales: NDArray[np.int64]
    biases: NDArray[np.int64]
    shift: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def one_shift_is_enough(layer: Layer) -> str | None:
    """One shift of 0 to 31 for all channels leaves multipliers of at most 32 bits."""
    shifts = _shifts(layer)
    low, high = int(shifts.min()), int(shifts.max())
    if low < 0 or high > _LARGEST_SHIFT or high - low > _MOST_SPREAD:
        return f"their shifts are {low} to {high}"
    return None


def products_fit(layer: Layer) -> str | None:
    """Every sum times its multiplier, both shifted as the channel with the smallest scale needs it, with half a step and
    the zero point, stays within 32 bits.
    """
    if one_shift_is_enough(layer) is not None:
        return "there is no such shift"
    found = scales_of(layer)
    wrong = (found.low < INT32_MIN) | (found.high > INT32_MAX) | (found.scales > INT32_MAX)
    if not wrong.any():
        return None
    worst = int(np.flatnonzero(wrong)[0])
    return f"those of channel {worst} are {int(found.low[worst]):,} to {int(found.high[worst]):,}"


def clips_to_int8(layer: Layer) -> str | None:
    """The result is clipped to all of int8, as a ReLU does whose zero point is -128."""
    p = conv_parameters(layer.operator_as(Convolution), layer.inputs, layer.output)
    is_whole = (p.clamp_min, p.clamp_max) == (-128, 127)
    return None if is_whole else f"it is clipped to {p.clamp_min} to {p.clamp_max}"


def scales_of(layer: Layer) -> Scales:
    """Of a layer that obeys `one_shift_is_enough`."""
    p = conv_parameters(layer.operator_as(Convolution), layer.inputs, layer.output)
    rows = rows_of(layer)
    zero_point = zero_point_of(layer.input(0))
    own = layer.constant(2)
    bias = np.zeros(len(rows), np.int64) if own is None else own.astype(np.int64)
    bias = bias - zero_point * rows.sum(axis=1)
    shifts = _shifts(layer)
    shift = int(shifts.max())
    scales = p.multipliers.astype(np.int64) << (shift - shifts)
    half = (1 << shift) >> 1 if p.rounding is Rounding.NEAREST else 0
    addend = half + (p.output_offset << shift)
    ends = [
        np.where(rows > 0, rows * at_positive, rows * at_negative).sum(axis=1)
        for at_positive, at_negative in ((-128, 127), (127, -128))
    ]
    # Python's integers: bias * scale may leave 64 bits, where the rule refuses it.
    low, high, biases = (
        _clipped([int(sum_) * int(scale) + addend for sum_, scale in zip(sums, scales, strict=True)])
        for sums in (ends[0] + bias, ends[1] + bias, bias)
    )
    return Scales(scales, biases, shift, low, high)


def rows_of(layer: Layer) -> NDArray[np.int64]:
    """Weights of each output channel, (channels, taps). Raises ValueError if they are not constant."""
    data = layer.constant(1)
    if data is None:
        raise ValueError(f"layer {layer.name}: the weights are not constant")
    channels = layer.output.shape[-1]
    # A depthwise convolution's channels are last.
    arranged = data if data.shape[0] == channels else np.moveaxis(data, -1, 0)
    return arranged.astype(np.int64).reshape(channels, -1)


def zero_point_of(type_: TensorType) -> int:
    """Of a quantized tensor; raises ValueError of another."""
    if type_.quantization is None:
        raise ValueError("expected a quantized tensor")
    return type_.quantization.zero_point


def _shifts(layer: Layer) -> NDArray[np.int64]:
    """Of each channel's product, to the right; of a multiplier of 0 as the largest of the others."""
    p = conv_parameters(layer.operator_as(Convolution), layer.inputs, layer.output)
    shifts = MULTIPLIER_BITS - p.shifts.astype(np.int64)
    counts = p.multipliers != 0
    largest = int(shifts[counts].max()) if counts.any() else 0
    return np.where(counts, shifts, largest)


def _clipped(values: list[int]) -> NDArray[np.int64]:
    """Far beyond int32 all are alike."""
    most = 1 << 62
    return np.array([min(max(value, -most), most) for value in values], np.int64)
