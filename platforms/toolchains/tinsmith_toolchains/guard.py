"""Temporary folders and process groups that end with this process, whatever ends it.

No process can clean up after its own SIGKILL, and systems differ in what they do for it. So a guard
does: a shell in a session of its own, started when first needed, which reads from a pipe that only
this process holds open what there is to clean up. However this process ends, the pipe is at its end
then; the guard kills and removes what is left, and ends, too.
"""

import atexit
import contextlib
import os
import secrets
import select
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

SHELL = "/bin/sh"

# A line adds ("group 123") or takes away ("-group 123"). Names have neither blanks nor patterns.
_SCRIPT = r"""
set -f
trap '' HUP INT QUIT TERM PIPE
groups=' ' folders=' '
while read -r what name; do
    case $what in
    group) groups="$groups$name " ;;
    folder) folders="$folders$name " ;;
    -group) case $groups in *" $name "*)
        groups=${groups%%" $name "*}' '${groups#*" $name "} ;; esac ;;
    -folder) case $folders in *" $name "*)
        folders=${folders%%" $name "*}' '${folders#*" $name "} ;; esac ;;
    esac
done
for name in $groups; do kill -KILL "-$name"; done
for name in $folders; do
    path=$(printf '%b/' "$name")
    rm -rf "$path" || { sleep 1; rm -rf "$path"; }
done
"""


class _Guard:
    """The shell, and what it has been told. Threads may share it; processes may not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: set[str] = set()
        self._shell: subprocess.Popen[bytes] | None = None
        self._pipe = -1

    def pipe(self) -> int:
        """Where to write lines. The shell is started if there is none (any more)."""
        with self._lock:
            self._start()
            return self._pipe

    def add(self, what: str, *, tell: bool = True) -> None:
        """From now on `what` ends with this process. tell: False where a child has told the shell."""
        with self._lock:
            self._start()
            self._held.add(what)
            if tell:
                self._tell(what)

    def remove(self, what: str) -> None:
        """`what` has ended."""
        with self._lock:
            self._held.discard(what)
            self._tell(f"-{what}")

    def close(self) -> None:
        """Have everything cleaned up now."""
        if self._shell is not None:
            os.close(self._pipe)
            self._shell.wait()
            self._shell = None

    def forget(self) -> None:
        """In a forked process: the shell is the parent's, and must not wait for two."""
        if self._shell is not None:
            os.close(self._pipe)
            self._shell.returncode = 0  # no child of ours to wait for
        self._lock, self._held, self._shell = threading.Lock(), set(), None

    def _start(self) -> None:
        if self._shell is not None:
            if self._shell.poll() is None:
                return
            os.close(self._pipe)
        reading, self._pipe = os.pipe()
        nowhere = subprocess.DEVNULL
        # Popen ends the shell's copies of all other descriptors, so that no pipe stays open in it.
        self._shell = subprocess.Popen(
            [SHELL, "-c", _SCRIPT, "tinsmith-guard"],
            cwd="/",
            stdin=reading,
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        os.close(reading)
        for what in self._held:
            self._tell(what)

    def _tell(self, what: str) -> None:
        line = os.fsencode(what) + b"\n"
        # Longer lines could be torn by those of other writers: such paths go without a guard.
        if len(line) <= select.PIPE_BUF:
            with contextlib.suppress(BrokenPipeError):  # killed by somebody; the next starts one
                os.write(self._pipe, line)


_guard = _Guard()
atexit.register(_guard.close)
os.register_at_fork(after_in_child=_guard.forget)


def guard_pipe() -> int:
    """Where a child writes the line `group N` to have its process group N killed when we end."""
    return _guard.pipe()


def hold_group(number: int) -> None:
    """Remember that a child has written the line of group `number`."""
    _guard.add(f"group {number}", tell=False)


def release_group(number: int) -> None:
    """The processes of the group have ended; its number may become another's."""
    _guard.remove(f"group {number}")


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Generator[Path]:
    """A new folder in `parent`, by default the system's for such, that is gone afterwards, also when
    this process is killed.
    """
    folder = Path(parent or tempfile.gettempdir()).absolute() / f"{prefix}{secrets.token_hex(8)}"
    entry = f"folder {_escaped(folder)}"
    _guard.add(entry)  # before there is one: no moment without
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _guard.remove(entry)


def _escaped(path: Path) -> str:
    """`path` without blanks, as the shell's `printf %b` reads it."""
    return "".join(f"\\0{ord(c):03o}" if c <= " " or c in "\\\x7f" else c for c in str(path))
