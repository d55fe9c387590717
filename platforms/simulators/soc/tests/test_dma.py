"""The DMA, by programs that check themselves."""

from pathlib import Path

import pytest
from support import check, run_checked

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
