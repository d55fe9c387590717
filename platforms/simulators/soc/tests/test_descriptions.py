"""Chips as data: what differs between them, and a cluster led by its ninth core on each."""

from pathlib import Path

import pytest
from support import CHIP, GAP9, HEAD, SIRACUSA, checks, link, run_checked, simulate

_CHIPS = pytest.mark.parametrize(
    "chip",
    [
        pytest.param(CHIP, id="pulp-open"),
        pytest.param(SIRACUSA, id="siracusa"),
        pytest.param(GAP9, id="gap9"),
    ],
)


@_CHIPS
def test_controller_has_a_larger_cache_than_the_workers(chip: Path, tmp_path: Path) -> None:
    """A loop of 1 KiB, which the 2 KiB of core 8 hold and the 512 bytes of the others do not."""
    body = ".option norvc\n li a5, 20\n1:\n" + " nop\n" * 256 + " addi a5, a5, -1\n bnez a5, 1b\n"
    end = " csrr a0, mhartid\n2:\n bnez a0, 2b\n li a5, 9000\n3:\n addi a5, a5, -1\n bnez a5, 3b\n"
    elf = link(f"{HEAD}{body}{end}exit_with 0\n", tmp_path, symbols={})
    cores = simulate(elf, "--chip", str(chip), "--start-cluster").cores
    waits = [core.total.stalls["instruction_cache"] for core in cores[:9]]
    assert min(waits[:8]) > 20 * 64
    assert waits[8] < 64 * 20


@_CHIPS
def test_ninth_core_leads_a_team_of_eight(chip: Path, tmp_path: Path) -> None:
    """As on GAP9 and Siracusa: core 8 forks, meets the workers at a barrier, and tells the fabric controller."""
    body = f"""
  li s1, FC_INTERRUPTS
  li t1, 1 << 21
  sw t1, ITC_MASK_SET(s1)
  start_cluster 0x1FF
  wfi
  li a1, L2_DATA
  lw a0, 0(a1)
{checks(("a0", "28 + 8 * 5"))}
  exit_with 0
worker:
  li t0, EVENT_UNIT
  li t1, DISPATCH_AND_BARRIER
  sw t1, EU_MASK(t0)
  csrr s2, mhartid
  li a5, 8
  beq s2, a5, controller
1:
  cv.elw a0, EU_DISPATCH(t0)
  cv.elw a1, EU_DISPATCH(t0)
  jalr a0
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
  j 1b
add:
  li a2, L1
  slli a3, s2, 2
  add a2, a2, a3
  add a1, a1, s2
  sw a1, 0(a2)
  ret
controller:
  li t1, 0x1FF
  sw t1, EU_BARRIER_MEMBERS(t0)
  sw t1, EU_BARRIER_TARGETS(t0)
  li t1, 0xFF
  sw t1, EU_TEAM(t0)
  la t1, add
  sw t1, EU_DISPATCH(t0)
  li t1, 5
  sw t1, EU_DISPATCH(t0)
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
  li a1, L1
  li a5, 8
  li a0, 0
2:
  cv.lw a2, (a1), 4
  add a0, a0, a2
  addi a5, a5, -1
  bnez a5, 2b
  li a1, L2_DATA
  sw a0, 0(a1)
  li s0, CONTROL
  li t1, 1
  sw t1, 0(s0)
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
"""
    run_checked(body, tmp_path, "--chip", str(chip), cores=0)


def test_siracusa_has_four_times_the_first_memory(tmp_path: Path) -> None:
    body = "  li a0, L1 + 0x3FFFC\n  li a1, 7\n  sw a1, 0(a0)\n  lw a2, 0(a0)\n" + checks(
        ("a2", "7")
    )
    run_checked(body, tmp_path, "--chip", str(SIRACUSA), cores=0)
    elf = link(f"{HEAD}{body.split(' li s10')[0]}\n exit_with 0\n", tmp_path, symbols={})
    assert "store of 4 bytes at 0x1003fffc" in simulate(elf).messages


def test_description_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    elf = link(f"{HEAD} exit_with 0\n", tmp_path, symbols={})
    for text, message in (
        ("base nowhere.soc\n", "nowhere.soc: cannot be read"),
        ("l1_bytes = 4096\nbase x.soc\n", "`base` comes before all constants"),
        ("base chip.soc\n", "from file to file without an end"),
        ("l1_bytes = 4096\n", "is missing, as are"),
        (f"base {CHIP.name}\nl1_bytes = 4096\nl1_bytes = 8192\n", "given a second time"),
        (f"base {CHIP.name}\nevent_dma = 32\n", "numbers below 32, not 32"),
        (f"base {CHIP.name}\nl1_banks = 5\n", "chip.soc: l1_banks must be a power of two, not 5"),
    ):
        chip = tmp_path / "chip.soc"
        (tmp_path / CHIP.name).write_text(CHIP.read_text(encoding="utf-8"), encoding="utf-8")
        chip.write_text(text, encoding="utf-8")
        assert message in simulate(elf, "--chip", str(chip)).messages
