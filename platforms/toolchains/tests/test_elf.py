"""The ELF reader, on a file put together by hand."""

import struct
from pathlib import Path

import pytest
from tinsmith_toolchains import Symbol, ToolchainError, read_sections, read_symbols

_NAMES = b"\0.text\0.bss\0.symtab\0.strtab\0run\0"


def _file(path: Path) -> Path:
    """A 32-bit file: 8 bytes of .text, 32 of .bss, one symbol `run` in .text."""
    symbol = struct.pack("<IIIBBH", _NAMES.index(b"run"), 0x101, 8, 0x12, 0, 1)
    names_at = 52
    symbols_at = names_at + len(_NAMES)
    table_at = symbols_at + 16 + len(symbol)

    def header(name: bytes, kind: int, flags: int, address: int, at: int, size: int) -> bytes:
        start = _NAMES.index(name) if name else 0
        return struct.pack("<10I", start, kind, flags, address, at, size, 4, 0, 4, 0)

    headers = [
        header(b"", 0, 0, 0, 0, 0),
        header(b".text", 1, 0x6, 0x100, names_at, 8),
        header(b".bss", 8, 0x3, 0x2000_0000, 0, 32),
        header(b".symtab", 2, 0, 0, symbols_at, 16 + len(symbol)),
        header(b".strtab", 3, 0, 0, names_at, len(_NAMES)),
    ]
    start = b"\x7fELF\x01\x01\x01" + bytes(9)
    fields = struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 0, table_at, 0, 52, 0, 0, 40, 5, 4)
    path.write_bytes(start + fields + _NAMES + bytes(16) + symbol + b"".join(headers))
    return path


def test_sections_are_decoded(tmp_path: Path) -> None:
    sections = {item.name: item for item in read_sections(_file(tmp_path / "a.elf"))}

    text, bss = sections[".text"], sections[".bss"]
    assert (text.address, text.size_bytes) == (0x100, 8)
    assert text.is_executable
    assert text.has_content
    assert not text.is_writable
    assert (bss.address, bss.size_bytes) == (0x2000_0000, 32)
    assert bss.is_writable
    assert bss.is_allocated
    assert not bss.has_content


def test_symbols_name_their_section(tmp_path: Path) -> None:
    assert read_symbols(_file(tmp_path / "a.elf")) == (Symbol("run", 0x101, 8, ".text"),)


@pytest.mark.parametrize("content", [b"", b"MZ", b"\x7fELF\x01\x02" + bytes(60)])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)

    with pytest.raises(ToolchainError, match="not a little-endian ELF"):
        read_sections(path)
