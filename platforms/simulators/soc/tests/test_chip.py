"""The chip's parts, by programs that check themselves: exit status 0, or the number of the check that failed."""

from pathlib import Path

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
