"""How the steps of a network round, as a choice."""

from tinsmith_rounding.accumulators import NARROWEST_BITS, narrow_bits
from tinsmith_rounding.set_rounding import SetRounding
from tinsmith_rounding.shared_shift import shared_shift_bits

__all__ = ["NARROWEST_BITS", "SetRounding", "narrow_bits", "shared_shift_bits"]
