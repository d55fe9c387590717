"""A progress bar on standard error: only on a terminal, only for work that takes a while."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

_WIDTH = 28
_QUIET_SECONDS = 0.3


class Progress:
    """Shows `label [#####     ] 3/12 what` in place, and erases itself at the end."""

    def __init__(self, label: str, total: int, stream: TextIO, *, enabled: bool) -> None:
        """total: how many calls of `step` will come."""
        self._label, self._total, self._stream = label, total, stream
        self._enabled, self._done, self._started = enabled, 0, time.monotonic()

    def step(self, what: str = "") -> None:
        """One more part is about to start; `what` names it."""
        if self._enabled and time.monotonic() - self._started >= _QUIET_SECONDS:
            filled = _WIDTH * self._done // max(self._total, 1)
            bar = "#" * filled + "." * (_WIDTH - filled)
            self._stream.write(f"\r\033[K{self._label} [{bar}] {self._done}/{self._total} {what}")
            self._stream.flush()
        self._done += 1

    def close(self) -> None:
        """Erase the bar."""
        if self._enabled:
            self._stream.write("\r\033[K")
            self._stream.flush()


@contextmanager
def progress(label: str, total: int, *, enabled: bool | None = None) -> Generator[Progress]:
    """A bar for `total` steps; `enabled` None means when standard error is a terminal."""
    stream = sys.stderr
    bar = Progress(label, total, stream, enabled=stream.isatty() if enabled is None else enabled)
    try:
        yield bar
    finally:
        bar.close()
