"""Quantized networks as other tools expect them: real numbers between DequantizeLinear and QuantizeLinear."""

import numpy as np
import onnx
import pytest
from export_cases import CASES, graph_of
from exported import (
    assert_near,
    element_types,
    file_of,
    kind_of,
    kinds,
    operands_of,
    reimported,
)
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper
from tinsmith_ir import (
    Constant,
    DType,
    Graph,
    Node,
    Quantization,
    TensorType,
    Value,
    evaluate_graph,
    parse_graph,
)
from tinsmith_ir.operators import Conv2D, Dequantize, Quantize
from tinsmith_ir.testing import random_inputs
from tinsmith_onnx import import_onnx


def axis_of(model: onnx.ModelProto, result: str) -> int | None:
    """Of the operator that computes a tensor."""
    node = next(node for node in model.graph.node if result in node.output)
    return next((each.i for each in node.attribute if each.name == "axis"), None)


def array_of(model: onnx.ModelProto, name: str) -> NDArray[np.generic]:
    """Of an initializer."""
    return numpy_helper.to_array(next(e for e in model.graph.initializer if e.name == name))


def test_an_operator_of_integers_is_one_of_reals_between_two_conversions() -> None:
    model = file_of(graph_of("conv2d i8", CASES["conv2d i8"]))
    (conv,) = (node for node in model.graph.node if node.op_type == "Conv")
    assert [kind_of(model, name) for name in conv.input] == ["DequantizeLinear"] * 3
    source, weights, bias = (operands_of(model, name)[0] for name in conv.input)
    assert kind_of(model, source) == "Transpose"
    stored = element_types(model)
    assert (stored[weights], stored[bias]) == (TensorProto.INT8, TensorProto.INT32)
    assert array_of(model, weights).shape == (4, 3, 3, 2)  # OIHW


def test_weights_have_their_scales_along_output_channels_and_a_bias_those_of_the_sums() -> None:
    model = file_of(graph_of("depthwise_conv2d i8", CASES["depthwise_conv2d i8"]))
    (conv,) = (node for node in model.graph.node if node.op_type == "Conv")
    weights, bias = conv.input[1:]
    assert (axis_of(model, weights), axis_of(model, bias)) == (0, 0)
    scales = array_of(model, operands_of(model, weights)[1])
    steps = array_of(model, operands_of(model, bias)[1])
    assert scales.tolist() == np.array([0.01, 0.02, 0.03, 0.005], np.float32).tolist()
    assert steps.tolist() == (np.float32(0.05) * scales.astype(np.float32)).tolist()
    assert len(operands_of(model, bias)) == 2  # int32 has no zero point


def test_integers_times_their_scales_are_one_conversion_along_an_axis() -> None:
    name = "a layer between quantize and dequantize"
    model = file_of(graph_of(name, CASES[name]))
    assert "Mul" not in [node.op_type for node in model.graph.node]
    assert axis_of(model, "wr") == 0
    (conv,) = (node for node in model.graph.node if node.op_type == "Conv")
    integers = operands_of(model, conv.input[2])[0]
    assert element_types(model)[integers] == TensorProto.INT32


def test_a_bias_of_floats_stays_where_the_result_is_not_quantized() -> None:
    name = "a layer between quantize and dequantize"
    text = CASES[name].replace("output %q", "output %q\noutput %r")
    model = file_of(graph_of(name, text))
    (conv,) = (node for node in model.graph.node if node.op_type == "Conv")
    assert conv.input[2] == "b"


def test_a_layer_of_a_file_is_written_as_it_was() -> None:
    """The importer stands transposes around layers; none is written, and integers are what they were."""
    graph = graph_of("conv2d i8", CASES["conv2d i8"])
    first = file_of(graph)
    again = file_of(import_onnx(first.SerializeToString(), channels_last=False))
    for model in (first, again):
        assert kinds(model).count("Transpose") == 2
    assert sorted(element_types(again).values()) == sorted(element_types(first).values())


def test_weights_of_4_bits_are_written_in_4_bits() -> None:
    for name in ("a product with weights of few bits", "conv2d i8 by i4"):
        model = file_of(graph_of(name, CASES[name]))
        assert element_types(model)["w"] == TensorProto.INT4


def test_weights_of_2_bits_are_written_in_4_bits() -> None:
    for name in ("conv2d i8 by i2", "fully_connected i8 by i2"):
        model = file_of(graph_of(name, CASES[name]))
        assert element_types(model)["w"] == TensorProto.INT4


def test_weights_that_need_8_bits_are_written_in_8() -> None:
    name = "a product with weights of few bits"
    model = file_of(graph_of(name, CASES[name].replace("[7,-8,", "[8,-8,")))
    assert element_types(model)["w"] == TensorProto.INT8


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT4])
def test_constants_with_scales_along_an_axis_may_be_dequantized_as_they_are(dtype: DType) -> None:
    random = np.random.default_rng(1)
    integers = random.integers(-8, 8, (4, 3, 3, 3)).astype(np.int8)
    integers[0, 0, 0, 0] = -8 if dtype is DType.INT4 else 100
    scales, steps = (0.01, 0.02, 0.005, 0.03), (0.0002, 0.0004, 0.0001, 0.0006)
    sums = random.integers(-3000, 3000, 4).astype(np.int32)
    real = (integers * np.array(scales).reshape(4, 1, 1, 1)).astype(np.float32)
    bias = (sums * np.array(steps)).astype(np.float32)
    x = Value("x", TensorType((1, 5, 5, 3), DType.INT8, Quantization.per_tensor(0.02, 5)))
    w = Value("w", TensorType(real.shape, dtype, Quantization(scales, (0,) * 4, 0)))
    b = Value("b", TensorType((4,), DType.INT32, Quantization(steps, (0,) * 4, 0)))
    reals = [
        Value(f"{each.name}_", TensorType(each.type.shape, DType.FLOAT32)) for each in (x, w, b)
    ]
    y = Value("y", TensorType((1, 3, 3, 4), DType.FLOAT32))
    q = Value("q", TensorType((1, 3, 3, 4), DType.INT8, Quantization.per_tensor(0.05, 1)))
    pairs = zip((x, w, b), reals, strict=True)
    end = Node(Quantize(halves_to_even=True), (y,), (q,))
    middle = Node(Conv2D(), tuple(reals), (y,))
    nodes = (*(Node(Dequantize(), (a,), (c,)) for a, c in pairs), middle, end)
    graph = Graph("g", (x,), (q,), nodes, (Constant(w, integers), Constant(b, sums)))
    plain = graph.rebuilt(
        nodes=(nodes[0], middle, end),
        constants=(Constant(reals[1], real), Constant(reals[2], bias)),
    )
    model = file_of(graph)
    wanted_types = {DType.INT8: TensorProto.INT8, DType.INT4: TensorProto.INT4}
    assert element_types(model)["w"] == wanted_types[dtype]
    assert element_types(model)["b"] == TensorProto.INT32
    given = random_inputs(plain)
    (found,), wanted = reimported(graph, given), evaluate_graph(plain, given)["q"]
    assert int(np.abs(found.astype(int) - wanted.astype(int)).max()) <= 1


def test_a_quantization_of_16_bits_and_one_of_uint8() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: u8[1,6]<0.1, 128>
      %r: f32[1,6] = dequantize(%x)
      %s: f32[1,6] = softmax(%r)
      %y: i16[1,6]<0.0001, 0> = quantize(%s) {dtype=i16, halves_to_even=true}
      output %y
    }""")
    model = file_of(graph)
    assert model.graph.input[0].type.tensor_type.elem_type == TensorProto.UINT8
    assert model.graph.output[0].type.tensor_type.elem_type == TensorProto.INT16
    assert_near(graph, random_inputs(graph))


def test_a_constant_of_16_bits_comes_back_as_integers() -> None:
    """Else what reads it, such as the product with a gate of a recurrent layer, would be left to float32."""
    graph = parse_graph("""graph 2 "g" {
      input %x: i16[1,4]<0.0001, 0>
      const %c: i16[1,4]<0.001, 0> = [12424, -9802, 100, 32767]
      %y: i16[1,4]<0.0002, 0> = mul(%x, %c)
      output %y
    }""")
    back = import_onnx(file_of(graph).SerializeToString())
    (product,) = (node for node in back.nodes if node.operator.mnemonic == "mul")
    producer = back.producer(product.present_inputs[1])
    assert producer is not None
    assert isinstance(producer.operator, Dequantize)
    stored = back.constant(producer.present_inputs[0])
    assert stored is not None
    assert stored.dtype == np.int16
    assert stored.tolist() == [[12424, -9802, 100, 32767]]
