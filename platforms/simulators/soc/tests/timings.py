"""Micro-benchmarks of the cycle model: what each must take, by GVSoC or the manuals, and what it takes here.

The instructions and accesses are here; timings_cluster.py has the DMA, forks and the matrix kernel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from support import Counters, Run, link, simulate

TOLERANCE = 0.05
_REPEATS = 50
REGION = 1


@dataclass(frozen=True)
class Timing:
    """expected: cycles, by `source`. measure: cycles here, of a program that it builds in an empty folder."""

    name: str
    expected: float
    source: str
    measure: Callable[[Path], float]


@dataclass(frozen=True)
class Body:
    """Instructions repeated in a hardware loop, or in a software one; cycles: of a repetition."""

    name: str
    text: str
    cycles: float
    setup: str = ""
    cores: int = 1
    software_loop: bool = False  # for branches, which hardware loops may not hold; costs 4 cycles
    source: str = "GVSoC, manual"


_BODIES = (
    Body("4 additions", "addi t0, t0, 1\n" * 4, 4),
    Body("4 dot products, each adding to the last", "cv.sdotsp.b t0, t1, t2\n" * 4, 4),
    Body(
        "cv.mac, cv.clip, cv.mac",
        "cv.mac t0, t1, t2\n cv.clip t0, t0, 8\n cv.mac t0, t1, t2\n",
        3,
    ),
    Body("4 mul", "mul t0, t1, t2\n" * 4, 4, source="manual"),
    Body("mulh, 2 nop", "mulh t0, t1, t2\n nop\n nop\n", 7, "li t1, 5"),
    Body("divu by 7, 2 nop", "divu t0, t1, t2\n nop\n nop\n", 34, "li t2, 7"),
    Body("divu by 1, 2 nop", "divu t0, t1, t2\n nop\n nop\n", 36, "li t2, 1"),
    Body("divu by 2^31, 2 nop", "divu t0, t1, t2\n nop\n nop\n", 5, "li t2, 1 << 31"),
    Body("3 loads from L1", "lw t0, 0(a0)\n lw t1, 4(a0)\n lw t2, 8(a0)\n", 3),
    Body("load from L1, use, nop", "lw t0, 0(a0)\n add t1, t0, t0\n nop\n", 4),
    Body("3 stores to L1", "sw t0, 0(a0)\n sw t1, 4(a0)\n sw t2, 8(a0)\n", 3),
    Body("lw and lh across words, nop", "lw t0, 2(a0)\n lh t1, 3(a0)\n nop\n", 5),
    Body("2 lh inside a word, nop", "lh t0, 1(a0)\n lh t1, 1(a0)\n nop\n", 3, source="GVSoC"),
    Body("4 jumps", "j 1f\n1:\n" * 4, 8, software_loop=True),
    Body("4 branches taken", "beqz zero, 1f\n1:\n" * 4, 12, software_loop=True),
    Body("4 branches not taken", "bnez zero, 1f\n1:\n" * 4, 4, software_loop=True),
    Body("3 reads of mhartid", "csrr t0, mhartid\n" * 3, 3),
    Body("3 reads of mcycle", "csrr t0, mcycle\n" * 3, 12, source="manual"),
    Body("3 loads from L2", "lw t0, 0(a1)\n lw t1, 4(a1)\n lw t2, 8(a1)\n", 45, source="GVSoC"),
    Body(
        "2 loads from L2, each used at once",
        "lw t0, 0(a1)\n add t1, t0, t0\n lw t2, 4(a1)\n add t1, t2, t2\n",
        34,
        source="GVSoC",
    ),
    Body("3 stores to L2", "sw t0, 0(a1)\n sw t1, 4(a1)\n sw t2, 8(a1)\n", 45, source="GVSoC"),
    Body(
        "3 loads from L2, 8 cores",
        "lw t0, 0(a1)\n lw t1, 4(a1)\n lw t2, 8(a1)\n",
        45,
        cores=8,
        source="GVSoC",
    ),
    Body(
        "3 loads from one L1 bank, 8 cores",
        "lw t0, 0(a0)\n lw t1, 0(a0)\n lw t2, 64(a0)\n",
        24,
        cores=8,
        source="GVSoC",
    ),
    Body(
        "3 loads from L1, 8 cores, a bank each",
        "lw t0, 0(a2)\n lw t1, 64(a2)\n lw t2, 128(a2)\n",
        3,
        cores=8,
        source="GVSoC",
    ),
    Body(
        "barrier of 8 cores, 2 nop",
        "cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)\n nop\n nop\n",
        7,
        "li t0, EVENT_UNIT",
        cores=8,
        source="GVSoC",
    ),
)


def _program(body: Body) -> str:
    """Runs the loop twice and counts the second time, when instructions are in the cache."""
    if body.software_loop:
        loop = f"li t5, {_REPEATS}\n2:\n{body.text}\n addi t5, t5, -1\n bnez t5, 2b\n"
    else:
        loop = f"li t1, {_REPEATS}\n li a5, {_REPEATS}\n loop_setup 0, a5, 3f\n{body.text}\n3:\n"
    return f"""
#include "cluster.inc"
.globl _start
_start:
  li a0, L1
  li a1, L2_DATA
  csrr a2, mhartid
  slli a2, a2, 2
  add a2, a2, a0
  barrier_setup {body.cores}
  li t1, 1000
  {body.setup}
  li s11, 2
.balign 16
.option norvc
again:
  addi s11, s11, -1
  barrier_wait
  {body.setup}
  bnez s11, 1f
  region_begin {REGION}
1:
  {loop}
  bnez s11, again
  region_end {REGION}
  barrier_wait
  exit_with 0
4: j 4b
"""


def _overhead(body: Body) -> int:
    """Instructions in the region around the repetitions."""
    return 1 + 1 + 4 * _REPEATS - 2 if body.software_loop else 2 + 1 + 1


def region(run: Run, core: int = 0) -> Counters:
    """The counters of REGION on a core."""
    assert run.status == 0, run.messages
    return run.cores[core].regions[REGION]


def warm_cycles(counters: Counters) -> int:
    """Cycles with every instruction in the cache."""
    return counters.cycles - counters.stalls.get("instruction_cache", 0)


def _measure_body(body: Body, folder: Path) -> float:
    """Cycles of a repetition, on the slowest core."""
    elf = link(_program(body), folder, symbols={})
    run = simulate(elf, "--start-cluster", "--set", f"cluster_cores={body.cores}")
    cycles = max(warm_cycles(region(run, core)) for core in range(body.cores))
    return (cycles - _overhead(body)) / _REPEATS


_FABRIC = """
#include "cluster.inc"
.globl _start
_start:
  li a0, L2_DATA
  li a1, STDOUT
  li a2, {address}
  region_begin 1
  .rept 50
  lw t0, 0(a2)
  .endr
  region_end 1
  exit_with 0
"""


# 64 lines of the instruction cache: more than a core's own 32, so that each comes from the shared cache.
_STRAIGHT = f"""
#include "cluster.inc"
.globl _start
_start:
  li s11, 2
.balign 16
.option norvc
again:
  addi s11, s11, -1
  bnez s11, 1f
  nop
  region_begin {REGION}
1:
  .rept 4 * 64
  nop
  .endr
  bnez s11, again
  region_end {REGION}
  exit_with 0
"""


def _measure_straight(folder: Path) -> float:
    elf = link(_STRAIGHT, folder, symbols={})
    counters = region(simulate(elf, "--start-cluster", "--set", "cluster_cores=1"))
    return counters.cycles - 1  # the branch behind


def _measure_fabric(address: str, folder: Path) -> float:
    run = simulate(link(_FABRIC.format(address=address), folder, symbols={}))
    return region(run, 9).cycles / 50


def _timing(body: Body) -> Timing:
    return Timing(body.name, body.cycles, body.source, lambda folder: _measure_body(body, folder))


INSTRUCTIONS: Sequence[Timing] = (
    *map(_timing, _BODIES),
    Timing("1024 bytes of straight code, in the shared cache", 384, "GVSoC", _measure_straight),
    Timing(
        "load of the fabric controller from L2",
        1,
        "GVSoC",
        lambda folder: _measure_fabric("L2_DATA", folder),
    ),
    Timing(
        "load of the fabric controller from a peripheral",
        9,
        "GVSoC",
        lambda folder: _measure_fabric("TIMER", folder),
    ),
)
