"""Passes that let one operator do the work of two."""

from tinsmith_fusion.passes import (
    FoldBatchNormalization,
    FuseActivations,
    FuseCurves,
    FuseNormalizations,
    FusePadding,
    FuseRequantization,
    ReplaceDepthwise,
    ReplaceMeans,
)

__all__ = [
    "FoldBatchNormalization",
    "FuseActivations",
    "FuseCurves",
    "FuseNormalizations",
    "FusePadding",
    "FuseRequantization",
    "ReplaceDepthwise",
    "ReplaceMeans",
]
