"""A directory of files named by the hash of everything they were made from.

Writers work on a temporary file and rename it into place, so that several processes may share the
directory and a killed one leaves nothing half-written under a final name.
"""

import atexit
import functools
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains.errors import UnwritableCacheError
from tinsmith_toolchains.guard import temporary_folder

# What TINSMITH_CACHE_DIR says where nothing is to be kept, or found, that somebody else has made.
NO_CACHE = "none"


def default_cache_directory() -> Path:
    """$TINSMITH_CACHE_DIR, else tinsmith/ in $XDG_CACHE_HOME, else ~/.cache/tinsmith.

    `none` is a temporary folder of this process, gone with it. Where the last two cannot be written
    (sandboxes), a folder of the system's temporary directory.
    """
    own = os.environ.get("TINSMITH_CACHE_DIR")
    if own == NO_CACHE:
        return _folder_of_this_process()
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    directory = (Path(shared) if shared else Path("~/.cache").expanduser()) / "tinsmith"
    if _can_be_written(directory):
        return directory
    return Path(tempfile.gettempdir()) / f"tinsmith-cache-{os.getuid()}"


_until_the_end = ExitStack()


@functools.cache
def _folder_of_this_process() -> Path:
    atexit.register(_until_the_end.close)
    return _until_the_end.enter_context(temporary_folder("tinsmith-cache-"))


def built_directories() -> tuple[Path, ...]:
    """The folders in $TINSMITH_OBJECTS_DIR, a list as PATH is one: caches that are only read."""
    listed = os.environ.get("TINSMITH_OBJECTS_DIR", "")
    return tuple(Path(folder) for folder in listed.split(os.pathsep) if folder)


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
    """Files below `directory`; created when first needed. built: such folders to look in first, and
    never to write to.
    """

    directory: Path
    built: tuple[Path, ...] = ()

    @staticmethod
    def at(directory: Path | None) -> "Cache":
        """That in `directory`, by default the user's, beside what $TINSMITH_OBJECTS_DIR has."""
        return Cache(directory or default_cache_directory(), built_directories())

    def find(self, name: str) -> Path | None:
        """The file `name` (a relative path), if somebody has made it."""
        places = (folder / name for folder in (*self.built, self.directory))
        return next((path for path in places if path.exists()), None)

    def get_or_create(self, name: str, create: Callable[[Path], None]) -> Path:
        """The file `name`; if absent, `create` writes it to the path that it is given.

        name: relative path. Whatever `create` raises goes to the caller, and nothing is kept.
        Raises UnwritableCacheError where the system refuses, as on a full disk.
        """
        if found := self.find(name):
            return found
        path = self.directory / name
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
