"""Element types of tensors, and their numpy and C twins."""

import enum
from typing import TYPE_CHECKING

import numpy as np


class DType(enum.Enum):
    """The value is the name in IR text.

    INT4 and INT2 are of constants alone, the weights of some operators: an array holds each element as an int8, flash
    and text two or four in a byte (few_bits.py).
    """

    INT8 = "i8"
    UINT8 = "u8"
    INT16 = "i16"
    INT32 = "i32"
    INT64 = "i64"
    FLOAT32 = "f32"
    BOOL = "bool"
    INT4 = "i4"
    INT2 = "i2"

    # Members are one object each; Enum's own hash goes by the name, which is asked for very often.
    if TYPE_CHECKING:

        def __hash__(self) -> int:
            """That of an object."""
            ...
    else:
        __hash__ = object.__hash__

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy twin, little-endian."""
        return _NUMPY[self]

    @property
    def size_bytes(self) -> int:
        """Bytes of one element by itself."""
        return _NUMPY[self].itemsize

    @property
    def bits(self) -> int:
        """Bits of one element among others."""
        return _FEW_BITS.get(self) or 8 * self.size_bytes

    @property
    def is_packed(self) -> bool:
        """True if several share a byte, where bytes are counted or stored."""
        return self in _FEW_BITS

    @property
    def is_integer(self) -> bool:
        """True for the integers, false for float32 and bool."""
        return self not in (DType.FLOAT32, DType.BOOL)

    @property
    def integer_range(self) -> tuple[int, int]:
        """Smallest and largest value; raises ValueError for float32 and bool."""
        if not self.is_integer:
            raise ValueError(f"{self.value} has no integer range")
        if self is DType.UINT8:
            return 0, 255
        half = 1 << (self.bits - 1)
        return -half, half - 1


_NUMPY: dict[DType, np.dtype[np.generic]] = {
    DType.INT8: np.dtype("<i1"),
    DType.UINT8: np.dtype("<u1"),
    DType.INT16: np.dtype("<i2"),
    DType.INT32: np.dtype("<i4"),
    DType.INT64: np.dtype("<i8"),
    DType.FLOAT32: np.dtype("<f4"),
    DType.BOOL: np.dtype("?"),
    DType.INT4: np.dtype("<i1"),
    DType.INT2: np.dtype("<i1"),
}
_FEW_BITS = {DType.INT4: 4, DType.INT2: 2}

COMPUTED_DTYPES = tuple(dtype for dtype in DType if not dtype.is_packed)
"""Those of inputs and results; constants have another."""
