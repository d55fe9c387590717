"""Writes what a command makes: all of it or nothing, and nothing over what the command reads."""

import os
import signal
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import TextIOWrapper
from itertools import chain, combinations, product
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from tinsmith_ir import UsageError
from tinsmith_toolchains import temporary_folder

STANDARD_OUTPUT = Path("-")
"""The name that stands for it, where it was asked for; else that of a file."""

_standard_output: TextIO | None = None
"""Where text goes elsewhere, standard output."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def refuse_collisions(written: Mapping[str, Path], read: Mapping[str, Path]) -> None:
    """Raise UsageError if two of the files that a command writes, or one of them and one that it reads,
    are the same, by whatever name; or one that it writes is to be a folder of another.

    The keys say what the files are, such as "--json".
    """
    pairs = chain(combinations(written.items(), 2), product(written.items(), read.items()))
    for (first, path), (second, other) in pairs:
        if _collide(path, other):
            raise UsageError(
                f"{path}: {first} collides with {second}, {other}: give it another name"
            )


@contextmanager
def text_beside_standard_output() -> Generator[None]:
    """Within, what is printed goes to standard error, and files of the name STANDARD_OUTPUT to standard output."""
    global _standard_output
    before, _standard_output = _standard_output, sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _standard_output = before


def write_outputs(files: Mapping[Path, bytes]) -> None:
    """Write all files; folders are made where absent. A file is written through a link, and into a
    device or a pipe as it is; STANDARD_OUTPUT behind all others.

    Everything is written beside its place and moved there when all of it is. So nothing has changed
    when UsageError is raised, which it is for a file that cannot be written.
    """
    printed = files.get(STANDARD_OUTPUT) if _standard_output is not None else None
    files = {
        Path(os.path.realpath(path)): data
        for path, data in files.items()
        if printed is None or path != STANDARD_OUTPUT
    }
    streams = {path for path in files if _is_stream(path)}
    with ExitStack() as stack:
        fresh: dict[Path, Path] = {}
        for path, data in files.items():
            if path in streams:
                continue
            folder = _existing_folder(path)
            with _explained(path.parent):
                if folder not in fresh:
                    fresh[folder] = stack.enter_context(temporary_folder(".tinsmith-", folder))
                place = fresh[folder] / path.relative_to(folder)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        with _signals_wait():
            for folder, new in fresh.items():
                with _explained(folder):
                    _move_content(new, folder)
    for path in streams:
        with _explained(path), path.open("wb", buffering=0) as stream:
            stream.write(files[path])
    if printed is not None and _standard_output is not None:
        _print_bytes(printed, _standard_output)


def _print_bytes(data: bytes, stream: TextIO) -> None:
    """As they are, whatever encoding text has there."""
    stream.flush()
    if isinstance(stream, TextIOWrapper):
        cast("BinaryIO", stream.buffer).write(data)  # pyright: ignore[reportUnknownMemberType]
    else:
        stream.write(data.decode())
    stream.flush()


def _collide(path: Path, other: Path) -> bool:
    """Whether writing `path` touches `other`. Devices and pipes take whatever comes."""
    if STANDARD_OUTPUT in (path, other):
        return path == other
    path, other = Path(os.path.realpath(path)), Path(os.path.realpath(other))
    if _is_stream(path):
        return False
    if path == other or path in other.parents or (other in path.parents and not other.is_dir()):
        return True
    return path.exists() and other.exists() and path.samefile(other)


def _is_stream(path: Path) -> bool:
    """Whether it is there and neither file nor folder: renaming a file over it would be a mischief."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _existing_folder(path: Path) -> Path:
    """The innermost folder around `path` that exists."""
    if path.is_dir():
        raise UsageError(f"{path}: expected the name of a file to write, got a folder")
    folder = next(parent for parent in path.parents if parent.exists())
    if not folder.is_dir():
        raise UsageError(f"{folder}: expected a folder to write to, got a file")
    return folder


def _move_content(source: Path, destination: Path) -> None:
    for entry in sorted(source.iterdir()):
        place = destination / entry.name
        if entry.is_dir() and place.is_dir():  # another process has just made it
            _move_content(entry, place)
        else:
            os.replace(entry, place)


@contextmanager
def _explained(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot write there: {error.strerror}") from error


@contextmanager
def _signals_wait() -> Generator[None]:
    """Signals that would end the command take effect afterwards; in other threads none arrives."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting:
            signal.raise_signal(number)
