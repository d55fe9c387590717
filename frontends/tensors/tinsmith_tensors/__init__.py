"""Functions on tensors that compose a Tinsmith graph, as array libraries have them; importers share them."""

from tinsmith_tensors.composer import LARGEST_KNOWN_BYTES, Composer, Tensor

__all__ = ["LARGEST_KNOWN_BYTES", "Composer", "Tensor"]
