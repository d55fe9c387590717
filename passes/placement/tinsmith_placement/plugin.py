"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_placement.place import PlaceLayers

PLUGIN = Plugin(
    "tinsmith_placement",
    passes=(
        PassEntry(
            PlaceLayers,
            before="lower",
            make=lambda setting: PlaceLayers(setting.target, setting.kernels),
        ),
    ),
)
