"""The arrangements of weights that the MVE kernels ask for: fully connected, see `tinsmith_nn.h`."""

import numpy as np
from numpy.typing import NDArray

CHUNK = 16
"""Values of k in one vector."""

TOGETHER = 6
"""Output channels whose chunks follow each other."""


PAIRS_TOGETHER = 3
"""Pairs of output channels of four bits whose chunks follow each other."""

SMALL_TOGETHER = 4
"""The same in layers of few weights."""


def arrange_fully_connected(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Groups of six rows (the last one may have fewer): for each chunk of sixteen columns, the chunks of the rows.

    weights: (N, K). Returns one dimension, N * K rounded up to a multiple of 16, zeros for the missing columns.
    """
    return arrange_chunks(weights, TOGETHER)


def arrange_fully_connected_small(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Groups of four rows: for each chunk of sixteen columns, the chunks of the rows.

    weights: (N, K). Returns one dimension, N rounded up to a multiple of 4 times K to one of 16, zeros for what is
    missing.
    """
    missing = -len(weights) % SMALL_TOGETHER
    return arrange_chunks(np.pad(weights, ((0, missing), (0, 0))), SMALL_TOGETHER)


def arrange_pairs(pairs: NDArray[np.int8]) -> NDArray[np.int8]:
    """Groups of three rows, each of two channels: for each chunk of sixteen columns, the chunks of the rows; then the
    rows that are left, one after the other.

    pairs: (N, K). Returns one dimension, N * K rounded up to a multiple of 16, zeros for the missing columns.
    """
    grouped = len(pairs) // PAIRS_TOGETHER * PAIRS_TOGETHER
    left = (arrange_chunks(pairs[row : row + 1], 1) for row in range(grouped, len(pairs)))
    groups = [arrange_chunks(pairs[:grouped], PAIRS_TOGETHER)] if grouped else []
    return np.concatenate([*groups, *left])


def small_blocks(channels: int, depth: int) -> int:
    """Chunks of all rows."""
    return -(-channels // SMALL_TOGETHER) * SMALL_TOGETHER * -(-depth // CHUNK)


def arrange_chunks(weights: NDArray[np.int8], together: int) -> NDArray[np.int8]:
    """Groups of `together` rows, the last of what is left."""
    channels, depth = weights.shape
    padded = np.pad(weights, ((0, 0), (0, -depth % CHUNK)))
    groups = (padded[first : first + together] for first in range(0, channels, together))
    return np.concatenate([_by_chunks(group) for group in groups])


def _by_chunks(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """(rows, chunks, 16) to (chunks, rows, 16)."""
    return rows.reshape(len(rows), -1, CHUNK).transpose(1, 0, 2).reshape(-1)
