"""Nobody who looks on changes a run: cores that go ahead alone, unobserved, keep the cycles of those in step."""

import json
from pathlib import Path

import pytest
from gdb_client import debugger
from handlers import CYCLIC, TIMER, with_handler
from random_devices import random_devices
from support import EXIT_FAULT, EXIT_OUT_OF_CYCLES, HEAD, TOY, Run, count, link, seeded, simulate

_COUNT = "handler:\n addi s7, s7, 1\n mret\n"

_PERIODIC = f"""
  trap_table table, 1
  interrupt_on 10
  csrsi mstatus, MIE
  {TIMER.format(period=37, configuration=CYCLIC)}
"""

_SHARED = """
  barrier_setup 8
  csrr a0, mhartid
  addi a3, a0, 3
1:
  mul a4, a0, a3
  divu a4, a4, a3
  addi a3, a3, -1
  bnez a3, 1b
  cv.elw a1, EU_MUTEX(t0)
  addi a1, a1, 1
  sw a1, EU_MUTEX(t0)
  barrier_wait
  bnez a0, 2f
"""

_TRANSFER = """
  li s0, DMA
  li a0, L1
  li a1, L2_DATA
  li a2, 12
1:
  li t1, 600 | (1 << 17) | (1 << 18)
  lw t0, 0(s0)
  sw t1, 0(s0)
  sw a0, 0(s0)
  sw a1, 0(s0)
  lw a3, 2044(a0)
2:
  lw t1, 4(s0)
  slli t1, t1, 16
  bnez t1, 2b
  li t1, -1
  sw t1, 4(s0)
  addi a2, a2, -1
  bnez a2, 1b
"""

_STARTED = """
  li s1, FC_INTERRUPTS
  li t1, 1 << 21
  sw t1, ITC_MASK_SET(s1)
  start_cluster 0x1FF
  wfi
  exit_with 0
worker:
  csrr a0, mhartid
  slli a1, a0, 5
1:
  mul a3, a1, a1
  addi a1, a1, -1
  bgez a1, 1b
  li a2, 8
  bne a0, a2, 2f
  li s0, CONTROL
  li t1, 1
  sw t1, 0(s0)
"""

_CLUSTER = ("--start-cluster", "--set", "cluster_cores=8")
_PROGRAMS = {
    "interrupts in a loop": (
        with_handler(_COUNT, _PERIODIC + " li a5, 300\n1:\n addi a5, a5, -1\n bnez a5, 1b\n"),
        ("--start-cluster", "--set", "cluster_cores=1"),
    ),
    "interrupts end sleep": (
        with_handler(_COUNT, _PERIODIC + " li a5, 9\n1:\n wfi\n blt s7, a5, 1b\n"),
        _CLUSTER,
    ),
    "mutex and barrier": (_SHARED, _CLUSTER),
    "transfers": (_TRANSFER, ()),
    "cluster started": (_STARTED, ()),
}


def _observed(elf: Path, *options: str) -> tuple[Run, bytes]:
    run = simulate(elf, *options)
    return run, elf.with_suffix(".json").read_bytes()


def _told(run: Run) -> tuple[int, str, str]:
    return run.status, run.output, run.messages


@pytest.mark.parametrize("name", _PROGRAMS)
def test_log_trace_and_debugger_change_no_cycle(name: str, tmp_path: Path) -> None:
    body, options = _PROGRAMS[name]
    elf = link(f"{HEAD}{body}\n exit_with 0\n2:\n j 2b\n", tmp_path, symbols={})
    limited = ("--most-cycles", "100000", *options)
    alone, wanted = _observed(elf, *limited)
    assert alone.status == 0, alone.messages
    log, trace = str(tmp_path / "log"), str(tmp_path / "trace")
    files: set[tuple[bytes, bytes]] = set()
    for _ in range(2):
        run, counters = _observed(elf, *limited, "--log", log, "--trace", trace)
        assert (_told(run), counters) == (_told(alone), wanted)
        files.add((Path(log).read_bytes(), Path(trace).read_bytes()))
    assert len(files) == 1
    report = tmp_path / "debugged.json"
    with debugger(elf, "--json", str(report), *limited) as gdb:
        assert gdb.ask("c") == "W00"
        gdb.hang_up()
        assert gdb.exit_status() == 0
    assert report.read_bytes() == wanted


def test_random_use_of_devices_ends_well_and_alike(tmp_path: Path) -> None:
    """A fault of the program at most; and the same with a log. $TINSMITH_SOC_DEVICES: how many programs."""
    rng = seeded()
    elf = tmp_path / "devices.elf"
    for number in range(count("DEVICES", 40)):
        elf.write_bytes(random_devices(rng, rng.randrange(5, 100)))
        start = rng.choice([(), ("--start-cluster",), ("--start-cluster", "--race-check")])
        options = (*TOY, "--most-cycles", "3000", *start)
        run, counters = _observed(elf, *options)
        assert run.status in (EXIT_OUT_OF_CYCLES, EXIT_FAULT), f"{number}: {run.messages}"
        for core in run.cores:
            for part in (core.total, *core.functions.values(), *core.regions.values()):
                assert part.cycles == part.instructions + sum(part.stalls.values())
        logged, logged_counters = _observed(elf, *options, "--log", str(tmp_path / "log"))
        assert (_told(logged), logged_counters) == (_told(run), counters), f"program {number}"
        assert json.loads(counters)["outcome"] in ("fault", "out of cycles")
