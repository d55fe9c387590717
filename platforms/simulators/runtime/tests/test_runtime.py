"""The runtime's services on the simulated cluster."""

import os
import subprocess
from pathlib import Path

import pytest
from tinsmith_toolchains import build_cluster_program

TESTS = Path(__file__).resolve().parent
RUNTIME = TESTS.parent
SOC = RUNTIME.parent / "soc"
L1_BYTES = 64 * 1024


def simulator() -> Path:
    """The binary of $TINSMITH_SOC_DIR, of the runfiles, or of bazel-bin."""
    folders = [SOC, RUNTIME.parents[2] / "bazel-bin/platforms/simulators/soc"]
    if "TINSMITH_SOC_DIR" in os.environ:
        folders.insert(0, Path(os.environ["TINSMITH_SOC_DIR"]))
    for folder in folders:
        if (folder / "soc").is_file():
            return folder / "soc"
    pytest.skip("not built: bazel build //platforms/simulators/soc")


def test_teams_of_every_size_and_copies_of_both_kinds_work(tmp_path: Path) -> None:
    binary = simulator()
    elf = tmp_path / "services.elf"
    sources = [TESTS / "services.c"]
    assert build_cluster_program(sources, elf, runtime=RUNTIME, l1_bytes=L1_BYTES) == ""
    command = [binary, "--chip", SOC / "chips/pulp-open.soc", "--race-check", elf]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "-2147483648"), done.stderr
