"""Integers of four bits as flash and files have them, two to a byte; few_bits.py has the rules."""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir import few_bits
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array


def packed(array: Array) -> NDArray[np.uint8]:
    """The bytes of `array`, integers in [-8, 7] of any shape, in its order; half as many as elements, rounded up.

    Raises ValueError for others.
    """
    return few_bits.packed(array, DType.INT4)


def unpacked(data: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.int8]:
    """The elements in `data`, which must have as many bytes as `packed` gives of that shape; read-only."""
    return few_bits.unpacked(data, shape, DType.INT4)
