"""Checked reading of a flatbuffer: every offset, length and size is tested before it is followed.

The Python flatbuffers library trusts its input (as the C++ one does after its verifier, which Python
lacks), so files from elsewhere are read by this module instead. The layout is that of
flatbuffers.dev/internals: a table starts with the signed distance to its vtable, a vtable holds its
own size, the table's size and one u16 offset per field; vectors and strings start with a u32 length.

Tables may share parts, so a small hostile file could unfold into a huge one. `Source` therefore
counts what is read and stops at a small multiple of the file's size.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import ModelError

_READS_PER_BYTE = 16
_READS_FOR_ANY_FILE = 1 << 20


class Source:
    """The bytes of a file, and how much of them may still be read."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self._budget_bytes = _READS_PER_BYTE * len(data) + _READS_FOR_ANY_FILE

    def check(self, position: int, size_bytes: int, where: str) -> None:
        """Raise ModelError unless `size_bytes` bytes from `position` lie inside the file."""
        if position < 0 or size_bytes < 0 or position + size_bytes > len(self.data):
            raise ModelError(
                f"{self.name}: {where}: expected {size_bytes} bytes at offset {position}, but the "
                f"file has {len(self.data)} bytes; it is truncated or damaged"
            )

    def spend(self, size_bytes: int, where: str) -> None:
        """Count bytes as read; raises ModelError when a file refers to its parts again and again."""
        self._budget_bytes -= size_bytes
        if self._budget_bytes < 0:
            raise ModelError(
                f"{self.name}: {where}: expected each part of the file to be used about once, but "
                f"more than {_READS_PER_BYTE} times its {len(self.data)} bytes were read; it is "
                "damaged or made to waste time"
            )

    def uint16(self, position: int, where: str) -> int:
        """The u16 at `position`."""
        self.check(position, 2, where)
        return int.from_bytes(self.data[position : position + 2], "little")

    def uint32(self, position: int, where: str) -> int:
        """The u32 at `position`."""
        self.check(position, 4, where)
        return int.from_bytes(self.data[position : position + 4], "little")

    def table(self, position: int, where: str) -> "Table":
        """The table that the u32 offset at `position` points to."""
        start = position + self.uint32(position, where)
        self.check(start, 4, where)
        vtable = start - int.from_bytes(self.data[start : start + 4], "little", signed=True)
        vtable_bytes = self.uint16(vtable, where)
        table_bytes = self.uint16(vtable + 2, where)
        if vtable_bytes < 4 or table_bytes < 4:
            raise ModelError(
                f"{self.name}: {where}: expected a vtable and a table of 4 bytes or more, got "
                f"{vtable_bytes} and {table_bytes}; the file is damaged"
            )
        self.check(vtable, vtable_bytes, where)
        self.check(start, table_bytes, where)
        self.spend(table_bytes, where)
        return Table(self, start, table_bytes, vtable, vtable_bytes, where)

    def absent_table(self, where: str) -> "Table":
        """What stands for a table that is not there: every field reads as 0, not as its default."""
        return Table(self, 0, 4, 0, 4, where, has_defaults=False)


@dataclass(frozen=True)
class Table:
    """A table of the file. Fields are known by their slot; an absent field reads as its default.

    where: what the table is, for messages ("operator 3"). has_defaults: false where a table is
    missing altogether, see Source.absent_table.
    """

    source: Source
    start: int
    table_bytes: int
    vtable: int
    vtable_bytes: int
    where: str
    has_defaults: bool = True

    def has(self, slot: int) -> bool:
        """True if the field is present."""
        return self._entry(slot) != 0

    def int8(self, slot: int, default: int = 0) -> int:
        """A signed byte: an enum, mostly."""
        return self._integer(slot, 1, True, default)

    def uint8(self, slot: int, default: int = 0) -> int:
        """An unsigned byte: the type of a union, mostly."""
        return self._integer(slot, 1, False, default)

    def int32(self, slot: int, default: int = 0) -> int:
        """A signed 32-bit integer."""
        return self._integer(slot, 4, True, default)

    def uint32(self, slot: int, default: int = 0) -> int:
        """An unsigned 32-bit integer."""
        return self._integer(slot, 4, False, default)

    def uint64(self, slot: int, default: int = 0) -> int:
        """An unsigned 64-bit integer."""
        return self._integer(slot, 8, False, default)

    def boolean(self, slot: int, default: bool = False) -> bool:
        """A byte that is not 0."""
        return self._integer(slot, 1, False, int(default)) != 0

    def float32(self, slot: int, default: float = 0.0) -> float:
        """A float, possibly NaN or infinite."""
        position = self._field(slot, 4)
        if position is None:
            return default if self.has_defaults else 0.0
        return float(struct.unpack_from("<f", self.source.data, position)[0])

    def string(self, slot: int) -> str:
        """Text, with what is not UTF-8 replaced; "" if absent."""
        start, length = self._spent_vector(slot, 1)
        return self.source.data[start : start + length].decode("utf-8", errors="replace")

    def uint8s(self, slot: int) -> NDArray[np.uint8]:
        """A vector of bytes, as a read-only view of the file; it does not count as read."""
        start, length = self._vector(slot, 1)
        return np.frombuffer(self.source.data, np.uint8, length, start)

    def int32s(self, slot: int) -> tuple[int, ...]:
        """A vector of signed 32-bit integers; () if absent."""
        start, length = self._spent_vector(slot, 4)
        return struct.unpack_from(f"<{length}i", self.source.data, start)

    def int64s(self, slot: int) -> tuple[int, ...]:
        """A vector of signed 64-bit integers; () if absent."""
        start, length = self._spent_vector(slot, 8)
        return struct.unpack_from(f"<{length}q", self.source.data, start)

    def float32s(self, slot: int) -> tuple[float, ...]:
        """A vector of floats, possibly NaN or infinite; () if absent."""
        start, length = self._spent_vector(slot, 4)
        return struct.unpack_from(f"<{length}f", self.source.data, start)

    def table(self, slot: int, where: str) -> "Table | None":
        """The table a field refers to, or None."""
        position = self._field(slot, 4)
        return None if position is None else self.source.table(position, where)

    def count(self, slot: int) -> int:
        """How many tables a vector of tables has; 0 if absent."""
        return self._vector(slot, 4)[1]

    def item(self, slot: int, index: int, where: str) -> "Table":
        """Table `index` of a vector of tables; raises ModelError for an index out of range."""
        start, length = self._vector(slot, 4)
        if not 0 <= index < length:
            raise ModelError(
                f"{self.source.name}: {self.where}: expected an index below {length} for {where}, "
                f"got {index}; the file is damaged"
            )
        return self.source.table(start + 4 * index, f"{where} {index}")

    def items(self, slot: int, where: str) -> Iterator["Table"]:
        """The tables of a vector of tables, one after the other."""
        for index in range(self.count(slot)):
            yield self.item(slot, index, where)

    def _entry(self, slot: int) -> int:
        entry = 4 + 2 * slot
        if entry + 2 > self.vtable_bytes:
            return 0
        return self.source.uint16(self.vtable + entry, self.where)

    def _field(self, slot: int, size_bytes: int) -> int | None:
        offset = self._entry(slot)
        if offset == 0:
            return None
        if offset + size_bytes > self.table_bytes:
            raise ModelError(
                f"{self.source.name}: {self.where}: expected field {slot} of {size_bytes} bytes "
                f"inside a table of {self.table_bytes}, got offset {offset}; the file is damaged"
            )
        return self.start + offset

    def _integer(self, slot: int, size_bytes: int, signed: bool, default: int) -> int:
        position = self._field(slot, size_bytes)
        if position is None:
            return default if self.has_defaults else 0
        data = self.source.data[position : position + size_bytes]
        return int.from_bytes(data, "little", signed=signed)

    def _vector(self, slot: int, item_bytes: int) -> tuple[int, int]:
        position = self._field(slot, 4)
        if position is None:
            return 0, 0
        start = position + self.source.uint32(position, self.where)
        length = self.source.uint32(start, self.where)
        self.source.check(start + 4, length * item_bytes, f"{self.where}, field {slot}")
        return start + 4, length

    def _spent_vector(self, slot: int, item_bytes: int) -> tuple[int, int]:
        start, length = self._vector(slot, item_bytes)
        self.source.spend(length * item_bytes, self.where)
        return start, length
