"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_scheduling import ScheduleCalls

PLUGIN = Plugin("tinsmith_scheduling", passes=(PassEntry(ScheduleCalls, Stage.ORDER),))
