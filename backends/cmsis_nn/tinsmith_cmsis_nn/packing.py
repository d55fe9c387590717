"""Arrange a layer's constants for the packed kernels of `kernels/cmsis_nn` (`tinsmith_nn.h`).

Pure numpy; what the arrays mean to the kernels is said in that header. Weights and biases come as TFLite stores them,
multipliers and shifts as `tinsmith_ir` computes them (scale = multiplier * 2**(shift - 31)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_cmsis_nn.packing_mve import (
    SMALL_TOGETHER,
    arrange_fully_connected,
    arrange_fully_connected_small,
)
from tinsmith_cmsis_nn.packing_pixels import (
    MVE_TOGETHER,
    arrange_blocks,
    arrange_lanes,
    arrange_padded,
)

Implementation = Literal["c", "dsp", "mve"]
Weights = TypeVar("Weights", np.int8, np.int16)

CHANNEL_GROUP = 4
"""Output channels that the C and DSP kernels of convolution and fully connected compute together."""

DEPTH_BLOCK = 4
"""Values of k in one 16-byte block of the DSP layout."""

LARGEST_SHIFT = 22
"""Right shifts up to here leave room to add the zero point before shifting."""

_INPUT_MAGNITUDE = 128
_LARGEST_WEIGHT = 127


class PackingError(ValueError):
    """The packed kernels cannot take these constants; the public `arm_*` function can."""


@dataclass(frozen=True)
class PackedLayer:
    """The four arrays of one layer, ready to be written as C constants.

    weights: int8, one dimension, in the order of the implementation's kernel; align it to 4 bytes (MVE: 16).
    bias: int32, folded: bias + input_offset * sum of the channel's weights.
    multiplier, shift: int32; folded for "c" and "dsp", untouched for "mve".
    """

    weights: NDArray[np.int8]
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]
    shift: NDArray[np.int32]


def refusal(arrange: Callable[[], object]) -> str | None:
    """Why a layer's constants cannot be arranged so, as a rule of a kernel says it; None if they can."""
    try:
        arrange()
    except PackingError as error:
        return str(error)
    return None


def surely_packs(
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
) -> bool:
    """Whether ranges alone show that none of the functions below refuses, whatever the implementation and
    the input's zero point, with constant channels settled or not; False says nothing.

    weights: of any layout. multiplier, shift: one, or one for each channel. Far cheaper than packing, which most
    layers would have done twice: when a kernel is asked whether it takes them, and when it takes them.
    """
    depth = weights.size // len(multiplier) if len(multiplier) > 1 else weights.size
    largest_bias = 0 if bias is None or not bias.size else max(int(bias.max()), -int(bias.min()))
    folded = largest_bias + _INPUT_MAGNITUDE * _LARGEST_WEIGHT * depth
    return (
        int(weights.min()) >= -_LARGEST_WEIGHT
        and _LARGEST_WEIGHT * depth < 1 << 16
        and folded + _INPUT_MAGNITUDE * _LARGEST_WEIGHT * depth < 1 << 30
        and int(multiplier.min()) >= 1 << 30
        and int(shift.min()) >= -LARGEST_SHIFT
        and int(shift.max()) <= -1
    )


def check_sums(
    rows: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
) -> None:
    """Raise PackingError if an accumulator leaves 32 bits that one rounding shifts to the left.

    rows: (N, K), a row of weights for each channel. bias: (N,). shift: (N,), or (1,) for one scale.
    """
    folded = _fold_bias(rows, bias, input_zero_point)
    _check_raised(rows, folded, shift, nearest=True)


def pack_convolution(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    any_shift: bool = False,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_convolve_packed_s8`.

    weights: (C_OUT, HK, WK, C_IN). bias, multiplier, shift: (C_OUT,). input_zero_point: [-128, 127].
    any_shift: for `tinsmith_convolve_packed_any_s8`, which takes scales of 0.5 and more. nearest: for the sister of
    either that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    rows = weights.reshape(weights.shape[0], -1)
    folded = _fold_bias(rows, bias, input_zero_point)
    if implementation == "mve":
        _check_raised(rows, folded, shift, nearest=nearest)
        return PackedLayer(weights.reshape(-1), folded, multiplier, shift)
    rows, folded = _proved(rows, folded, multiplier, shift, nearest=nearest)
    stage = _fold_stage(multiplier, shift, CHANNEL_GROUP, any_shift=any_shift)
    return PackedLayer(_arrange(implementation, rows), _pad_to(folded, CHANNEL_GROUP, 0), *stage)


def pack_convolution_offset(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    weights_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_convolve_packed_offset_s8`, "dsp" or "mve".

    weights: (C_OUT, HK, WK, C_IN). bias, multiplier, shift: (C_OUT,). Zero points: [-128, 127]. nearest: for its sister
    that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    rows = weights.reshape(weights.shape[0], -1)
    centred = rows.astype(np.int16) - np.int16(weights_zero_point)
    folded = _fold_bias(centred, bias, input_zero_point)
    if implementation == "mve":
        _check_raised(centred, folded, shift, nearest=nearest)
        added = np.array([-weights_zero_point], np.int32)
        channels = -(-len(rows) // CHANNEL_GROUP) * CHANNEL_GROUP
        return PackedLayer(
            _zero_padded(rows, channels, rows.shape[1]).reshape(-1),
            np.concatenate([_pad_to(folded, CHANNEL_GROUP, 0), added]),
            _pad_to(multiplier, CHANNEL_GROUP, 0),
            _pad_to(shift, CHANNEL_GROUP, -1),
        )
    if _dead(multiplier, shift).any():
        raise PackingError(f"a shift is below -{LARGEST_SHIFT}, or a multiplier 0")
    _check_accumulators(centred, folded, shift, nearest=nearest)
    moved = int(rows.min() == -128)  # which does not fit a lane
    if moved and rows.max() == _LARGEST_WEIGHT:
        raise PackingError("weights reach from -128 to 127, which does not fit a lane")
    lanes = _arrange(implementation, (rows + np.int8(moved)).astype(np.int8))
    added = np.array([-weights_zero_point - moved], np.int32)
    stage = _fold_stage(multiplier, shift, CHANNEL_GROUP, any_shift=True)
    return PackedLayer(lanes, np.concatenate([_pad_to(folded, CHANNEL_GROUP, 0), added]), *stage)


def pack_fully_connected(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    deep: bool = False,
    any_shift: bool = False,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_fully_connected_packed_s8`.

    weights: (N, K). bias: (N,). multiplier, shift: (N,), or (1,) for one scale. input_zero_point: [-128, 127].
    deep: for `tinsmith_fully_connected_packed_deep_s8`, which takes weights of any sum. any_shift: for a kernel that
    takes scales of 0.5 and more. nearest: for the sister of either that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    weights, *numbers = fold_fully_connected(
        implementation,
        weights,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        any_shift=any_shift,
        nearest=nearest,
    )
    if implementation == "mve":
        return PackedLayer(arrange_fully_connected(weights), *numbers)
    return PackedLayer(_arrange(implementation, weights, deep=deep), *numbers)


def fold_fully_connected(
    implementation: Implementation,
    rows: NDArray[Weights],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    any_shift: bool,
    nearest: bool,
) -> tuple[NDArray[Weights], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The numbers of a fully connected layer: its rows, those of dead channels 0, and bias, multiplier and shift as
    PackedLayer has them.

    rows: (N, K), by what each input counts. The rest is as of `pack_fully_connected`.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    folded = _fold_bias(rows, bias, input_zero_point)
    if implementation == "mve":
        _check_raised(rows, folded, shift, nearest=nearest)
        return rows, folded, multiplier, shift
    group = 1
    if multiplier.size > 1 or rows.shape[0] == 1:
        rows, folded = _proved(rows, folded, multiplier, shift, nearest=nearest)
        group = CHANNEL_GROUP
    else:
        _check_accumulators(rows, folded, shift, nearest=nearest)
    stage = _fold_stage(multiplier, shift, group, any_shift=any_shift)
    return rows, _pad_to(folded, CHANNEL_GROUP, 0), *stage


def pack_fully_connected_small(
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_fully_connected_small_s8`, of MVE.

    weights: (N, K). bias: (N,). multiplier, shift: (N,), or (1,) for one scale. input_zero_point: [-128, 127].
    nearest: for its sister that rounds once.
    Raises PackingError if a condition of `tinsmith_nn_nearest.h` does not hold.
    """
    folded = _fold_bias(weights, bias, input_zero_point)
    _check_raised(weights, folded, shift, nearest=nearest)
    one = multiplier.size == 1
    return PackedLayer(
        arrange_fully_connected_small(weights),
        _pad_to(folded, SMALL_TOGETHER, 0),
        np.repeat(multiplier, SMALL_TOGETHER) if one else _pad_to(multiplier, SMALL_TOGETHER, 0),
        np.repeat(shift, SMALL_TOGETHER) if one else _pad_to(shift, SMALL_TOGETHER, 0),
    )


def pack_depthwise(
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
    """Arrange for `tinsmith_depthwise_packed_s8`.

    weights: (1, HK, WK, C). bias, multiplier, shift: (C,). input_size: (height, width), the
    longer is the row of the kernel's planes. any_shift: for `tinsmith_depthwise_packed_any_s8`, whose C is that of the
    output. nearest: for the sister of either that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    channels = weights.shape[3]
    height, width = input_size
    planes = weights[0].transpose((2, 1, 0) if height > width else (2, 0, 1))
    rows = planes.reshape(channels, -1)
    folded = _fold_bias(rows, bias, input_zero_point)
    if implementation == "mve":
        _check_raised(rows, folded, shift, nearest=nearest)
        return PackedLayer(weights.reshape(-1), folded, multiplier, shift)
    rows, folded = _proved(rows, folded, multiplier, shift, nearest=nearest)
    stage = _fold_stage(multiplier, shift, 1, any_shift=any_shift)
    return PackedLayer(rows.reshape(-1), folded, *stage)


def pack_depthwise_pixels(
    implementation: Implementation,
    weights: NDArray[np.int16],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_depthwise_pixels_s8`.

    weights: (1, HK, WK, C), their zero point subtracted; C and DSP: C is 4 or more. bias, multiplier, shift: (C,).
    input_zero_point: [-128, 127]. nearest: for its sister that rounds once.
    Raises PackingError if a condition of `tinsmith_nn.h` does not hold.
    """
    rows = weights.reshape(-1, weights.shape[3]).T
    folded = _fold_bias(rows, bias, input_zero_point)
    if implementation == "mve":
        _check_raised(rows, folded, shift, nearest=nearest)
        padded = (
            _pad_to(folded, MVE_TOGETHER, 0),
            _pad_to(multiplier, MVE_TOGETHER, 0),
            _pad_to(shift, MVE_TOGETHER, -1),
        )
        return PackedLayer(arrange_padded(rows), *padded)
    rows, folded = _proved(rows, folded, multiplier, shift, nearest=nearest)
    stage = _fold_stage(multiplier, shift, 1, any_shift=True)
    arrange = arrange_lanes if implementation == "dsp" else arrange_blocks
    return PackedLayer(arrange(rows), folded, *stage)


def _fold_bias(
    rows: NDArray[Weights], bias: NDArray[np.int32] | None, input_zero_point: int
) -> NDArray[np.int32]:
    """bias[o] - input_zero_point * sum(rows[o]); wraps like the kernels' 32-bit sums if it must."""
    sums = rows.sum(axis=1, dtype=np.int64)
    start = np.zeros(len(rows), np.int64) if bias is None else bias.astype(np.int64)
    return _wrap(start - input_zero_point * sums)


def _magnitudes(rows: NDArray[Weights], folded: NDArray[np.int32]) -> NDArray[np.int64]:
    """Largest |accumulator| of each channel over all inputs."""
    weight_sums = np.abs(rows.astype(np.int64)).sum(axis=1)
    return np.abs(folded.astype(np.int64)) + _INPUT_MAGNITUDE * weight_sums


def _silence_dead_channels(
    rows: NDArray[Weights],
    folded: NDArray[np.int32],
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
) -> tuple[NDArray[Weights], NDArray[np.int32]]:
    """Zero the channels whose output is the zero point for every input, so that their shift does not matter."""
    dead = _dead(multiplier, shift)
    rounds_to_zero = _magnitudes(rows, folded) < (
        1 << (np.clip(-shift.astype(np.int64), 1, 62) - 1)
    )
    unproved = dead & ~rounds_to_zero & (multiplier != 0)
    if unproved.any():
        channel = int(np.argmax(unproved))
        raise PackingError(
            f"channel {channel}: shift {int(shift[channel])} is below -{LARGEST_SHIFT}"
            " and its accumulator may still reach the output"
        )
    return (
        np.where(dead[:, None], 0, rows).astype(rows.dtype),
        np.where(dead, 0, folded).astype(np.int32),
    )


def _proved(
    rows: NDArray[Weights],
    folded: NDArray[np.int32],
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    nearest: bool,
) -> tuple[NDArray[Weights], NDArray[np.int32]]:
    """Weights and bias of layers with a scale per channel, dead channels silenced, none too large."""
    rows, folded = _silence_dead_channels(rows, folded, multiplier, shift)
    _check_accumulators(rows, folded, shift, nearest=nearest)
    return rows, folded


def _dead(multiplier: NDArray[np.int32], shift: NDArray[np.int32]) -> NDArray[np.bool_]:
    return (multiplier == 0) | (shift < -LARGEST_SHIFT)


def _check_accumulators(
    rows: NDArray[Weights], folded: NDArray[np.int32], shift: NDArray[np.int32], *, nearest: bool
) -> None:
    """nearest: scales of 0.5 and more are shifted to the left by one bit more, and by one to the right."""
    left = np.clip(shift.astype(np.int64) + nearest, 0, 31)
    largest = int((_magnitudes(rows, folded) << left).max(initial=0))
    if largest >= 1 << 30:
        raise PackingError(
            f"accumulators may reach {largest}, the packed kernels need less than 2**30"
        )


def _check_raised(
    rows: NDArray[Weights], folded: NDArray[np.int32], shift: NDArray[np.int32], *, nearest: bool
) -> None:
    """Of MVE, those that one rounding shifts to the left; nothing else is to be proved there."""
    if nearest:
        raised = np.broadcast_to(shift >= 0, folded.shape)
        kept = shift if shift.size == 1 else shift[raised]
        _check_accumulators(rows[raised], folded[raised], kept, nearest=True)


def _fold_stage(
    multiplier: NDArray[np.int32], shift: NDArray[np.int32], group: int, *, any_shift: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Doubled multipliers (modulo 2**32) and right shifts, positive unless any_shift, padded to `group`."""
    dead = _dead(multiplier, shift)
    live_multiplier, live_shift = multiplier[~dead], shift[~dead]
    if (live_multiplier < 1 << 30).any():
        raise PackingError(f"multiplier {int(live_multiplier.min())} is below 2**30")
    if not any_shift and (live_shift > -1).any():
        raise PackingError(
            f"shift {int(live_shift.max())} is not negative: the scale is 0.5 or more"
        )
    doubled = _wrap(np.where(dead, 0, multiplier.astype(np.int64)) * 2)
    right = np.where(dead, 1, -shift).astype(np.int32)
    return _pad_to(doubled, group, 0), _pad_to(right, group, 1)


def _arrange(
    implementation: Implementation, rows: NDArray[np.int8], *, deep: bool = False
) -> NDArray[np.int8]:
    """Weights (N, K) in the stream order of the matrix kernel, see `tinsmith_convolve_packed_s8` in tinsmith_nn.h.

    deep: the kernel takes sums apart before they leave their lanes.
    """
    channels = -(-rows.shape[0] // CHANNEL_GROUP) * CHANNEL_GROUP
    if implementation == "c":
        groups = _zero_padded(rows, channels, rows.shape[1]).reshape(
            -1, CHANNEL_GROUP, rows.shape[1]
        )
        return np.ascontiguousarray(groups.transpose(0, 2, 1)).reshape(-1)
    _check_lanes(rows, deep=deep)
    depth = -(-rows.shape[1] // DEPTH_BLOCK) * DEPTH_BLOCK
    padded = _zero_padded(rows, channels, depth).astype(np.int32)
    # lanes: (groups of 4 channels, pairs of channels, K); blocks: (groups, K / 4, k % 2, pair, k // 2)
    lanes = padded[0::2] + 256 * padded[1::2]
    blocks = lanes.reshape(-1, 2, depth // DEPTH_BLOCK, 2, 2).transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(blocks).astype("<i2").reshape(-1).view(np.int8)


def plain_rows(layer: PackedLayer, depth: int) -> NDArray[np.int8]:
    """The weights of a convolution for plain C, channel by channel: (C_OUT rounded up to a multiple of 4, depth)."""
    groups = layer.weights.reshape(-1, depth, CHANNEL_GROUP)
    return np.ascontiguousarray(groups.transpose(0, 2, 1)).reshape(-1, depth)


def lanes_of_groups(lanes: NDArray[np.int64]) -> NDArray[np.int8]:
    """Lanes of 16 bits of groups of channels in the stream order of the DSP kernel on weights of four bits.

    lanes: (groups, K).
    """
    padded = np.pad(lanes, ((0, 0), (0, -lanes.shape[1] % DEPTH_BLOCK)))
    blocks = padded.reshape(len(lanes), -1, 2, 2).transpose(0, 1, 3, 2)
    return np.ascontiguousarray(blocks).astype("<i2").reshape(-1).view(np.int8)


def _check_lanes(rows: NDArray[np.int8], *, deep: bool) -> None:
    if (rows == -128).any():
        raise PackingError("a weight is -128, which does not fit a lane of two channels")
    if deep:
        return
    top_sums = np.abs(rows[1::2].astype(np.int64)).sum(axis=1)
    if (top_sums >= 1 << 16).any():
        channel = 2 * int(np.argmax(top_sums)) + 1
        raise PackingError(
            f"channel {channel}: sum of |weights| is {int(top_sums.max())}, not below 2**16"
        )


def _zero_padded(rows: NDArray[np.int8], channels: int, depth: int) -> NDArray[np.int8]:
    if rows.shape == (channels, depth):
        return rows
    return np.pad(rows, ((0, channels - rows.shape[0]), (0, depth - rows.shape[1])))


def _pad_to(values: NDArray[np.int32], group: int, fill: int) -> NDArray[np.int32]:
    if len(values) % group == 0:
        return values
    return np.pad(values, (0, -len(values) % group), constant_values=fill)


def _wrap(values: NDArray[np.int64]) -> NDArray[np.int32]:
    return (values & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
