"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_tiling.tile import TileCalls
from tinsmith_tiling.tile_jobs import TileJobs

PLUGIN = Plugin(
    "tinsmith_tiling",
    passes=(
        PassEntry(
            TileCalls,
            after="roll-loops",
            make=lambda setting: TileCalls(setting.target, setting.kernels),
        ),
        PassEntry(
            TileJobs,
            after="use-scratchpad",
            make=lambda setting: TileJobs(setting.target, setting.kernels),
            needed="accelerators with a memory of their own read and write no other",
        ),
    ),
)
