"""The runtime's services on the simulated cluster."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tinsmith_soc import chip, simulator
from tinsmith_toolchains import build_cluster_program

TESTS = Path(__file__).resolve().parent
RUNTIME = TESTS.parent
L1_BYTES = 64 * 1024


def _build(source: Path, folder: Path) -> Path:
    elf = folder / "program.elf"
    assert build_cluster_program([source], elf, runtime=RUNTIME, l1_bytes=L1_BYTES) == ""
    return elf


def _run(
    elf: Path, *options: str | Path, chip_name: str = "pulp-open"
) -> subprocess.CompletedProcess[str]:
    command = [simulator(), "--chip", chip(chip_name), *options, elf]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("chip_name", ["pulp-open", "siracusa", "gap9"])
def test_teams_of_every_size_and_copies_of_both_kinds_work(chip_name: str, tmp_path: Path) -> None:
    elf = _build(TESTS / "services.c", tmp_path)
    done = _run(elf, "--race-check", chip_name=chip_name)
    assert (done.returncode, done.stdout) == (0, "-2147483648"), done.stderr


def test_example_of_the_readme_prints_the_square_of_7(tmp_path: Path) -> None:
    readme = (RUNTIME / "README.md").read_text(encoding="utf-8")
    example = dict(re.findall(r"^```(c|python)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL))
    (tmp_path / "squares.c").write_text(example["c"], encoding="utf-8")
    (tmp_path / "platforms" / "simulators").mkdir(parents=True)
    (tmp_path / "platforms" / "simulators" / "runtime").symlink_to(RUNTIME)
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", example["python"]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "TINSMITH_SOC_DIR": str(simulator().parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "49\n"), done.stderr


def test_fabric_controller_sleeps_until_main_returns_its_status(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "int main(void) {\n  for (volatile int i = 0; i < 1000; ++i) {\n  }\n  return 42;\n}\n",
        encoding="utf-8",
    )
    report = tmp_path / "counters.json"
    done = _run(_build(source, tmp_path), "--json", report)
    assert done.returncode == 42, done.stderr
    *_, fabric_controller = json.loads(report.read_text(encoding="utf-8"))["cores"]
    assert fabric_controller["instructions"] < 200
    assert fabric_controller["stalls"]["event"] > 1000


def test_trap_ends_the_program_and_says_why(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text('int main(void) {\n  __asm__ volatile("ecall");\n  return 0;\n}\n')
    done = _run(_build(source, tmp_path))
    assert (done.returncode, done.stdout[:15]) == (3, "trap: pc=0x1c00")
    assert " mcause=0x0000000b mtval=0x00000000\n" in done.stdout
