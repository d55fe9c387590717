"""Import of ONNX models: `import_onnx(path)` gives a verified `tinsmith_ir` Graph."""

from tinsmith_onnx.context import NotKnownError, OperatorContext
from tinsmith_onnx.importer import LARGEST_FILE_BYTES, import_onnx
from tinsmith_onnx.model_file import is_onnx
from tinsmith_onnx.rules import Results, Rule

__all__ = [
    "LARGEST_FILE_BYTES",
    "NotKnownError",
    "OperatorContext",
    "Results",
    "Rule",
    "import_onnx",
    "is_onnx",
]
