"""A pass of Programs: constants that take less flash."""

from tinsmith_compression.compress import CompressConstants

__all__ = ["CompressConstants"]
