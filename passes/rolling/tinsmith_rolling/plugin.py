"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_rolling import RollLoops

PLUGIN = Plugin("tinsmith_rolling", passes=(PassEntry(RollLoops, after="prepare"),))
