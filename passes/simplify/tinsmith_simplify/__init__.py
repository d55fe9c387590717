"""Passes that make a graph smaller and keep every bit of its outputs."""

from tinsmith_simplify.constant_channels import FoldConstantChannels
from tinsmith_simplify.constants import FoldConstants
from tinsmith_simplify.dead_code import RemoveDeadCode
from tinsmith_simplify.identities import RemoveIdentities
from tinsmith_simplify.layout import SimplifyLayout
from tinsmith_simplify.simplify import Simplify
from tinsmith_simplify.subexpressions import MergeCommonSubexpressions
from tinsmith_simplify.unused_channels import RemoveUnusedChannels
from tinsmith_simplify.windows import SimplifyWindows

__all__ = [
    "FoldConstantChannels",
    "FoldConstants",
    "MergeCommonSubexpressions",
    "RemoveDeadCode",
    "RemoveIdentities",
    "RemoveUnusedChannels",
    "Simplify",
    "SimplifyLayout",
    "SimplifyWindows",
]
