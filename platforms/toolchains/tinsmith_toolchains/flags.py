"""The compiler flags of `flags.bzl`, their one place, which Bazel loads too."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tinsmith_toolchains.errors import ToolchainError


@dataclass(frozen=True)
class CpuFlags:
    """How each tool is told which CPU to compile for; gcc is None where it is not supported."""

    clang: tuple[str, ...]
    gcc: tuple[str, ...] | None
    zig_target: str
    zig_cpu: str


@dataclass(frozen=True)
class Flags:
    """The content of flags.bzl. clang: for every board, on top of the CPU's flags."""

    cpus: Mapping[str, CpuFlags]
    common: tuple[str, ...]
    clang: tuple[str, ...]
    warnings: tuple[str, ...]
    optimize: Mapping[str, tuple[str, ...]]
    default_optimize: str
    link: tuple[str, ...]
    sanitize: tuple[str, ...]

    def cpu(self, name: str) -> CpuFlags:
        """Flags of one CPU. Raises ToolchainError for an unknown name."""
        if name not in self.cpus:
            known = ", ".join(self.cpus)
            raise ToolchainError(f"no compiler flags for CPU '{name}'; known: {known}")
        return self.cpus[name]

    def options(self, level: str) -> tuple[str, ...]:
        """What every file is compiled with besides its CPU's flags. Raises as `optimization`."""
        return (*self.optimization(level), *self.common, *self.warnings)

    def optimization(self, level: str) -> tuple[str, ...]:
        """Flags of an optimisation level by name. Raises ToolchainError for an unknown name."""
        if level not in self.optimize:
            known = ", ".join(self.optimize)
            raise ToolchainError(f"unknown optimisation level '{level}'; known: {known}")
        return self.optimize[level]


@cache
def flags() -> Flags:
    """Read flags.bzl, once per process."""
    values = _literals(_flags_file())
    return Flags(
        cpus={name: _cpu_flags(entry) for name, entry in _mapping(values["CPU_FLAGS"]).items()},
        common=_strings(values["COMMON_FLAGS"]),
        clang=_strings(values["CLANG_FLAGS"]),
        warnings=_strings(values["WARNING_FLAGS"]),
        optimize={n: _strings(v) for n, v in _mapping(values["OPTIMIZE_FLAGS"]).items()},
        default_optimize=str(values["DEFAULT_OPTIMIZE"]),
        link=_strings(values["LINK_FLAGS"]),
        sanitize=_strings(values["SANITIZE_FLAGS"]),
    )


def _flags_file() -> Path:
    here = Path(__file__).parent
    # In a wheel the file lies inside the package, in the repository beside it.
    inside = here / "flags.bzl"
    return inside if inside.exists() else here.parent / "flags.bzl"


def _literals(path: Path) -> dict[str, object]:
    """The top-level assignments of literals; Starlark's are Python's."""
    values: dict[str, object] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = ast.literal_eval(node.value)
    return values


def _mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ToolchainError(f"flags.bzl: expected a dict, found {value!r}")
    return {str(key): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ToolchainError(f"flags.bzl: expected a list, found {value!r}")
    return tuple(str(item) for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _cpu_flags(value: object) -> CpuFlags:
    entry = _mapping(value)
    return CpuFlags(
        clang=_strings(entry["clang"]),
        gcc=_strings(entry["gcc"]) if "gcc" in entry else None,
        zig_target=str(entry["zig_target"]),
        zig_cpu=str(entry["zig_cpu"]),
    )
