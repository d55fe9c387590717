"""How the steps of a network round, as a choice."""

from tinsmith_rounding.accumulators import NARROWEST_BITS, narrow_bits
from tinsmith_rounding.set_rounding import SetRounding

__all__ = ["NARROWEST_BITS", "SetRounding", "narrow_bits"]
