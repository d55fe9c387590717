"""Element types of tensors, and their numpy and C twins."""

import enum

import numpy as np


class DType(enum.Enum):
    """The value is the name in IR text."""

    INT8 = "i8"
    INT16 = "i16"
    INT32 = "i32"
    INT64 = "i64"
    FLOAT32 = "f32"
    BOOL = "bool"

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy twin, little-endian."""
        return _NUMPY[self]

    @property
    def size_bytes(self) -> int:
        """Bytes of one element."""
        return _NUMPY[self].itemsize

    @property
    def is_integer(self) -> bool:
        """True for the signed integers, false for float32 and bool."""
        return self in (DType.INT8, DType.INT16, DType.INT32, DType.INT64)

    @property
    def integer_range(self) -> tuple[int, int]:
        """Smallest and largest value; raises ValueError for float32 and bool."""
        if not self.is_integer:
            raise ValueError(f"{self.value} has no integer range")
        half = 1 << (8 * self.size_bytes - 1)
        return -half, half - 1


_NUMPY: dict[DType, np.dtype[np.generic]] = {
    DType.INT8: np.dtype("<i1"),
    DType.INT16: np.dtype("<i2"),
    DType.INT32: np.dtype("<i4"),
    DType.INT64: np.dtype("<i8"),
    DType.FLOAT32: np.dtype("<f4"),
    DType.BOOL: np.dtype("?"),
}
