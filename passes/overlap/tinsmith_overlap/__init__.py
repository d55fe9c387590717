"""Jobs of an accelerator that run while cores and copies do."""

from tinsmith_overlap.overlap import OverlapCalls
from tinsmith_overlap.schedule import Overlapping

__all__ = ["OverlapCalls", "Overlapping"]
