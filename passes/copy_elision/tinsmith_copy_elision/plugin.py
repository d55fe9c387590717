"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_copy_elision import ElideCopies

PLUGIN = Plugin("tinsmith_copy_elision", passes=(PassEntry(ElideCopies, before="prepare"),))
