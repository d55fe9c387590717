"""The debugger's stub: what a session sees and changes, and what it must not disturb."""

import time
from pathlib import Path

import pytest
from gdb_client import FIRST_CSR, FIRST_FLOAT, PC, Debugger, debugger, piped_debugger
from support import EXIT_FAULT, EXIT_OUT_OF_CYCLES, link, simulate

_ENTRY = 0x1C008000
_HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'
_ONE_CORE = ("--start-cluster", "--set", "cluster_cores=1")
_TRAP = "T05thread:1;"
_A0, _A1, _A5, _T3 = 10, 11, 15, 28
_LOOP_COUNT = FIRST_CSR + 0xCC2

# a0 = 3 + 3 * 5; the loop's body is at body, and done is behind it.
_PROGRAM = f"""{_HEAD}
.balign 4
.option norvc
  addi a0, zero, 3
  addi a5, zero, 5
  loop_setup 0, a5, 1f
body:
  addi a0, a0, 1
  addi a0, a0, 1
  addi a0, a0, 1
1:
done:
  lui a1, %hi(variable)
  sw a0, %lo(variable)(a1)
  lw a4, %lo(variable)(a1)
  exit_with 7
.data
.balign 4
variable: .word 0
"""
_BODY, _DONE = _ENTRY + 12, _ENTRY + 24


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    return link(_PROGRAM, tmp_path, symbols={})


def test_session_to_the_exit(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        assert "QStartNoAckMode+" in gdb.ask("qSupported:swbreak+;hwbreak+")
        assert gdb.ask("?") == _TRAP
        assert gdb.register(PC) == _ENTRY
        assert gdb.ask(f"Z0,{_DONE:x},4") == "OK"
        assert gdb.ask("c") == "T05swbreak:;thread:1;"
        assert (gdb.register(PC), gdb.register(_A0)) == (_DONE, 18)
        assert gdb.ask("c") == "W07"
        assert gdb.exit_status() == 7


def test_session_over_the_standard_streams_keeps_output_apart(tmp_path: Path) -> None:
    source = f"{_HEAD} li a0, STDOUT\n li a1, 0x24\n sb a1, 0(a0)\n exit_with 0\n"
    with piped_debugger(link(source, tmp_path, symbols={})) as gdb:
        assert gdb.ask("?") == _TRAP
        assert gdb.ask("c") == "W00"
        assert gdb.exit_status() == 0
        assert gdb.process.stderr is not None
        assert gdb.process.stderr.read() == b"$"


def test_steps_through_a_hardware_loop(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        for _ in range(3):
            assert gdb.ask("s") == _TRAP
        seen: list[tuple[int, int]] = []
        while gdb.register(PC) != _DONE:
            seen.append((gdb.register(PC) - _BODY, gdb.register(_LOOP_COUNT)))
            assert gdb.ask("vCont;s:1;c") == _TRAP
        assert seen == [(offset, count) for count in range(5, 0, -1) for offset in (0, 4, 8)]
        assert gdb.register(_LOOP_COUNT) == 0
        assert gdb.ask("vCont;c") == "W07"


def test_breakpoint_in_a_loop_is_met_in_every_round(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        assert gdb.ask(f"Z1,{_BODY:x},4") == "OK"
        values: list[int] = []
        for _ in range(3):
            assert gdb.ask("c") == "T05hwbreak:;thread:1;"
            assert gdb.register(PC) == _BODY
            values.append(gdb.register(_A0))
        assert values == [3, 6, 9]
        assert gdb.ask(f"z1,{_BODY:x},4") == "OK"
        assert gdb.ask("c") == "W07"


def test_registers_are_read_and_written(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
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
            _ENTRY,
            0x3F800000,
        )
        assert (gdb.register(FIRST_CSR + 1), gdb.register(FIRST_CSR + 2)) == (5, 3)
        words[_A1] = 99
        assert gdb.ask("G" + b"".join(word.to_bytes(4, "little") for word in words).hex()) == "OK"
        assert gdb.register(_A1) == 99
        assert gdb.ask(f"p{FIRST_CSR + 0x7C0:x}") == "E01"
        assert gdb.set_register(FIRST_CSR + 0xF14, 1) == "E01"


def test_written_registers_and_memory_are_what_the_program_sees(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        assert gdb.ask("s") == _TRAP
        assert gdb.ask("s") == _TRAP
        assert gdb.set_register(_A5, 2) == "OK"
        assert gdb.ask(f"M{_BODY + 4:x},4:{0x06450513.to_bytes(4, 'little').hex()}") == "OK"
        assert gdb.ask(f"Z0,{_DONE:x},4") == "OK"
        assert gdb.ask("c") == "T05swbreak:;thread:1;"
        assert gdb.register(_A0) == 3 + 2 * (1 + 100 + 1)
        assert gdb.set_register(_A0, 77) == "OK"
        assert gdb.ask("s") == _TRAP
        assert gdb.ask("s") == _TRAP
        assert gdb.ask("s") == _TRAP
        assert gdb.register(14) == 77


def test_program_goes_on_at_another_place(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        assert gdb.ask(f"Z0,{_DONE:x},4") == "OK"
        assert gdb.ask(f"c{_DONE:x}") == "T05swbreak:;thread:1;"
        assert gdb.register(_A0) == 0
        assert gdb.ask("s") == _TRAP
        assert gdb.register(PC) == _DONE + 4


def test_memory_is_read_and_written_in_bytes(elf: Path) -> None:
    with debugger(elf) as gdb:
        assert gdb.memory(_ENTRY, 4) == 0x00300513.to_bytes(4, "little")
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
        f"{_HEAD} li a0, L1\n li a1, L1 + 0x100000\n lw a2, 0(a1)\n lw a3, 0(a0)\n exit_with 0\n"
    )
    program = link(source, tmp_path, symbols={})
    with debugger(program, *_ONE_CORE) as gdb:
        before = gdb.register(FIRST_CSR + 0xB00)
        assert gdb.ask("m10100000,4") == "E01"  # the test-and-set view of L1
        assert gdb.ask("m10204000,4") == "E01"  # the event unit
        gdb.memory(0x10000000, 1024)
        assert gdb.memory(0x10000000, 4) == bytes(4)
        assert gdb.register(FIRST_CSR + 0xB00) == before
        assert gdb.ask("c") == "W00"


@pytest.mark.parametrize(
    ("kind", "name", "pc"),
    [(2, "watch", _DONE + 8), (3, "rwatch", _DONE + 12), (4, "awatch", _DONE + 8)],
)
def test_watchpoint_stops_behind_the_access(kind: int, name: str, pc: int, elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        gdb.ask(f"Z0,{_DONE + 4:x},4")
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
    with debugger(elf, *_ONE_CORE) as gdb:
        gdb.ask(f"Z0,{_DONE + 4:x},4")
        gdb.ask("c")
        address = _variable(gdb)
        for neighbour in (address - 1, address + 4):
            assert gdb.ask(f"Z4,{neighbour:x},1") == "OK"
        assert gdb.ask("c") == "W07"


_FAULTS = {
    "T04": (".word 0xffffffff", "illegal instruction 0xffffffff", "04"),
    "T0b": ("li a0, 0x50000000\n lw a1, 0(a0)", "load of 4 bytes at 0x50000000", "0b"),
    "T06": ("slti zero, zero, 0\n sltiu zero, zero, 5", "ends before it began", "06"),
}


@pytest.mark.parametrize("signal", list(_FAULTS))
def test_fault_stops_with_a_signal_and_its_reason(signal: str, tmp_path: Path) -> None:
    code, reason, number = _FAULTS[signal]
    with debugger(link(f"{_HEAD}{code}\n", tmp_path, symbols={}), *_ONE_CORE) as gdb:
        assert gdb.ask("c") == f"{signal}thread:1;"
        assert "core 0: " in gdb.output[0]
        assert reason in gdb.output[0]
        assert gdb.ask(f"C{number}") == f"X{number}"
        assert gdb.exit_status() == EXIT_FAULT


def test_program_survives_a_fault_that_the_debugger_mends(tmp_path: Path) -> None:
    source = f"{_HEAD} li a0, 0x50000000\nwrong: lw a1, 0(a0)\n ebreak\n exit_with 3\n"
    with debugger(link(source, tmp_path, symbols={}), *_ONE_CORE) as gdb:
        assert gdb.ask("c").startswith("T0b")
        assert gdb.set_register(_A0, _ENTRY) == "OK"
        assert gdb.ask("c") == _TRAP
        assert gdb.output[-1].endswith("ebreak\n")
        assert gdb.set_register(PC, gdb.register(PC) + 2) == "OK"
        assert gdb.ask("c") == "W03"


def test_core_without_a_reason_to_wake_stops(tmp_path: Path) -> None:
    source = f"{_HEAD} li a0, EVENT_UNIT\n cv.elw t0, EU_WAIT_CLEAR(a0)\n"
    with debugger(link(source, tmp_path, symbols={}), *_ONE_CORE) as gdb:
        assert gdb.ask("c").startswith("T06")
        assert "every core sleeps" in gdb.output[0]
        assert gdb.ask("c") == f"W{EXIT_FAULT:02x}"


_TWO_CORES = f"""{_HEAD}
  csrr a1, mhartid
  li a0, L1
  bnez a1, 2f
1: addi t3, t3, 1
  sw t3, 0(a0)
  j 1b
2: lw t4, 0(a0)
  nop
  nop
  j 2b
"""


def test_other_cores_run_while_one_steps_and_stand_while_it_stands(tmp_path: Path) -> None:
    elf = link(_TWO_CORES, tmp_path, symbols={})
    options = ("--start-cluster", "--set", "cluster_cores=2", "--gdb-core", "1")
    with debugger(elf, *options) as gdb:
        assert gdb.register(FIRST_CSR + 0xF14) == 1
        values: list[int] = []
        for _ in range(60):
            assert gdb.ask("s") == _TRAP
            values.append(int.from_bytes(gdb.memory(0x10000000, 4), "little"))
            assert gdb.memory(0x10000000, 4) == values[-1].to_bytes(4, "little")
        assert values == sorted(values)
        assert values[-1] > values[10] > 0


def test_interrupt_stops_a_program_that_never_ends(tmp_path: Path) -> None:
    with debugger(link(_TWO_CORES, tmp_path, symbols={}), *_ONE_CORE) as gdb:
        gdb.send(b"c")
        time.sleep(0.1)
        gdb.write(b"\x03")
        assert gdb.receive() == "T02thread:1;"
        assert gdb.register(_T3) > 0
        assert gdb.ask("s") == _TRAP


def test_detached_program_runs_to_its_end(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        gdb.ask(f"Z0,{_DONE:x},4")
        assert gdb.ask("D") == "OK"
        assert gdb.exit_status() == 7


@pytest.mark.parametrize("packet", ["k", "vKill;1"])
def test_killed_program_ends(packet: str, elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        gdb.send(packet.encode())
        assert gdb.exit_status() == EXIT_OUT_OF_CYCLES


def test_program_ends_with_its_debugger(elf: Path) -> None:
    with debugger(elf, *_ONE_CORE) as gdb:
        gdb.hang_up()
        assert gdb.exit_status() == EXIT_OUT_OF_CYCLES


def test_endless_program_ends_with_its_debugger(tmp_path: Path) -> None:
    for session in (debugger, piped_debugger):
        with session(link(_TWO_CORES, tmp_path, symbols={}), *_ONE_CORE) as gdb:
            gdb.send(b"c")
            gdb.hang_up()
            assert gdb.exit_status() == EXIT_OUT_OF_CYCLES


def test_debugged_run_takes_the_cycles_of_any_other(elf: Path) -> None:
    plain = simulate(elf, *_ONE_CORE)
    report = elf.with_suffix(".debugged.json")
    with debugger(elf, *_ONE_CORE, "--json", str(report)) as gdb:
        gdb.ask(f"Z0,{_BODY:x},4")
        for _ in range(3):
            gdb.ask("c")
        gdb.ask("s")
        assert gdb.ask("D") == "OK"
        assert gdb.exit_status() == 7
    assert report.read_text(encoding="utf-8") == elf.with_suffix(".json").read_text(
        encoding="utf-8"
    )
    assert plain.status == 7
