"""Standard output and error that never decide how a command ends: closed ones, and those nobody reads."""

import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@contextmanager
def lenient_streams() -> Generator[None]:
    """Within, what is written to a closed stream or to a pipe without reader is lost without a word; and
    so is an error message that cannot be written at all.

    Streams that somebody has replaced, as tests do, stay as they are.
    """
    _open_closed_descriptors()
    before = sys.stdout, sys.stderr
    sys.stdout = _lenient(sys.stdout, sys.__stdout__, _LosesUnread)
    sys.stderr = _lenient(sys.stderr, sys.__stderr__, _LosesAll)
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = before


class _LosesUnread(io.FileIO):
    """A file that takes what no reader of the pipe will."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
        except OSError as error:
            error.filename = "standard output"
            raise


class _LosesAll(io.FileIO):
    """A file that takes everything; for messages, whose failure there is nowhere to tell."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _lenient(stream: TextIO | None, original: TextIO | None, kind: type[io.FileIO]) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if stream is not original:
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(kind(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=bool(stream.line_buffering) or kind is _LosesAll,
    )


def _open_closed_descriptors() -> None:
    """So that no file opened later becomes standard output, here or in a child."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # the lowest free number is the next that is opened
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
