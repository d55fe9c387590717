"""Child processes that leave nothing behind: no descendant, in no case."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tinsmith_toolchains.errors import MissingToolError, ToolchainError
from tinsmith_toolchains.guard import SHELL, guard_pipe, hold_group, release_group

# The child itself says who it is before it becomes the command: there is no moment at which it
# runs and the guard does not know. Its standard input is the guard's pipe until then.
_INTRODUCE = 'echo "group $$" >&0; exec "$@" </dev/null'


@dataclass(frozen=True)
class Finished:
    """How a process ended: exit status (negative: killed by that signal) and what it printed."""

    status: int
    output: bytes
    errors: bytes


class Children:
    """Processes that can be ended together, from any thread.

    Each is the leader of a process group, to which its own children belong. When it ends, when
    waiting for it ends (with an exception or by a time limit), and when this process ends, even
    killed, all that are left of the group are killed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._ended = False

    def run(
        self,
        command: Sequence[str],
        *,
        directory: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_seconds: float | None = None,
        join_errors: bool = False,
    ) -> Finished:
        """Run `command` to its end, without input.

        join_errors: messages go to `output`, between the rest.
        Raises MissingToolError if there is no such program, subprocess.TimeoutExpired, and
        ToolchainError after `end`.
        """
        errors_to = subprocess.STDOUT if join_errors else subprocess.PIPE
        with self.started(
            command, directory=directory, environment=environment, errors_to=errors_to
        ) as process:
            output, errors = process.communicate(timeout=timeout_seconds)
        return Finished(process.returncode, output, errors or b"")

    @contextmanager
    def started(
        self,
        command: Sequence[str],
        *,
        directory: Path | None = None,
        environment: Mapping[str, str] | None = None,
        errors_to: int | IO[bytes] = subprocess.PIPE,
    ) -> Generator["subprocess.Popen[bytes]"]:
        """A process for the caller to read from; what is left of it afterwards is killed.

        Raises as `run`, but for the time limit.
        """
        if shutil.which(command[0]) is None:
            raise MissingToolError(f"{command[0]}: expected a program, found none that can be run")
        with self._lock:
            if self._ended:
                raise ToolchainError("no more processes are started: the work has been given up")
            process = subprocess.Popen(
                [SHELL, "-c", _INTRODUCE, SHELL, *command],
                cwd=directory,
                env=environment,
                stdin=guard_pipe(),
                stdout=subprocess.PIPE,
                stderr=errors_to,
                start_new_session=True,
            )
            self._groups.add(process.pid)
        with process:
            try:
                hold_group(process.pid)
                yield process
            finally:
                self._remove(process)

    def end(self) -> None:
        """Kill those that run; `run` in other threads returns, and starts none any more."""
        with self._lock:
            self._ended = True
            for group in self._groups:
                _kill(group)

    def _remove(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._groups.discard(process.pid)
            _kill(process.pid)
        process.wait()
        release_group(process.pid)


def _kill(group: int) -> None:
    # A group keeps its number from reuse as long as it has members, and is absent without them.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
