"""What this library brings to the `tinsmith` command."""

from collections.abc import Iterable, Mapping

from tinsmith_ir import Graph
from tinsmith_plugins import Exporter, ImportCase, Importer, ModelSource, Plugin

from tinsmith_onnx.recognition import LARGEST_FILE_BYTES, is_onnx


def _read(file: ModelSource) -> Graph:
    from tinsmith_onnx.from_source import read  # the onnx package, for ONNX files alone

    return read(file)


def _write(graph: Graph) -> bytes:
    from tinsmith_onnx.export.exporter import export_onnx  # as above

    return export_onnx(graph)


def _cases() -> Iterable[ImportCase]:
    from tinsmith_onnx.cases import cases

    return cases()


def _operators() -> Mapping[str, str]:
    from tinsmith_onnx.operators import RULES

    return {name: rule.remark for name, rule in RULES.items()}


PLUGIN = Plugin(
    "tinsmith_onnx",
    importers=(
        Importer("onnx", (".onnx",), is_onnx, _read, LARGEST_FILE_BYTES, _cases, _operators),
    ),
    exporters=(Exporter("onnx", (".onnx",), _write),),
)
