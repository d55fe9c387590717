"""The fabric controller: how it starts the cluster, sleeps, and is woken; on every chip where it matters."""

from pathlib import Path

import pytest
from support import CHIP, GAP9, HEAD, SIRACUSA, checks, link, run_checked, simulate

_CHIPS = pytest.mark.parametrize(
    "chip",
    [
        pytest.param(CHIP, id="pulp-open"),
        pytest.param(SIRACUSA, id="siracusa"),
        pytest.param(GAP9, id="gap9"),
    ],
)

_TABLE = """
  j main
.option norvc
.balign 256
table:
.rept 32
  j handler
.endr
handler:
  csrr s2, mcause
  lw s3, ITC_STATUS(s1)
  lw s4, ITC_ACKNOWLEDGED(s1)
  lw s5, ITC_SOC_EVENT(s1)
  addi s7, s7, 1
  mret
main:
  trap_table table, 1
  li s1, FC_INTERRUPTS
"""


def _run(body: str, folder: Path, chip: Path = CHIP) -> None:
    run_checked(body, folder, "--chip", str(chip), cores=0)


def test_fabric_controller_starts_the_cluster(tmp_path: Path) -> None:
    body = """
  li s0, CONTROL
  la a0, worker
  sw a0, 0x40(s0)
  sw a0, 0x44(s0)
  li t1, 3
  sw t1, 8(s0)
  li a1, L2_DATA
1:
  lw t1, 0(a1)
  beqz t1, 1b
  lw t1, 4(a1)
  beqz t1, 1b
  sw zero, 0(a1)
3:
  wfi                  // for good
  j 3b
worker:
  csrr a0, mhartid
  slli a0, a0, 2
  li a1, L2_DATA
  add a1, a1, a0
  li a2, 1
  sw a2, 0(a1)
2:
  lw a2, 0(a1)
  bnez a2, 2b
  li t0, STDOUT
  li t1, 'o'
  sb t1, 0(t0)
  li t1, 'k'
  sw t1, 0(t0)
  exit_with 42
"""
    run = simulate(link(HEAD + body, tmp_path, symbols={}), "--set", "cluster_cores=2")
    assert (run.status, run.output) == (42, "ok"), run.messages


def test_timer_ends_wfi_without_a_handler(tmp_path: Path) -> None:
    body = """
  li s1, FC_INTERRUPTS
  li t1, 1 << 10
  sw t1, ITC_MASK_SET(s1)
  li s0, FC_TIMER
  li t1, 5000
  sw t1, 0x10(s0)
  li t1, 1 | 2 | 4 | 32
  csrr s2, mcycle
  sw t1, 0(s0)
  wfi
  csrr s3, mcycle
  sub s3, s3, s2
  li t1, 5000
  sltu a0, s3, t1
  li t1, 5040
  sltu a1, s3, t1
  lw a2, ITC_STATUS(s1)
  csrr a3, mip
  sw a3, ITC_STATUS_CLEAR(s1)
  lw a4, ITC_STATUS(s1)
"""
    wanted = {"a0": "0", "a1": "1", "a2": "1 << 10", "a3": "1 << 10", "a4": "0"}
    _run(body + checks(*wanted.items()), tmp_path)


def test_interrupt_is_acknowledged_by_its_handler(tmp_path: Path) -> None:
    """A line that the mask holds back, and one that the controller's own program asks for."""
    body = f"""
  {_TABLE}
  csrsi mstatus, MIE
  li t1, (1 << 5) | (1 << 6)
  sw t1, ITC_STATUS_SET(s1)
  csrr a0, mip
  li t1, 1 << 5
  sw t1, ITC_MASK_SET(s1)
  nop
"""
    wanted = {"a0": "0", "s2": "0x80000005", "s3": "1 << 6", "s4": "1 << 5", "s7": "1"}
    _run(body + checks(*wanted.items()), tmp_path)


@_CHIPS
def test_end_of_computation_wakes_the_sleeper(chip: Path, tmp_path: Path) -> None:
    body = f"""
  {_TABLE}
  li t1, 1 << 21
  sw t1, ITC_MASK_SET(s1)
  csrsi mstatus, MIE
  start_cluster 1
  wfi
  lw a1, 0(s0)
{checks(("s2", "0x80000015"), ("s7", "1"), ("a1", "1"))}
  exit_with 0
worker:
  li a5, 500
1:
  addi a5, a5, -1
  bnez a5, 1b
  li s0, CONTROL
  li t1, 1
  sw t1, 0(s0)
2:
  j 2b
"""
    _run(body, tmp_path, chip)


@_CHIPS
def test_cluster_and_fabric_controller_wake_each_other(chip: Path, tmp_path: Path) -> None:
    """By a software event through the interconnect, and by a store to the interrupt controller."""
    body = f"""
  li s1, FC_INTERRUPTS
  li t1, 1 << 3
  sw t1, ITC_MASK_SET(s1)
  start_cluster 4
  wfi                  // until core 2 is ready
  li t1, 1 << 3
  sw t1, ITC_STATUS_CLEAR(s1)
  li a2, L2_DATA
  li a3, 55
  sw a3, 0(a2)
  li t2, EVENT_UNIT_PERIPHERAL
  li t1, 4
  sw t1, 0x600 + 28(t2)
  wfi                  // until it has answered
  lw a4, 4(a2)
{checks(("a4", "56"))}
  exit_with 0
worker:
  li t0, EVENT_UNIT
  li t1, 1 << 7
  sw t1, EU_MASK(t0)
  li s1, FC_INTERRUPTS
  li t2, 1 << 3
  sw t2, ITC_STATUS_SET(s1)
  cv.elw a0, EU_WAIT_CLEAR(t0)
  li a2, L2_DATA
  lw a3, 0(a2)
  addi a3, a3, 1
  sw a3, 4(a2)
  sw t2, ITC_STATUS_SET(s1)
2:
  j 2b
"""
    _run(body, tmp_path, chip)


def test_events_of_the_chip_are_queued_for_both(tmp_path: Path) -> None:
    """Software events 1 and 2 reach the fabric controller, event 3 the cluster, event 4 nobody."""
    body = f"""
  {_TABLE}
  li s0, SOC_EVENTS
  li t1, ~((1 << 17) | (1 << 18))
  sw t1, 0x08(s0)
  li t1, ~(1 << 19)
  sw t1, 0x28(s0)
  lw a0, 0x28(s0)
  li t1, 1 << 26
  sw t1, ITC_MASK_SET(s1)
  li t1, 0x1E
  sw t1, 0(s0)
  lw a1, ITC_STATUS(s1)
  csrsi mstatus, MIE
  nop
  nop
  li t2, EVENT_UNIT_PERIPHERAL
  lw a2, EU_BUFFER(t2)
  lw a3, 0x700(t2)
  lw a4, 0x700(t2)
"""
    of_controller = {"a0": "~(1 << 19)", "a1": "1 << 26", "s7": "2", "s5": "50", "s3": "0"}
    of_cluster = {"a2": "1 << 27", "a3": "0x80000033", "a4": "0"}
    _run(body + checks(*of_controller.items(), *of_cluster.items()), tmp_path)


def test_dma_interrupts_the_fabric_controller(tmp_path: Path) -> None:
    body = f"""
  {_TABLE}
  li t1, 1 << 8
  sw t1, ITC_MASK_SET(s1)
  csrsi mstatus, MIE
  li s0, DMA + 0x201800 - 0x204400
  lw t2, 0(s0)
  li t1, 1024 | (1 << 17) | (1 << 18) | (1 << 20)
  li a1, L1
  la a2, _start
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
  wfi
  lw a3, 1020(a1)
"""
    _run(body + checks(("s2", "0x80000008"), ("s7", "1")), tmp_path)


def test_timer_that_another_core_has_just_set_does_not_count_backwards(tmp_path: Path) -> None:
    """The fabric controller's way to the cluster's timer is longer than core 0's, which reads all the time."""
    body = """
  start_cluster 1
  li s1, TIMER
  li t1, 1 | 2
  li a5, 100
1:
  addi a5, a5, -1
  bnez a5, 1b
  sw t1, 0(s1)
2:
  j 2b
worker:
  li s1, TIMER
  li a4, 60
  li a3, 100000
3:
  lw a1, 8(s1)
  bltu a3, a1, 4f
  beqz a1, 3b
  addi a4, a4, -1
  bnez a4, 3b
4:
""" + checks(("a4", "0"))
    run_checked(body, tmp_path, "--set", "apb_fc=60", cores=0)
