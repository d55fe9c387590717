"""Includes of C files: what each means, and texts in which they name files of one folder."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

_INCLUDE = re.compile(r"""^([ \t]*#[ \t]*include[ \t]*)([<"])([^>"\n]+)[>"]""", re.MULTILINE)


@cache
def included(path: Path, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The files that a file includes itself, by whatever condition, as far as they lie beside it or in `folders`."""
    found = (
        resolved(path, match[3], folders, is_quoted=match[2] == '"')
        for match in _INCLUDE.finditer(read(path))
    )
    return tuple(dict.fromkeys(target for target in found if target is not None))


def with_included(paths: Iterable[Path], folders: Sequence[Path]) -> list[Path]:
    """Files and all that they include, and so on, sorted."""
    found: set[Path] = set()
    left = list(paths)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += included(path, tuple(folders))
    return sorted(found)


def resolved(path: Path, name: str, folders: Sequence[Path], *, is_quoted: bool) -> Path | None:
    """What an include of `name` in the file `path` means; None for a system's header, or one that is not there."""
    beside = [path.parent] if is_quoted else []
    candidates = (folder / name for folder in (*beside, *folders))
    return next((_plain(found) for found in candidates if found.is_file()), None)


def rewritten(text: str, renamed: Callable[[str, bool], str | None]) -> str:
    """The text with other names in its includes, all quoted.

    renamed: of a name and whether it is quoted, the new name; None where the include stays.
    """

    def replacement(match: re.Match[str]) -> str:
        name = renamed(match[3], match[2] == '"')
        return match[0] if name is None else f'{match[1]}"{name}"'

    return _INCLUDE.sub(replacement, text)


def quoted_includes(text: str) -> list[str]:
    """The names in quotes that a text includes, in order."""
    return [match[3] for match in _INCLUDE.finditer(text) if match[2] == '"']


def read(path: Path) -> str:
    """The text of a C file, whose bytes need not be UTF-8."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _plain(path: Path) -> Path:
    """Without `..`: two names of one file are one; links stay, as Bazel's lead away."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return Path(*parts)
