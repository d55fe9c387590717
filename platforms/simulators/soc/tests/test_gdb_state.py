"""The debugger's stub: registers, memory and watchpoints."""

from pathlib import Path

import pytest
from gdb_client import (
    BODY,
    DONE,
    ENTRY,
    FIRST_CSR,
    FIRST_FLOAT,
    HEAD,
    ONE_CORE,
    PC,
    SAMPLE,
    TRAP,
    Debugger,
    debugger,
)
from support import link

_A0, _A1, _A4, _A5, _T3 = 10, 11, 14, 15, 28


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    return link(SAMPLE, tmp_path, symbols={})


def test_registers_are_read_and_written(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        assert gdb.set_register(_T3, 0x12345678) == "OK"
        assert gdb.set_register(FIRST_FLOAT + 2, 0x3F800000) == "OK"
        assert gdb.set_register(FIRST_CSR + 3, 0x65) == "OK"
        assert gdb.set_register(0, 5) == "OK"
        digits = gdb.ask("g")
        words = [
            int.from_bytes(bytes.fromhex(digits[i : i + 8]), "little")
            for i in range(0, len(digits), 8)
        ]
        assert len(words) == 65
        assert (words[0], words[_T3], words[PC], words[FIRST_FLOAT + 2]) == (
            0,
            0x12345678,
            ENTRY,
            0x3F800000,
        )
        assert (gdb.register(FIRST_CSR + 1), gdb.register(FIRST_CSR + 2)) == (5, 3)
        words[_A1] = 99
        assert gdb.ask("G" + b"".join(word.to_bytes(4, "little") for word in words).hex()) == "OK"
        assert gdb.register(_A1) == 99
        assert gdb.ask(f"p{FIRST_CSR + 0x7C0:x}") == "E01"
        assert gdb.set_register(FIRST_CSR + 0xF14, 1) == "E01"


def test_written_registers_and_memory_are_what_the_program_sees(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        assert gdb.ask("s") == TRAP
        assert gdb.ask("s") == TRAP
        assert gdb.set_register(_A5, 2) == "OK"
        assert gdb.ask(f"M{BODY + 4:x},4:{0x06450513.to_bytes(4, 'little').hex()}") == "OK"
        assert gdb.ask(f"Z0,{DONE:x},4") == "OK"
        assert gdb.ask("c") == "T05swbreak:;thread:1;"
        assert gdb.register(_A0) == 3 + 2 * (1 + 100 + 1)
        assert gdb.set_register(_A0, 77) == "OK"
        assert gdb.ask("s") == TRAP
        assert gdb.ask("s") == TRAP
        assert gdb.ask("s") == TRAP
        assert gdb.register(_A4) == 77


def test_memory_is_read_and_written_in_bytes(elf: Path) -> None:
    with debugger(elf) as gdb:
        assert gdb.memory(ENTRY, 4) == 0x00300513.to_bytes(4, "little")
        assert gdb.ask("M10000001,3:aabbcc") == "OK"
        gdb.send(b"X10000005,4:}\x03\x01}]\x02")
        assert gdb.receive() == "OK"
        assert gdb.memory(0x10000000, 10) == bytes.fromhex("00aabbcc0023017d0200")
        assert gdb.memory(0, 4) == bytes.fromhex("00aabbcc")
        assert gdb.memory(0x1000FFFE, 8) == b"\0\0"
        for packet in ("m50000000,4", "M50000000,1:00", "M10000000,2:00", "m10000000", "Mx,1:00"):
            assert gdb.ask(packet) == "E01"
        assert gdb.ask("X10000000,0:") == "OK"


def test_reading_memory_neither_takes_time_nor_changes_devices(tmp_path: Path) -> None:
    source = (
        f"{HEAD} li a0, L1\n li a1, L1 + 0x100000\n lw a2, 0(a1)\n lw a3, 0(a0)\n exit_with 0\n"
    )
    program = link(source, tmp_path, symbols={})
    with debugger(program, *ONE_CORE) as gdb:
        before = gdb.register(FIRST_CSR + 0xB00)
        assert gdb.ask("m10100000,4") == "E01"  # the test-and-set view of L1
        assert gdb.ask("m10204000,4") == "E01"  # the event unit
        gdb.memory(0x10000000, 1024)
        assert gdb.memory(0x10000000, 4) == bytes(4)
        assert gdb.register(FIRST_CSR + 0xB00) == before
        assert gdb.ask("c") == "W00"


@pytest.mark.parametrize(
    ("kind", "name", "pc"),
    [(2, "watch", DONE + 8), (3, "rwatch", DONE + 12), (4, "awatch", DONE + 8)],
)
def test_watchpoint_stops_behind_the_access(kind: int, name: str, pc: int, elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        gdb.ask(f"Z0,{DONE + 4:x},4")
        gdb.ask("c")
        address = _variable(gdb)
        assert gdb.ask(f"Z{kind},{address + 1:x},1") == "OK"
        assert gdb.ask("c") == f"T05{name}:{address + 1:08x};thread:1;"
        assert gdb.register(PC) == pc
        assert gdb.ask(f"z{kind},{address + 1:x},1") == "OK"
        assert gdb.ask("c") == "W07"


def _variable(gdb: Debugger) -> int:
    """Where `sw a0, %lo(variable)(a1)` at pc stores."""
    store = int.from_bytes(gdb.memory(gdb.register(PC), 4), "little")
    offset = (store >> 25) << 5 | store >> 7 & 31
    return gdb.register(_A1) + (offset - 4096 if offset & 0x800 else offset)


def test_neighbouring_bytes_are_not_watched(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        gdb.ask(f"Z0,{DONE + 4:x},4")
        gdb.ask("c")
        address = _variable(gdb)
        for neighbour in (address - 1, address + 4):
            assert gdb.ask(f"Z4,{neighbour:x},1") == "OK"
        assert gdb.ask("c") == "W07"
