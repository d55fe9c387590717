"""Micro-benchmarks of what the cluster does together: DMA transfers, fork and join, the matrix kernel."""

from collections.abc import Sequence
from pathlib import Path

from support import link, simulate
from timings import REGION, Timing, region, warm_cycles

_TO_L1 = 1 << 17 | 1 << 18
_FROM_L1 = 1 << 18
_LINES = 1 << 19


def _dma_program(command: int, line: int) -> str:
    extra = f"li a3, {line}\n li a4, 512\n" if line else ""
    store = "sw a3, 0(s0)\n sw a4, 0(s0)\n" if line else ""
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
  region_begin {REGION}
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
  region_end {REGION}
3:
  li t2, -1
  sw t2, 4(s0)
  bnez s11, again
  exit_with 0
"""


def _measure_dma(command: int, line: int, folder: Path) -> float:
    elf = link(_dma_program(command, line), folder, symbols={})
    return warm_cycles(region(simulate(elf, "--start-cluster", "--set", "cluster_cores=1")))


def _dma(name: str, command: int, expected: float, line: int = 0) -> Timing:
    return Timing(name, expected, "GVSoC", lambda folder: _measure_dma(command, line, folder))


_FORKS = 50
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
  li a5, {_FORKS}
  bnez s11, 1f
  region_begin {REGION}
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
  region_end {REGION}
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


def _measure_fork(folder: Path) -> float:
    elf = link(_FORK, folder, symbols={})
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=8")
    return region(run).cycles / _FORKS


_START_DMA = """
  bnez s11, 7f
  li t3, DMA
  lw t4, 0(t3)
  li t4, 16384 | (1 << 17) | (1 << 18)
  sw t4, 0(t3)
  li t4, L1 + 0xB000
  sw t4, 0(t3)
  li t4, L2_DATA
  sw t4, 0(t3)
7:
"""


def _matrix_program(cores: int, pitch: int, with_dma: bool) -> str:
    """4 rows of weights in common times 2 rows of each core, 1024 bytes each, `pitch` apart; once, caches cold."""
    return f"""
#include "cluster.inc"
.globl _start
_start:
  barrier_setup {cores}
  csrr s11, mhartid
  li a0, L1
  li t2, {pitch}
  add a6, a0, t2
  add a7, a6, t2
  add s10, a7, t2
  add a2, s10, t2
  slli t3, s11, 1
  mul t3, t3, t2
  add a2, a2, t3
  add a3, a2, t2
  li a5, 256
  {_START_DMA if with_dma else ""}
  barrier_wait
  mv t0, s10
  region_begin {REGION}
  call loop
  region_end {REGION}
  barrier_wait
  exit_with 0
6: j 6b
.balign 16
.option norvc
loop:
  loop_setup 0, a5, 1f
  cv.lw s2, (a0), 4
  cv.lw s3, (a6), 4
  cv.lw s4, (a7), 4
  cv.lw s5, (t0), 4
  cv.lw s6, (a2), 4
  cv.lw s7, (a3), 4
  cv.sdotsp.b t1, s2, s6
  cv.sdotsp.b t2, s3, s6
  cv.sdotsp.b t3, s4, s6
  cv.sdotsp.b t4, s5, s6
  cv.sdotsp.b t5, s2, s7
  cv.sdotsp.b t6, s3, s7
  cv.sdotsp.b s0, s4, s7
  cv.sdotsp.b s1, s5, s7
1:
  ret
"""


def _measure_matrix(cores: int, pitch: int, with_dma: bool, folder: Path) -> float:
    elf = link(_matrix_program(cores, pitch, with_dma), folder, symbols={})
    run = simulate(elf, "--start-cluster", "--set", f"cluster_cores={cores}")
    return max(region(run, core).cycles for core in range(cores))


_ONE_CORE = 3673  # measured on GVSoC, like the percentages below


def _matrix(
    name: str, cores: int, pitch: int, expected: float, *, with_dma: bool = False
) -> Timing:
    def measure(folder: Path) -> float:
        return _measure_matrix(cores, pitch, with_dma, folder)

    return Timing(f"4x2 matrix kernel, K = 1024, {name}", round(expected), "GVSoC", measure)


CLUSTER: Sequence[Timing] = (
    Timing("fork and join of an empty job, 8 cores", 29, "GVSoC", _measure_fork),
    *(
        _dma(f"DMA of {size} bytes to L1", size | _TO_L1, 15 + size / 8)
        for size in (64, 256, 1024, 4096, 16384)
    ),
    *(
        _dma(f"DMA of {size} bytes from L1", size | _FROM_L1, cycles)
        for size, cycles in ((64, 23), (256, 47), (1024, 143), (4096, 539), (16384, 2123))
    ),
    *(
        _dma(
            f"DMA of 4096 bytes to L1, lines of {line}",
            4096 | _TO_L1 | _LINES,
            (567 + 591) / 2,  # the least and the most of all line lengths
            line,
        )
        for line in (16, 32, 64, 256)
    ),
    _matrix("1 core", 1, 1024, _ONE_CORE),
    _matrix("8 cores, rows 1024 bytes apart", 8, 1024, _ONE_CORE * 1.029),
    _matrix("8 cores, rows 1028 bytes apart", 8, 1028, _ONE_CORE * 0.99),
    _matrix(
        "8 cores, rows 1024 bytes apart, DMA of 16384 bytes",
        8,
        1024,
        _ONE_CORE * 1.036,
        with_dma=True,
    ),
)
