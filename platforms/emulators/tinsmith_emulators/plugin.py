"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import Plugin

from tinsmith_emulators.machine import RUNNERS

PLUGIN = Plugin("tinsmith_emulators", runners=RUNNERS)
