"""Import of TensorFlow Lite models: `import_tflite(path)` gives a verified `tinsmith_ir` Graph."""

from tinsmith_tflite.importer import import_tflite

__all__ = ["import_tflite"]
