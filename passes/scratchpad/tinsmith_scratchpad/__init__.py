"""Tensors of accelerators in a memory that no core reaches, and copies where cores need them."""

from tinsmith_scratchpad.use import UseScratchpad

__all__ = ["UseScratchpad"]
