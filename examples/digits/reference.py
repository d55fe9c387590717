# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Add the expected outputs to digits_test.npz: y and y_float, of TFLite's reference kernels.

A development-time script, run after train.py in an environment of its own:
`pip install tflite-runtime==2.14.0 "numpy<2"` (Python 3.11).
"""

import pathlib

import numpy as np
from tflite_runtime.interpreter import Interpreter, OpResolverType

FOLDER = pathlib.Path(__file__).parent


def outputs(model: str, images: np.ndarray) -> np.ndarray:
    """The model's output for each image, with the BUILTIN_REF kernels."""
    interpreter = Interpreter(
        str(FOLDER / model), experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    source = interpreter.get_input_details()[0]["index"]
    result = interpreter.get_output_details()[0]["index"]
    rows: list[np.ndarray] = []
    for image in images:
        interpreter.set_tensor(source, image[None])
        interpreter.invoke()
        rows.append(interpreter.get_tensor(result)[0])
    return np.stack(rows)


def main() -> None:
    """Rewrite digits_test.npz with the outputs added, and print both accuracies."""
    path = FOLDER / "digits_test.npz"
    with np.load(path) as stored:
        x, x_float, label = stored["x"], stored["x_float"], stored["label"]
    y, y_float = outputs("digits_int8.tflite", x), outputs("digits_float.tflite", x_float)
    np.savez_compressed(path, x=x, x_float=x_float, label=label, y=y, y_float=y_float)
    for name, found in (("int8", y), ("float", y_float)):
        print(f"{name}: {np.mean(found.argmax(axis=1) == label):.4f} of {len(label)} images right")


if __name__ == "__main__":
    main()
