"""What this library brings to the `tinsmith` command."""

from collections.abc import Mapping

from tinsmith_ir import Graph, UsageError
from tinsmith_plugins import Exporter, Importer, ModelSource, Plugin

from tinsmith_tflite import LARGEST_FILE_BYTES, Rule, export_tflite, import_tflite, is_tflite
from tinsmith_tflite.operators import RULES


def _read(file: ModelSource) -> Graph:
    file.refuse_choices("TFLite")
    return import_tflite(
        file.data,
        source=file.name,
        on_warning=file.on_warning,
        widen_weights=file.choices.real_weights,
        custom={name: _rule(name, rule) for name, rule in file.converters.items()},
    )


def _rule(name: str, rule: object) -> Rule:
    if not isinstance(rule, Rule):
        raise UsageError(
            f"converter of {name!r}: expected a tinsmith_tflite.Rule, got {type(rule).__name__}"
        )
    return rule


def _operators() -> Mapping[str, str]:
    return dict.fromkeys(RULES, "")


PLUGIN = Plugin(
    "tinsmith_tflite",
    importers=(
        Importer(
            "tflite",
            (".tflite", ".lite", ".tfl"),
            is_tflite,
            _read,
            LARGEST_FILE_BYTES,
            operators=_operators,
            explains_others=True,
        ),
    ),
    exporters=(Exporter("tflite", (".tflite",), export_tflite),),
)
