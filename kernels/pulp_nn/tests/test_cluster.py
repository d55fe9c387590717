"""Random calls of every kernel on the simulated cluster, with its check for races."""

import os
import subprocess
from pathlib import Path

import pytest
from cluster_program import KERNELS, SIMULATORS, build

CALLS = 25


def simulator() -> Path:
    """The binary of $TINSMITH_SOC_DIR, of the runfiles, or of bazel-bin."""
    folders = [SIMULATORS / "soc", KERNELS.parent / "bazel-bin/platforms/simulators/soc"]
    if "TINSMITH_SOC_DIR" in os.environ:
        folders.insert(0, Path(os.environ["TINSMITH_SOC_DIR"]))
    for folder in folders:
        if (folder / "soc").is_file():
            return folder / "soc"
    pytest.skip("not built: bazel build //platforms/simulators/soc")


@pytest.mark.parametrize("seed", [1, 2])
def test_every_kernel_equals_the_oracle_and_no_two_cores_write_a_byte(
    seed: int, tmp_path: Path
) -> None:
    binary = simulator()
    elf = tmp_path / "random.elf"
    assert build(elf, seed, CALLS) == ""
    chip = SIMULATORS / "soc/chips/pulp-open.soc"
    command = [binary, "--chip", chip, "--race-check", elf]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 8
    assert all(line.endswith("calls, 0 wrong") for line in lines), done.stdout
