"""The chip's parts, by programs that check themselves: exit status 0, or the number of the check that failed."""

from pathlib import Path

from support import link, read_trace, simulate

_HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'
_FAIL = "\nfail:\n li t0, EXIT\n li t1, 1 << 31\n or t1, t1, s10\n sw t1, 0(t0)\n"


def _check(register: str, value: str, number: int) -> str:
    return f" li s10, {number}\n li s9, {value}\n bne {register}, s9, fail\n"


def _run(body: str, folder: Path, *options: str, cores: int = 1) -> None:
    source = f"{_HEAD}{body}\n exit_with 0\n{_FAIL}"
    flags = ("--start-cluster", "--set", f"cluster_cores={cores}", *options)
    run = simulate(link(source, folder, symbols={}), *flags)
    assert run.status == 0, f"check {run.status}: {run.messages}"


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
    _run(body + _check("a0", "70", 1) + _check("a1", "5", 2), tmp_path)


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
    _run(body + "".join(_check(r, v, i + 1) for i, (r, v) in enumerate(checks)), tmp_path)


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
    _run(body + _check("a0", "109", 1), tmp_path)


def test_barrier_holds_until_the_last_core_comes(tmp_path: Path) -> None:
    body = (
        """
  barrier_setup 8
  csrr a0, mhartid
  li a1, L1
  slli a2, a0, 5
1:
  addi a2, a2, -1     // later for higher numbers
  bgtz a2, 1b
  slli a3, a0, 2
  add a3, a3, a1
  li a4, 1
  sw a4, 0(a3)
  barrier_wait
  li a5, 8
  li a6, 0
2:
  cv.lw a4, (a1), 4
  add a6, a6, a4
  addi a5, a5, -1
  bnez a5, 2b
"""
        + _check("a6", "8", 1)
        + """
  barrier_wait
  csrr a0, mhartid
3:
  bnez a0, 3b
"""
    )
    _run(body, tmp_path, "--race-check", cores=8)


def test_mutex_lets_one_core_in_at_a_time(tmp_path: Path) -> None:
    body = (
        """
  barrier_setup 8
  li a1, L1
  li a5, 20
1:
  cv.elw a2, EU_MUTEX(t0)
  lw a3, 0(a1)
  addi a3, a3, 1
  nop
  sw a3, 0(a1)
  sw zero, EU_MUTEX(t0)
  addi a5, a5, -1
  bnez a5, 1b
  barrier_wait
  lw a3, 0(a1)
"""
        + _check("a3", "160", 1)
        + """
  csrr a0, mhartid
2:
  bnez a0, 2b
"""
    )
    _run(body, tmp_path, "--race-check", cores=8)


def test_software_event_wakes_the_cores_it_names(tmp_path: Path) -> None:
    body = (
        """
  li t0, EVENT_UNIT
  li t1, 1 << 3
  sw t1, 0(t0)
  csrr a0, mhartid
  li a1, L1
  bnez a0, 1f
  li a2, 200
3:
  addi a2, a2, -1
  bnez a2, 3b
  li a2, 77
  sw a2, 0(a1)
  li t1, 1 << 1
  sw t1, 0x10C(t0)     // software event 3, for core 1
4:
  j 4b
1:
  cv.elw a3, EU_WAIT_CLEAR(t0)
  lw a2, 0(a1)
  lw a4, 0x1C(t0)
"""
        + _check("a3", "8", 1)
        + _check("a2", "77", 2)
        + _check("a4", "0", 3)
    )
    _run(body, tmp_path, cores=2)


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
    checks = _check("a2", "5", 1) + _check("a3", "-1", 2) + _check("a4", "-1", 3)
    _run(body + checks, tmp_path)


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
{_check("a5", "0x100", 1)}{_check("a6", "0x106", 2)}{_check("a7", "0x10B", 3)}
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
{_check("a5", "0x101", 4)}{_check("a6", "0", 5)}{_check("a7", "0x10A", 6)}
  j 2f
.balign 4
table:
  .word 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10A, 0x10B
2:
"""
    _run(body, tmp_path)


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
        + _check("a3", "4", 1)
        + _check("a4", "0", 2)
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
    _run(body, tmp_path, cores=2)


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
        + _check("a3", "256", 1)
        + _check("a5", "1 << 16", 2)
    )
    _run(body, tmp_path)


def test_timer_counts_and_wakes(tmp_path: Path) -> None:
    body = (
        """
  li s0, TIMER
  li t0, EVENT_UNIT
  li t1, 1 << 10
  sw t1, 0(t0)
  li t1, 500
  sw t1, 0x10(s0)
  li t1, 1 | 2 | 4
  sw t1, 0(s0)
  cv.elw a3, EU_WAIT_CLEAR(t0)
  lw a4, 8(s0)
  li a5, 530
  sltu a6, a4, a5
  li a5, 500
  sltu a7, a4, a5
"""
        + _check("a3", "1 << 10", 1)
        + _check("a6", "1", 2)
        + _check("a7", "0", 3)
    )
    _run(body, tmp_path)


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
    run = simulate(link(_HEAD + body, tmp_path, symbols={}), "--set", "cluster_cores=2")
    assert (run.status, run.output) == (42, "ok"), run.messages


def test_accelerator_runs_a_job_and_raises_its_event(tmp_path: Path) -> None:
    body = """
  li t0, EVENT_UNIT
  li t1, 1 << 12
  sw t1, 0(t0)
  li a0, L1
  li a1, 16
  mv a2, a0
1:
  sw a1, 0(a2)
  slli a3, a1, 8
  sw a3, 256(a2)
  addi a2, a2, 4
  addi a1, a1, -1
  bnez a1, 1b
  li s0, ACCELERATOR
  sw a0, 0x20(s0)
  addi a3, a0, 256
  sw a3, 0x24(s0)
  addi a3, a0, 512
  sw a3, 0x28(s0)
  li a3, 16
  sw a3, 0x2C(s0)
  csrr s1, mcycle
  sw zero, 0(s0)
  lw a4, 0x0C(s0)
  cv.elw a5, EU_WAIT_CLEAR(t0)
  csrr s2, mcycle
  sub s1, s2, s1
  lw a6, 512(a0)
  lw a7, 572(a0)
  li s2, 48
  sltu s1, s1, s2      // three cycles a word at least
"""
    checks = (("a4", "1"), ("a5", "1 << 12"), ("a6", "0x1010"), ("a7", "0x101"), ("s1", "0"))
    body += "".join(_check(register, value, i + 1) for i, (register, value) in enumerate(checks))
    trace = tmp_path / "trace.json"
    _run(body, tmp_path, "--toy-accelerator", "--trace", str(trace))
    (job,) = read_trace(trace)["accelerator"]
    assert job.name == "add 16 words"
    assert job.ended - job.began >= 48


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
    _run(f".option norvc\n{body}" + _check("a2", "7", 1), tmp_path)


def test_regions_and_functions_are_counted(tmp_path: Path) -> None:
    source = f"""{_HEAD}
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
