"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_compression import CompressConstants

PLUGIN = Plugin(
    "tinsmith_compression",
    passes=(
        PassEntry(
            CompressConstants,
            before="roll-loops",
            runs=False,
            make=lambda setting: CompressConstants(setting.target, setting.kernels),
        ),
    ),
)
