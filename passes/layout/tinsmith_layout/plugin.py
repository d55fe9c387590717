"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_layout import MoveTransposes, PermuteWeights

PLUGIN = Plugin(
    "tinsmith_layout",
    passes=(
        PassEntry(MoveTransposes, Stage.LAYOUT),
        PassEntry(PermuteWeights, Stage.NUMERICS),
    ),
)
