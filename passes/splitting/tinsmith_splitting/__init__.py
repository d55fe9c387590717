"""Calls in parts: rows that stream through small windows, so that whole tensors need not exist."""

from tinsmith_splitting.inputs import StreamInputs
from tinsmith_splitting.split import SplitCalls

__all__ = ["SplitCalls", "StreamInputs"]
