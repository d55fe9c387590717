"""The debugger's stub: how a program goes on, stops and ends."""

import time
from pathlib import Path

import pytest
from gdb_client import (
    BODY,
    DONE,
    ENTRY,
    FIRST_CSR,
    HEAD,
    LOOP_COUNT,
    ONE_CORE,
    PC,
    SAMPLE,
    TRAP,
    debugger,
    piped_debugger,
)
from support import EXIT_FAULT, EXIT_OUT_OF_CYCLES, link, simulate

_A0, _T3 = 10, 28


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    return link(SAMPLE, tmp_path, symbols={})


def test_session_to_the_exit(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        assert "QStartNoAckMode+" in gdb.ask("qSupported:swbreak+;hwbreak+")
        assert gdb.ask("?") == TRAP
        assert gdb.register(PC) == ENTRY
        assert gdb.ask(f"Z0,{DONE:x},4") == "OK"
        assert gdb.ask("c") == "T05swbreak:;thread:1;"
        assert (gdb.register(PC), gdb.register(_A0)) == (DONE, 18)
        assert gdb.ask("c") == "W07"
        assert gdb.exit_status() == 7


def test_session_over_the_standard_streams_keeps_output_apart(tmp_path: Path) -> None:
    source = f"{HEAD} li a0, STDOUT\n li a1, 0x24\n sb a1, 0(a0)\n exit_with 0\n"
    with piped_debugger(link(source, tmp_path, symbols={})) as gdb:
        assert gdb.ask("?") == TRAP
        assert gdb.ask("c") == "W00"
        assert gdb.exit_status() == 0
        assert gdb.process.stderr is not None
        assert gdb.process.stderr.read() == b"$"


def test_steps_through_a_hardware_loop(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        for _ in range(3):
            assert gdb.ask("s") == TRAP
        seen: list[tuple[int, int]] = []
        while gdb.register(PC) != DONE:
            seen.append((gdb.register(PC) - BODY, gdb.register(LOOP_COUNT)))
            assert gdb.ask("vCont;s:1;c") == TRAP
        assert seen == [(offset, count) for count in range(5, 0, -1) for offset in (0, 4, 8)]
        assert gdb.register(LOOP_COUNT) == 0
        assert gdb.ask("vCont;c") == "W07"


def test_breakpoint_in_a_loop_is_met_in_every_round(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        assert gdb.ask(f"Z1,{BODY:x},4") == "OK"
        values: list[int] = []
        for _ in range(3):
            assert gdb.ask("c") == "T05hwbreak:;thread:1;"
            assert gdb.register(PC) == BODY
            values.append(gdb.register(_A0))
        assert values == [3, 6, 9]
        assert gdb.ask(f"z1,{BODY:x},4") == "OK"
        assert gdb.ask("c") == "W07"


def test_program_goes_on_at_another_place(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        assert gdb.ask(f"Z0,{DONE:x},4") == "OK"
        assert gdb.ask(f"c{DONE:x}") == "T05swbreak:;thread:1;"
        assert gdb.register(_A0) == 0
        assert gdb.ask("s") == TRAP
        assert gdb.register(PC) == DONE + 4


_FAULTS = {
    "T04": (".word 0xffffffff", "illegal instruction 0xffffffff", "04"),
    "T0b": ("li a0, 0x50000000\n lw a1, 0(a0)", "load of 4 bytes at 0x50000000", "0b"),
    "T06": ("li a0, EVENT_UNIT\n sw t0, EU_MUTEX(a0)", "that does not hold it", "06"),
}


@pytest.mark.parametrize("signal", list(_FAULTS))
def test_fault_stops_with_a_signal_and_its_reason(signal: str, tmp_path: Path) -> None:
    code, reason, number = _FAULTS[signal]
    with debugger(link(f"{HEAD}{code}\n", tmp_path, symbols={}), *ONE_CORE) as gdb:
        assert gdb.ask("c") == f"{signal}thread:1;"
        assert "core 0: " in gdb.output[0]
        assert reason in gdb.output[0]
        assert gdb.ask(f"C{number}") == f"X{number}"
        assert gdb.exit_status() == EXIT_FAULT


def test_program_survives_a_fault_that_the_debugger_mends(tmp_path: Path) -> None:
    source = f"{HEAD} li a0, 0x50000000\nwrong: lw a1, 0(a0)\n ebreak\n exit_with 3\n"
    with debugger(link(source, tmp_path, symbols={}), *ONE_CORE) as gdb:
        assert gdb.ask("c").startswith("T0b")
        assert gdb.set_register(_A0, ENTRY) == "OK"
        assert gdb.ask("c") == TRAP
        assert gdb.output[-1].endswith("ebreak\n")
        assert gdb.set_register(PC, gdb.register(PC) + 2) == "OK"
        assert gdb.ask("c") == "W03"


def test_core_without_a_reason_to_wake_stops(tmp_path: Path) -> None:
    source = f"{HEAD} li a0, EVENT_UNIT\n cv.elw t0, EU_WAIT_CLEAR(a0)\n"
    with debugger(link(source, tmp_path, symbols={}), *ONE_CORE) as gdb:
        assert gdb.ask("c").startswith("T06")
        assert "every core sleeps" in gdb.output[0]
        assert gdb.ask("c") == f"W{EXIT_FAULT:02x}"


_TWO_CORES = f"""{HEAD}
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
            assert gdb.ask("s") == TRAP
            values.append(int.from_bytes(gdb.memory(0x10000000, 4), "little"))
            assert gdb.memory(0x10000000, 4) == values[-1].to_bytes(4, "little")
        assert values == sorted(values)
        assert values[-1] > values[10] > 0


def test_interrupt_stops_a_program_that_never_ends(tmp_path: Path) -> None:
    with debugger(link(_TWO_CORES, tmp_path, symbols={}), *ONE_CORE) as gdb:
        gdb.send(b"c")
        time.sleep(0.1)
        gdb.write(b"\x03")
        assert gdb.receive() == "T02thread:1;"
        assert gdb.register(_T3) > 0
        assert gdb.ask("s") == TRAP


def test_detached_program_runs_to_its_end(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        gdb.ask(f"Z0,{DONE:x},4")
        assert gdb.ask("D") == "OK"
        assert gdb.exit_status() == 7


@pytest.mark.parametrize("packet", ["k", "vKill;1"])
def test_killed_program_ends(packet: str, elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        gdb.send(packet.encode())
        assert gdb.exit_status() == EXIT_OUT_OF_CYCLES


def test_program_ends_with_its_debugger(elf: Path) -> None:
    with debugger(elf, *ONE_CORE) as gdb:
        gdb.hang_up()
        assert gdb.exit_status() == EXIT_OUT_OF_CYCLES


def test_endless_program_ends_with_its_debugger(tmp_path: Path) -> None:
    for session in (debugger, piped_debugger):
        with session(link(_TWO_CORES, tmp_path, symbols={}), *ONE_CORE) as gdb:
            gdb.send(b"c")
            gdb.hang_up()
            assert gdb.exit_status() == EXIT_OUT_OF_CYCLES


def test_debugged_run_takes_the_cycles_of_any_other(elf: Path) -> None:
    plain = simulate(elf, *ONE_CORE)
    report = elf.with_suffix(".debugged.json")
    with debugger(elf, *ONE_CORE, "--json", str(report)) as gdb:
        gdb.ask(f"Z0,{BODY:x},4")
        for _ in range(3):
            gdb.ask("c")
        gdb.ask("s")
        assert gdb.ask("D") == "OK"
        assert gdb.exit_status() == 7
    assert report.read_text(encoding="utf-8") == elf.with_suffix(".json").read_text(
        encoding="utf-8"
    )
    assert plain.status == 7
