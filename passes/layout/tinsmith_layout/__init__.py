"""Passes that choose how tensors lie, so that little has to be transposed."""

from tinsmith_layout.passes import MoveTransposes, PermuteWeights

__all__ = ["MoveTransposes", "PermuteWeights"]
