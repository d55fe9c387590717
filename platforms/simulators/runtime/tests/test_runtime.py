"""The runtime's services on the simulated cluster."""

import subprocess
from pathlib import Path

from tinsmith_soc import chip, simulator
from tinsmith_toolchains import build_cluster_program

TESTS = Path(__file__).resolve().parent
RUNTIME = TESTS.parent
L1_BYTES = 64 * 1024


def test_teams_of_every_size_and_copies_of_both_kinds_work(tmp_path: Path) -> None:
    elf = tmp_path / "services.elf"
    sources = [TESTS / "services.c"]
    assert build_cluster_program(sources, elf, runtime=RUNTIME, l1_bytes=L1_BYTES) == ""
    command = [simulator(), "--chip", chip("pulp-open"), "--race-check", elf]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "-2147483648"), done.stderr
