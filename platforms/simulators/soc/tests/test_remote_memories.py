"""A memory that no core reaches: who may touch it, and what a uDMA moves meanwhile."""

from pathlib import Path

import pytest
from support import EXIT_FAULT, EXIT_USE, TOY, checks, run_checked, simulate
from udma_programs import ON_GAP9, run_udma, udma_program

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
    run = run_udma(body, tmp_path)
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
    run = run_udma(body, tmp_path)
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
    run = run_udma(body, tmp_path, *TOY)
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
        (
            "device d toy base=0x1A103000 enable=4 enable_bits=1",
            "enable is the address of a mask of the generator of events, not 0x00000004",
        ),
    ],
)
def test_wrong_line_is_told(line: str, message: str, tmp_path: Path) -> None:
    run = simulate(udma_program("", tmp_path), *ON_GAP9, "--part", line)
    assert (run.status, message in run.messages) == (EXIT_USE, True), run.messages


def test_registers_cost_what_the_line_says(tmp_path: Path) -> None:
    timed = "csrr s1, mcycle\n lw a0, 0x14(s0)\n csrr s2, mcycle\n sub s2, s2, s1\n"
    body = f"li s0, ACCELERATOR\n{timed}"
    toy = f"{TOY[1]} cluster="
    for cycles in (6, 26):
        expected = checks(("s2", str(cycles + 4)))
        run_checked(body.replace("0x14", "0x08") + expected, tmp_path, "--part", f"{toy}{cycles}")
