"""Interrupts of the cluster's cores, by programs that check themselves."""

from pathlib import Path

import pytest
from handlers import ONE_SHOT, RECORD, TIMER, with_handler
from support import checks, run_checked


@pytest.mark.parametrize(("vectored", "slot"), [(1, 4 * 3), (0, 0)])
def test_handler_is_entered_and_left(vectored: int, slot: int, tmp_path: Path) -> None:
    body = with_handler(
        RECORD,
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
    wanted = {"s2": "0x80000003", "s3": "0", "s4": "0x3880", "s5": "0", "s7": "1", "s8": "0x3888"}
    run_checked(body + checks(*wanted.items(), ("s6", "0"), ("s11", str(slot))), tmp_path)


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
    run_checked(with_handler(handler, main) + checks(*wanted.items()), tmp_path)


def test_wfi_sleeps_until_an_interrupt_is_pending_though_interrupts_are_off(tmp_path: Path) -> None:
    main = f"""
  trap_table table, 1
  interrupt_on 10
  {TIMER.format(period=300, configuration=ONE_SHOT)}
  wfi
  csrr a0, mip
  lw a1, 8(s0)
  sltiu a1, a1, 300
  li t1, 1 << 10
  sw t1, EU_BUFFER_CLEAR(t0)
  csrr a2, mip
"""
    wanted = {"a0": "1 << 10", "a1": "0", "a2": "0", "s7": "0"}
    run_checked(with_handler(RECORD, main) + checks(*wanted.items()), tmp_path)


def test_handler_that_ends_wfi_returns_behind_it(tmp_path: Path) -> None:
    main = f"""
  trap_table table, 1
  interrupt_on 10
  csrsi mstatus, MIE
  {TIMER.format(period=300, configuration=ONE_SHOT)}
  wfi
1:
  la a1, 1b
  sub s3, s3, a1
"""
    wanted = {"s2": "0x8000000A", "s3": "0", "s7": "1"}
    run_checked(with_handler(RECORD, main) + checks(*wanted.items()), tmp_path)


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
    wanted = {"s2": "0x02057F", "a0": "0x3888"}
    run_checked(with_handler(handler, main) + checks(*wanted.items()), tmp_path)


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
    run_checked(with_handler(RECORD, main) + checks(*wanted.items()), tmp_path, *lines)


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
    run_checked(body + checks(("a0", "9")), tmp_path)
    slower = ("--set", "interrupt=10")
    run_checked(body + checks(("a0", "15")), tmp_path, *slower)


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
    run_checked(with_handler(RECORD, main) + checks(*wanted.items()), tmp_path)
