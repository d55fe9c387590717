"""Passes that choose how tensors lie, so that little has to be transposed."""

from tinsmith_layout.move_transposes import MoveTransposes

__all__ = ["MoveTransposes"]
