"""Weights and scales as DIANA's analog accelerator reads them from L2, byte by byte.

The orders are those of the packers of DORY's back end for DIANA (pulp-platform/dory), as kernels/diana's
tinsmith_diana_analog.h says them. All go by 32-bit words from the most significant byte on: byte `i` of the order lies
at `i ^ 3`.
"""

import numpy as np
from numpy.typing import NDArray

from tinsmith_diana.layouts import LANES, padded
from tinsmith_diana.packing import in_words

LINE = 128
"""Outputs of which lines of bits have a multiple."""
LINES_A_LOAD = 32
"""Of which a load takes a multiple, two for each row."""
_BLOCK = 64
"""Rows of the array whose cells have the same signs."""
_EVEN_BLOCKS, _ODD_BLOCKS = range(6, 12), range(9, 18)
"""Blocks of rows in which cells of even columns, and of odd ones, are not negated."""

Integers = NDArray[np.integer]


def packed_lines(weights: Integers) -> NDArray[np.int8]:
    """For each row two lines of bits, one bit for each output: of the ones, of the minus ones. Rows are numbered input
    channel, window row, window column; they come from the last to the first, behind rows of zeros that make their
    number a multiple of 16. Cells are negated as the array has them, from its first row on.

    weights: -1, 0, 1, of shape (outputs, window height, window width, input channels). Bits of no output are zero.
    """
    outputs = weights.shape[0]
    rows = weights.transpose(3, 1, 2, 0).reshape(-1, outputs)
    columns = -(-outputs // LINE) * LINE
    cells = np.zeros((padded(len(rows)), columns), np.int8)
    cells[: len(rows), :outputs] = rows
    cells = cells[::-1] * _signs(*cells.shape)
    bits = np.stack([cells == 1, cells == -1], axis=1)
    return in_words(np.packbits(bits, axis=2).view(np.int8))


def packed_scales(multipliers: Integers, addends: Integers) -> NDArray[np.int8]:
    """For each 16 outputs their multipliers, then their addends; of no output zero. Both int8 (outputs,)."""
    both = np.zeros((2, padded(len(multipliers))), np.int8)
    both[0, : len(multipliers)], both[1, : len(addends)] = multipliers, addends
    return in_words(both.reshape(2, -1, LANES).transpose(1, 0, 2))


def _signs(rows: int, columns: int) -> NDArray[np.int8]:
    """What the array negates is packed negated."""
    blocks = np.arange(rows) // _BLOCK
    signs = np.empty((rows, columns), np.int8)
    signs[:, 0::2] = np.where(np.isin(blocks, _EVEN_BLOCKS), 1, -1)[:, None]
    signs[:, 1::2] = np.where(np.isin(blocks, _ODD_BLOCKS), 1, -1)[:, None]
    return signs
