"""Finds plug-ins: those that packages announce by an entry point, installed or as sources, and those given by name."""

import importlib
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import cast

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import TinsmithError, UsageError
from tinsmith_ir.escape import visible

from tinsmith_plugins.plugin import Plugin

ENTRY_POINT_GROUP = "tinsmith.plugins"


@dataclass(frozen=True)
class Found(Checked):
    """A plug-in, and where it is: `module:object`."""

    plugin: Plugin
    origin: str

    def __str__(self) -> str:
        """For messages."""
        return f"plug-in {self.plugin.name!r} ({self.origin})"


def find_plugins() -> tuple[Found, ...]:
    """Those that packages on `sys.path` announce, by name. Raises UsageError for one that cannot be loaded."""
    announced = sorted(set(_announced()), key=lambda pair: pair[::-1])
    return tuple(load_plugin(origin, place) for origin, place in dict(announced).items())


def load_plugin(origin: str, announced_by: str = "") -> Found:
    """The plug-in that `module:object` names. announced_by: who says so, for messages.

    Raises UsageError if there is none.
    """
    where = f"plug-in {visible(origin)!r}" + (
        f", announced by {announced_by}" if announced_by else ""
    )
    module_name, colon, name = origin.partition(":")
    if not (
        colon and name.isidentifier() and all(p.isidentifier() for p in module_name.split("."))
    ):
        raise UsageError(f"{where}: expected MODULE:OBJECT, as in my_package.plugin:PLUGIN")
    try:
        module = importlib.import_module(module_name)
    except TinsmithError as error:
        raise UsageError(f"{where}: {error}") from error
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise UsageError(
                f"{where}: there is no module {error.name!r}: install its package, or add the package's "
                "folder to PYTHONPATH"
            ) from error
        raise UsageError(f"{where}: importing {module_name!r} failed: {error}") from error
    except Exception as error:  # it is somebody else's code
        kind = type(error).__name__
        raise UsageError(f"{where}: importing {module_name!r} failed: {kind}: {error}") from error
    found: object = getattr(module, name, None)
    if isinstance(found, Plugin):
        return Found(found, origin)
    if found is None:
        objects = [key for key, value in vars(module).items() if isinstance(value, Plugin)]
        raise UsageError(
            f"{where}: module {module_name!r} has no {name!r}; its plug-ins: {', '.join(objects) or 'none'}"
        )
    raise UsageError(
        f"{where}: expected a tinsmith_plugins.Plugin, got {type(found).__name__} {visible(repr(found))[:60]}"
    )


def _announced() -> Iterator[tuple[str, str]]:
    """`module:object` and who announces it. A source package says in its pyproject.toml what its wheel will."""
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
        yield entry.value, entry.name
    for folder in dict.fromkeys(sys.path):
        for name, origin in _entry_points_of_sources(Path(folder)).items():
            yield origin, name


def _entry_points_of_sources(folder: Path) -> Mapping[str, str]:
    path = folder / "pyproject.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    if ENTRY_POINT_GROUP not in text:
        return {}
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}") from error
    project: object = settings.get("project", {})
    groups = _table(project).get("entry-points", {})
    return {
        name: origin
        for name, origin in _table(_table(groups).get(ENTRY_POINT_GROUP, {})).items()
        if isinstance(origin, str)
    }


def _table(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
