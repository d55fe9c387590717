"""From a Graph to an ONNX file: the inverse of what the modules beside this package import."""
