"""What a chip's file adds by `memory` and `device` lines: where that is, what it costs, and what is wrong with one."""

import json
from pathlib import Path

import pytest
from support import (
    CHIP,
    EXIT_FAULT,
    EXIT_USE,
    HEAD,
    TOY,
    check,
    checks,
    link,
    run_checked,
    simulate,
)

_BASE = 0x10400000
_WEIGHTS = ("--part", f"memory weights base={_BASE:#x} bytes=0x2000 cluster=7 fc=5 dma=4")

# One word is stored and loaded, and the load timed: a0 is the word, s2 the cycles.
_TIMED_LOAD = f"""
  li a1, {_BASE} + 64
  li a2, 0x12345678
  sw a2, 0(a1)
  csrr s1, mcycle
  lw a0, 0(a1)
  csrr s2, mcycle
  sub s2, s2, s1
"""


def _cycles(folder: Path, *options: str, cores: int) -> int:
    """Of a load and what stands around it."""
    for cycles in range(1, 100):
        source = (
            f"{HEAD}{_TIMED_LOAD}{check('s2', str(cycles), 1)} exit_with 0\nfail:\n exit_with 1\n"
        )
        flags = ("--start-cluster", "--set", f"cluster_cores={cores}") if cores else ()
        if simulate(link(source, folder, symbols={}), *flags, *options).status == 0:
            return cycles
    raise AssertionError("it takes longer than 99 cycles")


@pytest.mark.parametrize("cores", [0, 1], ids=["fabric-controller", "cluster"])
def test_memory_holds_words_and_costs_what_its_line_says(cores: int, tmp_path: Path) -> None:
    run_checked(_TIMED_LOAD + checks(("a0", "0x12345678")), tmp_path, *_WEIGHTS, cores=cores)
    dearer = ("--part", _WEIGHTS[1].replace("cluster=7 fc=5", "cluster=10 fc=8"))
    fewer, more = (_cycles(tmp_path, *line, cores=cores) for line in (_WEIGHTS, dearer))
    assert more - fewer == 3


def test_a_setting_of_a_part_is_changed_for_a_run(tmp_path: Path) -> None:
    dearer = (*_WEIGHTS, "--set", "weights.fc=8")
    fewer, more = (_cycles(tmp_path, *options, cores=0) for options in (_WEIGHTS, dearer))
    assert more - fewer == 3


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("other.fc=8", "--set: the chip has no memory or device called 'other'"),
        ("weights.cost=8", "--part (--set cost): nothing of such a part is called 'cost'"),
        ("weights.fc=fast", "--set: "),
    ],
)
def test_settings_of_parts_that_are_not_there_are_wrong_use(
    setting: str, reason: str, tmp_path: Path
) -> None:
    elf = link(f"{HEAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, *_WEIGHTS, "--set", setting)
    assert run.status == EXIT_USE
    assert reason in run.messages


def test_waits_for_a_memory_are_counted_as_such(tmp_path: Path) -> None:
    elf = link(f"{HEAD}{_TIMED_LOAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=1", *_WEIGHTS)
    assert run.cores[0].total.stalls["memory"] == 2 * 6


def _copy(register: str, direction: int) -> str:
    """4096 bytes from the memory to L1 (1), or back (0), and how long until the DMA is idle."""
    return f"""
  li s0, DMA
  lw t2, 0(s0)
  li t1, 4096 | ({direction} << 17) | (1 << 18)
  li a1, L1
  li a2, {_BASE}
  csrr {register}, mcycle
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
1:
  lw t3, 4(s0)
  slli t3, t3, 16
  bnez t3, 1b
  csrr t3, mcycle
  sub {register}, t3, {register}
  li t3, 1
  sll t3, t3, t2
  sw t3, 4(s0)
"""


def test_dma_moves_as_many_bytes_a_cycle_as_the_line_says(tmp_path: Path) -> None:
    body = f"""
  li a1, {_BASE} + 4092
  li a2, 77
  sw a2, 0(a1)
{_copy("s2", 1)}
  li a1, L1 + 4092
  lw a3, 0(a1)
  srli s2, s2, 6      // 1024 beats of four bytes and little more
{checks(("a3", "77"), ("s2", "16"))}
"""
    run_checked(body, tmp_path, *_WEIGHTS)


def test_dma_does_not_reach_a_memory_of_no_bytes_a_cycle(tmp_path: Path) -> None:
    elf = link(f"{HEAD}{_copy('s2', 1)} exit_with 0\n", tmp_path, symbols={})
    line = _WEIGHTS[1].replace("dma=4", "dma=0")
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=1", "--part", line)
    assert run.status == EXIT_FAULT
    assert "between L1 and 0x10400000, where it does not get: it does to L2" in run.messages


def test_program_may_lie_in_such_a_memory(tmp_path: Path) -> None:
    elf = link(f"{HEAD} li a0, 5\n exit_with 5\n", tmp_path, symbols={}, text=_BASE)
    assert simulate(elf, *_WEIGHTS).status == 5
    assert simulate(elf).status == EXIT_USE


# 16 words of ones in the memory and in L1, whose sums are wanted in L1 + 256.
_ADD = f"""
  li s0, ACCELERATOR
  li t0, EVENT_UNIT
  li t1, 1 << 12
  sw t1, EU_MASK(t0)
  li a0, L1
  li a1, {_BASE}
  li a5, 16
1:
  sw a5, 0(a0)
  sw a5, 0(a1)
  addi a0, a0, 4
  addi a1, a1, 4
  addi a5, a5, -1
  bnez a5, 1b
  lw s8, 0x04(s0)
  li a0, L1
  sw a0, 0x20(s0)
  li a1, {_BASE}
  sw a1, 0x24(s0)
  addi a1, a0, 256
  sw a1, 0x28(s0)
  li a1, 16
  sw a1, 0x2C(s0)
  sw zero, 0(s0)
"""


def test_device_works_on_all_memories_and_is_counted(tmp_path: Path) -> None:
    """Two loads of half the banks' width and a store, a beat; only those of L1 meet banks."""
    source = f"{HEAD}{_ADD} cv.elw a5, EU_WAIT_CLEAR(t0)\n lw a2, 256(a0)\n"
    elf = link(
        f"{source}{check('a2', '32', 1)} exit_with 0\nfail:\n exit_with 1\n", tmp_path, symbols={}
    )
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=1", *_WEIGHTS, *TOY)
    assert run.status == 0, run.messages
    assert run.cores[0].total.stalls["accelerator"] > 0
    (device,) = json.loads(elf.with_suffix(".json").read_text(encoding="utf-8"))["devices"]
    assert device == {
        "name": "toy",
        "kind": "toy",
        "jobs": 1,
        "busy_cycles": 5,
        "bank_waits": 0,
        "bytes_loaded": 128,
        "bytes_stored": 64,
        "parts": {},
    }


def test_device_reaches_l2_where_its_line_says_so(tmp_path: Path) -> None:
    start = _ADD.replace(str(_BASE), "L2_DATA")
    body = f"{start} cv.elw a5, EU_WAIT_CLEAR(t0)\n lw a2, 256(a0)\n"
    run_checked(body + checks(("a2", "32")), tmp_path, "--part", f"{TOY[1]} l2=1")
    elf = link(f"{HEAD}{body} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, "--start-cluster", "--set", "cluster_cores=1", *TOY)
    assert run.status == EXIT_FAULT
    assert "toy: load of 32 bytes at 0x1c020000: it does not reach L2" in run.messages


def test_two_devices_have_registers_and_events_of_their_own(tmp_path: Path) -> None:
    second = ("--part", "device other toy base=0x10203000 event=20")
    body = f"""{_ADD.replace("ACCELERATOR", "0x10203000").replace("1 << 12", "1 << 20")}
  cv.elw a5, EU_WAIT_CLEAR(t0)
  lw a2, 0x08(s0)
  li s0, ACCELERATOR
  lw a3, 0x08(s0)
"""
    run_checked(
        body + checks(("a5", "1 << 20"), ("a2", "1"), ("a3", "0")),
        tmp_path,
        *_WEIGHTS,
        *TOY,
        *second,
    )


def test_race_between_a_device_and_a_core_is_a_fault(tmp_path: Path) -> None:
    """The core writes where the running job will; it may after the job's event."""
    start = _ADD.replace("li a1, 16", "li a1, 160")
    write = " li a2, 1\n sw a2, 892(a0)\n"
    wait = " cv.elw a5, EU_WAIT_CLEAR(t0)\n"
    flags = ("--start-cluster", "--set", "cluster_cores=1", "--race-check", *_WEIGHTS, *TOY)
    sound = link(f"{HEAD}{start}{wait}{write} exit_with 0\n", tmp_path, symbols={})
    assert simulate(sound, *flags).status == 0
    wrong = link(f"{HEAD}{start}{write}{wait} exit_with 0\n", tmp_path, symbols={})
    run = simulate(wrong, *flags)
    assert run.status == EXIT_FAULT
    assert "race: core 0 wrote the byte at 0x1000037c" in run.messages
    assert "now it is written by toy" in run.messages


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("memory", "expected `memory NAME KEY=NUMBER …` or `device NAME KIND KEY=NUMBER …`"),
        ("device toy", "expected `memory NAME KEY=NUMBER …` or `device NAME KIND KEY=NUMBER …`"),
        (
            "engine toy toy",
            "expected `memory NAME KEY=NUMBER …` or `device NAME KIND KEY=NUMBER …`",
        ),
        (
            "memory m base = 5",
            "expected KEY=NUMBER, a number of 32 bits and no spaces, found 'base'",
        ),
        ("memory m base=0x1000000000", "found 'base=0x1000000000'"),
        ("memory m bytes=4096", "'base=NUMBER' is missing"),
        ("memory m base=0x30000000 bytes=4096 bytes=8192", "'bytes' is given a second time"),
        ("memory m base=0x30000000 bytes=100", "multiples of 4096"),
        ("memory m base=0x30000000 bytes=4096 size=1", "nothing of such a part is called 'size'"),
        ("memory m base=0x30000000 bytes=4096 fc=0", "an access takes a cycle at least"),
        ("memory m base=0x1000F000 bytes=8192", "memory m lies where L1 is"),
        ("device d hammer base=0x30000000", "no kind of device is called 'hammer'; there are"),
        ("device d toy", "'base=NUMBER' is missing"),
        ("device d toy base=0x10200000", "another device has a part of its addresses"),
        ("device d toy base=0x10000000", "memory L1 has a part of its addresses"),
        ("device d toy base=0x30000000 event=29", "the first of four, 28 at most, not 29"),
        ("device d toy base=0x30000000 speed=2", "nothing of such a part is called 'speed'"),
    ],
)
def test_wrong_line_is_told(line: str, message: str, tmp_path: Path) -> None:
    elf = link(f"{HEAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, "--part", line)
    assert (run.status, message in run.messages) == (EXIT_USE, True), run.messages
    assert not elf.with_suffix(".json").exists()


def test_chip_may_change_a_part_of_its_base(tmp_path: Path) -> None:
    """And a line of its own file says where it stands."""
    (tmp_path / CHIP.name).write_text(CHIP.read_text(encoding="utf-8"), encoding="utf-8")
    middle = tmp_path / "middle.soc"
    middle.write_text(
        f"base {CHIP.name}\nmemory m base=0x30000000 bytes=4096  # small\n", encoding="utf-8"
    )
    last = tmp_path / "last.soc"
    last.write_text("base middle.soc\nmemory m base=0x30000000 bytes=8192\n", encoding="utf-8")
    elf = link(f"{HEAD} li a0, 0x30001FFC\n sw zero, 0(a0)\n exit_with 0\n", tmp_path, symbols={})
    assert simulate(elf, "--chip", str(last)).status == 0
    assert "store of 4 bytes at 0x30001ffc" in simulate(elf, "--chip", str(middle)).messages
    middle.write_text(f"base {CHIP.name}\n\nmemory m base=1 bytes=4096\n", encoding="utf-8")
    assert "middle.soc:3: base and bytes must be" in simulate(elf, "--chip", str(middle)).messages
