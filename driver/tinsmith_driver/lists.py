"""Commands that list what is there: targets, passes, plug-ins."""

import argparse

from tinsmith_driver.passes import pass_table
from tinsmith_driver.plugins import plugin_table, registry
from tinsmith_driver.table import fitted_table
from tinsmith_driver.terminal import say


def targets(arguments: argparse.Namespace) -> int:
    """List the targets."""
    del arguments
    rows = [
        [t.name, t.board.name, t.backend, " ".join(sorted(t.features)) or "-", t.description]
        for t in registry().targets.values()
    ]
    print(fitted_table(["target", "board", "kernels", "features", "description"], rows))
    say(_with_features())
    return 0


def _with_features() -> str:
    """Two lines for each list of features that nobody has published, of chips: programs of the host have them all."""
    having: dict[tuple[str, ...], list[str]] = {}
    for target in registry().targets.values():
        of_chip = (entry for entry in target.board.unpublished if entry.constant is not None)
        if features := tuple(f"+{entry.feature}" for entry in of_chip):
            having.setdefault(features, []).append(target.name)
    return "\n".join(
        f"behind {' and '.join(names)}, of accelerators what nobody has published:\n"
        f"  {' '.join(features)}"
        for features, names in having.items()
    )


def passes(arguments: argparse.Namespace) -> int:
    """List the passes."""
    del arguments
    print(pass_table())
    return 0


def plugins(arguments: argparse.Namespace) -> int:
    """List the plug-ins."""
    del arguments
    print(plugin_table())
    return 0
