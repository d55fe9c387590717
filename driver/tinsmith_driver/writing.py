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
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory, prefix=".tinsmith-") as name:
            for file, data in files.items():
                (Path(name) / file).write_bytes(data)
            for file in files:
                os.replace(Path(name) / file, directory / file)
    except OSError as error:
        raise UsageError(f"{directory}: cannot write there: {error.strerror}") from error
