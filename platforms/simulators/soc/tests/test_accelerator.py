"""An accelerator's way into the chip, by the smallest one: jobs, a wide port, events and interrupts."""

from pathlib import Path

import pytest
from support import (
    CHIP,
    EXIT_FAULT,
    HEAD,
    SIRACUSA,
    TOY,
    checks,
    link,
    read_trace,
    run_checked,
    simulate,
)

# Sixteen words at L1, as many at L1 + `second`, their sum goes to L1 + `sum`.
_JOB = """
.macro fill second
  li a1, 16
  li a0, L1
1:
  sw a1, 0(a0)
  slli a3, a1, 8
  sw a3, \\second(a0)
  addi a0, a0, 4
  addi a1, a1, -1
  bnez a1, 1b
.endm
.macro job second, sum, words
  lw s8, 0x04(s0)
  li a0, L1
  sw a0, 0x20(s0)
  addi a3, a0, \\second
  sw a3, 0x24(s0)
  addi a3, a0, \\sum
  sw a3, 0x28(s0)
  li a3, \\words
  sw a3, 0x2C(s0)
  sw zero, 0(s0)
.endm
"""

_START = f"""{_JOB}
  li s0, ACCELERATOR
  li t0, EVENT_UNIT
  fill 256
"""


@pytest.mark.parametrize(
    ("chip", "name"), [(CHIP, "toy"), (SIRACUSA, "neureka")], ids=["pulp-open", "siracusa"]
)
def test_job_is_done_and_its_event_ends_cv_elw(chip: Path, name: str, tmp_path: Path) -> None:
    """In the place of the accelerator that the chip has, if it has one."""
    body = f"""{_START}
  li t1, 1 << 12
  sw t1, EU_MASK(t0)
  csrr s1, mcycle
  job 256, 516, 16
  lw a4, 0x0C(s0)
  cv.elw a5, EU_WAIT_CLEAR(t0)
  csrr s2, mcycle
  sub s1, s2, s1
  li a0, L1
  lw a6, 516(a0)
  lw a7, 576(a0)
  lw s3, 0x0C(s0)
  lw s4, 0x08(s0)
  sltiu s1, s1, 7      // two beats of three cycles, as both arrays lie in the same banks
"""
    wanted = {"a4": "1", "a5": "1 << 12", "a6": "0x1010", "a7": "0x101", "s1": "0"}
    after = {"s3": "0", "s4": "1"}
    trace = tmp_path / "trace.json"
    part = f"device {name} toy base=0x10201000"
    options = ("--part", part, "--trace", str(trace), "--chip", str(chip))
    run_checked(body + checks(*wanted.items(), *after.items()), tmp_path, *options)
    (job,) = read_trace(trace)[name]
    assert job.name == "add 16 words"
    assert job.ended - job.began == 7


def test_job_is_done_and_its_interrupt_is_served(tmp_path: Path) -> None:
    body = f"""
  j main
.balign 256
table:
  csrr s2, mcause
  lw s3, 0x08(s0)      // jobs finished
  addi s7, s7, 1
  mret
main:
{_START}
  trap_table table, 0
  interrupt_on 12
  csrsi mstatus, MIE
  job 256, 516, 16
  wfi
  li a0, L1
  lw a6, 516(a0)
"""
    wanted = {"s2": "0x8000000C", "s3": "1", "s7": "1", "a6": "0x1010"}
    run_checked(body + checks(*wanted.items()), tmp_path, *TOY)


def test_jobs_wait_in_two_contexts_and_run_in_order(tmp_path: Path) -> None:
    """The second job adds the first one's sum; a third finds no context until the first is done."""
    body = f"""{_START}
  li t1, 1 << 12
  sw t1, EU_MASK(t0)
  job 256, 516, 1600
  mv s1, s8
  lw s2, 0x04(s0)      // acquired
  lw s3, 0x04(s0)      // being written
  li a0, L1
  sw a0, 0x20(s0)
  addi a3, a0, 516
  sw a3, 0x24(s0)
  addi a3, a0, 1024
  sw a3, 0x28(s0)
  li a3, 1600
  sw a3, 0x2C(s0)
  sw zero, 0(s0)
  lw s4, 0x04(s0)      // all taken
  lw s5, 0x0C(s0)
  lw s6, 0x10(s0)
  cv.elw a5, EU_WAIT_CLEAR(t0)
  job 256, 1536, 4     // into the context that is free now
  lw s7, 0x10(s0)      // the second still runs
  cv.elw a5, EU_WAIT_CLEAR(t0)
  cv.elw a5, EU_WAIT_CLEAR(t0)
  lw s11, 0x08(s0)
  li a0, L1
  lw a6, 1024(a0)
"""
    numbers = {"s1": "0", "s2": "1", "s3": "-2", "s4": "-1"}
    state = {"s5": "0x101", "s6": "0", "s7": "1", "s11": "3", "a6": "0x1020"}
    run_checked(body + checks(*numbers.items(), *state.items()), tmp_path, *TOY)


def test_soft_clear_drops_all_jobs(tmp_path: Path) -> None:
    body = f"""{_START}
  job 256, 516, 250
  job 256, 1520, 100
  sw zero, 0x14(s0)
  li a5, 500
1:
  addi a5, a5, -1
  bnez a5, 1b
  lw a1, 0x0C(s0)
  lw a2, 0x08(s0)
  lw a3, EU_BUFFER(t0)
  li a0, L1
  lw a4, 1520(a0)
"""
    wanted = {"a1": "0", "a2": "0", "a3": "0", "a4": "0"}
    run_checked(body + checks(*wanted.items()), tmp_path, *TOY)


@pytest.mark.parametrize(("second", "conflicts"), [(256, True), (288, False)])
def test_port_of_the_accelerator_takes_banks(second: int, conflicts: bool, tmp_path: Path) -> None:
    """Both of its loads meet in one bank if the arrays lie 64 words apart, and the job takes longer; not
    if one has the first half of the banks, and the other the second."""
    body = f"""{_JOB}
  li s0, ACCELERATOR
  li t0, EVENT_UNIT
  fill {second}
  li t1, 1 << 12
  sw t1, EU_MASK(t0)
  job {second}, 520, 16
  cv.elw a5, EU_WAIT_CLEAR(t0)
"""
    trace = tmp_path / "trace.json"
    run_checked(body, tmp_path, *TOY, "--trace", str(trace))
    (job,) = read_trace(trace)["toy"]
    assert (job.ended - job.began > 5) == conflicts


def _transfer(place: int) -> str:
    """16384 bytes on their way to L1 + `place`."""
    return f"""
  li s1, DMA
  li t1, 16384 | (1 << 17) | (1 << 18)
  li a1, L1 + {place}
  li a2, L2_DATA
  lw t2, 0(s1)
  sw t1, 0(s1)
  sw a1, 0(s1)
  sw a2, 0(s1)
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sw zero, 0(s0)", "a job is triggered, but none is acquired"),
        ("sw zero, 0x20(s0)", "a job is written, but none is acquired"),
        ("lw a0, 0x04(s0)\n li a1, 1\n sw a1, 0(s0)", "jobs that wait for a later trigger"),
        ("lw a0, 0x30(s0)", "the accelerator has no register at offset 48"),
        (
            f"{_JOB} job 256, 516, 20000\n 1: j 1b",
            "toy: store of 32 bytes at 0x1000ffe4: no memory is there",
        ),
        (
            f"{_JOB}{_transfer(256)} job 256, 128, 16\n 1: j 1b",
            "read of L1 bytes at 0x10000100 that a running DMA transfer writes",
        ),
        (
            f"{_JOB}{_transfer(516)} job 256, 516, 16\n 1: j 1b",
            "write of L1 bytes at 0x10000204 that a running DMA transfer writes",
        ),
    ],
)
def test_misuse_is_a_fault(body: str, reason: str, tmp_path: Path) -> None:
    elf = link(f"{HEAD} li s0, ACCELERATOR\n {body}\n exit_with 0\n", tmp_path, symbols={})
    run = simulate(
        elf, "--start-cluster", "--set", "cluster_cores=1", *TOY, "--most-cycles", "100000"
    )
    assert (run.status, reason in run.messages) == (EXIT_FAULT, True), run.messages
