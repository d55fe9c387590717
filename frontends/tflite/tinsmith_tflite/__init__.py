"""TensorFlow Lite models: `import_tflite(path)` gives a verified `tinsmith_ir` Graph, `export_tflite(graph)` a file."""

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.export.exporter import export_tflite
from tinsmith_tflite.importer import LARGEST_FILE_BYTES, import_tflite
from tinsmith_tflite.model_file import is_tflite
from tinsmith_tflite.rules import Rule

__all__ = [
    "LARGEST_FILE_BYTES",
    "Conversion",
    "OperatorContext",
    "Rule",
    "export_tflite",
    "import_tflite",
    "is_tflite",
]
