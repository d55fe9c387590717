"""Weights and biases as DIANA's digital accelerator reads them from L2, byte by byte.

The orders are those of the packers of DORY's back end for DIANA (pulp-platform/dory), found with weights that tell
where they went. All go by 32-bit words from the most significant byte on: byte `i` of the order lies at `i ^ 3`.
"""

import numpy as np
from numpy.typing import NDArray

from tinsmith_diana.layouts import LANES, WORD_ORDER, padded

SLOTS = 4
"""Channels of a depthwise layer that share rows of weights: each has one of four lanes."""
_BIAS_BYTES = 4
_LOADED_BEYOND = LANES
"""A depthwise channel is loaded from its slot on, so the last ones up to 12 bytes beyond their rows."""


class PackingError(ValueError):
    """Weights or biases are none that the accelerator takes; the message says what is expected."""


def convolution_bytes(outputs: int, taps: int) -> int:
    """Of `packed_convolution`. taps: input channels * height * width of a window."""
    return padded(outputs) * (taps + _BIAS_BYTES)


def fully_connected_bytes(outputs: int, inputs: int) -> int:
    """Of `packed_fully_connected`."""
    return padded(outputs) * (padded(inputs) + LANES)


def depthwise_group_bytes(taps: int) -> int:
    """Of four channels of a depthwise layer, which is what each of them loads. taps: height * width of a window."""
    return LANES * (taps + _BIAS_BYTES)


def depthwise_bytes(channels: int, taps: int) -> int:
    """Of `packed_depthwise`: of all groups, and what the last channels load beyond them."""
    return -(-channels // SLOTS) * depthwise_group_bytes(taps) + _LOADED_BEYOND


def packed_convolution(
    weights: NDArray[np.integer], biases: NDArray[np.integer]
) -> NDArray[np.int8]:
    """For each 16 outputs, rows of 16 lanes, one lane an output: a row for each input channel, window row and window
    column, in this order, then four rows with the bytes of the biases, the lowest first.

    weights: int8 (outputs, window height, window width, input channels). biases: int32 (outputs,). Lanes of no output
    are zero. Raises PackingError for another shape or a value out of range.
    """
    _check(weights, biases, 4, weights.shape[0])
    outputs = weights.shape[0]
    blocks = padded(outputs) // LANES
    rows = weights.transpose(0, 3, 1, 2).reshape(outputs, -1)
    by_output = np.concatenate([rows.astype(np.int8), _bytes_of(biases, _BIAS_BYTES)], axis=1)
    lanes = _zero_padded(by_output, blocks * LANES)
    return in_words(lanes.reshape(blocks, LANES, -1).transpose(0, 2, 1))


def packed_depthwise(weights: NDArray[np.integer], biases: NDArray[np.integer]) -> NDArray[np.int8]:
    """For each 4 channels, rows of 16 lanes, channel i in lane 4 * (i mod 4), the other lanes zero: a row for each
    window row and column, then four of biases; and 16 zeros, as a channel is loaded from its own lane on.

    weights: int8 (1, window height, window width, channels). biases: int32 (channels,). Raises as
    `packed_convolution`.
    """
    _check(weights, biases, 4, weights.shape[-1])
    if weights.shape[0] != 1:
        raise PackingError(
            f"weights: expected one output of each channel, shape (1, height, width, channels), got {weights.shape}"
        )
    channels = weights.shape[3]
    groups = -(-channels // SLOTS)
    taps = weights.reshape(-1, channels).T.astype(np.int8)
    by_channel = np.concatenate([taps, _bytes_of(biases, _BIAS_BYTES)], axis=1)
    apart = _zero_padded(by_channel, groups * SLOTS).reshape(groups, SLOTS, -1)
    lanes = np.zeros((groups, apart.shape[2], SLOTS, LANES // SLOTS), np.int8)
    lanes[..., 0] = apart.transpose(0, 2, 1)
    return np.concatenate([in_words(lanes), np.zeros(_LOADED_BEYOND, np.int8)])


def packed_fully_connected(
    weights: NDArray[np.integer], biases: NDArray[np.integer]
) -> NDArray[np.int8]:
    """For each 16 outputs, blocks of 16 inputs: of each output its 16 weights; then 16 bytes for each output, its bias
    with the lowest byte first, and its sign in the upper twelve.

    weights: int8 (outputs, inputs). biases: int32 (outputs,). What is left over is zero. Raises as
    `packed_convolution`.
    """
    _check(weights, biases, 2, weights.shape[0])
    outputs, inputs = weights.shape
    blocks, parts = padded(outputs) // LANES, padded(inputs) // LANES
    square = np.zeros((blocks * LANES, parts * LANES), np.int8)
    square[:outputs, :inputs] = weights
    taps = square.reshape(blocks, LANES, parts, LANES).transpose(0, 2, 1, 3)
    words = _zero_padded(_bytes_of(biases, LANES), blocks * LANES)
    rows = np.concatenate([taps.reshape(blocks, -1), words.reshape(blocks, -1)], axis=1)
    return in_words(rows)


def _check(
    weights: NDArray[np.integer], biases: NDArray[np.integer], rank: int, outputs: int
) -> None:
    if weights.ndim != rank or min(weights.shape) < 1 or biases.shape != (outputs,):
        raise PackingError(
            f"expected weights of {rank} axes and as many biases as outputs, got weights of shape {weights.shape} and "
            f"biases of shape {biases.shape}"
        )
    for name, array, bits in (("weights", weights, 8), ("biases", biases, 32)):
        reach = 1 << (bits - 1)
        low, high = int(array.min()), int(array.max())
        if low < -reach or high >= reach:
            raise PackingError(
                f"{name}: expected integers of {bits} bits, got {low} to {high}; leave the layer to the CPU"
            )


def _bytes_of(biases: NDArray[np.integer], count: int) -> NDArray[np.int8]:
    """(outputs, count): the lowest byte first, from the fifth on those of the sign."""
    wide = biases.astype(np.int64)[:, None] >> np.minimum(8 * np.arange(count), 63)
    return (wide & 0xFF).astype(np.uint8).view(np.int8)


def _zero_padded(rows: NDArray[np.int8], count: int) -> NDArray[np.int8]:
    """With rows of zeros up to `count`."""
    return np.pad(rows, ((0, count - len(rows)), (0, 0)))


def in_words(order: NDArray[np.int8]) -> NDArray[np.int8]:
    """The bytes in their order, each at its place in a word. order: of a multiple of 4 bytes."""
    flat = np.ascontiguousarray(order).reshape(-1)
    return flat[np.arange(flat.size) ^ WORD_ORDER]
