"""The plug-ins that the command works with: those that packages announce, and those that `--plugin` names."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache

from tinsmith_ir.escape import visible
from tinsmith_plugins import Plugin, Registry, find_plugins, load_plugin

from tinsmith_driver.table import fitted_table

_chosen: tuple[str, ...] = ()


def registry() -> Registry:
    """All of them. Raises UsageError if one cannot be loaded, or if they do not go together."""
    return _registry(_chosen)


@contextmanager
def using(origins: Sequence[str]) -> Generator[None]:
    """Within it, `registry` also has the plug-ins of these names, each `module:object`."""
    global _chosen
    before, _chosen = _chosen, tuple(dict.fromkeys(origins))
    try:
        yield
    finally:
        _chosen = before


def plugin_table() -> str:
    """All of them for people: what each brings, and where it is."""
    rows = [
        [visible(found.plugin.name), what, ", ".join(names)]
        for found in registry().plugins
        for what, names in _brought(found.plugin).items()
        if names
    ]
    places = [[visible(found.plugin.name), found.origin] for found in registry().plugins]
    tables = (
        fitted_table(["plug-in", "brings", "names"], rows),
        fitted_table(["plug-in", "is"], places),
    )
    return "\n\n".join(tables)


def _brought(plugin: Plugin) -> dict[str, list[str]]:
    return {
        "operators": [kind.mnemonic for kind in plugin.operators],
        "layouts": [kind.name for kind in plugin.layouts],
        "importers": [found.name for found in plugin.importers],
        "exporters": [found.name for found in plugin.exporters],
        "converters": [f"{found.operator} of {found.importer}" for found in plugin.converters],
        "passes": list(dict.fromkeys(entry.name for entry in plugin.passes)),
        "back ends": [entry.name for entry in plugin.backends],
        "targets": [found.name for found in plugin.targets],
        "runners": [found.kind.__name__ for found in plugin.runners],
    }


@cache
def _registry(origins: tuple[str, ...]) -> Registry:
    found = find_plugins()
    announced = {plugin.origin for plugin in found}
    named = (load_plugin(origin) for origin in origins if origin not in announced)
    return Registry((*found, *named))
