"""The fused activation, under the name that operators' users look for it."""

from tinsmith_ir.activation import Activation

__all__ = ["Activation"]
