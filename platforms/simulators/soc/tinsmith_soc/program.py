"""Finds the simulator's program and its chips; compiles the program where nobody has built it."""

import os
import sys
from functools import cache
from pathlib import Path

from tinsmith_toolchains import (
    Cache,
    ToolchainError,
    content_key,
    find_zig,
)
from tinsmith_toolchains.tools import run_tool

from tinsmith_soc.errors import MissingSimulatorError, UnknownChipError

_PROGRAM = "soc"
_HERE = Path(__file__).parent
# Where it is in the repository, which the names in its `#include`s start from, too.
_ROOM = Path("platforms/simulators/soc")
_FOLDERS = ("isa", "model", "tool")
_FLAGS = ("-std=c++20", "-O2", "-s")


@cache
def simulator(devices: tuple[Path, ...] = ()) -> Path:
    """The simulator's program: that of $TINSMITH_SOC_DIR, Bazel's (runfiles, bazel-bin), or else one
    compiled from the sources beside this package by the C++ compiler of the ziglang wheel.

    Compiling takes about a minute, once: the result stays in the cache of built files, by the
    hash of its sources.

    devices: C++ files of devices from elsewhere, to be compiled with it; then it is always compiled. Raises
    MissingSimulatorError.
    """
    return _compiled(devices) if devices else _found()


def _found() -> Path:
    if folder := os.environ.get("TINSMITH_SOC_DIR"):
        program = Path(folder).absolute() / _PROGRAM
        if not program.is_file():
            raise MissingSimulatorError(
                f"TINSMITH_SOC_DIR names '{folder}': no {_PROGRAM} is in it"
            )
        return program
    return _built_by_bazel() or _compiled(())


def chip(name: str) -> Path:
    """The description of the chip called `name`, for `--chip`. Raises UnknownChipError."""
    if name not in chips():
        raise UnknownChipError(f"unknown chip '{name}': expected one of {', '.join(chips())}")
    return _sources() / "chips" / f"{name}.soc"


def chips() -> tuple[str, ...]:
    """The names of all chips."""
    return tuple(sorted(path.stem for path in (_sources() / "chips").glob("*.soc")))


def _is_wheel() -> bool:
    """In a wheel the sources lie inside the package, in the repository around it."""
    return (_HERE / "sources").is_dir()


def _include_root() -> Path:
    return _HERE / "sources" if _is_wheel() else _HERE.parents[3]


def _sources() -> Path:
    return _include_root() / _ROOM


def _built_by_bazel() -> Path | None:
    if _is_wheel():
        return None
    checkout = _checkout()
    found = [_HERE.parent / _PROGRAM]
    found += [checkout / "bazel-bin" / _ROOM / _PROGRAM] if checkout else []
    return next((program for program in found if program.is_file()), None)


def _checkout() -> Path | None:
    """Where bazel-bin may be. None in actions and tests of Bazel, which use what they declare."""
    if workspace := os.environ.get("BUILD_WORKSPACE_DIRECTORY"):
        return Path(workspace)
    is_in_runfiles = any(part.endswith(".runfiles") for part in _HERE.parts)
    return None if is_in_runfiles else _HERE.parents[3]


def _compiled(devices: tuple[Path, ...]) -> Path:
    own = sorted(path for folder in _FOLDERS for path in (_sources() / folder).glob("*"))
    files = [*own, *devices]
    units = [str(path) for path in files if path.suffix == ".cc"]
    if not own:
        raise MissingSimulatorError(
            f"the simulator is not built, and its sources are not in {_sources()}; "
            f"run: bazel build //{_ROOM}, or set TINSMITH_SOC_DIR to the folder of a built one"
        )
    try:
        zig = find_zig()
        contents = [part for path in files for part in (path.name, path.read_bytes())]
        key = content_key([zig.version, sys.platform, *_FLAGS, *contents])
        command = [str(zig.executable), "c++", *_FLAGS, "-I", str(_include_root()), *units, "-o"]

        def build(program: Path) -> None:
            print("compiling the simulator, once; this takes about a minute", file=sys.stderr)
            run_tool([*command, str(program)], what="compiling the simulator")

        return Cache.at(None).get_or_create(f"simulators/{key}/{_PROGRAM}", build)
    except ToolchainError as error:
        raise MissingSimulatorError(f"the simulator is not built, and cannot be: {error}") from None
