"""Checked reading of the attributes of custom operators: the scalars of a FlexBuffer whose root is a map.

The layout is that of flatbuffers.dev/flatbuffers_internals, FlexBuffers: the last byte says how wide the root is, the
one before its type. A map is a vector of values, behind which each has a byte for its type, and in front of which stand
three numbers: the way to the vector of its keys, their width, and how many there are. Ways lead backwards.

`flatbuffers.flexbuffers` reads the same, but takes an offset of a damaged file from the end when it leads out of the
front, and so gives numbers where there are none.
"""

import struct
from dataclasses import dataclass

_WIDTHS = (1, 2, 4, 8)
_INT, _UINT, _FLOAT, _MAP, _BOOL = 1, 2, 3, 9, 26
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_LETTERS = {_INT: "bhiq", _UINT: "BHIQ", _BOOL: "BHIQ", _FLOAT: " efd"}


def scalars(data: bytes) -> dict[str, int | float]:
    """The numbers of a map by their keys, bool as 0 and 1; what else it holds is left out.

    Raises ValueError if there is no sound map.
    """
    if len(data) < 3:
        raise ValueError(f"{len(data)} bytes")
    buffer = _Buffer(data)
    width = data[-1]
    if data[-2] >> 2 != _MAP or width not in _WIDTHS:
        raise ValueError(f"a root of type {data[-2] >> 2}")
    root = len(data) - 2 - width
    values = root - buffer.unsigned(root, width)
    return buffer.map(values, _WIDTHS[data[-2] & 3])


@dataclass(frozen=True)
class _Buffer:
    data: bytes

    def map(self, values: int, width: int) -> dict[str, int | float]:
        count = self.unsigned(values - width, width)
        key_width = self.unsigned(values - 2 * width, width)
        keys = values - 3 * width - self.unsigned(values - 3 * width, width)
        if key_width not in _WIDTHS or count > len(self.data):
            raise ValueError(f"a map of {count} keys, {key_width} bytes wide")
        found: dict[str, int | float] = {}
        for index in range(count):
            at = keys + index * key_width
            key = self.key(at - self.unsigned(at, key_width))
            number = self.number(
                values + index * width, width, self.unsigned(values + count * width + index, 1)
            )
            if number is not None:
                found[key] = number
        return found

    def number(self, position: int, width: int, packed: int) -> int | float | None:
        """A scalar where it stands, or where a way leads; None for another type."""
        kind = packed >> 2
        if kind in _INDIRECT:
            position -= self.unsigned(position, width)
            kind, width = _INDIRECT[kind], _WIDTHS[packed & 3]
        if kind not in _LETTERS:
            return None
        letter = _LETTERS[kind][_WIDTHS.index(width)]
        if letter == " ":
            raise ValueError("a float of one byte")
        (number,) = struct.unpack(f"<{letter}", self.bytes(position, width))
        return number

    def unsigned(self, position: int, width: int) -> int:
        return int.from_bytes(self.bytes(position, width), "little")

    def bytes(self, position: int, size: int) -> bytes:
        if position < 0 or position + size > len(self.data):
            raise ValueError(f"{size} bytes at {position} of {len(self.data)}")
        return self.data[position : position + size]

    def key(self, position: int) -> str:
        end = self.data.find(b"\0", position) if position >= 0 else -1
        if end < 0:
            raise ValueError(f"a key at {position}")
        return self.data[position:end].decode("utf-8", "replace")
