"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import PassEntry, Plugin

from tinsmith_splitting.inputs import StreamInputs
from tinsmith_splitting.split import SplitCalls

PLUGIN = Plugin(
    "tinsmith_splitting",
    passes=(
        PassEntry(StreamInputs, before="elide-copies", runs=False),
        PassEntry(
            SplitCalls,
            before="elide-copies",
            make=lambda setting: SplitCalls(setting.target, setting.kernels),
        ),
    ),
)
