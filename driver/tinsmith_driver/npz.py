"""`.npz` archives of anybody's making: what they hold is known before it is read, and read no further than wanted.

NumPy's own reader makes whole arrays: a few bytes can say "terabytes of zeros". Here the headers come first,
then only the leading rows that somebody asks for.
"""

import io
import math
import re
import tokenize
import zipfile
import zlib
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy
from tinsmith_ir import Array, UsageError

# What NumPy and zipfile raise for files that are cut off, corrupt, encrypted, or promise terabytes.
_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    RuntimeError,
    MemoryError,
    LookupError,
    TypeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
_SUFFIX = ".npy"
# That of a plain array takes less than 200 characters; more of them only feed NumPy's parser.
_HEADER_CHARACTERS = 1000
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
# The elements of a column-major array lie so that its first rows are everywhere in it.
_COLUMN_MAJOR_BYTES = 1 << 24


@dataclass(frozen=True)
class Header:
    """What an array of the archive is, by its own word: shape, dtype, and whether it is column-major."""

    shape: tuple[int, ...]
    dtype: np.dtype
    fortran_order: bool

    @property
    def row_bytes(self) -> int:
        """Bytes of one element of the first axis."""
        return math.prod(self.shape[1:]) * self.dtype.itemsize

    def __str__(self) -> str:
        """As in `int8[10, 49, 10, 1]`."""
        return f"{self.dtype}{list(self.shape)}"


class Archive:
    """An open archive. Every failure to read it is a UsageError that names the file."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        """path: what errors name."""
        self.path = path
        self._archive = archive
        self.size_bytes = path.stat().st_size

    def headers(self, wanted: re.Pattern[str]) -> dict[str, Header]:
        """The arrays whose names match as a whole, in the archive's order; other members are not looked at.

        Raises UsageError for a name that stands twice: which one is meant?
        """
        found: dict[str, Header] = {}
        for member in self._archive.namelist():
            name = member.removesuffix(_SUFFIX)
            if name == member or not wanted.fullmatch(name):
                continue
            if name in found:
                raise UsageError(f"{self.path}: holds two arrays called {name}")
            with reading(self.path), self._archive.open(member) as stream:
                found[name] = _header(stream)
        return found

    def rows(self, name: str, count: int) -> Array:
        """The first `count` rows of an array, which has at least that many."""
        with reading(self.path), self._archive.open(name + _SUFFIX) as stream:
            header = _header(stream)
            if header.fortran_order:
                return _column_major(name, stream, header)[:count]
            return _rows(stream, header, count)


@contextmanager
def open_npz(path: Path) -> Generator[Archive]:
    """Open an archive.

    Raises UsageError when there is none, or anything else in its place.
    """
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: expected an .npz archive, got something that is no file")
    with ExitStack() as stack:
        with reading(path):
            stream = stack.enter_context(path.open("rb"))
            if not zipfile.is_zipfile(stream):
                raise UsageError(f"{path}: expected a whole .npz archive, got something else")
            archive = zipfile.ZipFile(stream)
        yield Archive(path, archive)


def npz_bytes(arrays: Mapping[str, Array]) -> bytes:
    """An archive of these arrays."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Turns what NumPy and zipfile raise into a UsageError."""
    try:
        yield
    except _UNREADABLE as error:
        said = (error.strerror if isinstance(error, OSError) else None) or error
        line, *_ = str(said).splitlines() or [type(error).__name__]
        raise UsageError(f"{path}: cannot read the samples: {line}") from error


def _header(stream: IO[bytes]) -> Header:
    version = npy.read_magic(stream)
    if version not in _READERS:
        raise ValueError(f"an array in version {version[0]}.{version[1]} of the .npy format")
    shape, fortran_order, dtype = _READERS[version](stream, max_header_size=_HEADER_CHARACTERS)
    if any(extent < 0 for extent in shape):
        raise ValueError(f"an array of shape {list(shape)}")
    return Header(shape, dtype, fortran_order and len(shape) > 1)


def _rows(stream: IO[bytes], header: Header, count: int) -> Array:
    wanted = count * header.row_bytes
    data = stream.read(wanted)
    if len(data) < wanted:
        raise ValueError(f"an array ends after {len(data)} of {wanted} bytes")
    if count == header.shape[0] and stream.read(1):  # to the end, where zipfile compares checksums
        raise ValueError("an array is longer than its header says")
    return np.frombuffer(data, header.dtype).reshape(count, *header.shape[1:])


def _column_major(name: str, stream: IO[bytes], header: Header) -> Array:
    size_bytes = header.shape[0] * header.row_bytes
    if size_bytes > _COLUMN_MAJOR_BYTES:
        raise ValueError(
            f"{name} is column-major and has {size_bytes} bytes, more than {_COLUMN_MAJOR_BYTES}: "
            "save it by numpy.ascontiguousarray"
        )
    rows = Header(header.shape, header.dtype, fortran_order=False)
    flat = _rows(stream, rows, header.shape[0]).reshape(-1)
    return np.ascontiguousarray(flat.reshape(header.shape[::-1]).transpose())
