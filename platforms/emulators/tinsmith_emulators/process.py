"""Runs a process with a hard time limit and leaves nothing of it behind."""

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_emulators.errors import FirmwareTimeoutError


@dataclass(frozen=True)
class Finished:
    """How a process ended: exit status (negative: killed by that signal) and what it printed."""

    status: int
    text: str


def run_process(command: Sequence[str], directory: Path, timeout_seconds: float) -> Finished:
    """Run `command` in `directory` to its end.

    Raises FirmwareTimeoutError after `timeout_seconds`; the process and its children are killed
    then.
    """
    # A session of its own is a process group of its own: one signal reaches all children.
    with subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout_seconds)
        except subprocess.TimeoutExpired:
            raise FirmwareTimeoutError(
                f"the program did not end within {timeout_seconds:g} s and was killed: "
                "allow it more time, or give it fewer inputs"
            ) from None
        finally:
            _kill_group(process)
    return Finished(process.returncode, output.decode("utf-8", "replace"))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
