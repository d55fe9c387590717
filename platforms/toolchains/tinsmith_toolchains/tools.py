"""Finds compilers, and runs them with errors that say what to do."""

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tinsmith_toolchains.cache import default_cache_directory
from tinsmith_toolchains.errors import (
    CompileError,
    FullDiskError,
    MissingToolError,
    UnwritableCacheError,
)
from tinsmith_toolchains.guard import temporary_folder
from tinsmith_toolchains.processes import Children

# How clang, lld, GCC and Zig say that a disk is full.
_NO_SPACE = ("No space left on device", "NoSpaceLeft")


@dataclass(frozen=True)
class Zig:
    """A Zig installation: program, `library` folder (headers, compiler-rt) and version."""

    executable: Path
    library: Path
    version: str


@cache
def find_zig() -> Zig:
    """The Zig of $TINSMITH_ZIG (path of the executable) or of the installed `ziglang` wheel.

    Raises MissingToolError if there is neither.
    """
    executable = _zig_executable()
    version = run_tool([str(executable), "version"]).strip()
    return Zig(executable, executable.parent / "lib", version)


def find_program(name: str, package: str) -> Path:
    """The program `name` on PATH. Raises MissingToolError naming the Debian package to install."""
    found = shutil.which(name)
    if found is None:
        raise MissingToolError(f"{name} is not installed; on Debian: apt-get install {package}")
    return Path(found)


def run_tool(command: Sequence[str], *, what: str = "", children: Children | None = None) -> str:
    """Run a command to its end and return what it printed, its messages last.

    what: what the command was doing, for the message of the CompileError that a failure raises, or the
    FullDiskError.
    children: those that it is ended with.
    """
    # Compilers that are killed leave files behind: in a folder that goes with them.
    with temporary_folder("tinsmith-tool-") as folder:
        environment = _environment(folder)
        result = (children or Children()).run(command, environment=environment)
    output, errors = (text.decode("utf-8", "replace") for text in (result.output, result.errors))
    if result.status != 0:
        subject = what or command[0]
        # A preprocessor's standard output is the program, and no help.
        said = (errors or output).strip()
        if any(word in said for word in _NO_SPACE):
            raise FullDiskError(
                f"{subject} failed: no space is left; make room in the folder of built files, "
                f"{default_cache_directory()} (or set TINSMITH_CACHE_DIR to another), and in that of "
                f"temporary ones, {tempfile.gettempdir()} (TMPDIR)"
            )
        raise CompileError(f"{subject} failed:\n{said}\ncommand: {' '.join(command)}")
    return output + errors


def _zig_executable() -> Path:
    if named := os.environ.get("TINSMITH_ZIG"):
        path = Path(named)
        if not path.is_file():
            raise MissingToolError(f"TINSMITH_ZIG names '{named}', which is not a file")
        return path
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise MissingToolError("the C compiler is absent; run: pip install ziglang==0.15.2")
    # Through links (Bazel's runfiles) to the wheel itself, where everything stands beside it.
    return Path(spec.origin).resolve().parent / "zig"


def _environment(folder: Path) -> Mapping[str, str]:
    """Zig insists on a writable cache even where it compiles nothing, and may wait for ever without.

    folder: for files that nobody needs afterwards.
    """
    environment = dict(os.environ)
    cache_directory = default_cache_directory() / "zig"
    try:
        cache_directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableCacheError.of(cache_directory, error) from error
    environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache_directory))
    environment["ZIG_LOCAL_CACHE_DIR"] = environment["TMPDIR"] = str(folder)
    # Messages in English whatever the user's language: some are parsed.
    environment["LC_ALL"] = "C"
    return environment
