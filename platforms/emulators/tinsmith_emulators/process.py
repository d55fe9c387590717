"""Runs a process with a hard time limit and leaves nothing of it behind."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains import Children

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
    try:
        finished = Children().run(
            command, directory=directory, timeout_seconds=timeout_seconds, join_errors=True
        )
    except subprocess.TimeoutExpired:
        raise FirmwareTimeoutError(
            f"the program did not end within {timeout_seconds:g} s and was killed: "
            "allow it more time, or give it fewer inputs"
        ) from None
    return Finished(finished.status, finished.output.decode("utf-8", "replace"))
