"""Random calls of every kernel on the simulated cluster, with its check for races."""

import subprocess
from pathlib import Path

import pytest
from cluster_program import build
from tinsmith_soc import chip, simulator

CALLS = 25


@pytest.mark.parametrize("seed", [1, 2])
def test_every_kernel_equals_the_oracle_and_no_two_cores_write_a_byte(
    seed: int, tmp_path: Path
) -> None:
    elf = tmp_path / "random.elf"
    assert build(elf, seed, CALLS) == ""
    command = [simulator(), "--chip", chip("pulp-open"), "--race-check", elf]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 26
    assert all(line.endswith("calls, 0 wrong") for line in lines), done.stdout
