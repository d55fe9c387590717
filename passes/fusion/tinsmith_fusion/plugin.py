"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_fusion import (
    FoldBatchNormalization,
    FuseActivations,
    FusePadding,
    FuseRequantization,
    ReplaceDepthwise,
    ReplaceMeans,
)

PLUGIN = Plugin(
    "tinsmith_fusion",
    passes=(
        PassEntry(FoldBatchNormalization, Stage.NUMERICS),
        PassEntry(FuseRequantization, Stage.FUSION),
        PassEntry(FuseActivations, Stage.FUSION),
        PassEntry(FusePadding, Stage.FUSION),
        PassEntry(ReplaceDepthwise, Stage.FUSION),
        PassEntry(ReplaceMeans, Stage.FUSION),
    ),
)
