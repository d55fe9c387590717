"""Reads the section and symbol tables of little-endian ELF files, 32 and 64 bits."""

import struct
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains.errors import ToolchainError

_ALLOCATED = 0x2
_WRITABLE = 0x1
_EXECUTABLE = 0x4
_SYMBOL_TABLE = 2
_NO_CONTENT = 8


@dataclass(frozen=True)
class Section:
    """A section header: address, offset and size as in the file, the rest from type and flags."""

    name: str
    address: int
    offset: int
    size_bytes: int
    is_allocated: bool
    is_writable: bool
    is_executable: bool
    has_content: bool


@dataclass(frozen=True)
class Symbol:
    """A named symbol; section is "" for symbols that belong to none (absolute, undefined).

    is_global: other files see it, weak ones too. is_defined: False of what another file has to define.
    """

    name: str
    address: int
    size_bytes: int
    section: str
    is_global: bool = True
    is_defined: bool = True


@dataclass(frozen=True)
class _Header:
    type: int
    flags: int
    name: int
    address: int
    offset: int
    size: int
    link: int


def read_sections(path: Path) -> tuple[Section, ...]:
    """All sections in file order. Raises ToolchainError if the file is not little-endian ELF."""
    data = path.read_bytes()
    headers, names = _headers(data, path)
    return tuple(_section(data, header, names) for header in headers)


def read_symbols(path: Path) -> tuple[Symbol, ...]:
    """All named symbols in file order; none if the file is stripped."""
    data = path.read_bytes()
    headers, names = _headers(data, path)
    sections = [_section(data, header, names).name for header in headers]
    symbols: list[Symbol] = []
    for header in headers:
        if header.type == _SYMBOL_TABLE:
            symbols.extend(_symbols(data, header, headers[header.link].offset, sections))
    return tuple(symbols)


def _headers(data: bytes, path: Path) -> tuple[list[_Header], int]:
    """Section headers, and the file offset of their names."""
    if data[:4] != b"\x7fELF" or data[5:6] != b"\x01":
        raise ToolchainError(f"{path} is not a little-endian ELF file")
    if _is_64(data):
        (table,) = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        fields = "<IIQQQQI"
    else:
        (table,) = struct.unpack_from("<I", data, 32)
        size, count, names = struct.unpack_from("<HHH", data, 46)
        fields = "<IIIIIII"
    headers: list[_Header] = []
    for index in range(count):
        values = struct.unpack_from(fields, data, table + index * size)
        name, kind, flags, address, offset, length, link = values
        headers.append(_Header(kind, flags, name, address, offset, length, link))
    return headers, headers[names].offset


def _is_64(data: bytes) -> bool:
    return data[4] == 2


def _section(data: bytes, header: _Header, names: int) -> Section:
    return Section(
        name=_text(data, names + header.name),
        address=header.address,
        offset=header.offset,
        size_bytes=header.size,
        is_allocated=bool(header.flags & _ALLOCATED),
        is_writable=bool(header.flags & _WRITABLE),
        is_executable=bool(header.flags & _EXECUTABLE),
        has_content=header.type != _NO_CONTENT,
    )


def _symbols(data: bytes, table: _Header, names: int, sections: list[str]) -> list[Symbol]:
    symbols: list[Symbol] = []
    wide = _is_64(data)
    entry = struct.calcsize("<IBBHQQ" if wide else "<IIIBBH")
    for start in range(table.offset, table.offset + table.size, entry):
        if wide:
            name, kind, _, index, value, size = struct.unpack_from("<IBBHQQ", data, start)
        else:
            name, value, size, kind, _, index = struct.unpack_from("<IIIBBH", data, start)
        if text := _text(data, names + name):
            section = sections[index] if 0 < index < len(sections) else ""
            symbols.append(
                Symbol(text, value, size, section, is_global=kind >> 4 != 0, is_defined=index != 0)
            )
    return symbols


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("utf-8", "replace")
