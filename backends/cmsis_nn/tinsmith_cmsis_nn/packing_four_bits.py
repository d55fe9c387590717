"""Arrange a layer's constants of four bits for the packed kernels of `kernels/cmsis_nn` (`tinsmith_nn.h`)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tinsmith_cmsis_nn.packing import (
    CHANNEL_GROUP,
    Implementation,
    PackedLayer,
    PackingError,
    lanes_of_groups,
    pack_convolution,
    pack_depthwise,
    pack_fully_connected,
    plain_rows,
)
from tinsmith_cmsis_nn.packing_mve import CHUNK, arrange_pairs

WIDENED_TOGETHER = 8
"""Weights of a word, which become bytes at once."""

_INPUT_MAGNITUDE = 128
_MOVED = 8
_LOWEST = -8
_ACCUMULATOR_BITS = 31
_UNMOVED = 3
"""The channel of a group whose weights fill the upper end of a lane, so that their sign is that of the lane."""
_PLACES = 16 ** np.arange(CHANNEL_GROUP)
"""What a weight of each channel of a group counts in a lane."""


def pack_convolution_four_bits(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_convolve_packed_s4`.

    weights: (C_OUT, HK, WK, C_IN), from -8 to 7. bias, multiplier, shift: (C_OUT,). input_zero_point: [-128, 127].
    nearest: for its sister that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    wide = pack_convolution(
        "mve" if implementation == "mve" else "c",
        weights,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        nearest=nearest,
    )
    match implementation:
        case "mve":
            return replace(wide, weights=_vectors_of_halves(weights.reshape(len(weights), -1)))
        case "dsp":
            return _lanes(wide, weights[0].size)
        case "c":
            return replace(wide, weights=pairs_of_lanes(plain_rows(wide, weights[0].size)))


def pack_fully_connected_four_bits(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_fully_connected_packed_s4`.

    weights: (N, K), from -8 to 7. bias: (N,). multiplier, shift: (N,), or (1,) for one scale of any size.
    input_zero_point: [-128, 127]. nearest: for its sister that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    wide = pack_fully_connected(
        "mve" if implementation == "mve" else "c",
        weights,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        any_shift=True,
        nearest=nearest,
    )
    match implementation:
        case "mve":
            return _two_in_a_byte(weights, wide)
        case "dsp":
            return _lanes(wide, weights.shape[1])
        case "c":
            return replace(wide, weights=pairs_of_lanes(plain_rows(wide, weights.shape[1])))


def pairs_of_lanes(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """Of plain C: four rows and two columns in a word. rows: (N, K), N a multiple of 4."""
    moved = np.pad(rows.astype(np.int64) + _MOVED, ((0, 0), (0, rows.shape[1] % 2)))
    groups = moved.reshape(-1, 2, 2, moved.shape[1] // 2, 2)  # pair, lane, word, column
    places = np.array([0, 16]), np.array([0, 4]), np.array([0, 8])
    lane, pair, column = places
    bits = pair[:, None, None, None] + lane[:, None, None] + column
    words = (groups << bits).sum(axis=(1, 2, 4))
    return words.astype("<u4").reshape(-1).view(np.int8)


def _two_in_a_byte(rows: NDArray[np.int8], wide: PackedLayer) -> PackedLayer:
    """Of MVE. rows: (N, K). wide: the layer on bytes."""
    missing = len(rows) % 2
    even = np.pad(rows, ((0, missing), (0, 0)))
    pairs = bytes_of_pairs(even)
    biases = np.pad(wide.bias, (0, missing)).astype(np.int64)
    magnitudes = np.abs(biases) + _INPUT_MAGNITUDE * np.abs(even.astype(np.int64)).sum(axis=1)
    if int(magnitudes.max()) * 17 >= 1 << _ACCUMULATOR_BITS:
        raise PackingError(
            f"accumulators may reach {int(magnitudes.max())}, 17 times of which do not fit 32 bits"
        )
    starts = np.stack([biases[::2] + 16 * biases[1::2], 16 * biases[::2]], axis=1)
    return PackedLayer(arrange_pairs(pairs), wrapped(starts), wide.multiplier, wide.shift)


def bytes_of_pairs(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """Of each two rows their bytes, the first one plus 16 times the second. rows: (N, K), N even.

    Raises PackingError where a byte does not hold that.
    """
    first, second = rows[::2], rows[1::2]
    if ((first < 0) & (second == _LOWEST)).any():
        raise PackingError(
            "a weight is -8 beside one that is negative, which does not fit a byte of two channels"
        )
    return (first + 16 * second.astype(np.int16)).astype(np.int8)


def _lanes(wide: PackedLayer, depth: int) -> PackedLayer:
    """Of the DSP extension. wide: the layer on bytes, for plain C."""
    return four_in_a_lane(plain_rows(wide, depth), wide.bias, wide.multiplier, wide.shift)


def four_in_a_lane(
    rows: NDArray[np.int8],
    bias: NDArray[np.int32],
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
) -> PackedLayer:
    """Of the DSP extension. rows: (N, K), N a multiple of 4. bias: (N,), folded. multiplier, shift: as they are.

    Raises PackingError where a sum leaves its part of a lane.
    """
    biases = bias.reshape(-1, CHANNEL_GROUP).astype(np.int64)
    moved = _moved(rows)
    _check_sums(moved, biases)
    # Of one channel, of two, of three, of all; the other way round as the kernel takes them.
    starts = np.cumsum(biases * _PLACES, axis=1)[:, ::-1]
    return PackedLayer(_lanes_of(moved), wrapped(starts), multiplier, shift)


def lanes_of_rows(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """The weights alone; what proves that sums fit is the caller's. rows: (N, K), N a multiple of 4."""
    return _lanes_of(_moved(rows))


def _moved(rows: NDArray[np.int8]) -> NDArray[np.int64]:
    """(N / 4, 4, K), none below 0 but of the last of four rows."""
    groups = rows.reshape(-1, CHANNEL_GROUP, rows.shape[1]).astype(np.int64)
    moved = groups + _MOVED
    moved[:, _UNMOVED] = groups[:, _UNMOVED]
    return moved


def _lanes_of(moved: NDArray[np.int64]) -> NDArray[np.int8]:
    return lanes_of_groups((moved * _PLACES[:, None]).sum(axis=1))


def wrapped(starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Modulo 2**32, in one dimension."""
    return (starts & 0xFFFFFFFF).astype(np.uint32).view(np.int32).reshape(-1)


def pack_depthwise_four_bits(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    input_size: tuple[int, int],
    any_shift: bool = False,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_depthwise_packed_s4`, or with any_shift `tinsmith_depthwise_packed_any_s4`.

    As `packing.pack_depthwise`, with weights from -8 to 7.
    """
    wide = pack_depthwise(
        implementation,
        weights,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        input_size=input_size,
        any_shift=any_shift,
        nearest=nearest,
    )
    return PackedLayer(halves(wide.weights), wide.bias, wide.multiplier, wide.shift)


def _vectors_of_halves(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """Four rows at a time, 32 of their weights in 16 bytes. rows: (N, K)."""
    even = np.pad(rows, ((0, -len(rows) % CHANNEL_GROUP), (0, 0)))
    groups = even.reshape(len(even) // CHANNEL_GROUP, -1)
    padded = np.pad(groups, ((0, 0), (0, -groups.shape[1] % (2 * CHUNK))))
    halves = padded.reshape(-1, 2, CHUNK).view(np.uint8) & np.uint8(15)
    return (halves[:, 0] | halves[:, 1] << np.uint8(4)).reshape(-1).view(np.int8)


def halves(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Of each eight weights those of the first half in the lower half of four bytes, 8 added to all."""
    padded = np.pad(weights, (0, -len(weights) % WIDENED_TOGETHER)).astype(np.uint8) + np.uint8(8)
    halves = padded.reshape(-1, 2, WIDENED_TOGETHER // 2)
    return (halves[:, 0] | halves[:, 1] << np.uint8(4)).reshape(-1).view(np.int8)


def _check_sums(moved: NDArray[np.int64], biases: NDArray[np.int64]) -> None:
    """Raise PackingError if what is summed of one channel leaves the bits that remain above the channels before it.

    moved: (groups, 4, K). biases: (groups, 4).
    """
    sums = np.abs(biases) + _INPUT_MAGNITUDE * np.abs(moved).sum(axis=2)
    most = 1 << (_ACCUMULATOR_BITS - 4 * np.arange(CHANNEL_GROUP))
    if (sums >= most).any():
        group, channel = np.argwhere(sums >= most)[0]
        raise PackingError(
            f"channel {group * CHANNEL_GROUP + channel}: sums may reach {int(sums[group, channel])}, of four bits"
            f" the packed kernel needs less than {int(most[channel])} there"
        )
