"""Loops for steps that are repeated: the opposite of `unrolled`."""

from tinsmith_rolling.roll import RollLoops, roll

__all__ = ["RollLoops", "roll"]
