"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_simplify import (
    FoldConstantChannels,
    FoldConstants,
    MergeCommonSubexpressions,
    RemoveDeadCode,
    RemoveIdentities,
    RemoveUnusedChannels,
    Simplify,
    SimplifyLayout,
)

_PARTS = (
    FoldConstants,
    RemoveIdentities,
    SimplifyLayout,
    MergeCommonSubexpressions,
    RemoveDeadCode,
)

PLUGIN = Plugin(
    "tinsmith_simplify",
    passes=(
        # Parts of `simplify`, for who leaves it out.
        *(PassEntry(kind, Stage.CLEANUP, runs=False) for kind in _PARTS),
        PassEntry(Simplify, Stage.CLEANUP),
        # Fusion and layout have put channels last, and left fewer operators between them.
        PassEntry(FoldConstantChannels, Stage.TIDYING),
        PassEntry(RemoveUnusedChannels, Stage.TIDYING),
        PassEntry(Simplify, Stage.TIDYING),
    ),
)
