"""Processes end in time, with all their children."""

import os
import sys
import time
from pathlib import Path

import pytest
from tinsmith_emulators import FirmwareTimeoutError
from tinsmith_emulators.process import run_process

_CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("child", "w").write(str(child.pid))
time.sleep(60)
"""


def test_status_and_text_come_back(tmp_path: Path) -> None:
    code = "import sys; print('out'); sys.stderr.write('err'); sys.exit(3)"

    finished = run_process([sys.executable, "-c", code], tmp_path, 30)

    assert finished.status == 3
    assert "out" in finished.text
    assert "err" in finished.text


def test_children_are_killed_with_their_parent(tmp_path: Path) -> None:
    with pytest.raises(FirmwareTimeoutError):
        run_process([sys.executable, "-c", _CHILD], tmp_path, 1.5)

    child = int((tmp_path / "child").read_text())
    assert _is_gone(child)


def _is_gone(pid: int) -> bool:
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        # A killed child stays as a zombie until init collects it.
        if Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False
