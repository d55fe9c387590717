"""The one arrangement of weights that the MVE kernels ask for: fully connected, see `tinsmith_nn.h`."""

import numpy as np
from numpy.typing import NDArray

CHUNK = 16
"""Values of k in one vector."""

TOGETHER = 6
"""Output channels whose chunks follow each other."""


def arrange_fully_connected(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Groups of six rows (the last one may have fewer): for each chunk of sixteen columns, the chunks of the rows.

    weights: (N, K). Returns one dimension, N * K rounded up to a multiple of 16, zeros for the missing columns.
    """
    channels, depth = weights.shape
    padded = np.pad(weights, ((0, 0), (0, -depth % CHUNK)))
    groups = (padded[first : first + TOGETHER] for first in range(0, channels, TOGETHER))
    return np.concatenate([_by_chunks(group) for group in groups])


def _by_chunks(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """(rows, chunks, 16) to (chunks, rows, 16)."""
    return rows.reshape(len(rows), -1, CHUNK).transpose(1, 0, 2).reshape(-1)
