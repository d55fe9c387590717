"""Weights as N-EUREKA reads them: words of 256 bits, in which the bits of many weights lie apart.

The accelerator multiplies its input with one bit of a weight after the other. So a weight, as an unsigned integer of
`bits` bits, is spread: of 3x3 windows a word holds one bit of all weights of 28 input channels, of 1x1 all bits of
those of 32. Public source: the test generator of pulp-nnx and its hardware abstraction; the layouts below say the same.

Bit i of a word is bit i % 8 of its byte i // 8. What is left over, channels behind the last one included, is zero.

| mode | words, in order | bit of a word for channel c, pixel p = 3 * y + x, bit b of the stored weight |
|---|---|---|
| 3x3 | output channel, then 28 input channels, then b | 28 * p + c % 28 |
| depthwise 3x3 | 28 channels, then b | 28 * p + c % 28 |
| 1x1 | output channel, then 32 input channels | 32 * (c % 32 // 4) + 4 * b + c % 4, b up to 8 |
"""

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

WORD_BYTES = 32
"""What the accelerator takes of weights at once."""

_WORD_BITS = 8 * WORD_BYTES
_CHANNELS_3X3, _CHANNELS_1X1 = 28, 32
_GROUP = 4
"""Channels of 1x1 whose bits lie together."""
_MOST_BITS = 8


class PackingError(ValueError):
    """Weights, or packed bytes, are not what the accelerator can be given; the message says what to do."""


class Mode(IntEnum):
    """What the accelerator computes; the numbers are those of its registers and of tinsmith_neureka_mode_t in C."""

    CONV_3X3 = 0
    DEPTHWISE_3X3 = 1
    CONV_1X1 = 2

    @property
    def input_channels(self) -> int:
        """Input channels of a tile, whose weights share a word."""
        return _CHANNELS_1X1 if self is Mode.CONV_1X1 else _CHANNELS_3X3

    @property
    def side(self) -> int:
        """Height and width of the window."""
        return 1 if self is Mode.CONV_1X1 else 3


def packed_bytes(shape: Sequence[int], mode: Mode, bits: int) -> int:
    """How many bytes `packed_weights` makes of weights of a shape; a multiple of 32. Raises as it does."""
    rows, tiles = _rows_and_tiles(shape, mode)
    return rows * tiles * _words(mode, _checked_bits(bits)) * WORD_BYTES


def packed_weights(
    weights: NDArray[np.integer], mode: Mode, bits: int, offset: int
) -> NDArray[np.uint8]:
    """The bytes of a layer's weights, as `places.weights` of tinsmith/neureka.h wants them.

    weights: as operators of tinsmith_ir have them, (output channels, height, width, input channels), of depthwise
    layers (1, height, width, channels) with one output of each channel; height and width are the mode's. bits: 2 to 8,
    of each weight as it is stored. offset: the layer's weight offset, which the accelerator adds to what is stored:
    weights are in [offset, offset + 2 ** bits), so int8 has 8 bits and -128.

    Raises PackingError if shape or bits are none of the mode's, or a weight is out of range.
    """
    rows, tiles = _rows_and_tiles(weights.shape, mode)
    stored = _stored(weights, _checked_bits(bits), offset)
    channels = mode.input_channels
    spare = tiles * channels - weights.shape[3]
    flat = stored.reshape(rows, mode.side**2, weights.shape[3])
    padded = np.pad(flat, ((0, 0), (0, 0), (0, spare)))
    apart = padded.reshape(rows, -1, tiles, channels, 1) >> np.arange(bits) & 1
    if mode is Mode.CONV_1X1:
        return _words_of_1x1(apart)
    return _words_of_3x3(apart)


def unpacked_weights(
    packed: NDArray[np.uint8], shape: Sequence[int], mode: Mode, bits: int, offset: int
) -> NDArray[np.int32]:
    """The weights that `packed_weights` was given.

    packed: its bytes. shape: of the weights. mode, bits, offset: as there. What is left over in words is not looked at.

    Raises PackingError if there are not as many bytes as such weights have, and as `packed_weights` does.
    """
    wanted = packed_bytes(shape, mode, bits)
    if packed.size != wanted:
        raise PackingError(
            f"packed weights: expected {wanted} bytes for shape {tuple(shape)}, {mode.name} and {bits} bits, "
            f"got {packed.size}; give the bytes of one layer as packed_weights made them"
        )
    rows, tiles = _rows_and_tiles(shape, mode)
    words = np.unpackbits(packed.reshape(-1, WORD_BYTES), axis=1, bitorder="little")
    if mode is Mode.CONV_1X1:
        apart = words.reshape(rows, tiles, -1, _MOST_BITS, _GROUP).transpose(0, 1, 2, 4, 3)
    else:
        used = words[:, : mode.side**2 * mode.input_channels]
        apart = used.reshape(rows, tiles, bits, -1, mode.input_channels).transpose(0, 3, 1, 4, 2)
    apart = apart.reshape(rows, mode.side**2, tiles * mode.input_channels, -1)
    stored = (apart[..., :bits].astype(np.int32) << np.arange(bits, dtype=np.int32)).sum(axis=3)
    return (stored[:, :, : shape[3]] + offset).reshape(shape).astype(np.int32)


def _rows_and_tiles(shape: Sequence[int], mode: Mode) -> tuple[int, int]:
    """Rows of weights that each have words of their own, and how many tiles of input channels a row has."""
    side = mode.side
    rows = "1" if mode is Mode.DEPTHWISE_3X3 else "output channels"
    is_shape = len(shape) == 4 and tuple(shape[1:3]) == (side, side) and min(shape) > 0
    if not is_shape or (mode is Mode.DEPTHWISE_3X3 and shape[0] != 1):
        raise PackingError(
            f"weights: expected shape ({rows}, {side}, {side}, channels) for {mode.name}, got {tuple(shape)}; "
            "leave layers with other windows to another engine"
        )
    return shape[0], -(-shape[3] // mode.input_channels)


def _words(mode: Mode, bits: int) -> int:
    """Of a row's tile of input channels."""
    return 1 if mode is Mode.CONV_1X1 else bits


def _checked_bits(bits: int) -> int:
    if not 2 <= bits <= _MOST_BITS:
        raise PackingError(
            f"weights: expected 2 to {_MOST_BITS} bits, got {bits}; weights of one bit are stored with two"
        )
    return bits


def _stored(weights: NDArray[np.integer], bits: int, offset: int) -> NDArray[np.int64]:
    stored = weights.astype(np.int64) - offset
    wrong = np.argwhere((stored < 0) | (stored >= 1 << bits))
    if wrong.size:
        place = tuple(map(int, wrong[0]))
        raise PackingError(
            f"weights: expected integers in [{offset}, {offset + (1 << bits)}) for {bits} bits and offset {offset}, "
            f"got {weights[place]} at {place}; choose another offset or more bits"
        )
    return stored


def _words_of_3x3(apart: NDArray[np.int64]) -> NDArray[np.uint8]:
    """apart: (rows, pixels, tiles, channels, bits)."""
    rows, pixels, tiles, channels, bits = apart.shape
    in_order = apart.transpose(0, 2, 4, 1, 3).reshape(rows * tiles * bits, pixels * channels)
    return _packed(np.pad(in_order, ((0, 0), (0, _WORD_BITS - pixels * channels))))


def _words_of_1x1(apart: NDArray[np.int64]) -> NDArray[np.uint8]:
    """apart: (rows, 1, tiles, channels, bits)."""
    rows, _, tiles, channels, bits = apart.shape
    all_bits = np.pad(apart[:, 0], ((0, 0), (0, 0), (0, 0), (0, _MOST_BITS - bits)))
    groups = all_bits.reshape(rows, tiles, channels // _GROUP, _GROUP, _MOST_BITS)
    return _packed(groups.transpose(0, 1, 2, 4, 3).reshape(rows * tiles, _WORD_BITS))


def _packed(words: NDArray[np.int64]) -> NDArray[np.uint8]:
    """words: (words, 256), each bit an element."""
    return np.packbits(words.astype(np.uint8), axis=1, bitorder="little").reshape(-1)
