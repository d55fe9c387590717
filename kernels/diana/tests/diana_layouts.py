"""The bytes of DIANA's digital array, from tensors: images, vectors, and weights with biases inside.

By the layouts that HTVM's and DORY's code for DIANA show: element i lies at byte i XOR 3.
"""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]
LANES = 16


def swapped(data: NDArray[np.generic]) -> Bytes:
    """Elements of 8 bits, a multiple of four, with each four reversed."""
    return np.ascontiguousarray(data.astype(np.int8).reshape(-1, 4)[:, ::-1]).view(np.uint8).ravel()


def padded(tensor: Integers, axis: int) -> Integers:
    """With zeros behind, to a multiple of 16."""
    widths = [(0, 0)] * tensor.ndim
    widths[axis] = 0, -tensor.shape[axis] % LANES
    return np.pad(tensor, widths)


def conv_weights(weights: Integers, biases: Integers) -> Bytes:
    """weights: [outputs, inputs, rows, columns]. Of 16 outputs a row of bytes for each element, then their biases."""
    kernels = padded(weights, 0).reshape(-1, LANES, int(np.prod(weights.shape[1:])))
    rows = np.swapaxes(kernels, 1, 2)
    return swapped(np.concatenate([rows, _bias_rows(biases)], axis=1))


def depthwise_weights(weights: Integers, biases: Integers) -> Bytes:
    """weights: [channels, rows, columns]. Four channels share a row, each in the first of its four bytes."""
    channels = weights.shape[0]
    pixels = weights.shape[1] * weights.shape[2]
    lanes = np.zeros((-(-channels // 4) * 4, 4, pixels), np.int64)
    lanes[:channels, 0] = weights.reshape(channels, pixels)
    groups = lanes.reshape(-1, LANES, pixels)
    spread = np.zeros((lanes.shape[0], 4), np.int64)
    spread[:channels, 0] = biases
    return swapped(
        np.concatenate([np.swapaxes(groups, 1, 2), _bias_rows(spread.reshape(-1))], axis=1)
    )


def _bias_rows(biases: Integers) -> Integers:
    """[blocks, 4, 16]: a byte of 16 biases each, the lowest first."""
    blocks = padded(biases, 0).reshape(-1, 1, LANES)
    return blocks >> (8 * np.arange(4).reshape(1, 4, 1)) & 255


def fc_weights(weights: Integers, biases: Integers) -> Bytes:
    """weights: [outputs, inputs]. Of 16 outputs blocks of 16 inputs, then biases of 16 bytes each."""
    square = padded(padded(weights, 0), 1)
    blocks = square.reshape(square.shape[0] // LANES, LANES, square.shape[1] // LANES, LANES)
    bytes_of_biases = padded(biases, 0).reshape(-1, LANES, 1) >> np.minimum(
        8 * np.arange(LANES), 63
    )
    return swapped(
        np.concatenate(
            [
                np.swapaxes(blocks, 1, 2).reshape(blocks.shape[0], -1),
                (bytes_of_biases & 255).reshape(blocks.shape[0], -1),
            ],
            axis=1,
        )
    )
