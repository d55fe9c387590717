"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_streaming import StreamFrames

PLUGIN = Plugin("tinsmith_streaming", passes=(PassEntry(StreamFrames, Stage.NUMERICS, runs=False),))
"""Behind the passes that may change results, and before those that fuse: padding is still an operator of its own."""
