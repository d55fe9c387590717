"""A chip of a fabric controller alone, DIANA: what is there, what is not, and who reaches which memory."""

import json
from pathlib import Path

import pytest
from gdb_client import debugger
from support import (
    DIANA,
    EXIT_FAULT,
    EXIT_USE,
    HEAD,
    Run,
    checks,
    link,
    read_trace,
    run_checked,
    simulate,
)

_DIANA = ("--chip", str(DIANA))
_SHARED = 0x1C010000
_DEVICE = 0x1A10C000
_TOY = ("--part", f"device digital toy base={_DEVICE:#x} event=12 l2=1")


def _run(body: str, folder: Path, *options: str) -> Run:
    elf = link(f"{HEAD}{body}\n exit_with 0\n", folder, symbols={})
    return simulate(elf, *_DIANA, *options, "--most-cycles", "100000")


def _add(source: int, target: int) -> str:
    """Eight words at the source, doubled, to the target by the toy accelerator; sleeps until its event."""
    return f"""
  li s1, FC_INTERRUPTS
  li t1, 1 << 12
  sw t1, ITC_MASK_SET(s1)
  csrrci zero, mstatus, MIE
  li s0, {_DEVICE:#x}
  lw a0, 0x04(s0)
  li a1, {source:#x}
  sw a1, 0x20(s0)
  sw a1, 0x24(s0)
  li a1, {target:#x}
  sw a1, 0x28(s0)
  li a1, 8
  sw a1, 0x2C(s0)
  sw zero, 0(s0)
  wfi
  lw s5, ITC_STATUS(s1)
"""


def test_the_whole_second_level_is_the_cores(tmp_path: Path) -> None:
    """Also its private banks and a word across their end."""
    body = """
  li a0, 0x1C000000
  li a1, 0x01020304
  sw a1, 0(a0)
  lw a2, 0(a0)
  li a0, 0x1C00FFFE
  sw a1, 0(a0)
  lw a3, 0(a0)
  li a0, 0x1C07FFFC
  sw a1, 0(a0)
  lw a4, 0(a0)
"""
    expected = checks(*((register, "0x01020304") for register in ("a2", "a3", "a4")))
    run_checked(body + expected, tmp_path, *_DIANA, cores=0)


def test_program_may_lie_over_private_and_shared_banks(tmp_path: Path) -> None:
    """A segment from one to the other, whose instructions the core runs through."""
    body = f"{HEAD} li a0, 0\n.option norvc\n" + " addi a0, a0, 1\n" * 1024
    source = f"{body}{checks(('a0', '1024'))} exit_with 0\nfail:\n exit_with 1\n"
    elf = link(source, tmp_path, symbols={}, text=_SHARED - 0x802)
    run = simulate(elf, *_DIANA)
    assert run.status == 0, run.messages


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "li a0, L1\n lw a1, 8(a0)",
            "load of 4 bytes at 0x10000008: L1 is the devices' alone, no core reaches it; have it copied by a device "
            "that does: digital",
        ),
        ("li a0, L1\n sb a1, 1(a0)", "store of 1 bytes at 0x10000001: L1 is the devices' alone"),
        ("li a0, L1\n jr a0", "instructions are fetched from L1, which is the devices' alone"),
        ("li a0, 0x1C080000\n lw a1, 0(a0)", "load of 4 bytes at 0x1c080000: nothing is there"),
        ("lw a1, 8(zero)", "load of 4 bytes at 0x00000008: nothing is there"),
        ("li a0, 0x100000\n lw a1, 0(a0)", "load of 4 bytes at 0x00100000: nothing is there"),
        ("li a0, DMA\n lw a1, 0(a0)", "load of 4 bytes at 0x10204400: nothing is there"),
        ("li a0, EVENT_UNIT\n sw a1, 0(a0)", "store of 4 bytes at 0x10204000: nothing is there"),
        ("li a0, EVENT_UNIT_PERIPHERAL\n lw a1, 0(a0)", "at 0x10200800: nothing is there"),
        ("li a0, CONTROL\n lw a1, 0(a0)", "load of 4 bytes at 0x10200000: nothing is there"),
        ("li a0, TIMER\n lw a1, 4(a0)", "load of 4 bytes at 0x10200404: nothing is there"),
        ("li a0, 0x10201400\n sw a1, 0(a0)", "store of 4 bytes at 0x10201400: nothing is there"),
        ("li a0, 0x1A108800\n sw a1, 0(a0)", "store of 4 bytes at 0x1a108800: nothing is there"),
        (
            _add(_SHARED - 32, _SHARED),
            "digital: load of 32 bytes at 0x1c00ffe0: it does not reach the private banks of L2, which the cores have "
            "for themselves; the part that is shared begins at 0x1c010000",
        ),
        (
            _add(_SHARED - 4, _SHARED),
            "load of 32 bytes at 0x1c00fffc: it does not reach the private",
        ),
        (_add(_SHARED, 0x1C000000), "store of 32 bytes at 0x1c000000: it does not reach the"),
        ("wfi", "every core sleeps"),
    ],
)
def test_what_is_not_there_is_a_fault(body: str, reason: str, tmp_path: Path) -> None:
    run = _run(body, tmp_path, *_TOY)
    assert (run.status, reason in run.messages) == (EXIT_FAULT, True), run.messages
    assert "fabric controller at 0x" in run.messages


def test_device_works_between_both_memories_and_interrupts_the_core(tmp_path: Path) -> None:
    """L2 to L1, and what is in L1 back to L2; line 12 is what the core sleeps for."""
    fill = "".join(f"  li a1, {i + 1}\n  sw a1, {4 * i}(a0)\n" for i in range(8))
    body = f"  li a0, {_SHARED:#x}\n{fill}{_add(_SHARED, 0x1003FFE0)}"
    clear = "  li t1, 1 << 12\n  sw t1, ITC_STATUS_CLEAR(s1)\n"
    back = f"{_add(0x1003FFE0, _SHARED + 64)}  li a0, {_SHARED + 64:#x}\n  lw a2, 0(a0)\n  lw a3, 28(a0)\n"
    expected = checks(("a2", "4"), ("a3", "32"), ("s5", "1 << 12"))
    run_checked(body + clear + back + expected, tmp_path, *_DIANA, *_TOY, cores=0)


def test_core_has_its_timer_its_interrupts_and_the_chips_events(tmp_path: Path) -> None:
    body = """
  csrrci zero, mstatus, MIE
  li s1, FC_INTERRUPTS
  li t1, 1 << 10 | 1 << 26
  sw t1, ITC_MASK_SET(s1)
  li s0, FC_TIMER
  li t1, 100
  sw t1, 0x10(s0)
  li t1, 0x37          // on, from 0 on, interrupt, again from 0, once
  sw t1, 0(s0)
  wfi
  lw a0, ITC_STATUS(s1)
  sw a0, ITC_STATUS_CLEAR(s1)
  li s0, SOC_EVENTS
  sw zero, 0x08(s0)    // events 32 to 63 pass to the fabric controller
  sw zero, 0x28(s0)    // and would to a cluster
  li t1, 2
  sw t1, 0(s0)
  lw a1, ITC_STATUS(s1)
  sw a1, ITC_STATUS_CLEAR(s1)
  lw a2, ITC_SOC_EVENT(s1)
  csrr a3, mhartid
"""
    expected = checks(("a0", "1 << 10"), ("a1", "1 << 26"), ("a2", "49"), ("a3", "0x3E0"))
    run_checked(body + expected, tmp_path, *_DIANA, cores=0)


def test_counters_and_trace_are_of_one_core_and_its_devices(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    body = f" region_begin 3\n{_add(_SHARED, _SHARED + 64)} region_end 3\n"
    run = _run(body, tmp_path, *_TOY, "--trace", str(trace))
    assert run.status == 0, run.messages
    (core,) = run.cores
    report = json.loads((tmp_path / "program.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in report["cores"]] == ["fabric controller"]
    assert core.total.cycles == core.total.instructions + sum(core.total.stalls.values())
    assert core.regions[3].stalls["event"] > 0
    device, analog = report["devices"]
    assert (analog["name"], analog["jobs"]) == ("analog", 0)
    assert (device["name"], device["jobs"], device["bytes_loaded"]) == ("digital", 1, 64)
    tracks = read_trace(trace)
    assert tracks.keys() == {"fabric controller", "digital"}
    (job,) = tracks["digital"]
    assert job.ended - job.began == device["busy_cycles"]


def test_debugger_holds_the_one_core_and_sees_its_devices_memory(tmp_path: Path) -> None:
    elf = link(f"{HEAD} li a0, 5\n exit_with 0\n", tmp_path, symbols={})
    with debugger(elf, *_DIANA) as session:
        assert session.ask("M1003fffc,4:78563412") == "OK"
        assert session.ask("m1003fffc,4") == "78563412"
        assert session.ask("c") == "W00"


def test_log_names_the_core(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert _run(" li a0, 5\n", tmp_path, "--log", str(log), "--log-core", "fc").status == 0
    assert " fc 1c008000 " in log.read_text(encoding="utf-8")
    assert (
        "no core is called 0" in _run("", tmp_path, "--log", str(log), "--log-core", "0").messages
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("cluster_workers=8", "cluster_workers belongs to a cluster, and cluster_cores is 0; exp"),
        ("cluster_alias_bytes=4096", "cluster_alias_bytes belongs to a cluster"),
        ("cluster_cores=2", "l1_private: a cluster's cores work in L1; expected 0"),
        ("fabric_controller=0", "there must be a core"),
        ("l2_private_bytes=0x81000", "l2_private_bytes may be 524288 at most, not 528384"),
        ("l2_private_bytes=100", "l2_private_bytes must be a multiple of 4096"),
        ("l1_private=2", "l1_private may be 1 at most, not 2"),
    ],
)
def test_description_that_asks_for_both_is_refused(
    change: str, message: str, tmp_path: Path
) -> None:
    run = _run("", tmp_path, "--set", change)
    assert (run.status, message in run.messages) == (EXIT_USE, True), run.messages


def test_there_is_no_cluster_to_start(tmp_path: Path) -> None:
    run = _run("", tmp_path, "--start-cluster")
    assert run.status == EXIT_USE
    assert "--start-cluster: the chip has no cluster, cluster_cores is 0" in run.messages
