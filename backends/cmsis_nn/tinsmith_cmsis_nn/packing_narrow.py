"""Arrange a layer's constants for the kernels of narrow multipliers (`tinsmith_nn_narrow.h`).

An accumulator is rounded once, floor((acc * multiplier + 2**(s - 1)) / 2**s) + zero point with s = 31 - shift, and
all of that but the sum of products of input and weights is made one number ahead.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN
from tinsmith_ir.parameters import ConvParameters

from tinsmith_cmsis_nn.packing import (
    CHANNEL_GROUP,
    Implementation,
    PackedLayer,
    PackingError,
    pack_convolution,
    pack_depthwise,
)
from tinsmith_cmsis_nn.packing_four_bits import four_in_a_lane, halves, pairs_of_lanes

MOST_BITS_OF_A_HALF = 15
"""Of a multiplier in the upper half of a word, beside its sign."""

_DROPPED = 16, 8
"""Bits of a product that `smlawt` drops: of the first channel of a pair, and of the second, which comes times 256."""

_LARGEST_SHIFT = 30
"""With the DSP extension; a zero point times 2**(30 - 8) is less than 2**29."""

_LARGEST_TOP = 1 << 23
"""What a sum that comes times 256 stays below."""


@dataclass(frozen=True)
class _Channels:
    """One row of weights for each channel.

    rows: (N, K). start: (N,), what an accumulator is beside products of input and weights. low, high: (N,), the least
    and the largest accumulator; of a window that is partly padding it lies between them. multiplier, shift: (N,); shift
    is s. value: (N,), what a channel is whose accumulator does not count, of others the zero point.
    """

    rows: NDArray[np.int8]
    start: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    multiplier: NDArray[np.int64]
    shift: NDArray[np.int64]
    value: NDArray[np.int64]

    @property
    def added(self) -> NDArray[np.int64]:
        """(2 * value + 1) * 2**(shift - 1): the half of the rounding, and the zero point."""
        return (2 * self.value + 1) << (self.shift - 1)


def pack_narrow_convolution(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    parameters: ConvParameters,
    *,
    four_bits: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_convolve_packed_s8_narrow`, or with four_bits `tinsmith_convolve_packed_s4_narrow`, "c" or
    "dsp".

    weights: (C_OUT, HK, WK, C_IN). bias: (C_OUT,). parameters: with the multipliers that the layer has.
    Raises PackingError if a condition of `tinsmith_nn_narrow.h` does not hold.
    """
    channels = _settled(weights.reshape(weights.shape[0], -1), bias, parameters)
    if four_bits:
        return _of_four_bits(implementation, channels)
    arranged = pack_convolution(
        implementation,
        channels.rows.reshape(weights.shape),
        None,
        *_harmless(weights.shape[0]),
        input_zero_point=0,
    ).weights
    if implementation == "dsp":
        return _by_halves(arranged, channels)
    return _in_words(arranged, channels, CHANNEL_GROUP)


def pack_narrow_depthwise(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    parameters: ConvParameters,
    *,
    input_size: tuple[int, int],
    four_bits: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_depthwise_packed_s8_narrow`, or with four_bits for its sister, "c" or "dsp".

    weights: (1, HK, WK, C). bias: (C,). parameters: with the multipliers that the layer has. input_size: as of
    `pack_depthwise`.
    Raises PackingError if a condition of `tinsmith_nn_narrow.h` does not hold.
    """
    count = weights.shape[3]
    channels = _settled(weights.reshape(-1, count).T, bias, parameters)
    arranged = pack_depthwise(
        implementation,
        np.ascontiguousarray(channels.rows.T).reshape(weights.shape),
        None,
        *_harmless(count),
        input_zero_point=0,
        input_size=input_size,
    ).weights
    return _in_words(halves(arranged) if four_bits else arranged, channels, 1)


def _harmless(channels: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """A stage that no kernel refuses, where weights alone are wanted."""
    return np.full(channels, 1 << 30, np.int32), np.full(channels, -1, np.int32)


def _settled(
    rows: NDArray[np.int8], bias: NDArray[np.int32] | None, p: ConvParameters
) -> _Channels:
    """The channels of a layer; those that have one value whatever the input get a multiplier of 0."""
    wide = rows.astype(np.int64)
    given = np.zeros(len(rows), np.int64) if bias is None else bias.astype(np.int64)
    at_ends = wide * (-128 + p.input_offset), wide * (127 + p.input_offset)
    low = given + np.minimum(*at_ends).sum(axis=1)
    high = given + np.maximum(*at_ends).sum(axis=1)
    _check(low >= INT32_MIN, low, "an accumulator may reach {}, which is no int32")
    _check(high <= INT32_MAX, high, "an accumulator may reach {}, which is no int32")
    multiplier, shift = p.multipliers.astype(np.int64), 31 - p.shifts.astype(np.int64)
    counts = multiplier > 0
    _check(
        ~counts | (shift >= 1), shift, "a product is shifted by {} to the right, not by 1 or more"
    )
    shift = np.where(counts, np.clip(shift, 1, 62), 1)
    first, last = (
        np.clip(
            ((end * multiplier + (1 << (shift - 1))) >> shift) + p.output_offset,
            p.clamp_min,
            p.clamp_max,
        )
        for end in (low, high)
    )
    constant = first == last
    return _Channels(
        rows=np.where(constant[:, None], 0, rows).astype(np.int8),
        start=np.where(constant, 0, given + p.input_offset * wide.sum(axis=1)),
        low=np.where(constant, 0, low),
        high=np.where(constant, 0, high),
        multiplier=np.where(constant, 0, multiplier),
        shift=np.where(constant, 1, shift),
        value=np.where(constant, first, p.output_offset),
    )


def _in_words(weights: NDArray[np.int8], channels: _Channels, group: int) -> PackedLayer:
    """Everything that is known ahead is one addend; what is shifted has to be a word."""
    _check(channels.shift <= 31, channels.shift, "a product is shifted by {}, not by 31 at most")
    for end in (channels.low, channels.high):
        shifted = end * channels.multiplier + channels.added
        fits = (shifted >= INT32_MIN) & (shifted <= INT32_MAX)
        _check(fits, shifted, "a product, half and zero point added, may be {}, which is no int32")
    return PackedLayer(
        weights,
        _padded(channels.start * channels.multiplier + channels.added, group, 0),
        _padded(channels.multiplier, group, 0),
        _padded(channels.shift, group, 1),
    )


def _of_four_bits(implementation: Implementation, channels: _Channels) -> PackedLayer:
    """Of a convolution. With the DSP extension sums come out of their lanes before they are scaled, without bias."""
    rows = np.pad(channels.rows, ((0, -len(channels.rows) % CHANNEL_GROUP), (0, 0)))
    if implementation == "c":
        return _in_words(pairs_of_lanes(rows), channels, CHANNEL_GROUP)
    nothing = np.zeros(len(rows), np.int32)
    lanes = four_in_a_lane(rows, nothing, nothing, nothing).weights
    return _in_words(lanes, channels, CHANNEL_GROUP)


def _by_halves(weights: NDArray[np.int8], channels: _Channels) -> PackedLayer:
    """Multiplier and shift in one word, of which `smlawt` takes the upper half, and a shift the last byte."""
    _check(
        channels.multiplier < 1 << MOST_BITS_OF_A_HALF,
        channels.multiplier,
        f"a multiplier is {{}}, not of {MOST_BITS_OF_A_HALF} bits",
    )
    count = len(channels.start)
    is_top = np.arange(count) % 2 == 1
    in_lane = (channels.low >= -_LARGEST_TOP) & (channels.high < _LARGEST_TOP)
    reach = np.maximum(channels.high, -channels.low)
    _check(~is_top | in_lane, reach, f"an accumulator may reach {{}}, not below {_LARGEST_TOP}")
    moved = _of_all_bits(channels)
    counts = moved.multiplier > 0
    in_range = (moved.shift > max(_DROPPED)) & (moved.shift <= _LARGEST_SHIFT)
    _check(~counts | in_range, moved.shift, "a scale times 2**{} is not from 0.5 to 1")
    right = np.where(counts, moved.shift - np.where(is_top, _DROPPED[1], _DROPPED[0]), 1)
    starts = moved.start.copy()
    bottoms = starts[0::2][: count // 2]
    starts[1::2] = 256 * starts[1::2] + bottoms
    if count % 2:  # the lane beside the last channel is empty
        starts = np.append(starts, starts[-1])
    return PackedLayer(
        weights,
        _padded(starts, CHANNEL_GROUP, 0),
        _padded((moved.multiplier << 16) | right, CHANNEL_GROUP, 1),
        _padded(replace(moved, shift=right).added, CHANNEL_GROUP, 0),
    )


def _of_all_bits(channels: _Channels) -> _Channels:
    """The same scales with multipliers of MOST_BITS_OF_A_HALF bits: product and half are twice what they were for each
    bit, and shifted by one more.
    """
    _, bits = np.frexp(channels.multiplier.astype(np.float64))
    missing = np.where(channels.multiplier > 0, MOST_BITS_OF_A_HALF - bits, 0)
    return replace(
        channels, multiplier=channels.multiplier << missing, shift=channels.shift + missing
    )


def _check(holds: NDArray[np.bool_], values: NDArray[np.int64], text: str) -> None:
    """Raise PackingError for the first channel that does not hold. text: about its value."""
    if not holds.all():
        channel = int(np.argmin(holds))
        raise PackingError(f"channel {channel}: {text.format(int(values[channel]))}")


def _padded(values: NDArray[np.int64], group: int, fill: int) -> NDArray[np.int32]:
    """As words, modulo 2**32, as many as a multiple of `group`."""
    padded = np.pad(values, (0, -len(values) % group), constant_values=fill)
    return (padded & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
