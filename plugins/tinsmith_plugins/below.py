"""What the libraries below this one bring, which cannot name a `Plugin` themselves."""

from tinsmith_ir import OPERATORS
from tinsmith_lowering import Lower, Prepare
from tinsmith_target import targets

from tinsmith_plugins.plugin import PassEntry, Plugin, Stage

_OPERATORS = tuple(
    kind for kind in OPERATORS.values() if kind.__module__.startswith("tinsmith_ir.")
)

PLUGIN = Plugin(
    "tinsmith_plugins",
    operators=_OPERATORS,
    passes=(
        PassEntry(
            Lower,
            Stage.LOWERING,
            make=lambda setting: Lower(setting.target, setting.kernels),
            needed="no kernel is chosen without it",
        ),
        PassEntry(
            Prepare,
            Stage.PREPARATION,
            make=lambda setting: Prepare(setting.target, setting.kernels),
            needed="no constant has its final bytes without it",
        ),
    ),
    targets=targets(),
)
"""Operators of the IR, lowering, the targets."""
