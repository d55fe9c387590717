"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_spreading.spread import SpreadCalls

PLUGIN = Plugin(
    "tinsmith_spreading",
    passes=(
        PassEntry(
            SpreadCalls,
            before="prepare",
            make=lambda setting: SpreadCalls(setting.target, setting.kernels),
        ),
    ),
)
