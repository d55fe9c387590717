"""The arrangements of weights that depthwise convolution pixel by pixel asks for, see `tinsmith_nn.h`.

Each takes weights (C, taps) and returns int16 in one dimension, little-endian, as bytes.
"""

import numpy as np
from numpy.typing import NDArray

TOGETHER = 4
"""Channels of a block, of C and DSP."""

MVE_TOGETHER = 8
_LANES = (0, 2, 1, 3)
"""Channels of a block as two words have them, two lanes each, that meet words made by sxtb16."""


def arrange_blocks(rows: NDArray[np.int16]) -> NDArray[np.int8]:
    """For each block of four channels, tap by tap; the last block has channels again if C is no multiple of 4."""
    return _bytes(_blocks(rows))


def arrange_lanes(rows: NDArray[np.int16]) -> NDArray[np.int8]:
    """The same, each tap as two words of two channels."""
    return _bytes(_blocks(rows)[:, :, _LANES])


def arrange_padded(rows: NDArray[np.int16]) -> NDArray[np.int8]:
    """For each block of eight channels, tap by tap, zeros for missing channels."""
    padded = np.pad(rows, ((0, -len(rows) % MVE_TOGETHER), (0, 0)))
    return _bytes(padded.reshape(-1, MVE_TOGETHER, rows.shape[1]).transpose(0, 2, 1))


def _blocks(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """(blocks, taps, 4)."""
    channels = len(rows)
    starts = [min(first, channels - TOGETHER) for first in range(0, channels, TOGETHER)]
    return np.stack([rows[first : first + TOGETHER].T for first in starts])


def _bytes(blocks: NDArray[np.int16]) -> NDArray[np.int8]:
    return np.ascontiguousarray(blocks).astype("<i2").reshape(-1).view(np.int8)
