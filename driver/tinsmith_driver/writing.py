"""Writes the product's folder so that nothing half-written is left behind."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tinsmith_ir import UsageError


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` (name -> content) to `directory`, made if absent; each file appears whole.

    Raises UsageError when the folder cannot be written.
    """
    try:
        _make(directory)
        with tempfile.TemporaryDirectory(dir=directory, prefix=".tinsmith-") as name:
            for file, data in files.items():
                (Path(name) / file).write_bytes(data)
            for file in files:
                os.replace(Path(name) / file, directory / file)
    except OSError as error:
        raise UsageError(f"{directory}: cannot write there: {error.strerror}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write one file, whole or not at all; through a link, and into a device or a pipe as it is.

    Raises UsageError when it cannot be written.
    """
    real = path.resolve()
    if real.is_dir():
        raise UsageError(f"{path}: expected the name of a file to write, got a folder")
    if not real.exists() or real.is_file():
        write_files(real.parent, {real.name: data})
        return
    try:  # renaming a file over /dev/null would be a mischief
        with real.open("wb", buffering=0) as stream:
            stream.write(data)
    except OSError as error:
        raise UsageError(f"{path}: cannot write there: {error.strerror}") from error


def _make(directory: Path) -> None:
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: expected a folder to write to, got a file")
    directory.mkdir(parents=True, exist_ok=True)
