"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_scheduling import ScheduleNodes

PLUGIN = Plugin("tinsmith_scheduling", passes=(PassEntry(ScheduleNodes, Stage.ORDER),))
