"""uint8: int8 inside, uint8 where it enters and leaves the network."""

from dataclasses import replace

import numpy as np
import pytest
from tflite_builder import ModelBuilder, options
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import (
    AveragePool2D,
    Conv2D,
    Dequantize,
    FloatRescale,
    Quantize,
    Requantize,
    Reshape,
)
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_tflite import import_tflite
from tinsmith_tflite.operators import RULES

BYTES = Quantization.per_tensor(0.5, 140)
TWIN = Quantization.per_tensor(0.5, 12)


def shape(*sizes: int) -> np.ndarray:
    return np.array(sizes, np.int32)


def steps(graph: Graph) -> list[tuple[type, str, str]]:
    """(operator, dtype of its operand, dtype of its result) of each node."""
    return [(type(node.operator), *_dtypes(node)) for node in graph.nodes]


def _dtypes(node: Node) -> tuple[str, str]:
    return node.present_inputs[0].type.dtype.value, node.outputs[0].type.dtype.value


def test_conversions_at_the_borders_read_and_give_uint8_themselves() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "UINT8", quantization=BYTES)
    inner = b.tensor("inner", (4,), "INT8", quantization=Quantization.per_tensor(0.25, -3))
    y = b.tensor("y", (4,), "UINT8", quantization=BYTES)
    b.operator("QUANTIZE", [x], [inner], options("QuantizeOptions"))
    b.operator("QUANTIZE", [inner], [y], options("QuantizeOptions"))
    graph = import_tflite(b.finish([x], [y]))
    assert steps(graph) == [(Requantize, "u8", "i8"), (Requantize, "i8", "u8")]
    assert graph.inputs[0].type == TensorType((4,), DType.UINT8, BYTES)
    assert graph.outputs[0].type == TensorType((4,), DType.UINT8, BYTES)


def test_floats_at_the_borders() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    inner = b.tensor("inner", (4,), "UINT8", quantization=BYTES)
    y = b.tensor("y", (4,))
    b.operator("QUANTIZE", [x], [inner], options("QuantizeOptions"))
    b.operator("DEQUANTIZE", [inner], [y], options("DequantizeOptions"))
    graph = import_tflite(b.finish([x], [y, inner]))
    assert steps(graph) == [(Quantize, "f32", "u8"), (Dequantize, "u8", "f32")]
    graph = import_tflite(b.finish([x], [y]))
    assert steps(graph) == [(Quantize, "f32", "i8"), (Dequantize, "i8", "f32")]
    assert graph.values["inner"].type.quantization == TWIN


def test_what_is_inside_is_int8_and_the_names_are_those_of_the_borders() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "UINT8", quantization=BYTES)
    y, z = (b.tensor(name, (2, 2), "UINT8", quantization=BYTES) for name in "yz")
    for result in (y, z):
        b.operator("RESHAPE", [x, b.constant("shape", shape(2, 2))], [result])
    graph = import_tflite(b.finish([x], [y, z, y]))
    assert steps(graph) == [
        (Requantize, "u8", "i8"),
        (Reshape, "i8", "i8"),
        (Reshape, "i8", "i8"),
        (Requantize, "i8", "u8"),
        (Requantize, "i8", "u8"),
    ]
    assert [value.name for value in graph.inputs] == ["x"]
    assert [value.name for value in graph.outputs] == ["y", "z", "y"]
    assert graph.values["x_int8"].type == TensorType((4,), DType.INT8, TWIN)
    for array in evaluate_graph(graph, [np.array([0, 1, 128, 255], np.uint8)]).values():
        assert array.tolist() == [[0, 1], [128, 255]]


def test_an_input_that_is_the_output_stays_as_it_is() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "UINT8", quantization=BYTES)
    graph = import_tflite(b.finish([x], [x]))
    assert not graph.nodes
    assert graph.outputs == graph.inputs


def test_a_constant_output_keeps_its_bytes() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    c = b.constant("c", np.array([0, 200, 255], np.uint8), quantization=BYTES)
    graph = import_tflite(b.finish([x], [c]))
    assert graph.outputs[0].type.dtype is DType.UINT8
    assert graph.constant_data["c"].tolist() == [0, 200, 255]


def test_a_constant_without_axes_is_moved_to_int8() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "UINT8", quantization=BYTES)
    one = b.constant("one", np.array(142, np.uint8), quantization=BYTES)
    y = b.tensor("y", (4,), "UINT8", quantization=BYTES)
    b.operator("ADD", [x, one], [y], options("AddOptions"))
    graph = import_tflite(b.finish([x], [y]))
    (constant,) = graph.constants
    assert (constant.value.type.shape, constant.data.tolist()) == ((), 14)


def test_bytes_without_a_scale_are_moved_as_they_are() -> None:
    b = ModelBuilder()
    x, y = (b.tensor(name, size, "UINT8") for name, size in (("x", (4,)), ("y", (2, 2))))
    b.operator("RESHAPE", [x, b.constant("shape", shape(2, 2))], [y])
    assert steps(import_tflite(b.finish([x], [y]))) == [(Reshape, "u8", "u8")]


def test_bytes_without_a_scale_are_not_rescaled() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,), "UINT8"), b.tensor("y", (4,))
    b.operator("DEQUANTIZE", [x], [y], options("DequantizeOptions"))
    with pytest.raises(UnsupportedError, match="expected a scale for %x, got u8 without one"):
        import_tflite(b.finish([x], [y]))


def test_operators_that_are_not_known_to_treat_bytes_alike_refuse_them() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "UINT8", quantization=BYTES)
    y = b.tensor("y", (4,), "UINT8", quantization=BYTES)
    b.operator("CUSTOM", [x], [y], custom="Mine")
    rule = replace(RULES["RELU"], options="")
    with pytest.raises(UnsupportedError, match="expected no UINT8 beside this operator"):
        import_tflite(b.finish([x], [y]), custom={"Mine": rule})


def test_scales_per_channel_of_uint8_are_refused() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (2,), "UINT8", quantization=Quantization((0.5, 0.25), (3, 3), 0))
    y = b.tensor("y", (2,))
    b.operator("DEQUANTIZE", [x], [y], options("DequantizeOptions"))
    with pytest.raises(UnsupportedError, match="expected UINT8 with one scale, got 2"):
        import_tflite(b.finish([x], [y]))


def test_a_cast_reads_and_gives_the_integers_of_the_file() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (2, 2), "UINT8", quantization=BYTES)
    flat, last = (b.tensor(name, (4,), "UINT8", quantization=BYTES) for name in ("flat", "last"))
    real, whole = b.tensor("real", (4,)), b.tensor("whole", (4,), "UINT8", quantization=BYTES)
    b.operator("RESHAPE", [x, b.constant("shape", shape(4))], [flat])
    b.operator("CAST", [flat], [real])
    b.operator("CAST", [real], [whole])
    b.operator("RESHAPE", [whole, b.constant("same", shape(4))], [last])
    graph = import_tflite(b.finish([x], [real, last]))
    image = np.array([[0, 1], [128, 255]], np.uint8)
    numbers, result = evaluate_graph(graph, [image]).values()
    assert numbers.tolist() == [0.0, 1.0, 128.0, 255.0]
    assert result.tolist() == [0, 1, 128, 255]


def test_weights_have_a_zero_point_and_scales_are_multiplied_in_float32() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 1, 1, 2), "UINT8", quantization=BYTES)
    w = b.constant(
        "w", np.array([[[[0, 255]]]], np.uint8), quantization=Quantization.per_tensor(0.25, 120)
    )
    y = b.tensor("y", (1, 1, 1, 1), "UINT8", quantization=BYTES)
    chosen = options("Conv2DOptions", StrideH=1, StrideW=1)
    b.operator("CONV_2D", [x, w], [y], chosen)
    graph = import_tflite(b.finish([x], [y]))
    assert graph.nodes[1].operator == Conv2D(float32_scale=True)
    weights = graph.values["w"].type
    assert weights == TensorType((1, 1, 1, 2), DType.INT8, Quantization.per_tensor(0.25, -8))
    assert graph.constant_data["w"].ravel().tolist() == [-128, 127]


def test_int8_keeps_its_own_arithmetic() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 2, 2, 1), "INT8", quantization=TWIN)
    y = b.tensor("y", (1, 1, 1, 1), "INT8", quantization=TWIN)
    fields = {"StrideH": 1, "StrideW": 1, "FilterHeight": 2, "FilterWidth": 2, "Padding": 1}
    b.operator("AVERAGE_POOL_2D", [x], [y], options("Pool2DOptions", **fields), version=2)
    assert import_tflite(b.finish([x], [y])).nodes[0].operator == AveragePool2D(window=(2, 2))


def test_a_concatenation_rescales_the_inputs_that_differ() -> None:
    b = ModelBuilder()
    other = Quantization.per_tensor(0.25, 3)
    x, y = (
        b.tensor(name, (2,), "UINT8", quantization=q) for name, q in (("x", BYTES), ("y", other))
    )
    z = b.tensor("z", (4,), "UINT8", quantization=BYTES)
    b.operator("CONCATENATION", [x, y], [z], options("ConcatenationOptions", Axis=0))
    graph = import_tflite(b.finish([x, y], [z]))
    (rescale,) = (node for node in graph.nodes if isinstance(node.operator, FloatRescale))
    assert rescale.present_inputs[0].name == "y_int8"
    arrays = [np.array([0, 255], np.uint8), np.array([3, 13], np.uint8)]
    (result,) = evaluate_graph(graph, arrays).values()
    assert result.tolist() == [0, 255, 140, 145]


def test_scales_of_a_transposed_convolution_are_multiplied_in_float32() -> None:
    scale = np.float32(0.1)
    one, out = float(scale), float(np.float32(2**18) * (scale * scale))
    b = ModelBuilder()
    image, result = (1, 8, 16, 1024), (1, 8, 16, 1)
    x = b.tensor("x", image, "UINT8", quantization=Quantization.per_tensor(one, 0))
    w = b.tensor(
        "w",
        (1, 1, 1, 1024),
        "UINT8",
        data=bytes([128]) * 1024,
        quantization=Quantization.per_tensor(one, 0),
    )
    y = b.tensor("y", result, "UINT8", quantization=Quantization.per_tensor(out, 0))
    chosen = options("TransposeConvOptions", StrideH=1, StrideW=1, Padding=0)
    b.operator("TRANSPOSE_CONV", [b.constant("shape", shape(*result)), w, x], [y], chosen)
    numbers = np.arange(1, 256, 2, dtype=np.uint8)  # their halves are rounded up
    frame = np.repeat(numbers, 1024).reshape(image)
    (found,) = evaluate_graph(import_tflite(b.finish([x], [y])), [frame]).values()
    np.testing.assert_array_equal(found.ravel(), (numbers.astype(np.int32) + 1) // 2)


def test_transposed_weights_of_int8_with_a_zero_point_are_refused() -> None:
    b = ModelBuilder()
    x, y = (
        b.tensor("x", (1, 2, 2, 1), "INT8", quantization=TWIN),
        b.tensor("y", (1, 2, 2, 1), "INT8", quantization=TWIN),
    )
    w = b.tensor("w", (1, 1, 1, 1), "INT8", data=bytes([9]), quantization=TWIN)
    chosen = options("TransposeConvOptions", StrideH=1, StrideW=1, Padding=0)
    b.operator("TRANSPOSE_CONV", [b.constant("shape", shape(1, 2, 2, 1)), w, x], [y], chosen)
    with pytest.raises(UnsupportedError, match="weights of zero point 0"):
        import_tflite(b.finish([x], [y]))
