"""Makes networks of integers of those that a quantizer wrote as float32 between integers."""

from tinsmith_qdq.fold_quantization import FoldQuantization
from tinsmith_qdq.remaining import Remaining, remaining

__all__ = ["FoldQuantization", "Remaining", "remaining"]
