"""A directory of files named by the hash of everything they were made from.

Writers work on a temporary file and rename it into place, so that several processes may share the
directory and a killed one leaves nothing half-written under a final name.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains.errors import UnwritableCacheError
from tinsmith_toolchains.guard import temporary_folder


def default_cache_directory() -> Path:
    """$TINSMITH_CACHE_DIR, else tinsmith/ in $XDG_CACHE_HOME, else ~/.cache/tinsmith.

    Where the last two cannot be written (sandboxes), a folder of the system's temporary directory.
    """
    if own := os.environ.get("TINSMITH_CACHE_DIR"):
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    directory = (Path(shared) if shared else Path("~/.cache").expanduser()) / "tinsmith"
    if _can_be_written(directory):
        return directory
    return Path(tempfile.gettempdir()) / f"tinsmith-cache-{os.getuid()}"


def _can_be_written(directory: Path) -> bool:
    existing = directory
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    return os.access(existing, os.W_OK)


def content_key(parts: Iterable[str | bytes]) -> str:
    """A name for these parts: equal parts give equal names, and no two lists of parts share one."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]


@dataclass(frozen=True)
class Cache:
    """Files below `directory`; created when first needed."""

    directory: Path

    def get_or_create(self, name: str, create: Callable[[Path], None]) -> Path:
        """The file `name`; if absent, `create` writes it to the path that it is given.

        name: relative path. Whatever `create` raises goes to the caller, and nothing is kept.
        Raises UnwritableCacheError where the system refuses, as on a full disk.
        """
        path = self.directory / name
        if path.exists():
            return path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary_folder(".new-", path.parent) as scratch:
                # The suffix stays: tools judge files by it.
                fresh = scratch / path.name
                create(fresh)
                os.replace(fresh, path)
        except OSError as error:
            raise UnwritableCacheError.of(self.directory, error) from error
        return path
