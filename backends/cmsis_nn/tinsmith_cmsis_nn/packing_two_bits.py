"""Arrange a layer's constants of two bits for the packed kernels of `kernels/cmsis_nn` (`tinsmith_nn_two_bits.h`)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.parameters import ConvParameters

from tinsmith_cmsis_nn.packing import (
    CHANNEL_GROUP,
    DEPTH_BLOCK,
    Implementation,
    PackedLayer,
    PackingError,
    pack_convolution,
    pack_depthwise,
    pack_fully_connected,
    plain_rows,
)
from tinsmith_cmsis_nn.packing_narrow import pack_narrow_convolution, pack_narrow_depthwise

_WORD, _VECTOR = 16, 64
"""Weights that become bytes at once, of plain C and the DSP extension, and of MVE."""

_LOWEST = -2
_NUMBERS = 16
_MOST_OF_TOP = 1 << 10
"""Sums of |weights| of odd channels stay below: 128 times as much has 18 bits with a sign."""


def pack_convolution_two_bits(
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
    """Arrange for `tinsmith_convolve_packed_s2`, or with any_shift `tinsmith_convolve_packed_any_s2`.

    As `packing.pack_convolution`, with weights from -2 to 1.
    """
    wide = pack_convolution(
        _on_bytes(implementation),
        weights,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        any_shift=any_shift,
        nearest=nearest,
    )
    return _few(implementation, wide, weights[0].size)


def pack_fully_connected_two_bits(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    input_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_fully_connected_packed_s2`.

    As `packing.pack_fully_connected` for any shift, with weights from -2 to 1.
    """
    wide = pack_fully_connected(
        _on_bytes(implementation),
        weights,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        any_shift=True,
        nearest=nearest,
    )
    return _few(implementation, wide, weights.shape[1])


def pack_depthwise_two_bits(
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
    """Arrange for `tinsmith_depthwise_packed_s2`, or with any_shift `tinsmith_depthwise_packed_any_s2`.

    As `packing.pack_depthwise`, with weights from -2 to 1.
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
    return replace(wide, weights=_quarters(implementation, wide.weights))


def pack_narrow_convolution_two_bits(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    parameters: ConvParameters,
) -> PackedLayer:
    """Arrange for `tinsmith_convolve_packed_s2_narrow`, "c" or "dsp".

    As `packing_narrow.pack_narrow_convolution` for "c", with weights from -2 to 1.
    """
    wide = pack_narrow_convolution("c", weights, bias, parameters)
    return _few(implementation, wide, weights[0].size)


def pack_narrow_depthwise_two_bits(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    parameters: ConvParameters,
    *,
    input_size: tuple[int, int],
) -> PackedLayer:
    """Arrange for `tinsmith_depthwise_packed_s2_narrow`, "c" or "dsp".

    As `packing_narrow.pack_narrow_depthwise`, with weights from -2 to 1.
    """
    wide = pack_narrow_depthwise(implementation, weights, bias, parameters, input_size=input_size)
    return replace(wide, weights=_quarters(implementation, wide.weights))


def _on_bytes(implementation: Implementation) -> Implementation:
    """Whose arrangement of bytes this begins with: the DSP extension's has two channels in a lane."""
    return "c" if implementation == "dsp" else implementation


def _few(implementation: Implementation, wide: PackedLayer, depth: int) -> PackedLayer:
    if implementation != "dsp":
        return replace(wide, weights=_quarters(implementation, wide.weights))
    rows = plain_rows(wide, depth)
    _check_tops(rows)
    added = 2 if int(rows.min(initial=0)) == _LOWEST else 1
    counted = np.append(wide.bias, np.int32(added)).astype(np.int32)
    return replace(wide, weights=_words(rows, added), bias=counted)


def _check_tops(rows: NDArray[np.int8]) -> None:
    """Raise PackingError if the sum of an odd channel may leave the bits above the other one's."""
    sums = np.abs(rows[1::2].astype(np.int64)).sum(axis=1)
    if (sums >= _MOST_OF_TOP).any():
        channel = 2 * int(np.argmax(sums)) + 1
        raise PackingError(
            f"channel {channel}: sum of |weights| is {int(sums.max())}, of two bits the packed kernel needs less than"
            f" {_MOST_OF_TOP}"
        )


def _words(rows: NDArray[np.int8], added: int) -> NDArray[np.int8]:
    """Of the DSP extension: a word for each four channels and four values of k. rows: (N, K), N a multiple of 4."""
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % DEPTH_BLOCK))).astype(np.int64)
    blocks = padded.reshape(-1, CHANNEL_GROUP, padded.shape[1] // DEPTH_BLOCK, DEPTH_BLOCK)
    words = np.zeros((blocks.shape[0], blocks.shape[2]), np.int64)
    for half in range(2):
        for pair in range(2):
            first = 4 * half + 2 * pair
            for lane in range(2):
                bottom = blocks[:, 2 * pair, :, half + 2 * lane] + added
                top = blocks[:, 2 * pair + 1, :, half + 2 * lane] & 3
                words |= bottom << 2 * ((first + 8 * lane) % _NUMBERS)
                words |= top << 2 * ((first + 8 * lane + 7) % _NUMBERS)
    return words.astype("<u4").reshape(-1).view(np.int8)


def _quarters(implementation: Implementation, weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Of as many weights as become bytes at once, those of the first quarter in the lowest bits of bytes, and so on.
    2 is added but for MVE, which has shifts of bytes with a sign.
    """
    together, added = (_VECTOR, 0) if implementation == "mve" else (_WORD, 2)
    padded = np.pad(weights, (0, -len(weights) % together)).astype(np.uint8) + np.uint8(added)
    quarters = padded.reshape(-1, 4, together // 4) & np.uint8(3)
    packed = quarters[:, 0].copy()
    for index in range(1, 4):
        packed |= quarters[:, index] << np.uint8(2 * index)
    return packed.reshape(-1).view(np.int8)
