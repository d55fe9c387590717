"""ONNX models: `import_onnx(path)` gives a verified `tinsmith_ir` Graph, `export_onnx(graph)` the bytes of a file."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinsmith_onnx.context import NotKnownError, OperatorContext
    from tinsmith_onnx.export.exporter import export_onnx
    from tinsmith_onnx.importer import import_onnx
    from tinsmith_onnx.recognition import LARGEST_FILE_BYTES, is_onnx
    from tinsmith_onnx.rules import Results, Rule

__all__ = [
    "LARGEST_FILE_BYTES",
    "NotKnownError",
    "OperatorContext",
    "Results",
    "Rule",
    "export_onnx",
    "import_onnx",
    "is_onnx",
]

_MODULES = {
    "NotKnownError": "context",
    "OperatorContext": "context",
    "export_onnx": "export.exporter",
    "import_onnx": "importer",
    "LARGEST_FILE_BYTES": "recognition",
    "is_onnx": "recognition",
    "Results": "rules",
    "Rule": "rules",
}


if not TYPE_CHECKING:  # to a checker, whatever is misspelt would be there

    def __getattr__(name: str) -> object:
        """Public names when they are asked for: the onnx package is slow to import, and the command knows this library
        at every start.
        """
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
