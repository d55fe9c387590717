"""A progress bar on standard error: only on a terminal, only for work that takes a while."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from tinsmith_driver.terminal import columns_of

_WIDTH = 28
_QUIET_SECONDS = 0.3
_ERASE = "\r\033[K"

_shown: list["Progress"] = []
"""The bars that are there."""


class Progress:
    """Shows `label [#####     ] 3/12 what` in place, and erases itself at the end."""

    def __init__(self, label: str, total: int, stream: TextIO, *, enabled: bool) -> None:
        """total: how many calls of `step` will come, about: more leave the bar full."""
        self._label, self._total, self._stream = label, total, stream
        self._enabled, self._done, self._started = enabled, 0, time.monotonic()
        self._is_there = False

    def step(self, what: str = "") -> None:
        """One more part is about to start; `what` names it."""
        if self._enabled and time.monotonic() - self._started >= _QUIET_SECONDS:
            filled = min(_WIDTH * self._done // max(self._total, 1), _WIDTH)
            bar = "#" * filled + "." * (_WIDTH - filled)
            line = f"{self._label} [{bar}] {self._done}/{self._total} {what}"
            # A line that went on below could not be erased.
            self._write(f"{_ERASE}{line[: columns_of(self._stream) - 1]}")
            self._is_there = True
        self._done += 1

    def erase(self) -> None:
        """Make room for something else, until the next step."""
        if self._is_there:
            self._write(_ERASE)
            self._is_there = False

    def close(self) -> None:
        """Erase the bar."""
        self.erase()

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def progress(label: str, total: int, *, enabled: bool | None = None) -> Generator[Progress]:
    """A bar for `total` steps; `enabled` None means when standard error is a terminal."""
    stream = sys.stderr
    bar = Progress(label, total, stream, enabled=stream.isatty() if enabled is None else enabled)
    _shown.append(bar)
    try:
        yield bar
    finally:
        _shown.remove(bar)
        bar.close()


def erase_bars() -> None:
    """Before something else is written to standard error, which would stand behind a bar."""
    for bar in _shown:
        bar.erase()
