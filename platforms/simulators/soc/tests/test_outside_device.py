"""The simulator with a device from elsewhere: that of examples/out_of_tree, linked with the command."""

import json
import subprocess
from pathlib import Path

import pytest
from support import CHIP, EXIT_USE, HEAD, check, link, program, simulate

_DEVICE = "device unit thresholds base=0x10203000 event=20"

# 100 bytes from 2 * 100 - 256 downwards by 2; those above -100 stay.
_PROGRAM = f"""{HEAD}
  li s0, 0x10203000
  li t0, EVENT_UNIT
  li t1, 1 << 20
  sw t1, EU_MASK(t0)
  li a0, L1
  li a5, 100
1:
  slli a1, a5, 1
  sb a1, 0(a0)
  addi a0, a0, 1
  addi a5, a5, -1
  bnez a5, 1b
  lw s8, 0x04(s0)
  li a0, L1
  sw a0, 0x20(s0)
  addi a1, a0, 256
  sw a1, 0x24(s0)
  li a1, 100
  sw a1, 0x28(s0)
  li a1, -100
  sw a1, 0x2C(s0)
  sw zero, 0(s0)
  cv.elw a5, EU_WAIT_CLEAR(t0)
  lb a2, 256(a0)
  lb a3, 256 + 22(a0)
  lb a4, 256 + 99(a0)
{check("a2", "-56", 1)}{check("a3", "0", 2)}{check("a4", "2", 3)}
  exit_with 0
fail:
  li t0, EXIT
  li t1, 1 << 31
  or t1, t1, s10
  sw t1, 0(t0)
"""


@pytest.mark.parametrize(("lanes", "cycles"), [(32, 4 + 1), (8, 13 + 1)])
def test_device_from_elsewhere_computes(lanes: int, cycles: int, tmp_path: Path) -> None:
    elf, counters = link(_PROGRAM, tmp_path, symbols={}), tmp_path / "counters.json"
    command = [program("soc_with_thresholds"), "--chip", CHIP, "--json", counters]
    options = ["--start-cluster", "--set", "cluster_cores=1", "--part", f"{_DEVICE} lanes={lanes}"]
    done = subprocess.run([*command, *options, elf], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (device,) = json.loads(counters.read_text(encoding="utf-8"))["devices"]
    assert (device["kind"], device["jobs"], device["busy_cycles"]) == ("thresholds", 1, cycles)


def test_the_command_alone_does_not_know_it(tmp_path: Path) -> None:
    run = simulate(link(_PROGRAM, tmp_path, symbols={}), "--part", _DEVICE)
    assert run.status == EXIT_USE
    assert (
        "no kind of device is called 'thresholds'; there are diana_analog, diana_digital, neureka, toy"
        in run.messages
    )
