"""What `--json` counts: instructions by class and stalls by cause, per core, function, region and stage."""

from pathlib import Path

import pytest
from support import Counters, Run, link, simulate

_HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'

_COPY = """
  li s0, DMA
  lw t2, 0(s0)
  li t1, 1024 | (1 << 17) | (1 << 18) | (1 << 20)
  li a1, L1
  li a2, L2_DATA
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
"""


def _run(body: str, folder: Path, cores: int = 1) -> Run:
    source = f"{_HEAD}{body}\n exit_with 0\n9: j 9b\n"
    elf = link(source, folder, symbols={})
    run = simulate(elf, "--start-cluster", "--set", f"cluster_cores={cores}")
    assert run.status == 0, run.messages
    for core in run.cores:
        parts = (core.functions, core.regions, core.stages)
        for counters in (core.total, *(found for part in parts for found in part.values())):
            _assert_adds_up(counters)
        assert core.total.instructions == sum(f.instructions for f in core.functions.values())
        assert core.total.cycles == sum(f.cycles for f in core.functions.values())
    return run


def _assert_adds_up(counters: Counters) -> None:
    assert counters.cycles == counters.instructions + sum(counters.stalls.values())
    assert counters.instructions == sum(counters.classes.values())


def _waited(counters: Counters) -> int:
    return counters.stalls.get("dma_wait", 0) + counters.classes.get("dma_poll", 0)


def test_polling_the_dma_is_a_wait_for_it(tmp_path: Path) -> None:
    poll = "region_begin 1\n1:\n lw t2, 4(s0)\n slli t2, t2, 16\n bnez t2, 1b\n region_end 1\n"
    run = _run(_COPY + poll, tmp_path)
    region = run.cores[0].regions[1]
    # 128 beats, a round of the loop takes 6 cycles, of which 2 are the branch's and 1 the load's.
    assert 128 <= _waited(region) <= 128 + 12
    assert region.stalls["dma_wait"] == region.classes["dma_poll"]
    assert region.cycles - _waited(region) - region.stalls["instruction_cache"] < 6
    assert region.classes["load"] == 1  # the last read


def test_sleeping_for_the_dma_is_a_wait_for_it(tmp_path: Path) -> None:
    sleep = """
  li t0, EVENT_UNIT
  li t1, (1 << 8) | (1 << 16)
  sw t1, EU_MASK(t0)
  cv.elw t1, EU_WAIT_CLEAR(t0)
"""
    total = _run(_COPY + sleep, tmp_path).cores[0].total
    assert 100 <= total.stalls["dma_wait"] <= 140
    assert "barrier" not in total.stalls
    assert "event" not in total.stalls


def test_work_between_two_looks_at_the_dma_is_no_wait(tmp_path: Path) -> None:
    work = """
1:
  lw t2, 4(s0)
  lw t3, 4096(zero)
  slli t2, t2, 16
  bnez t2, 1b
""".replace("4096(zero)", "0(a3)")
    total = _run("li a3, L1 + 4096\n" + _COPY + work, tmp_path).cores[0].total
    assert _waited(total) == 0


def test_waits_are_told_apart(tmp_path: Path) -> None:
    """Core 1 waits for work, for the mutex, for an event and at the barrier, since core 0 is busy."""
    body = """
  barrier_setup 2
  li t1, (1 << 16) | (1 << 3)
  sw t1, EU_MASK(t0)
  barrier_wait
  csrr a0, mhartid
  bnez a0, 2f
  cv.elw t1, EU_MUTEX(t0)
  call pause
  li t1, 2
  sw t1, EU_TEAM(t0)
  sw zero, EU_DISPATCH(t0)
  call pause
  sw zero, EU_MUTEX(t0)
  call pause
  li t1, 2
  sw t1, 0x10C(t0)
  call pause
  j 3f
2:
  cv.elw t1, EU_DISPATCH(t0)
  cv.elw t1, EU_MUTEX(t0)
  cv.elw t1, EU_WAIT_CLEAR(t0)
3:
  barrier_wait
  bnez a0, 9f
  exit_with 0
.globl pause
pause:
  li a5, 100
1:
  addi a5, a5, -1
  bnez a5, 1b
  ret
"""
    stalls = _run(body, tmp_path, cores=2).cores[1].total.stalls
    for cause in ("dispatch", "mutex", "event", "barrier"):
        assert 350 < stalls[cause] < 500, cause
    assert "dma_wait" not in stalls


@pytest.mark.parametrize("cores", [1, 8])
def test_counters_add_up_in_a_program_with_calls_and_waits(cores: int, tmp_path: Path) -> None:
    body = f"""
  barrier_setup {cores}
  li a5, 10
1:
  call work
  barrier_wait
  addi a5, a5, -1
  bnez a5, 1b
  csrr a0, mhartid
2:
  bnez a0, 2b
  {_COPY}
  call poll
  exit_with 0
.globl work
work:
  region_begin 3
  li a0, L1
  lw a1, 0(a0)
  add a1, a1, a1
  mulh a2, a1, a1
  region_end 3
  ret
.globl poll
poll:
  lw t2, 4(s0)
  slli t2, t2, 16
  bnez t2, poll
  ret
"""
    run = _run(body, tmp_path, cores)
    assert _waited(run.cores[0].functions["poll"]) == _waited(run.cores[0].total) > 100
    assert run.cores[0].regions[3].stalls["load_use"] == 10


def test_stages_end_for_all_cores_also_those_asleep(tmp_path: Path) -> None:
    """Core 1 sleeps from stage 1 through stage 2 into stage 3, which comes twice; in 4 it works with core 0."""
    body = """
  barrier_setup 2
  li t1, (1 << 16) | (1 << 18)
  sw t1, EU_MASK(t0)
  csrr a0, mhartid
  bnez a0, 2f
  li t1, 2
  sw t1, EU_TEAM(t0)
  call pause
  stage_end zero
  li t1, 1
  call pause
  stage_end t1
  li t1, 2
  call pause
  call pause
  stage_end t1
  li t1, 3
  call pause
  stage_end t1
  call pause
  sw zero, EU_DISPATCH(t0)
  stage_end t1
  call pause
  barrier_wait
  li t1, 4
  stage_end t1
  j 3f
2:
  cv.elw t1, EU_DISPATCH(t0)
  call pause
  barrier_wait
  j 9f
3:
  exit_with 0
.globl pause
pause:
  li a5, 100
1:
  addi a5, a5, -1
  bnez a5, 1b
  ret
"""
    zero, one = (core.stages for core in _run(body, tmp_path, cores=2).cores[:2])
    assert zero.keys() == one.keys() == {1, 2, 3, 4}
    for stage, pauses in ((1, 1), (2, 2), (3, 2), (4, 1)):
        assert abs(zero[stage].cycles - one[stage].cycles) < 20, stage  # a miss of the cache
        assert 400 * pauses < zero[stage].cycles < 400 * pauses + 60, stage
    for stage in (1, 2):
        assert one[stage].instructions == 0
        assert one[stage].stalls == {"dispatch": one[stage].cycles}
    assert one[4].instructions > 200
