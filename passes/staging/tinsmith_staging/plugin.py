"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_staging.stage import StageConstants

PLUGIN = Plugin(
    "tinsmith_staging",
    passes=(
        PassEntry(
            StageConstants,
            after="tile",
            make=lambda setting: StageConstants(setting.target, available_bytes=setting.ram_bytes),
        ),
    ),
)
