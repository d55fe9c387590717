"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_simplify import (
    FoldConstants,
    MergeCommonSubexpressions,
    RemoveDeadCode,
    RemoveIdentities,
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
        PassEntry(Simplify, Stage.TIDYING),
    ),
)
