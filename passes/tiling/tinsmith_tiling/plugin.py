"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_tiling.tile import TileCalls

PLUGIN = Plugin(
    "tinsmith_tiling",
    passes=(
        PassEntry(
            TileCalls,
            after="roll-loops",
            make=lambda setting: TileCalls(setting.target, setting.kernels),
        ),
    ),
)
