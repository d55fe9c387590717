"""The cycle model against numbers measured on GVSoC and stated by the manuals, each within 5 %."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from support import Counters, Run, link, simulate

_REPEATS = 50
_TOLERANCE = 0.05
_REGION = 1


@dataclass(frozen=True)
class Timing:
    """body: repeated in a hardware loop, or a software one; cycles: of a repetition."""

    name: str
    body: str
    cycles: float
    setup: str = ""
    cores: int = 1
    software_loop: bool = False  # for branches, which hardware loops may not hold; costs 4 cycles


_TIMINGS = (
    Timing("alu", "addi t0, t0, 1\n" * 4, 4),
    Timing("dependent_dot_products", "cv.sdotsp.b t0, t1, t2\n" * 4, 4),
    Timing("mac_and_clip", "cv.mac t0, t1, t2\n cv.clip t0, t0, 8\n cv.mac t0, t1, t2\n", 3),
    Timing("multiply", "mul t0, t1, t2\n" * 4, 4),
    Timing("multiply_high", "mulh t0, t1, t2\n nop\n nop\n", 7, "li t1, 5"),
    Timing("divide_by_7", "divu t0, t1, t2\n nop\n nop\n", 34, "li t2, 7"),
    Timing("divide_by_1", "divu t0, t1, t2\n nop\n nop\n", 36, "li t2, 1"),
    Timing("divide_by_2_to_31", "divu t0, t1, t2\n nop\n nop\n", 5, "li t2, 1 << 31"),
    Timing("load_l1", "lw t0, 0(a0)\n lw t1, 4(a0)\n lw t2, 8(a0)\n", 3),
    Timing("load_use", "lw t0, 0(a0)\n add t1, t0, t0\n nop\n", 4),
    Timing("store_l1", "sw t0, 0(a0)\n sw t1, 4(a0)\n sw t2, 8(a0)\n", 3),
    Timing("load_across_words", "lw t0, 2(a0)\n lh t1, 3(a0)\n nop\n", 5),
    Timing("halfword_inside_a_word", "lh t0, 1(a0)\n lh t1, 1(a0)\n nop\n", 3),
    Timing("jump", "j 1f\n1:\n" * 4, 8, software_loop=True),
    Timing("branch_taken", "beqz zero, 1f\n1:\n" * 4, 12, software_loop=True),
    Timing("branch_not_taken", "bnez zero, 1f\n1:\n" * 4, 4, software_loop=True),
    Timing("csr_of_user", "csrr t0, mhartid\n" * 3, 3),
    Timing("csr_of_machine", "csrr t0, mcycle\n" * 3, 12),
    Timing("load_l2", "lw t0, 0(a1)\n lw t1, 4(a1)\n lw t2, 8(a1)\n", 45),
    Timing(
        "load_l2_and_use", "lw t0, 0(a1)\n add t1, t0, t0\n lw t2, 4(a1)\n add t1, t2, t2\n", 34
    ),
    Timing("store_l2", "sw t0, 0(a1)\n sw t1, 4(a1)\n sw t2, 8(a1)\n", 45),
    Timing("load_l2_by_8", "lw t0, 0(a1)\n lw t1, 4(a1)\n lw t2, 8(a1)\n", 45, cores=8),
    Timing("one_bank_for_8", "lw t0, 0(a0)\n lw t1, 0(a0)\n lw t2, 64(a0)\n", 24, cores=8),
    Timing("own_bank_of_8", "lw t0, 0(a2)\n lw t1, 64(a2)\n lw t2, 128(a2)\n", 3, cores=8),
    Timing(
        "barrier_of_8",
        "cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)\n nop\n nop\n",
        7,
        "li t0, EVENT_UNIT",
        cores=8,
    ),
)


def _program(timing: Timing) -> str:
    """Runs the loop twice and counts the second time, when instructions are in the cache."""
    if timing.software_loop:
        loop = f"li t5, {_REPEATS}\n2:\n{timing.body}\n addi t5, t5, -1\n bnez t5, 2b\n"
    else:
        loop = f"li t1, {_REPEATS}\n li a5, {_REPEATS}\n loop_setup 0, a5, 3f\n{timing.body}\n3:\n"
    return f"""
#include "cluster.inc"
.globl _start
_start:
  li a0, L1
  li a1, L2_DATA
  csrr a2, mhartid
  slli a2, a2, 2
  add a2, a2, a0
  barrier_setup {timing.cores}
  li t1, 1000
  {timing.setup}
  li s11, 2
.balign 16
.option norvc
again:
  addi s11, s11, -1
  barrier_wait
  {timing.setup}
  bnez s11, 1f
  region_begin {_REGION}
1:
  {loop}
  bnez s11, again
  region_end {_REGION}
  barrier_wait
  exit_with 0
4: j 4b
"""


def _overhead(timing: Timing) -> int:
    """Instructions in the region around the repetitions."""
    return 1 + 1 + 4 * _REPEATS - 2 if timing.software_loop else 2 + 1 + 1


def _region(run: Run, core: int = 0) -> Counters:
    assert run.status == 0, run.messages
    return run.cores[core].regions[_REGION]


def _warm(run: Run) -> int:
    """Cycles of the region with every instruction in the cache."""
    return _region(run).cycles - _region(run).stalls.get("instruction_cache", 0)


@pytest.mark.parametrize("timing", _TIMINGS, ids=[timing.name for timing in _TIMINGS])
def test_instructions_take_the_cycles_measured(timing: Timing, tmp_path: Path) -> None:
    elf = link(_program(timing), tmp_path, symbols={})
    run = simulate(elf, "--start-cluster", "--set", f"cluster_cores={timing.cores}")
    for core in range(timing.cores):
        counters = _region(run, core)
        fetches = counters.stalls.get("instruction_cache", 0)  # of the region's last line
        found = (counters.cycles - fetches - _overhead(timing)) / _REPEATS
        assert found == pytest.approx(timing.cycles, rel=_TOLERANCE)


_DMA_TO_L1 = 1 << 17 | 1 << 18
_DMA_FROM_L1 = 1 << 18
_DMA_2D = 1 << 19


def _dma_program(command: int, lines: tuple[int, int] | None) -> str:
    extra = f"li a3, {lines[0]}\n li a4, {lines[1]}\n" if lines else ""
    store = "sw a3, 0(s0)\n sw a4, 0(s0)\n" if lines else ""
    return f"""
#include "cluster.inc"
.globl _start
_start:
  li s0, DMA
  li a0, {command}
  li a1, L1
  li a2, L2_DATA
  {extra}
  li s11, 2
.balign 16
.option norvc
again:
  addi s11, s11, -1
  bnez s11, 1f
  region_begin {_REGION}
1:
  lw t1, 0(s0)
  sw a0, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
  {store}
  nop  // on the way to the wait
  nop
2:
  lw t2, 4(s0)
  slli t2, t2, 16
  bnez t2, 2b
  bnez s11, 3f
  region_end {_REGION}
3:
  li t2, -1
  sw t2, 4(s0)
  bnez s11, again
  exit_with 0
"""


@pytest.mark.parametrize(
    ("to_l1", "size", "cycles"),
    [
        *[(True, size, 15 + size / 8) for size in (64, 256, 1024, 4096, 16384)],
        *[(False, size, cycles) for size, cycles in ((64, 23), (256, 47), (1024, 143))],
        (False, 4096, 539),
        (False, 16384, 2123),
    ],
)
def test_dma_takes_the_cycles_measured(
    to_l1: bool, size: int, cycles: float, tmp_path: Path
) -> None:
    command = size | (_DMA_TO_L1 if to_l1 else _DMA_FROM_L1)
    elf = link(_dma_program(command, None), tmp_path, symbols={})
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=1")
    assert _warm(run) == pytest.approx(cycles, rel=_TOLERANCE)


@pytest.mark.parametrize("line", [16, 32, 64, 256])
def test_dma_of_lines_takes_the_cycles_measured(line: int, tmp_path: Path) -> None:
    elf = link(_dma_program(4096 | _DMA_TO_L1 | _DMA_2D, (line, 512)), tmp_path, symbols={})
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=1")
    assert _warm(run) == pytest.approx((567 + 591) / 2, rel=_TOLERANCE)


_FORK = f"""
#include "cluster.inc"
.globl _start
_start:
  barrier_setup 8
  li t1, DISPATCH_AND_BARRIER
  csrr t2, mhartid
  barrier_wait
  la s1, job
  li s2, 0xFF
  bnez t2, worker
  li s11, 2
.balign 16
.option norvc
again:
  addi s11, s11, -1
  li a5, {_REPEATS}
  bnez s11, 1f
  region_begin {_REGION}
1:
2:
  sw s2, EU_TEAM(t0)
  sw s1, EU_DISPATCH(t0)
  sw s2, EU_DISPATCH(t0)
  cv.elw a1, EU_DISPATCH(t0)
  cv.elw a0, EU_DISPATCH(t0)
  jalr a1
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
  addi a5, a5, -1
  bnez a5, 2b
  bnez s11, again
  region_end {_REGION}
  exit_with 0
.balign 16
worker:
  cv.elw a1, EU_DISPATCH(t0)
  cv.elw a0, EU_DISPATCH(t0)
  jalr a1
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
  j worker
job:
  ret
"""


def test_fork_and_join_take_the_cycles_measured(tmp_path: Path) -> None:
    elf = link(_FORK, tmp_path, symbols={})
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=8")
    assert _region(run).cycles / _REPEATS == pytest.approx(29, rel=_TOLERANCE)


_FABRIC = """
#include "cluster.inc"
.globl _start
_start:
  li a0, L2_DATA
  li a1, STDOUT
  li a2, {address}
  region_begin 1
  .rept 50
  {instruction}
  .endr
  region_end 1
  exit_with 0
"""


@pytest.mark.parametrize(
    ("instruction", "address", "cycles"),
    [("lw t0, 0(a2)", "L2_DATA", 1), ("lw t0, 0(a2)", "TIMER", 9)],
)
def test_fabric_controller_takes_the_cycles_measured(
    instruction: str, address: str, cycles: int, tmp_path: Path
) -> None:
    elf = link(_FABRIC.format(instruction=instruction, address=address), tmp_path, symbols={})
    assert _region(simulate(elf), 9).cycles / 50 == pytest.approx(cycles, rel=_TOLERANCE)
