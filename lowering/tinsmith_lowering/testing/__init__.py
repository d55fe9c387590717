"""What tests of lowering and of the C writer need: declarations of kernels without C behind them."""

from tinsmith_lowering.testing.toys import Toys, toys

__all__ = ["Toys", "toys"]
