"""Reads a file that somebody named, and refuses what has no end: devices, pipes, folders."""

import os
import stat
from pathlib import Path

from tinsmith_ir.errors import ModelError, UsageError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_file(path: Path, what: str, most_bytes: int) -> bytes:
    """The content of a regular file, or of one that links lead to.

    what: the file is expected to be, for messages: "a model". Read at once and kept, not mapped: a file
    that shrinks under a mapping kills the process that reads there.
    Raises UsageError when it is none or cannot be read, ModelError when it is larger than `most_bytes`.
    """
    try:
        # A pipe that nobody writes to would let an ordinary open wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UsageError(
                    f"{path}: expected a file with {what}, got {_kind(status.st_mode)}"
                )
            if status.st_size > most_bytes:
                raise ModelError(
                    f"{path}: expected {what} of at most {most_bytes:,} bytes, got "
                    f"{status.st_size:,} bytes"
                )
            with open(descriptor, "rb", closefd=False) as stream:
                return stream.read(status.st_size)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: expected a file with {what}, got no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{path}: cannot read {what}: {reason}") from error


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
