"""Element types of tensors, and their numpy and C twins."""

import enum

import numpy as np


class DType(enum.Enum):
    """The value is the name in IR text."""

    INT8 = "i8"
    UINT8 = "u8"
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
        """True for the integers, false for float32 and bool."""
        return self not in (DType.FLOAT32, DType.BOOL)

    @property
    def integer_range(self) -> tuple[int, int]:
        """Smallest and largest value; raises ValueError for float32 and bool."""
        if not self.is_integer:
            raise ValueError(f"{self.value} has no integer range")
        if self is DType.UINT8:
            return 0, 255
        half = 1 << (8 * self.size_bytes - 1)
        return -half, half - 1


_NUMPY: dict[DType, np.dtype[np.generic]] = {
    DType.INT8: np.dtype("<i1"),
    DType.UINT8: np.dtype("<u1"),
    DType.INT16: np.dtype("<i2"),
    DType.INT32: np.dtype("<i4"),
    DType.INT64: np.dtype("<i8"),
    DType.FLOAT32: np.dtype("<f4"),
    DType.BOOL: np.dtype("?"),
}
