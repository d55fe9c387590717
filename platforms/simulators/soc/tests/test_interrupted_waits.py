"""What an interrupt must leave as it was: hardware loops, and waits for events, barriers, the mutex, the DMA."""

from pathlib import Path

import pytest
from handlers import CYCLIC, ONE_SHOT, TIMER, with_handler
from support import checks, run_checked


def test_cv_elw_is_tried_again_after_a_handler(tmp_path: Path) -> None:
    """The third interrupt triggers the event that is waited for."""
    handler = """
handler:
  addi s7, s7, 1
  li s6, 3
  bne s7, s6, 1f
  li t1, 1
  sw t1, EU_SOFTWARE + 16(t0)
1:
  mret
"""
    main = f"""
  trap_table table, 1
  interrupt_on 10
  li t1, 1 << 4
  sw t1, EU_MASK(t0)
  csrsi mstatus, MIE
  {TIMER.format(period=100, configuration=CYCLIC)}
  cv.elw a0, EU_WAIT_CLEAR(t0)
  csrci mstatus, MIE
"""
    run_checked(with_handler(handler, main) + checks(("a0", "1 << 4"), ("s7", "3")), tmp_path)


def test_hardware_loops_go_on_after_interrupts_in_their_bodies(tmp_path: Path) -> None:
    handler = """
handler:
  addi s7, s7, 1
  csrr s2, mepc
  csrr s3, 0xCC2
  la s4, 1f
  la s5, 2f
  sltu s4, s2, s4
  sltu s5, s2, s5
  xori s5, s5, 1
  snez s3, s3
  or s4, s4, s5
  and s4, s4, s3       // loop 0 runs, but pc is outside
  or s6, s6, s4
  mret
"""
    main = f"""
  trap_table table, 1
  interrupt_on 10
  csrsi mstatus, MIE
  {TIMER.format(period=37, configuration=CYCLIC)}
  li a0, 0
  li a1, 0
  li a2, 20
  li a5, 30
  loop_setup 1, a2, 3f
  addi a1, a1, 1
  loop_setup 0, a5, 2f
1:
  addi a0, a0, 1
  addi a0, a0, 1
  addi a0, a0, 1
2:
  nop
  nop
3:
  csrci mstatus, MIE
  sltiu s7, s7, 20
"""
    wanted = {"a0": "1800", "a1": "20", "s6": "0", "s7": "0"}
    run_checked(with_handler(handler, main) + checks(*wanted.items()), tmp_path)


def test_handler_may_use_a_hardware_loop_that_it_saves(tmp_path: Path) -> None:
    handler = """
handler:
  csrr s2, 0xCC0
  csrr s3, 0xCC1
  csrr s4, 0xCC2
  .word (4 << 12) | (4 << 8) | 0x2B                 // cv.counti 0, 0
  li a2, 4
  loop_setup 0, a2, 1f
  addi s7, s7, 1
  nop
  nop
1:
  .word (18 << 15) | (4 << 12) | (1 << 8) | 0x2B    // cv.start 0, s2
  .word (19 << 15) | (4 << 12) | (3 << 8) | 0x2B    // cv.end 0, s3
  .word (20 << 15) | (4 << 12) | (5 << 8) | 0x2B    // cv.count 0, s4
  mret
"""
    main = f"""
  trap_table table, 1
  interrupt_on 10
  csrsi mstatus, MIE
  {TIMER.format(period=90, configuration=ONE_SHOT)}
  li a0, 0
  li a5, 100
  loop_setup 0, a5, 2f
  addi a0, a0, 1
  nop
  nop
2:
"""
    run_checked(with_handler(handler, main) + checks(("a0", "100"), ("s7", "4")), tmp_path)


_CORE_1_INTERRUPTED = """
  trap_table table, 1
  barrier_setup 2
  li s0, L1
  csrr a0, mhartid
  bnez a0, second
  {first}
  exit_with 0
second:
  interrupt_on 3
  csrsi mstatus, MIE
  {second}
2:
  j 2b
"""

_SLOW = """
handler:
  li s6, 200
1:
  addi s6, s6, -1
  bnez s6, 1b
  lw s6, 0(s0)
  addi s6, s6, 1
  sw s6, 0(s0)
  mret
"""

_DELAY = """
  li s6, 100
1:
  addi s6, s6, -1
  bnez s6, 1b
"""


def test_core_at_a_barrier_serves_an_interrupt_and_goes_on(tmp_path: Path) -> None:
    """The barrier is reached while the handler runs; the core does not count for the next one by that."""
    first = f"""
  {_DELAY}
  li t1, 2
  sw t1, EU_SOFTWARE + 12(t0)
  barrier_wait
  barrier_wait
  lw a0, 0(s0)
  lw a1, 4(s0)
{checks(("a0", "1"), ("a1", "7"))}"""
    second = f"""
  barrier_wait
  {_DELAY}
  li a0, 7
  sw a0, 4(s0)
  barrier_wait
"""
    main = _CORE_1_INTERRUPTED.format(first=first, second=second)
    run_checked(with_handler(_SLOW, main), tmp_path, cores=2)


@pytest.mark.parametrize("delay", [100, 600], ids=["in the handler", "after the handler"])
def test_core_that_waits_for_a_mutex_serves_an_interrupt_and_keeps_its_place(
    delay: int, tmp_path: Path
) -> None:
    first = f"""
  cv.elw a0, EU_MUTEX(t0)
  barrier_wait
  {_DELAY}
  li t1, 2
  sw t1, EU_SOFTWARE + 12(t0)
  {_DELAY.replace("100", str(delay))}
  li a0, 33
  sw a0, EU_MUTEX(t0)
  {_DELAY.replace("100", "600")}
  cv.elw a0, EU_MUTEX(t0)
  lw a1, 0(s0)
{checks(("a0", "34"), ("a1", "1"))}"""
    second = """
  barrier_wait
  cv.elw a0, EU_MUTEX(t0)
  addi a0, a0, 1
  sw a0, EU_MUTEX(t0)
"""
    main = _CORE_1_INTERRUPTED.format(first=first, second=second)
    run_checked(with_handler(_SLOW, main), tmp_path, cores=2)


def test_core_that_waits_for_the_dma_serves_an_interrupt(tmp_path: Path) -> None:
    """All identifiers are taken; the handler gives one of them back."""
    handler = """
handler:
  addi s7, s7, 1
  li t1, 1 << 6
  sw t1, 4(s1)
  mret
"""
    main = f"""
  trap_table table, 1
  interrupt_on 10
  csrsi mstatus, MIE
  li s1, DMA
  li a5, 16
1:
  lw a0, 0(s1)
  addi a5, a5, -1
  bnez a5, 1b
  {TIMER.format(period=200, configuration=ONE_SHOT)}
  lw a0, 0(s1)
"""
    run_checked(with_handler(handler, main) + checks(("a0", "6"), ("s7", "1")), tmp_path)


@pytest.mark.parametrize(
    ("take", "give", "ask"),
    [
        ("cv.elw a0, EU_MUTEX(t0)", "sw zero, EU_MUTEX(t0)", "cv.elw a0, EU_MUTEX(t0)"),
        (
            "li s1, DMA\n .rept 16\n lw a0, 0(s1)\n .endr",
            "li t1, 1 << 6\n sw t1, 4(s1)",
            "li s1, DMA\n lw a0, 0(s1)",
        ),
    ],
    ids=["mutex", "dma"],
)
def test_what_a_core_waited_for_does_not_wake_its_handler(
    take: str, give: str, ask: str, tmp_path: Path
) -> None:
    """The handler sleeps for the timer while core 0 gives what the core had asked for."""
    handler = f"""
handler:
  {TIMER.format(period=1000, configuration=ONE_SHOT).replace("s0", "s8")}
  wfi
  csrr s5, mip
  li t1, 1 << 10
  sw t1, EU_BUFFER_CLEAR(t0)
  mret
"""
    first = f"""
  {take}
  barrier_wait
  {_DELAY}
  li t1, 2
  sw t1, EU_SOFTWARE + 12(t0)
  {_DELAY}
  {give}
  barrier_wait
  lw a0, 0(s0)
{checks(("a0", "1 << 10"))}"""
    second = f"""
  interrupt_on 10
  barrier_wait
  {ask}
  sw s5, 0(s0)
  barrier_wait
"""
    main = _CORE_1_INTERRUPTED.format(first=first, second=second)
    run_checked(with_handler(handler, main), tmp_path, cores=2)
