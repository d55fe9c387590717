"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_qdq import FoldQuantization

PLUGIN = Plugin("tinsmith_qdq", passes=(PassEntry(FoldQuantization, Stage.INTEGERS),))
