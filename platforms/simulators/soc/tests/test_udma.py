"""The uDMA: what it copies, in which order, what that takes, and who hears of it."""

from pathlib import Path

import pytest
from support import checks, read_trace, simulate
from udma_programs import ON_GAP9, SETUP, copy_cycles, run_udma, udma_program


def test_copies_bring_what_the_program_has_there_and_take_it_back(tmp_path: Path) -> None:
    """Of a length that is no multiple of four, too: the byte behind stays as it was."""
    body = f"""
  li a1, NEAR
  li a4, NEAR + 4096
  li a2, -1
  sw a2, 0(a4)
  copy NEAR, FAR + 64, 4097
  wait
  lw a2, 4(a1)
  lw a3, 0(a4)
  copy FAR + 4, NEAR + 4, 4
  copy NEAR + 8, FAR, 8
  wait
  wait
  lw a6, 8(a1)
  lw a7, 12(a1)
{checks(("a2", "0x0101 * 17"), ("a3", "0xFFFFFF10"), ("a5", "1 << 20"), ("a6", "0"))}
{checks(("a7", "0x0101 * 17"))}
"""
    run = run_udma(body, tmp_path)
    assert run.status == 0, run.messages


@pytest.mark.parametrize("size", [1, 4, 1024, 1028, 5000])
def test_a_copy_takes_its_setup_and_each_bursts_command_and_bytes(
    size: int, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.json"
    run = run_udma(f"copy NEAR, FAR, {size}\n wait", tmp_path, "--trace", str(trace))
    assert run.status == 0, run.messages
    (copy,) = read_trace(trace)["udma"]
    assert copy.name == f"copy {size} B from 0x80000000 to 0x1c020000"
    assert copy.ended - copy.began == copy_cycles(size)
    waited = run.cores[0].total.stalls["fetch_wait"]
    assert copy_cycles(size) < waited + 30 < copy_cycles(size) + 60
    (slept,) = (it for it in read_trace(trace)["core 0"] if it.name == "sleep: fetch")
    assert slept.ended - slept.began <= waited


def test_copies_in_the_queue_are_set_up_while_the_first_moves(tmp_path: Path) -> None:
    """They end in the order of their starts, one event each; how many ended can be read all the while."""
    trace = tmp_path / "trace.json"
    body = f"""
  lw s2, 0x10(s0)
  copy NEAR, FAR, 1024
  copy NEAR, FAR + 1024, 1024
  copy NEAR + 1024, FAR + 4, 8
  lw s3, 0x10(s0)
  lw s4, 0x18(s0)
  lw s5, 0x14(s0)
  wait
  lw s6, 0x14(s0)
  wait
  wait
  lw s7, 0x14(s0)
  lw s8, 0x18(s0)
  li a1, NEAR
  lw a2, 0(a1)
{checks(("s2", "0"), ("s3", "3"), ("s4", "5"), ("s5", "0"), ("s6", "1"), ("s7", "3"), ("s8", "8"))}
{checks(("a2", "0x0101 * 256"))}
"""
    run = run_udma(body, tmp_path, "--trace", str(trace))
    assert run.status == 0, run.messages
    first, second, third = read_trace(trace)["udma"]
    assert (first.ended, second.ended) == (second.began, third.began)
    assert second.ended - second.began == copy_cycles(1024) - SETUP
    assert third.ended - third.began == copy_cycles(8) - SETUP


def test_fabric_controller_reads_how_many_copies_ended(tmp_path: Path) -> None:
    body = """
  copy NEAR, FAR + 4, 64
1:
  lw a2, 0x14(s0)
  beqz a2, 1b
  li a1, NEAR
  lw a3, 0(a1)
  li a4, 0x0101
  bne a3, a4, fail
"""
    run = simulate(udma_program(body, tmp_path), *ON_GAP9, "--most-cycles", "100000")
    assert run.status == 0, run.messages
    assert run.cores[-1].total.cycles > copy_cycles(64)
