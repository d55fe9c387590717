"""Output channels that have one value whatever the input, in a form that every kernel can take.

Trained networks hold such dead channels; converters give them weights of zero, a scale near zero and
a bias near 2**30, numbers outside of what the packed kernels accept. The value alone matters, and
there is a harmless layer with the same one: no weights, a small bias, a scale of 1/4.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import rescale
from tinsmith_ir.parameters import ConvParameters

QUARTER = (1 << 30, -1)
"""1/4 as multiplier and shift."""


@dataclass(frozen=True)
class Channels:
    """Constants of a layer with one row of weights per output channel.

    rows: (channels, taps), a zero point subtracted. bias, multipliers, shifts: (channels,).
    """

    rows: NDArray[np.int16]
    bias: NDArray[np.int32]
    multipliers: NDArray[np.int32]
    shifts: NDArray[np.int32]


def settle_constant_channels(channels: Channels, parameters: ConvParameters) -> Channels:
    """The same function of the input, with every channel that is constant for all int8 inputs
    written as bias = 4 * (value - output offset) at a scale of 1/4.

    A channel is constant if its smallest and its largest accumulator give the same output: what
    follows the accumulator is monotonic.
    """
    low, high = _accumulator_range(channels, parameters.input_offset)
    fits = (low >= -(1 << 31)) & (high < 1 << 31) & (channels.shifts <= 0)
    first = _output(np.where(fits, low, 0), channels, parameters)
    last = _output(np.where(fits, high, 0), channels, parameters)
    constant = fits & (first == last)
    bias = 4 * (first - parameters.output_offset)
    return Channels(
        rows=np.where(constant[:, None], 0, channels.rows).astype(np.int16),
        bias=np.where(constant, bias, channels.bias).astype(np.int32),
        multipliers=np.where(constant, QUARTER[0], channels.multipliers).astype(np.int32),
        shifts=np.where(constant, QUARTER[1], channels.shifts).astype(np.int32),
    )


def _accumulator_range(
    channels: Channels, input_offset: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest accumulator over all inputs; padding counts as zero, which lies within."""
    rows = channels.rows.astype(np.int64)
    at_lowest, at_highest = rows * (-128 + input_offset), rows * (127 + input_offset)
    bias = channels.bias.astype(np.int64)
    low = bias + np.minimum(at_lowest, at_highest).sum(axis=1)
    high = bias + np.maximum(at_lowest, at_highest).sum(axis=1)
    return low, high


def _output(
    acc: NDArray[np.int64], channels: Channels, parameters: ConvParameters
) -> NDArray[np.int64]:
    scaled = rescale(acc, channels.multipliers, channels.shifts, parameters.rounding)
    shifted = scaled + parameters.output_offset
    return np.clip(shifted, parameters.clamp_min, parameters.clamp_max)
