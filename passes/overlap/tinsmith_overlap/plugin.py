"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_overlap.overlap import OverlapCalls

PLUGIN = Plugin(
    "tinsmith_overlap",
    passes=(
        PassEntry(
            OverlapCalls,
            after="tile",
            make=lambda setting: OverlapCalls(setting.target, setting.kernels),
        ),
    ),
)
