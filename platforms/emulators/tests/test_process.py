"""Processes end in time, with all their children."""

import sys
import time
from pathlib import Path

import pytest
from tinsmith_emulators import FirmwareTimeoutError
from tinsmith_emulators.process import run_process

# A shell starts in milliseconds, long before the limit on the slowest machine.
_PARENT = ["sh", "-c", "sleep 600 & echo $! > child; wait"]


def test_status_and_text_come_back(tmp_path: Path) -> None:
    code = "import sys; print('out'); sys.stderr.write('err'); sys.exit(3)"

    finished = run_process([sys.executable, "-c", code], tmp_path, 30)

    assert finished.status == 3
    assert "out" in finished.text
    assert "err" in finished.text


def test_children_are_killed_with_their_parent(tmp_path: Path) -> None:
    with pytest.raises(FirmwareTimeoutError):
        run_process(_PARENT, tmp_path, 1.5)

    child = int((tmp_path / "child").read_text())
    assert _is_gone(child)


def _is_gone(pid: int) -> bool:
    """Whether the process ends: soon, since it has been killed. Gives up after many looks."""
    for _ in range(300):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":  # a killed child stays as a zombie until init collects it
            return True
        time.sleep(0.1)
    return False
