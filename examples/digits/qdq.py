"""Writes digits_qdq.onnx, the int8 network in ONNX's words, and digits_qdq_test.npz, what ONNX Runtime makes of it.

    pip install onnxruntime
    python examples/digits/qdq.py

A development-time script, with the libraries of this repository on PYTHONPATH.
"""

# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false

import pathlib
import sys

import numpy as np
import onnxruntime

_HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parents[1] / "tests" / "three_sides"))

from as_onnx import as_onnx  # noqa: E402 (needs the path set above)
from networks import quantized  # noqa: E402
from steps import channels_first  # noqa: E402


def main() -> None:
    """Write both files."""
    graph = quantized("digits")
    assert graph is not None
    model = as_onnx(channels_first(graph))
    (_HERE / "digits_qdq.onnx").write_bytes(model)
    with np.load(_HERE / "digits_test.npz") as samples:
        x, label = samples["x"], samples["label"]
    session = onnxruntime.InferenceSession(model)
    (name,) = (each.name for each in session.get_inputs())
    y = [session.run(None, {name: np.moveaxis(image[None], -1, 1)})[0] for image in x]
    np.savez_compressed(_HERE / "digits_qdq_test.npz", x=x, y=np.concatenate(y), label=label)


if __name__ == "__main__":
    main()
