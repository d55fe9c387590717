"""What this library brings to the `tinsmith` command."""

from collections.abc import Callable, Mapping

from tinsmith_ir import Graph, UsageError
from tinsmith_plugins import Importer, Plugin

from tinsmith_tflite import LARGEST_FILE_BYTES, Rule, import_tflite, is_tflite


def _read(
    data: bytes,
    source: str,
    on_warning: Callable[[str], None],
    converters: Mapping[str, object],
) -> Graph:
    return import_tflite(
        data,
        source=source,
        on_warning=on_warning,
        custom={name: _rule(name, rule) for name, rule in converters.items()},
    )


def _rule(name: str, rule: object) -> Rule:
    if not isinstance(rule, Rule):
        raise UsageError(
            f"converter of {name!r}: expected a tinsmith_tflite.Rule, got {type(rule).__name__}"
        )
    return rule


PLUGIN = Plugin(
    "tinsmith_tflite",
    importers=(
        Importer("tflite", (".tflite", ".lite", ".tfl"), is_tflite, _read, LARGEST_FILE_BYTES),
    ),
)
