"""Interrupts of the cluster's cores, by programs that check themselves.

Handlers share a table; s11 tells the slot that was entered. The program goes on behind `main`.
"""

from pathlib import Path

import pytest
from support import check, run_checked

_RECORD = """
handler:
  csrr s2, mcause
  csrr s3, mepc
  csrr s4, mstatus
  csrr s5, mip
  addi s7, s7, 1
  mret
"""

_TIMER = """
  li s0, TIMER
  li t1, {period}
  sw t1, 0x10(s0)
  li t1, {configuration}
  sw t1, 0(s0)
"""
_ONE_SHOT = "1 | 2 | 4 | 32"
_CYCLIC = "1 | 2 | 4 | 16"


def _with_handler(handler: str, main: str) -> str:
    table = ".balign 256\ntable:\n.rept 32\n  jal s11, handler\n.endr\n"
    return f"  j main\n.option norvc\n{table}{handler}\nmain:\n{main}"


def _checks(*expected: tuple[str, str]) -> str:
    return "".join(check(register, value, i + 1) for i, (register, value) in enumerate(expected))


@pytest.mark.parametrize(("vectored", "slot"), [(1, 4 * 3), (0, 0)])
def test_handler_is_entered_and_left(vectored: int, slot: int, tmp_path: Path) -> None:
    body = _with_handler(
        _RECORD,
        f"""
  trap_table table, {vectored}
  interrupt_on 3
  csrsi mstatus, MIE
  sw zero, EU_SOFTWARE + 12(t0)
1:
  csrr s8, mstatus
  lw s6, EU_BUFFER(t0)
  la a1, 1b
  sub s3, s3, a1
  la a1, table + 4
  sub s11, s11, a1
""",
    )
    wanted = {"s2": "0x80000003", "s3": "0", "s4": "0x1880", "s5": "0", "s7": "1", "s8": "0x1888"}
    run_checked(body + _checks(*wanted.items(), ("s6", "0"), ("s11", str(slot))), tmp_path)


def test_pending_interrupts_come_highest_number_first(tmp_path: Path) -> None:
    handler = """
handler:
  csrr s3, mcause
  andi s3, s3, 31
  slli s2, s2, 8
  or s2, s2, s3
  mret
"""
    main = """
  trap_table table, 1
  interrupt_on 2
  interrupt_on 5
  interrupt_on 4
  li t1, 1 << 4
  sw t1, EU_INTERRUPT_MASK_AND(t0)
  sw zero, EU_SOFTWARE + 8(t0)
  sw zero, EU_SOFTWARE + 16(t0)
  sw zero, EU_SOFTWARE + 20(t0)
  csrr a0, mip
  lw a1, EU_BUFFER_INTERRUPT_MASKED(t0)
  lw a2, EU_INTERRUPT_MASK(t0)
  wfi
  csrsi mstatus, MIE
  nop
  lw a3, EU_BUFFER(t0)
"""
    wanted = {"a0": "0x24", "a1": "0x24", "a2": "0x24", "s2": "0x0502", "a3": "0x10"}
    run_checked(_with_handler(handler, main) + _checks(*wanted.items()), tmp_path)


def test_wfi_sleeps_until_an_interrupt_is_pending_though_interrupts_are_off(tmp_path: Path) -> None:
    main = f"""
  trap_table table, 1
  interrupt_on 10
  {_TIMER.format(period=300, configuration=_ONE_SHOT)}
  wfi
  csrr a0, mip
  lw a1, 8(s0)
  sltiu a1, a1, 300
  li t1, 1 << 10
  sw t1, EU_BUFFER_CLEAR(t0)
  csrr a2, mip
"""
    wanted = {"a0": "1 << 10", "a1": "0", "a2": "0", "s7": "0"}
    run_checked(_with_handler(_RECORD, main) + _checks(*wanted.items()), tmp_path)


def test_handler_that_ends_wfi_returns_behind_it(tmp_path: Path) -> None:
    main = f"""
  trap_table table, 1
  interrupt_on 10
  csrsi mstatus, MIE
  {_TIMER.format(period=300, configuration=_ONE_SHOT)}
  wfi
1:
  la a1, 1b
  sub s3, s3, a1
"""
    wanted = {"s2": "0x8000000A", "s3": "0", "s7": "1"}
    run_checked(_with_handler(_RECORD, main) + _checks(*wanted.items()), tmp_path)


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
  {_TIMER.format(period=100, configuration=_CYCLIC)}
  cv.elw a0, EU_WAIT_CLEAR(t0)
  csrci mstatus, MIE
"""
    run_checked(_with_handler(handler, main) + _checks(("a0", "1 << 4"), ("s7", "3")), tmp_path)


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
  {_TIMER.format(period=37, configuration=_CYCLIC)}
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
    run_checked(_with_handler(handler, main) + _checks(*wanted.items()), tmp_path)


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
  {_TIMER.format(period=90, configuration=_ONE_SHOT)}
  li a0, 0
  li a5, 100
  loop_setup 0, a5, 2f
  addi a0, a0, 1
  nop
  nop
2:
"""
    run_checked(_with_handler(handler, main) + _checks(("a0", "100"), ("s7", "4")), tmp_path)


def test_handlers_nest_by_software(tmp_path: Path) -> None:
    handler = """
handler:
  slli s2, s2, 8
  csrr s3, mcause
  andi s3, s3, 31
  or s2, s2, s3
  li s4, 2
  bne s3, s4, 1f
  csrr s5, mepc
  csrr s6, mstatus
  csrsi mstatus, MIE
  sw zero, EU_SOFTWARE + 20(t0)
  csrw mstatus, s6
  csrw mepc, s5
  slli s2, s2, 8
  ori s2, s2, 0x7F
1:
  mret
"""
    main = """
  trap_table table, 1
  interrupt_on 2
  interrupt_on 5
  csrsi mstatus, MIE
  sw zero, EU_SOFTWARE + 8(t0)
  csrr a0, mstatus
"""
    wanted = {"s2": "0x02057F", "a0": "0x1888"}
    run_checked(_with_handler(handler, main) + _checks(*wanted.items()), tmp_path)


def test_mie_has_the_lines_that_the_chip_gives_it(tmp_path: Path) -> None:
    """As on CV32E40P alone: lines 3, 7, 11 and 16 to 31, none of them let through at reset."""
    main = """
  trap_table table, 1
  interrupt_on 3
  interrupt_on 4
  csrr a0, mie
  csrsi mstatus, MIE
  sw zero, EU_SOFTWARE + 12(t0)
  sw zero, EU_SOFTWARE + 16(t0)
  csrr a1, mip
  mv a2, s7
  li t1, -1
  csrw mie, t1
  csrr a3, mie
"""
    wanted = {"a0": "0", "a1": "8", "a2": "0", "a3": "0xFFFF0888", "s7": "1", "s2": "0x80000003"}
    lines = ("--set", "interrupt_lines=0xFFFF0888", "--set", "interrupt_reset=0")
    run_checked(_with_handler(_RECORD, main) + _checks(*wanted.items()), tmp_path, *lines)


_AT_ONCE = """
handler:
  csrr s8, mcycle
  mret
"""


def test_entry_takes_the_cycles_that_the_chip_says(tmp_path: Path) -> None:
    """4 of the first csrr, 1 of the store, and 4 to the handler, once it is in the cache."""
    main = """
  trap_table table, 0
  interrupt_on 3
  csrsi mstatus, MIE
  li a5, 2
.balign 16
1:
  csrr a0, mcycle
  sw zero, EU_SOFTWARE + 12(t0)
  addi a5, a5, -1
  bnez a5, 1b
  sub a0, s8, a0
"""
    direct = main.replace("table, 0", "handler, 0")
    body = f"  j main\n.option norvc\n.balign 256\n{_AT_ONCE}\nmain:\n{direct}"
    run_checked(body + _checks(("a0", "9")), tmp_path)
    slower = ("--set", "interrupt=10")
    run_checked(body + _checks(("a0", "15")), tmp_path, *slower)


@pytest.mark.parametrize(("flag", "line"), [(20, 8), (21, 9)])
def test_dma_completion_interrupts(flag: int, line: int, tmp_path: Path) -> None:
    main = f"""
  trap_table table, 1
  interrupt_on {line}
  csrsi mstatus, MIE
  li s0, DMA
  lw t2, 0(s0)
  li t1, 1024 | (1 << 17) | (1 << 18) | (1 << {flag})
  li a1, L1
  la a2, _start
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
  wfi
  lw a3, 1020(a1)
"""
    wanted = {"s2": f"0x8000000{line}", "s7": "1"}
    run_checked(_with_handler(_RECORD, main) + _checks(*wanted.items()), tmp_path)


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
{_checks(("a0", "1"), ("a1", "7"))}"""
    second = f"""
  barrier_wait
  {_DELAY}
  li a0, 7
  sw a0, 4(s0)
  barrier_wait
"""
    main = _CORE_1_INTERRUPTED.format(first=first, second=second)
    run_checked(_with_handler(_SLOW, main), tmp_path, cores=2)


def test_core_that_waits_for_a_mutex_serves_an_interrupt_and_keeps_its_place(
    tmp_path: Path,
) -> None:
    first = f"""
  cv.elw a0, EU_MUTEX(t0)
  barrier_wait
  {_DELAY}
  li t1, 2
  sw t1, EU_SOFTWARE + 12(t0)
  {_DELAY}
  li a0, 33
  sw a0, EU_MUTEX(t0)
  {_DELAY.replace("100", "600")}
  cv.elw a0, EU_MUTEX(t0)
  lw a1, 0(s0)
{_checks(("a0", "34"), ("a1", "1"))}"""
    second = """
  barrier_wait
  cv.elw a0, EU_MUTEX(t0)
  addi a0, a0, 1
  sw a0, EU_MUTEX(t0)
"""
    main = _CORE_1_INTERRUPTED.format(first=first, second=second)
    run_checked(_with_handler(_SLOW, main), tmp_path, cores=2)


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
  {_TIMER.format(period=200, configuration=_ONE_SHOT)}
  lw a0, 0(s1)
"""
    run_checked(_with_handler(handler, main) + _checks(("a0", "6"), ("s7", "1")), tmp_path)
