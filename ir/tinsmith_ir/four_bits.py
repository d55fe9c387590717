"""Integers of four bits as flash and files have them: two to a byte, the first in the lower half.

Arrays in Python hold each as an int8; only where bytes are counted or stored are they packed. A tensor has no gaps, so
a row of odd length ends inside a byte; what is left of the last byte is 0.
"""

import math
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array


def packed(array: Array) -> NDArray[np.uint8]:
    """The bytes of `array`, integers in [-8, 7] of any shape, in its order; half as many as elements, rounded up.

    Raises ValueError for others.
    """
    if not are_four_bits(array):
        raise ValueError("expected integers in [-8, 7], got others")
    halves = np.ascontiguousarray(array).reshape(-1).astype(np.uint8) & np.uint8(15)
    even = np.append(halves, np.zeros(halves.size % 2, np.uint8))
    return cast("NDArray[np.uint8]", even[::2] + even[1::2] * np.uint8(16))


def unpacked(data: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.int8]:
    """The elements in `data`, which must have as many bytes as `packed` gives of that shape; read-only."""
    halves = np.stack([data & np.uint8(15), data >> np.uint8(4)], axis=-1).astype(np.int8)
    elements = (halves.reshape(-1)[: math.prod(shape)] ^ np.int8(8)) - np.int8(8)
    elements.flags.writeable = False
    return elements.reshape(shape)


def are_four_bits(array: Array) -> bool:
    """True if all elements are within four bits."""
    low, high = DType.INT4.integer_range
    return low <= int(array.min()) and int(array.max()) <= high
