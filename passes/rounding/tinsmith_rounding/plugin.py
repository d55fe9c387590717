"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_rounding import SetRounding

PLUGIN = Plugin("tinsmith_rounding", passes=(PassEntry(SetRounding, Stage.NUMERICS, runs=False),))
