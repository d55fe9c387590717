"""The chip's parts, by programs that check themselves: exit status 0, or the number of the check that failed."""

from pathlib import Path

import pytest
from support import HEAD, check, link, run_checked, simulate


def test_hardware_loops_nest(tmp_path: Path) -> None:
    body = """
  li a0, 0
  li a1, 0
  li a5, 7
  li a2, 5
.balign 4
.option norvc
  loop_setup 1, a2, 2f
  addi a1, a1, 1
  loop_setup 0, a5, 1f
  addi a0, a0, 1
  addi a0, a0, 1
  nop
1:
  nop
  nop
2:
"""
    run_checked(body + check("a0", "70", 1) + check("a1", "5", 2), tmp_path)


def test_hardware_loop_set_up_step_by_step(tmp_path: Path) -> None:
    """Cv.start and cv.end take registers, cv.count comes last, CSRs show the state."""
    body = """
  la a0, 1f
  la a1, 2f
  li a2, 3
  li a5, 0
.balign 4
.option norvc
  .word (10 << 15) | (4 << 12) | (1 << 8) | 0x2B    // cv.start 0, a0
  .word (11 << 15) | (4 << 12) | (3 << 8) | 0x2B    // cv.end 0, a1
  .word (12 << 15) | (4 << 12) | (5 << 8) | 0x2B    // cv.count 0, a2
1:
  addi a5, a5, 1
  csrr t0, 0xCC2
  add a6, a6, t0
2:
  csrr t1, 0xCC0
  csrr t2, 0xCC1
  sub t1, t1, a0
  sub t2, t2, a1
"""
    checks = (("a5", "3"), ("a6", "6"), ("t1", "0"), ("t2", "0"))
    run_checked(body + "".join(check(r, v, i + 1) for i, (r, v) in enumerate(checks)), tmp_path)


def test_setupi_and_a_count_of_zero(tmp_path: Path) -> None:
    body = """
  li a0, 0
.balign 4
.option norvc
  .word (9 << 20) | (4 << 15) | (4 << 12) | (6 << 8) | 0x2B   // cv.setupi 0, 9, +16
  addi a0, a0, 1
  nop
  nop
  li a5, 0
  loop_setup 0, a5, 1f
  addi a0, a0, 100
  nop
  nop
1:
"""
    run_checked(body + check("a0", "109", 1), tmp_path)


def test_test_and_set_leaves_ones_behind(tmp_path: Path) -> None:
    body = """
  li a0, L1
  li a1, L1 + 0x100000
  li t1, 5
  sw t1, 8(a0)
  lw a2, 8(a1)
  lw a3, 8(a0)
  li a4, 8             // the cluster's window at address 0
  lw a4, 0(a4)
"""
    checks = check("a2", "5", 1) + check("a3", "-1", 2) + check("a4", "-1", 3)
    run_checked(body + checks, tmp_path)


_WAIT_FOR_DMA = """
1:
  lw t2, 4(s0)
  slli t2, t2, 16
  bnez t2, 1b
"""


def test_dma_copies_lines_both_ways(tmp_path: Path) -> None:
    """Three lines of 8 bytes, 20 apart, gathered into L1 and scattered from there, 12 apart."""
    body = f"""
  li s0, DMA
  la a0, table
  li a1, L1
  lw t0, 0(s0)
  li t1, 24 | (1 << 17) | (1 << 18) | (1 << 19)
  li a3, 8
  li a4, 20
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a0, 0(s0)
  sw a3, 0(s0)
  sw a4, 0(s0)
  {_WAIT_FOR_DMA}
  lw a5, 0(a1)
  lw a6, 12(a1)
  lw a7, 20(a1)
{check("a5", "0x100", 1)}{check("a6", "0x106", 2)}{check("a7", "0x10B", 3)}
  li t2, -1
  sw t2, 4(s0)
  lw t0, 0(s0)
  li t1, 24 | (1 << 18) | (1 << 19)
  li a4, 12
  li a0, L2_DATA
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a0, 0(s0)
  sw a3, 0(s0)
  sw a4, 0(s0)
  {_WAIT_FOR_DMA}
  lw a5, 4(a0)
  lw a6, 8(a0)
  lw a7, 24(a0)
{check("a5", "0x101", 4)}{check("a6", "0", 5)}{check("a7", "0x10A", 6)}
  j 2f
.balign 4
table:
  .word 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10A, 0x10B
2:
"""
    run_checked(body, tmp_path)


def test_dma_has_as_many_transfers_outstanding_as_identifiers(tmp_path: Path) -> None:
    """The next identifier is waited for until another core gives one back; events come with each end."""
    body = (
        """
  li s0, DMA
  csrr a0, mhartid
  bnez a0, helper
  li s1, 16
  li t1, 64 | (1 << 17) | (1 << 18) | (1 << 20)
  li a1, L1
  li a2, L2_DATA
1:
  lw t0, 0(s0)
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
  addi a1, a1, 64
  addi s1, s1, -1
  bnez s1, 1b
  lw a3, 0(s0)         // sleeps
  csrr a4, mcycle
  li a5, 2000
  sltu a4, a4, a5
"""
        + check("a3", "4", 1)
        + check("a4", "0", 2)
        + """
  exit_with 0
helper:
  li a5, 500
1:
  addi a5, a5, -1
  bnez a5, 1b
  li t1, 1 << 4
  sw t1, 4(s0)
2:
  j 2b
"""
    )
    run_checked(body, tmp_path, cores=2)


def test_dma_event_wakes_a_sleeper(tmp_path: Path) -> None:
    body = (
        """
  li t0, EVENT_UNIT
  li t1, 1 << 8
  sw t1, 0(t0)
  li s0, DMA
  lw t2, 0(s0)
  li t1, 1024 | (1 << 17) | (1 << 18) | (1 << 20)
  li a1, L1
  la a2, _start
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
  cv.elw a3, EU_WAIT_CLEAR(t0)
  lw a4, 1020(a1)
  lw a5, 4(s0)
"""
        + check("a3", "256", 1)
        + check("a5", "1 << 16", 2)
    )
    run_checked(body, tmp_path)


@pytest.mark.parametrize(("flags", "buffer"), [("0", "0"), ("1 << 22", "1 << 8")])
def test_dma_event_is_for_the_core_that_asked_or_for_all(
    flags: str, buffer: str, tmp_path: Path
) -> None:
    body = (
        f"""
  barrier_setup 2
  csrr a0, mhartid
  bnez a0, 2f
  li s0, DMA
  lw t2, 0(s0)
  li t1, 64 | (1 << 17) | (1 << 18) | (1 << 20) | ({flags})
  li a1, L1
  la a2, _start
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
{_WAIT_FOR_DMA}
  barrier_wait
  lw a3, EU_BUFFER(t0)
"""
        + check("a3", "1 << 8", 1)
        + """
  barrier_wait
  exit_with 0
2:
  barrier_wait
  lw a3, EU_BUFFER(t0)
"""
        + check("a3", buffer, 2)
        + """
  barrier_wait
3:
  j 3b
"""
    )
    run_checked(body, tmp_path, cores=2)


def test_stores_into_code_take_effect(tmp_path: Path) -> None:
    body = """
  la a0, 1f
  lw a1, 2f
  li s1, 2
3:
1:
  addi a2, zero, 1
  sw a1, 0(a0)
  fence.i
  addi s1, s1, -1
  bnez s1, 3b
  j 4f
.balign 4
2:
  .word 0x00700613     // addi a2, zero, 7
4:
"""
    run_checked(f".option norvc\n{body}" + check("a2", "7", 1), tmp_path)


def test_regions_and_functions_are_counted(tmp_path: Path) -> None:
    source = f"""{HEAD}
  li a5, 10
1:
  call work
  addi a5, a5, -1
  bnez a5, 1b
  exit_with 0
.globl work
work:
  region_begin 3
  add a0, a0, a0
  add a0, a0, a0
  region_end 3
  ret
"""
    core = simulate(link(source, tmp_path, symbols={}), "--start-cluster").cores[0]
    assert core.functions["work"].instructions == 50
    assert core.regions[3].instructions == 20
    assert core.regions[3].classes == {"alu": 20}
