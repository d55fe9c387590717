"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin, Stage

from tinsmith_allocation import AllocateBuffers, ExposeEnds, HoldConstants, SpillBuffers

PLUGIN = Plugin(
    "tinsmith_allocation",
    passes=(
        PassEntry(
            AllocateBuffers,
            Stage.PLACEMENT,
            make=lambda setting: AllocateBuffers(available_bytes=setting.ram_bytes),
            needed="no buffer has a place without it",
        ),
        PassEntry(ExposeEnds, before="allocate-buffers", runs=False),
        PassEntry(SpillBuffers, before="allocate-buffers", runs=False),
        PassEntry(
            HoldConstants,
            before="allocate-buffers",
            runs=False,
            make=lambda setting: HoldConstants(
                setting.target, setting.kernels, available_bytes=setting.ram_bytes
            ),
        ),
    ),
)
