"""Files of one operator, to be refused or not."""

from collections.abc import Sequence

import numpy as np
import pytest
from tflite_builder import ModelBuilder, Options, Stored
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite


def relu_model(
    b: ModelBuilder | None = None,
    *,
    x: int | None = None,
    y: int | None = None,
    kind: str = "RELU",
    custom: str = "",
) -> bytes:
    """x -> RELU -> y, with parts exchanged."""
    b = b or ModelBuilder()
    x = b.tensor("x", (4,)) if x is None else x
    y = b.tensor("y", (4,)) if y is None else y
    b.operator(kind, [x], [y], custom=custom)
    return b.finish([x], [y])


def one_operator(
    kind: str,
    result: Sequence[int],
    chosen: Options | None,
    *constants: np.ndarray,
    shape: Sequence[int] = (1, 4, 4, 2),
    version: int = 1,
) -> bytes:
    b = ModelBuilder()
    x = b.tensor("x", shape)
    operands = [x, *(b.constant(f"c{i}", array) for i, array in enumerate(constants))]
    y = b.tensor("y", result)
    b.operator(kind, operands, [y], chosen, version=version)
    return b.finish([x], [y])


def quantized(quantization: Quantization | Stored | None, type_name: str = "INT8") -> bytes:
    b = ModelBuilder()
    x = b.tensor("x", (4,), type_name, quantization=quantization)
    return relu_model(
        b, x=x, y=b.tensor("y", (4,), type_name, quantization=Quantization.per_tensor(1, 0))
    )


def ints(*elements: int) -> np.ndarray:
    return np.array(elements, np.int32)


def floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def assert_refused(error: type[Exception], data: bytes, message: str) -> None:
    with pytest.raises(error, match=message):
        import_tflite(data)
