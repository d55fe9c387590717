"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_scratchpad.use import UseScratchpad

PLUGIN = Plugin(
    "tinsmith_scratchpad",
    passes=(
        PassEntry(
            UseScratchpad,
            before="overlap",
            make=lambda setting: UseScratchpad(setting.target, setting.kernels),
            needed="accelerators with a memory of their own read and write no other",
        ),
    ),
)
