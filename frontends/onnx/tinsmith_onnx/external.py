"""Tensors whose bytes lie in files beside the model's: nothing outside the model's folder is read."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from onnx import TensorProto
from tinsmith_ir.errors import ModelError, UsageError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def external_bytes(tensor: TensorProto, folder: Path | None, where: str) -> bytes:
    """The bytes of a tensor that is stored outside. folder: the model's, None if it is not known.

    Raises ModelError for a place outside of the folder (by `..`, absolute, or behind a link), and for bytes that
    are not there; UsageError if the file cannot be read.
    """
    if folder is None:
        raise UsageError(
            f"{where}: its data lie in a file beside the model; give the model as a path, not as bytes"
        )
    entries: Mapping[str, str] = {entry.key: entry.value for entry in tensor.external_data}
    parts = _parts(entries.get("location", ""), where)
    descriptor = _opened(folder, parts, where)
    try:
        size = os.fstat(descriptor).st_size
        offset = _number(entries, "offset", where, 0)
        length = _number(entries, "length", where, max(size - offset, 0))
        if offset + length > size:
            raise ModelError(
                f"{where}: expected {length:,} bytes from {offset:,} on in {parts[-1]}, which has {size:,}"
            )
        with open(descriptor, "rb", closefd=False) as stream:
            stream.seek(offset)
            return stream.read(length)
    finally:
        os.close(descriptor)


def _parts(location: str, where: str) -> tuple[str, ...]:
    path = PurePosixPath(location)
    is_plain = location.isprintable() and "\\" not in location and not path.is_absolute()
    if not is_plain or not path.parts or ".." in path.parts:
        raise ModelError(
            f"{where}: expected its data in a file below the model's folder, got location {location[:200]!r}"
        )
    return path.parts


def _opened(folder: Path, parts: Sequence[str], where: str) -> int:
    """Step by step from the folder down, following no link; what is opened is a plain file."""
    at: int | None = None
    try:
        at = os.open(folder, _FOLDER)
        for part in parts[:-1]:
            inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        descriptor = os.open(parts[-1], _FILE, dir_fd=at)
    except OSError as error:
        raise UsageError(
            f"{where}: cannot read its data in {'/'.join(parts)}, a plain file below the model's folder: "
            f"{error.strerror}"
        ) from error
    finally:
        if at is not None:
            os.close(at)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ModelError(
            f"{where}: expected its data in a plain file, got something else: {parts[-1]}"
        )
    return descriptor


def _number(entries: Mapping[str, str], key: str, where: str, default: int) -> int:
    text = entries.get(key, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 19):
        raise ModelError(f"{where}: expected {key} in bytes, got {text[:40]!r}")
    return int(text)
