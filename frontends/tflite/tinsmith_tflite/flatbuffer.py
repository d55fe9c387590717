"""Checked reading of a flatbuffer: every offset, length and size is tested before it is followed.

The Python flatbuffers library trusts its input (as the C++ one does after its verifier, which Python
lacks), so files from elsewhere are read by this module instead. The layout is that of
flatbuffers.dev/internals: a table starts with the signed distance to its vtable, a vtable holds its
own size, the table's size and one u16 offset per field; vectors and strings start with a u32 length.
Fields are asked for by the schema's names; `builtin.field` knows where they lie and of what type they are.

Tables may share parts, so a small hostile file could unfold into a huge one. `Source` therefore
counts what is read and stops at a small multiple of the file's size.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import ModelError

from tinsmith_tflite.builtin import Field, field

_READS_PER_BYTE = 16
_READS_FOR_ANY_FILE = 1 << 20
_REPEATS = 16


class Source:
    """The bytes of a file, and how much of them may still be read."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self._budget_bytes = _READS_PER_BYTE * len(data) + _READS_FOR_ANY_FILE
        self._may_repeat = False

    def allow_repeats(self) -> None:
        """Give what loops need, whose parts are read in each of their iterations: as much more as some files."""
        if not self._may_repeat:
            self._may_repeat = True
            self._budget_bytes += _REPEATS * (
                _READS_PER_BYTE * len(self.data) + _READS_FOR_ANY_FILE
            )

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

    def table(self, position: int, kind: str, where: str) -> "Table":
        """The table that the u32 offset at `position` points to. kind: its name in the schema."""
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
        return Table(self, kind, start, table_bytes, vtable, vtable_bytes, where)

    def absent_table(self, kind: str, where: str) -> "Table":
        """What stands for a table that is not there: every field reads as 0, not as its default."""
        return Table(self, kind, 0, 4, 0, 4, where, has_defaults=False)


@dataclass(frozen=True)
class Table:
    """A table of the file. Fields are known by the schema's names; an absent field reads as its default.

    kind: its name in the schema ("Conv2DOptions"). where: what the table is, for messages ("operator 3").
    has_defaults: false where a table is missing altogether, see Source.absent_table.
    """

    source: Source
    kind: str
    start: int
    table_bytes: int
    vtable: int
    vtable_bytes: int
    where: str
    has_defaults: bool = True

    def has(self, name: str) -> bool:
        """True if the field is present."""
        return self._entry(field(self.kind, name)) != 0

    def integer(self, name: str) -> int:
        """An integer, or an enum."""
        return int(self._number(name))

    def boolean(self, name: str) -> bool:
        """A byte that is not 0."""
        return bool(self._number(name))

    def real(self, name: str) -> float:
        """A float, possibly NaN or infinite."""
        return float(self._number(name))

    def text(self, name: str) -> str:
        """Text, with what is not UTF-8 replaced; "" if absent."""
        start, length = self._spent_vector(name, 1)
        return self.source.data[start : start + length].decode("utf-8", errors="replace")

    def octets(self, name: str) -> NDArray[np.uint8]:
        """A vector of bytes, as a read-only view of the file; it does not count as read."""
        start, length = self._vector(name, 1)
        return np.frombuffer(self.source.data, np.uint8, length, start)

    def integers(self, name: str) -> tuple[int, ...]:
        """A vector of signed integers of 32 or 64 bits; () if absent."""
        size_bytes = field(self.kind, name).item_bytes
        start, length = self._spent_vector(name, size_bytes)
        letter = {4: "i", 8: "q"}[size_bytes]
        return struct.unpack_from(f"<{length}{letter}", self.source.data, start)

    def reals(self, name: str) -> tuple[float, ...]:
        """A vector of floats, possibly NaN or infinite; () if absent."""
        start, length = self._spent_vector(name, 4)
        return struct.unpack_from(f"<{length}f", self.source.data, start)

    def table(self, name: str, kind: str, where: str) -> "Table | None":
        """The table a field refers to, or None."""
        position = self._position(name)
        return None if position is None else self.source.table(position, kind, where)

    def count(self, name: str) -> int:
        """How many tables a vector of tables has; 0 if absent."""
        return self._vector(name, 4)[1]

    def item(self, name: str, index: int, kind: str, where: str) -> "Table":
        """Table `index` of a vector of tables; raises ModelError for an index out of range."""
        start, length = self._vector(name, 4)
        if not 0 <= index < length:
            raise ModelError(
                f"{self.source.name}: {self.where}: expected an index below {length} for {where}, "
                f"got {index}; the file is damaged"
            )
        return self.source.table(start + 4 * index, kind, f"{where} {index}")

    def items(self, name: str, kind: str, where: str) -> Iterator["Table"]:
        """The tables of a vector of tables, one after the other."""
        for index in range(self.count(name)):
            yield self.item(name, index, kind, where)

    def _number(self, name: str) -> int | float:
        position = self._position(name)
        known = field(self.kind, name)
        if position is None:
            return known.default if self.has_defaults else 0
        return struct.unpack_from(f"<{known.format}", self.source.data, position)[0]

    def _entry(self, known: Field) -> int:
        entry = 4 + 2 * known.slot
        if entry + 2 > self.vtable_bytes:
            return 0
        return self.source.uint16(self.vtable + entry, self.where)

    def _position(self, name: str) -> int | None:
        """Where a field lies, all of which is inside the table and so inside the file; None if it is absent."""
        known = field(self.kind, name)
        offset = self._entry(known)
        if offset == 0:
            return None
        size_bytes = struct.calcsize(f"<{known.format}")
        if offset + size_bytes > self.table_bytes:
            raise ModelError(
                f"{self.source.name}: {self.where}: expected {name} of {size_bytes} bytes "
                f"inside a table of {self.table_bytes}, got offset {offset}; the file is damaged"
            )
        return self.start + offset

    def _vector(self, name: str, item_bytes: int) -> tuple[int, int]:
        position = self._position(name)
        if position is None:
            return 0, 0
        start = position + self.source.uint32(position, self.where)
        length = self.source.uint32(start, self.where)
        self.source.check(start + 4, length * item_bytes, f"{self.where}, {name}")
        return start + 4, length

    def _spent_vector(self, name: str, item_bytes: int) -> tuple[int, int]:
        start, length = self._vector(name, item_bytes)
        self.source.spend(length * item_bytes, self.where)
        return start, length
