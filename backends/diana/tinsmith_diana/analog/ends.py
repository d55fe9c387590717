"""The ends of an analog layer's results, whatever its input is: exactly known, as converters give few numbers."""

import numpy as np
from numpy.typing import NDArray

from tinsmith_diana.analog.operator import (
    CONVERTED_MAX,
    CONVERTED_MIN,
    INPUT_MAX,
    INPUT_MIN,
    AnalogConv2D,
)

_ARRAY_BITS = 8
"""To which the array clips by itself."""

Integers = NDArray[np.int64]


def converted_ends(weights: NDArray[np.integer], gain: int, chunk_channels: int) -> Integers:
    """What converters give at least and at most, all chunks added: (2, outputs). Few weights do not reach -32 and 31.

    weights: -1, 0, 1, of shape (outputs, window height, window width, input channels).
    """
    total = np.zeros((2, len(weights)), np.int64)
    for first in range(0, weights.shape[3], chunk_channels):
        rows = weights[..., first : first + chunk_channels].reshape(len(weights), -1)
        ones, minus_ones = (rows == 1).sum(axis=1), (rows == -1).sum(axis=1)
        sums = np.stack(
            [
                INPUT_MIN * ones - INPUT_MAX * minus_ones,
                INPUT_MAX * ones - INPUT_MIN * minus_ones,
            ]
        )
        total += np.clip(sums // gain, CONVERTED_MIN, CONVERTED_MAX)
    return total


def result_ends(
    operator: AnalogConv2D,
    weights: NDArray[np.integer],
    multipliers: NDArray[np.integer],
    addends: NDArray[np.integer],
) -> Integers:
    """Before any clip, (2, outputs): a result goes up or down with what is converted, so its ends are at those ends.

    multipliers, addends: (outputs,).
    """
    converted = converted_ends(weights, operator.gain, operator.chunk_channels)
    offsets = addends.astype(np.int64) << operator.addend_shift
    return (converted * multipliers.astype(np.int64) + offsets) >> operator.shift


def needs_clip(operator: AnalogConv2D, ends: Integers) -> bool:
    """Whether results of less than the 8 bits that the array clips to may leave them, so that the core has to clip.

    ends: before any clip, (2, outputs). The array rectifies by itself.
    """
    least, most = operator.clip
    is_within = ends.max() <= most and (operator.rectified or ends.min() >= least)
    return operator.bits < _ARRAY_BITS and not bool(is_within)
