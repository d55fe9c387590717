"""Integers of four and of two bits as flash and files have them: two or four to a byte, the first in the lowest bits.

Arrays in Python hold each as an int8; only where bytes are counted or stored are they packed. A tensor has no gaps, so
a row may end inside a byte; what is left of the last byte is 0. ONNX has its INT4 and INT2 so, TFLite its INT4.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array


def packed(array: Array, dtype: DType) -> NDArray[np.uint8]:
    """The bytes of `array`, integers of `dtype` of any shape, in its order; as few as hold them.

    dtype: one that `is_packed`. Raises ValueError for integers beyond it.
    """
    if not fits(array, dtype):
        low, high = dtype.integer_range
        raise ValueError(f"expected integers in [{low}, {high}], got others")
    each = 8 // dtype.bits
    parts = np.ascontiguousarray(array).reshape(-1).astype(np.uint8) & np.uint8(
        (1 << dtype.bits) - 1
    )
    full = np.append(parts, np.zeros(-parts.size % each, np.uint8)).reshape(-1, each)
    result = np.zeros(len(full), np.uint8)
    for place in range(each):
        result |= full[:, place] << np.uint8(dtype.bits * place)
    return result


def unpacked(data: NDArray[np.uint8], shape: tuple[int, ...], dtype: DType) -> NDArray[np.int8]:
    """The elements in `data`, which must have as many bytes as `packed` gives of that shape; read-only."""
    mask, half = np.uint8((1 << dtype.bits) - 1), np.int8(1 << (dtype.bits - 1))
    places = range(0, 8, dtype.bits)
    parts = np.stack([(data >> np.uint8(place)) & mask for place in places], axis=-1)
    elements = (parts.astype(np.int8).reshape(-1)[: math.prod(shape)] ^ half) - half
    elements.flags.writeable = False
    return elements.reshape(shape)


def fits(array: Array, dtype: DType) -> bool:
    """True if all elements are integers of `dtype`."""
    low, high = dtype.integer_range
    return low <= int(array.min()) and int(array.max()) <= high
