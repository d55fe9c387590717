"""Element types beside int8 and float32: float16 constants, plain integers, bools."""

import numpy as np
import pytest
from tflite_builder import ModelBuilder, options
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Cast, FullyConnected
from tinsmith_tflite import import_tflite

# Subnormal, largest and odd ones.
HALVES = np.array([[1.0, -6e-8, 65504.0], [0.1, -2.5, 6.1e-5]], np.float16)


def dense(*, widened: bool, result: str = "FLOAT32") -> Graph:
    b = ModelBuilder()
    x, y = b.tensor("x", (1, 3)), b.tensor("y", (1, 2))
    w = b.tensor("half", (2, 3), "FLOAT16", data=HALVES.tobytes())
    if widened:
        wide = b.tensor("wide", (2, 3), result)
        b.operator("DEQUANTIZE", [w], [wide], version=3)
        w = wide
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], options("FullyConnectedOptions"))
    return import_tflite(b.finish([x], [y]))


@pytest.mark.parametrize("widened", [True, False])
def test_float16_weights_become_float32_constants(widened: bool) -> None:
    graph = dense(widened=widened)
    assert [type(node.operator) for node in graph.nodes] == [FullyConnected]
    assert graph.values["half"].type.dtype is DType.FLOAT32
    np.testing.assert_array_equal(graph.constant_data["half"], HALVES.astype(np.float32))


def test_float16_becomes_nothing_but_float32() -> None:
    with pytest.raises(
        ModelError, match=r"expected a result f32\[2, 3\], the file says i32\[2, 3\]"
    ):
        dense(widened=True, result="INT32")


def test_float16_that_is_computed_is_refused() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,), "FLOAT16"), b.tensor("y", (4,))
    b.operator("DEQUANTIZE", [x], [y], version=3)
    with pytest.raises(UnsupportedError, match="only constants may be float16"):
        import_tflite(b.finish([x], [y]))


def test_too_few_bytes_of_float16() -> None:
    b = ModelBuilder()
    w, y = b.tensor("w", (3,), "FLOAT16", data=bytes(5)), b.tensor("y", (3,))
    b.operator("DEQUANTIZE", [w], [y], version=3)
    with pytest.raises(ModelError, match="expected 6 bytes"):
        import_tflite(b.finish([], [y]))


@pytest.mark.parametrize("kind", ["INT64", "INT32", "BOOL", "INT16", "UINT8"])
def test_casts_take_integers_without_scales(kind: str) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,), kind), b.tensor("y", (4,))
    b.operator("CAST", [x], [y])
    graph = import_tflite(b.finish([x], [y]))
    assert [node.operator for node in graph.nodes] == [Cast(DType.FLOAT32)]


def test_int64_is_not_compared() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,), "INT64"), b.tensor("y", (4,), "INT64")
    b.operator("MINIMUM", [x, x], [y], options("MaximumMinimumOptions"))
    with pytest.raises(UnsupportedError, match="expected f32 or i8 or i16 or i32, got i64"):
        import_tflite(b.finish([x], [y]))
