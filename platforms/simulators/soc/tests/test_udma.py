"""A memory that no core reaches, and the uDMA that copies from and to it."""

from pathlib import Path

import pytest
from support import (
    EXIT_FAULT,
    EXIT_USE,
    GAP9,
    HEAD,
    TOY,
    Run,
    checks,
    link,
    read_trace,
    run_checked,
    simulate,
)

_SETUP, _COMMAND, _BURST, _KILOCYCLE_BYTES = 60, 35, 1024, 1081
_ON_GAP9 = ("--chip", str(GAP9))

# Registers, and bytes of the remote memory: words 0x0101 * i from FAR on. t0 and s0 are event unit and uDMA.
_HEAD = """
#define UDMA 0x1A102000
#define FAR 0x80000000
#define NEAR 0x1C020000
.macro copy target, source, bytes
  li a0, \\source
  sw a0, 0x00(s0)
  li a0, \\target
  sw a0, 0x04(s0)
  li a0, \\bytes
  sw a0, 0x08(s0)
  sw zero, 0x0C(s0)
.endm
.macro wait
  cv.elw a5, EU_WAIT_CLEAR(t0)
.endm
.macro start_dma to_l1, inner, outer, bytes
  li s1, DMA
  lw t2, 0(s1)
  li t1, \\bytes | (\\to_l1 << 17) | (1 << 18)
  sw t1, 0(s1)
  li t1, \\inner
  sw t1, 0(s1)
  li t1, \\outer
  sw t1, 0(s1)
.endm
  j main
.pushsection .far, "a"
.set i, 0
.rept 2048
  .word 0x0101 * i
  .set i, i + 1
.endr
.popsection
main:
  li s0, UDMA
"""
_LISTEN = """
  li t0, EVENT_UNIT
  li t1, 1 << 20
  sw t1, EU_MASK(t0)
"""
_FAR_SECTION = ".far 0x80000000 : { *(.far) }"


def _elf(body: str, folder: Path) -> Path:
    source = f"{HEAD}{_HEAD}{body}\n exit_with 0\nfail:\n exit_with 1\n"
    return link(source, folder, symbols={}, sections=_FAR_SECTION)


def _run(body: str, folder: Path, *options: str) -> Run:
    """On core 0, which the uDMA's event wakes."""
    flags = ("--start-cluster", "--set", "cluster_cores=1", "--most-cycles", "1000000")
    return simulate(_elf(f"{_LISTEN}{body}", folder), *_ON_GAP9, *flags, *options)


def _cycles(size: int) -> int:
    """From the start of a copy of so many bytes to its end, by the constants of the chip's file."""
    bursts = [min(_BURST, size - done) for done in range(0, size, _BURST)]
    return _SETUP + sum(_COMMAND - -burst * 1000 // _KILOCYCLE_BYTES for burst in bursts)


def test_copies_bring_what_the_program_has_there_and_take_it_back(tmp_path: Path) -> None:
    """Of a length that is no multiple of four, too: the byte behind stays as it was."""
    body = f"""
  li a1, NEAR
  li a4, NEAR + 4096
  li a2, -1
  sw a2, 0(a4)
  copy NEAR, FAR + 64, 4097
  wait
  lw a2, 4(a1)
  lw a3, 0(a4)
  copy FAR + 4, NEAR + 4, 4
  copy NEAR + 8, FAR, 8
  wait
  wait
  lw a6, 8(a1)
  lw a7, 12(a1)
{checks(("a2", "0x0101 * 17"), ("a3", "0xFFFFFF10"), ("a5", "1 << 20"), ("a6", "0"))}
{checks(("a7", "0x0101 * 17"))}
"""
    run = _run(body, tmp_path)
    assert run.status == 0, run.messages


@pytest.mark.parametrize("size", [1, 4, 1024, 1028, 5000])
def test_a_copy_takes_its_setup_and_each_bursts_command_and_bytes(
    size: int, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.json"
    run = _run(f"copy NEAR, FAR, {size}\n wait", tmp_path, "--trace", str(trace))
    assert run.status == 0, run.messages
    (copy,) = read_trace(trace)["udma"]
    assert copy.name == f"copy {size} B from 0x80000000 to 0x1c020000"
    assert copy.ended - copy.began == _cycles(size)
    waited = run.cores[0].total.stalls["fetch_wait"]
    assert _cycles(size) < waited + 30 < _cycles(size) + 60
    (slept,) = (it for it in read_trace(trace)["core 0"] if it.name == "sleep: fetch")
    assert slept.ended - slept.began <= waited


def test_copies_in_the_queue_are_set_up_while_the_first_moves(tmp_path: Path) -> None:
    """They end in the order of their starts, one event each; how many ended can be read all the while."""
    trace = tmp_path / "trace.json"
    body = f"""
  lw s2, 0x10(s0)
  copy NEAR, FAR, 1024
  copy NEAR, FAR + 1024, 1024
  copy NEAR + 1024, FAR + 4, 8
  lw s3, 0x10(s0)
  lw s4, 0x18(s0)
  lw s5, 0x14(s0)
  wait
  lw s6, 0x14(s0)
  wait
  wait
  lw s7, 0x14(s0)
  lw s8, 0x18(s0)
  li a1, NEAR
  lw a2, 0(a1)
{checks(("s2", "0"), ("s3", "3"), ("s4", "5"), ("s5", "0"), ("s6", "1"), ("s7", "3"), ("s8", "8"))}
{checks(("a2", "0x0101 * 256"))}
"""
    run = _run(body, tmp_path, "--trace", str(trace))
    assert run.status == 0, run.messages
    first, second, third = read_trace(trace)["udma"]
    assert (first.ended, second.ended) == (second.began, third.began)
    assert second.ended - second.began == _cycles(1024) - _SETUP
    assert third.ended - third.began == _cycles(8) - _SETUP


def test_fabric_controller_reads_how_many_copies_ended(tmp_path: Path) -> None:
    body = """
  copy NEAR, FAR + 4, 64
1:
  lw a2, 0x14(s0)
  beqz a2, 1b
  li a1, NEAR
  lw a3, 0(a1)
  li a4, 0x0101
  bne a3, a4, fail
"""
    run = simulate(_elf(body, tmp_path), *_ON_GAP9, "--most-cycles", "100000")
    assert run.status == 0, run.messages
    assert run.cores[-1].total.cycles > _cycles(64)


_LONG = "copy NEAR, FAR, 4096"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "li a0, FAR + 8\n lw a1, 0(a0)",
            "load of 4 bytes at 0x80000008: memory l3 is remote, no core reaches it; have it copied by a device "
            "that does: udma",
        ),
        ("li a0, FAR\n sb a1, 1(a0)", "store of 1 bytes at 0x80000001: memory l3 is remote"),
        ("li a0, FAR\n jr a0", "instructions are fetched from a remote memory"),
        (
            "start_dma 1, L1, FAR, 64",
            "between L1 and 0x80000000, where it does not get: it does to L2",
        ),
        ("copy NEAR, FAR, 0", "a copy of 0 bytes from 0x80000000 to 0x1c020000; expected one byte"),
        ("copy NEAR, FAR + 2, 4", "addresses that are multiples of 4"),
        ("copy L1, FAR, 4\n wait", "udma: store of 4 bytes at 0x10000000: it does not reach L1"),
        ("copy NEAR, FAR + 0x7FFFFC, 8\n wait", "udma: load of 8 bytes at 0x807ffffc: no memory"),
        (" copy NEAR, FAR, 4096\n" * 9, "a copy is started while 8 are under way"),
        ("lw a0, 0x0C(s0)", "the uDMA has no register at offset 12"),
        ("sw a0, 0x10(s0)", "the uDMA has no register at offset 16"),
        (
            f"{_LONG}\n li a0, NEAR + 4092\n lw a1, 0(a0)",
            "read of L2 bytes at 0x1c020ffc that a copy of udma under way writes: 4096 bytes from 0x80000000 to "
            "0x1c020000",
        ),
        (f"{_LONG}\n li a0, NEAR\n sb a1, 0(a0)", "write of L2 bytes at 0x1c020000 that a copy of"),
        (
            "copy FAR, NEAR, 4096\n li a0, NEAR\n sb a1, 0(a0)",
            "write of L2 bytes at 0x1c020000 that a copy of udma under way reads",
        ),
        (
            f"{_LONG}\n start_dma 1, L1, NEAR + 4092, 64",
            "DMA: a transfer of 64 bytes from 0x1c020ffc to 0x10000000 and a copy of udma under way",
        ),
        (
            f"{_LONG}\n start_dma 0, L1, NEAR + 4092, 64",
            "(4096 bytes from 0x80000000 to 0x1c020000) write the same bytes",
        ),
        (
            f"start_dma 1, L1, NEAR, 16384\n {_LONG}",
            "write of L2 bytes at 0x1c020000 that a running DMA transfer reads",
        ),
    ],
)
def test_misuse_is_a_fault(body: str, reason: str, tmp_path: Path) -> None:
    run = _run(body, tmp_path)
    assert (run.status, reason in run.messages) == (EXIT_FAULT, True), run.messages


@pytest.mark.parametrize(
    "body",
    [
        f"{_LONG}\n wait\n li a0, NEAR + 4092\n lw a1, 0(a0)",
        f"{_LONG}\n li a0, NEAR + 4096\n lw a1, 0(a0)\n sw a1, 0(a0)",
        "copy FAR, NEAR, 4096\n li a0, NEAR\n lw a1, 0(a0)",
        f"{_LONG}\n start_dma 1, L1, NEAR + 4096, 64",
        f"{_LONG}\n copy NEAR, FAR + 64, 64",
    ],
    ids=[
        "behind the wait",
        "beside it",
        "a reader of what is read",
        "the DMA beside it",
        "in turn",
    ],
)
def test_what_meets_no_copy_is_none(body: str, tmp_path: Path) -> None:
    run = _run(body, tmp_path)
    assert run.status == 0, run.messages


def test_no_other_device_reaches_a_remote_memory(tmp_path: Path) -> None:
    body = """
  li s0, ACCELERATOR
  lw a0, 0x04(s0)
  li a1, FAR
  sw a1, 0x20(s0)
  sw a1, 0x24(s0)
  sw a1, 0x28(s0)
  li a1, 8
  sw a1, 0x2C(s0)
  sw zero, 0(s0)
  li t1, 1 << 12
  sw t1, EU_MASK(t0)
  wait
"""
    run = _run(body, tmp_path, *TOY)
    assert run.status == EXIT_FAULT
    assert "toy: load of 32 bytes at 0x80000000: it does not reach l3" in run.messages


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("memory m base=0x90000000 bytes=4096 remote=1 dma=8", "is called 'dma'"),
        ("memory m base=0x807FF000 bytes=8192", "memory m lies where l3 is"),
        ("device d udma base=0x1A103000 event=24", "'queue=NUMBER' is missing"),
        (
            "device d udma base=0x1A103000 queue=1 setup=1 burst=0 command=1 kilocycle_bytes=1",
            "expected queue, burst and kilocycle_bytes of 1 or more",
        ),
        ("device d toy base=0x1A103000 fc=0", "an access takes a cycle at least"),
    ],
)
def test_wrong_line_is_told(line: str, message: str, tmp_path: Path) -> None:
    run = simulate(_elf("", tmp_path), *_ON_GAP9, "--part", line)
    assert (run.status, message in run.messages) == (EXIT_USE, True), run.messages


def test_registers_cost_what_the_line_says(tmp_path: Path) -> None:
    timed = "csrr s1, mcycle\n lw a0, 0x14(s0)\n csrr s2, mcycle\n sub s2, s2, s1\n"
    body = f"li s0, ACCELERATOR\n{timed}"
    toy = f"{TOY[1]} cluster="
    for cycles in (6, 26):
        expected = checks(("s2", str(cycles + 4)))
        run_checked(body.replace("0x14", "0x08") + expected, tmp_path, "--part", f"{toy}{cycles}")
