"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_fusion import (
    FoldBatchNormalization,
    FuseActivations,
    FuseCurves,
    FuseNormalizations,
    FusePadding,
    FuseRequantization,
    ReplaceDepthwise,
    ReplaceMeans,
)

PLUGIN = Plugin(
    "tinsmith_fusion",
    passes=(
        # Before what a quantizer put around them is folded into integers.
        PassEntry(FuseNormalizations, Stage.INTEGERS),
        # Before what it reads is folded into a layer.
        PassEntry(FuseCurves, Stage.NUMERICS),
        PassEntry(FoldBatchNormalization, Stage.NUMERICS),
        PassEntry(FuseRequantization, Stage.FUSION),
        PassEntry(FuseActivations, Stage.FUSION),
        PassEntry(FusePadding, Stage.FUSION),
        PassEntry(ReplaceDepthwise, Stage.FUSION),
        PassEntry(ReplaceMeans, Stage.FUSION),
    ),
)
