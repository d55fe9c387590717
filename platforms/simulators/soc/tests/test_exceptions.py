"""Exceptions that enter the program's handler, and hardware loops with traps in them."""

from pathlib import Path

import pytest
from gdb_client import ONE_CORE, TRAP, debugger
from handlers import with_handler
from support import EXIT_FAULT, HEAD, checks, link, run_checked, simulate

_SKIP = """
handler:
  csrr s2, mcause
  csrr s3, mepc
  csrr s4, mtval
  addi s5, s3, 4
  csrw mepc, s5
  addi s7, s7, 1
  mret
"""

_EXCEPTIONS = {
    "no instruction": (".word 0xffffffff", 2),
    "CSR": (".word 0x7c0022f3", 2),
    "rounding mode": (".word 0x00005053", 2),
    "ebreak": (".word 0x00100073", 3),
    "ecall": ("ecall", 11),
}


@pytest.mark.parametrize("name", list(_EXCEPTIONS))
def test_handler_is_entered_at_the_instruction(name: str, tmp_path: Path) -> None:
    code, cause = _EXCEPTIONS[name]
    main = f"""
  trap_table table, 1
  csrsi mstatus, MIE
1:
  {code}
  la a0, 1b
  sub s3, s3, a0
  csrr a1, mstatus
"""
    wanted = {"s2": str(cause), "s3": "0", "s4": "0", "s7": "1"}
    run_checked(with_handler(_SKIP, main) + checks(*wanted.items()), tmp_path)


@pytest.mark.parametrize("name", [name for name in _EXCEPTIONS if name != "ecall"])
def test_exceptions_are_faults_if_asked_for(name: str, tmp_path: Path) -> None:
    code, _ = _EXCEPTIONS[name]
    main = f"  trap_table table, 1\n  {code}\n"
    elf = link(f"{HEAD}{with_handler(_SKIP, main)}\n exit_with 0\n", tmp_path, symbols={})
    assert simulate(elf).status == 0
    assert simulate(elf, "--stop-at-exceptions").status == EXIT_FAULT


def test_debugger_gets_ebreak_before_the_handler(tmp_path: Path) -> None:
    main = "  trap_table table, 1\n  .word 0x00100073\n"
    source = f"{HEAD}{with_handler(_SKIP, main)}\n exit_with 3\n"
    with debugger(link(source, tmp_path, symbols={}), *ONE_CORE) as gdb:
        assert gdb.ask("c") == TRAP
        assert gdb.output[-1].endswith("ebreak\n")


def test_traps_in_a_hardware_loop(tmp_path: Path) -> None:
    main = """
  trap_table table, 0
  li a5, 5
  loop_setup 0, a5, 1f
  addi a0, a0, 1
  ecall
  .word 0x00100073
  addi a1, a1, 1
1:
"""
    wanted = {"a0": "5", "a1": "5", "s7": "10", "a5": "5"}
    aligned = main.replace("  li a5", "  .balign 4\n  li a5")
    run_checked(with_handler(_SKIP, aligned) + checks(*wanted.items()), tmp_path)


def test_trap_that_is_last_in_a_loop_ends_no_round(tmp_path: Path) -> None:
    """Even where the handler lies right behind the loop; the round is the handler's to end, as the manual says."""
    body = """
.option norvc
  li a5, 3
  la t0, handler
  csrw mtvec, t0
  j 1f
.balign 256
.skip 256 - 16
1:
  loop_setup 0, a5, handler
  nop
  nop
  ecall
handler:
  csrr a0, 0xCC2
"""
    run_checked(body + checks(("a0", "3")), tmp_path)


def test_loop_addresses_drop_two_bits_and_counts_lie_anywhere(tmp_path: Path) -> None:
    """cv.start, cv.end with odd addresses; cv.counti, cv.count at 2 modulo 4."""
    body = """
.option norvc
  la t0, 1f + 3
  la t1, 2f + 2
  li a5, 4
.balign 4
  .word 0x0002C12B
  .word 0x0003432B
.option rvc
  c.nop
.option norvc
  .word 0x0007C52B
.option rvc
  c.nop
.option norvc
1:
  addi a0, a0, 1
  addi a0, a0, 1
  addi a0, a0, 1
2:
.option rvc
  c.nop
.option norvc
  .word 0x0030442B
.option rvc
  c.nop
.option norvc
  csrr a1, 0xCC2
  csrr a2, 0xCC0
  csrr a3, 0xCC1
  la t0, 1b
  sub a2, a2, t0
  sub a3, a3, t0
"""
    wanted = {"a0": "12", "a1": "3", "a2": "0", "a3": "12"}
    run_checked(body + checks(*wanted.items()), tmp_path)


def test_handler_may_write_back_the_loop_that_runs(tmp_path: Path) -> None:
    handler = """
handler:
  csrr t0, 0xCC0
  csrr t1, 0xCC1
  csrr t2, 0xCC2
  .word 0x0002C12B
  .word 0x0003432B
  .word 0x0003C52B
  csrr s5, mepc
  addi s5, s5, 4
  csrw mepc, s5
  mret
"""
    main = """
  trap_table table, 0
  li a5, 5
.balign 4
  loop_setup 0, a5, 1f
  ecall
  addi a0, a0, 1
  nop
1:
"""
    run_checked(with_handler(handler, main) + checks(("a0", "5")), tmp_path)
