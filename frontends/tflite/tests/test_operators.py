"""What each TFLite operator becomes; numbers by hand. What it computes is the goldens' business."""

import pathlib

import numpy as np
import pytest
from tflite_builder import ModelBuilder, Options, options
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import ModelError
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import (
    Abs,
    Activation,
    Add,
    AveragePool2D,
    Ceil,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    Dequantize,
    Div,
    Elu,
    Exp,
    Floor,
    FullyConnected,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Maximum,
    MaxPool2D,
    Mean,
    Minimum,
    Mul,
    Neg,
    Operator,
    Pad,
    Prelu,
    Quantize,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Requantize,
    Reshape,
    Round,
    Rsqrt,
    Sign,
    Softmax,
    Sqrt,
    Square,
    SquaredDifference,
    Sub,
    Tanh,
    Transpose,
)
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_tflite import import_tflite

Q = Quantization.per_tensor(0.5, 3)
SAME, VALID = 0, 1
RELU6 = 3


def _graph(
    kind: str,
    shapes: list[tuple[int, ...]],
    result: tuple[int, ...],
    chosen: Options | None = None,
    constants: list[np.ndarray] | None = None,
) -> Graph:
    """A float32 model: inputs of `shapes`, then constants, give a tensor of shape `result`."""
    b = ModelBuilder()
    inputs = [b.tensor(f"x{i}", shape) for i, shape in enumerate(shapes)]
    operands = inputs + [b.constant(f"c{i}", array) for i, array in enumerate(constants or [])]
    output = b.tensor("y", result)
    b.operator(kind, operands, [output], chosen)
    return import_tflite(b.finish(inputs, [output]))


def _operator(graph: Graph) -> Operator:
    (node,) = graph.nodes
    return node.operator


def _floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def _ints(*elements: int) -> np.ndarray:
    return np.array(elements, np.int32)


def test_conv2d_same_padding_puts_the_odd_row_at_the_end() -> None:
    graph = _graph(
        "CONV_2D",
        [(1, 8, 7, 3)],
        (1, 4, 4, 2),
        options("Conv2DOptions", Padding=SAME, StrideH=2, StrideW=2, FusedActivationFunction=RELU6),
        [_floats(2, 3, 3, 3), _floats(2)],
    )
    assert _operator(graph) == Conv2D(
        stride=(2, 2), padding=(0, 1, 1, 1), activation=Activation.RELU6
    )
    assert [value and value.name for value in graph.nodes[0].inputs] == ["x0", "c0", "c1"]


def test_conv2d_dilation_and_stride_keep_height_and_width_apart() -> None:
    chosen = options(
        "Conv2DOptions", Padding=VALID, StrideH=1, StrideW=2, DilationHFactor=3, DilationWFactor=1
    )
    graph = _graph(
        "CONV_2D", [(1, 9, 6, 1)], (1, 3, 2, 1), chosen, [_floats(1, 3, 3, 1), _floats(1)]
    )
    assert _operator(graph) == Conv2D(stride=(1, 2), dilation=(3, 1))


def test_conv2d_without_bias_has_none() -> None:
    chosen = options("Conv2DOptions", Padding=VALID, StrideH=1, StrideW=1)
    graph = _graph("CONV_2D", [(1, 3, 3, 1)], (1, 1, 1, 1), chosen, [_floats(1, 3, 3, 1)])
    assert graph.nodes[0].inputs[2] is None


def test_conv2d_int8_per_channel_keeps_every_scale() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 2, 2, 1), "INT8", quantization=Q)
    scales = Quantization((0.25, 0.125), (0, 0), axis=0)
    w = b.constant("w", np.ones((2, 1, 1, 1), np.int8), quantization=scales)
    bias = b.constant(
        "b", np.array([1, -1], np.int32), quantization=Quantization((0.125, 0.0625), (0, 0), 0)
    )
    y = b.tensor("y", (1, 2, 2, 2), "INT8", quantization=Q)
    b.operator(
        "CONV_2D", [x, w, bias], [y], options("Conv2DOptions", StrideH=1, StrideW=1), version=3
    )
    graph = import_tflite(b.finish([x], [y]))
    assert graph.values["w"].type == TensorType((2, 1, 1, 1), DType.INT8, scales)
    assert graph.values["x"].type.quantization == Q
    np.testing.assert_array_equal(graph.constant_data["b"], [1, -1])


def test_conv2d_with_int8_weights_beside_float_activations_gets_float_weights_if_asked() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 1, 1, 1))
    w = b.constant(
        "w",
        np.array([4, -6], np.int8).reshape(2, 1, 1, 1),
        quantization=Quantization((0.5, 0.25), (0, 0), 0),
    )
    bias = b.constant("b", _floats(2))
    y = b.tensor("y", (1, 1, 1, 2))
    b.operator(
        "CONV_2D", [x, w, bias], [y], options("Conv2DOptions", StrideH=1, StrideW=1), version=5
    )
    warnings: list[str] = []
    graph = import_tflite(b.finish([x], [y]), on_warning=warnings.append, widen_weights=True)
    weights = graph.nodes[0].inputs[1]
    assert weights is not None
    assert weights.name == "w_float"
    (warning,) = warnings
    assert "1 weight tensor(s) of int8" in warning
    assert "Convert the model" not in warning  # it is about to be quantized
    assert "2 bytes in the file, 8 here" in warning
    np.testing.assert_array_equal(graph.constant_data["w_float"].ravel(), [2.0, -1.5])


def test_depthwise_conv2d_takes_its_own_options() -> None:
    chosen = options(
        "DepthwiseConv2DOptions", Padding=SAME, StrideH=2, StrideW=1, DepthMultiplier=2,
        FusedActivationFunction=1, DilationHFactor=1, DilationWFactor=2,
    )  # fmt: skip
    graph = _graph(
        "DEPTHWISE_CONV_2D", [(1, 5, 5, 3)], (1, 3, 5, 6), chosen, [_floats(1, 3, 3, 6), _floats(6)]
    )
    assert _operator(graph) == DepthwiseConv2D(
        stride=(2, 1), dilation=(1, 2), padding=(1, 1, 2, 2), activation=Activation.RELU
    )


def test_fully_connected_keeps_dimensions_when_asked() -> None:
    chosen = options("FullyConnectedOptions", KeepNumDims=True)
    graph = _graph("FULLY_CONNECTED", [(2, 3, 4)], (2, 3, 5), chosen, [_floats(5, 4), _floats(5)])
    assert _operator(graph) == FullyConnected(keep_dims=True)


def test_fully_connected_with_an_absent_bias_index() -> None:
    b = ModelBuilder()
    x, w, y = b.tensor("x", (1, 4)), b.constant("w", _floats(2, 4)), b.tensor("y", (1, 2))
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], options("FullyConnectedOptions"))
    assert import_tflite(b.finish([x], [y])).nodes[0].inputs[2] is None


@pytest.mark.parametrize(("kind", "table", "operator"), [
    ("ADD", "AddOptions", Add(activation=Activation.RELU)),
    ("SUB", "SubOptions", Sub(activation=Activation.RELU)),
    ("MUL", "MulOptions", Mul(activation=Activation.RELU)),
])  # fmt: skip
def test_elementwise(kind: str, table: str, operator: Operator) -> None:
    graph = _graph(kind, [(2, 3), (3,)], (2, 3), options(table, FusedActivationFunction=1))
    assert _operator(graph) == operator


@pytest.mark.parametrize(("kind", "operator"), [("MINIMUM", Minimum()), ("MAXIMUM", Maximum())])
def test_extremum(kind: str, operator: Operator) -> None:
    graph = _graph(kind, [(2, 3), (3,)], (2, 3), options("MaximumMinimumOptions"))
    assert _operator(graph) == operator


def test_an_extremum_between_scales_is_refused() -> None:
    b = ModelBuilder()
    other = Quantization.per_tensor(0.25, 3)
    x, y = (b.tensor("x", (4,), "INT8", quantization=q) for q in (Q, other))
    z = b.tensor("z", (4,), "INT8", quantization=Q)
    b.operator("MINIMUM", [x, y], [z], options("MaximumMinimumOptions"))
    with pytest.raises(ModelError, match="expected the same quantization of lhs and rhs"):
        import_tflite(b.finish([x, y], [z]))


@pytest.mark.parametrize(("kind", "operator"), [
    ("AVERAGE_POOL_2D", AveragePool2D(window=(2, 3), stride=(2, 1), padding=(0, 1, 1, 1))),
    ("MAX_POOL_2D", MaxPool2D(window=(2, 3), stride=(2, 1), padding=(0, 1, 1, 1))),
])  # fmt: skip
def test_pool(kind: str, operator: Operator) -> None:
    chosen = options(
        "Pool2DOptions", Padding=SAME, StrideH=2, StrideW=1, FilterHeight=2, FilterWidth=3
    )
    assert _operator(_graph(kind, [(1, 5, 5, 1)], (1, 3, 5, 1), chosen)) == operator


def test_mean_sorts_axes_and_counts_from_the_front() -> None:
    graph = _graph(
        "MEAN",
        [(1, 4, 4, 2)],
        (1, 1, 1, 2),
        options("ReducerOptions", KeepDims=True),
        [_ints(-2, 1)],
    )
    assert _operator(graph) == Mean(axes=(1, 2), keep_dims=True)


def test_softmax() -> None:
    graph = _graph("SOFTMAX", [(1, 4)], (1, 4), options("SoftmaxOptions", Beta=0.5))
    assert _operator(graph) == Softmax(beta=0.5)


@pytest.mark.parametrize(("kind", "operator"), [("LOGISTIC", Logistic()), ("TANH", Tanh())])
def test_curves(kind: str, operator: Operator) -> None:
    assert _operator(_graph(kind, [(1, 4)], (1, 4))) == operator


def test_reshape_prefers_the_operand_to_the_option() -> None:
    chosen = options("ReshapeOptions", NewShape=(12, 1))
    graph = _graph("RESHAPE", [(3, 4)], (2, 6), chosen, [_ints(2, -1)])
    assert _operator(graph) == Reshape(shape=(2, 6))


def test_reshape_takes_the_option_without_an_operand() -> None:
    graph = _graph("RESHAPE", [(3, 4)], (6, 2), options("ReshapeOptions", NewShape=(-1, 2)))
    assert _operator(graph) == Reshape(shape=(6, 2))


def test_squeeze_and_expand_dims_are_reshapes() -> None:
    squeezed = _graph("SQUEEZE", [(1, 3, 1)], (1, 3), options("SqueezeOptions", SqueezeDims=(-1,)))
    assert _operator(squeezed) == Reshape(shape=(1, 3))
    expanded = _graph("EXPAND_DIMS", [(2, 3)], (2, 1, 3), None, [_ints(1)])
    assert _operator(expanded) == Reshape(shape=(2, 1, 3))


def test_pad_takes_paddings_of_int64() -> None:
    widths = np.array([[0, 1], [2, 0]], np.int64)
    graph = _graph("PAD", [(2, 3)], (3, 5), options("PadOptions"), [widths])
    assert _operator(graph) == Pad(padding=(0, 1, 2, 0))


def test_padv2_keeps_its_value() -> None:
    widths, value = np.array([[1, 1]], np.int32), np.array(-2.5, np.float32)
    graph = _graph("PADV2", [(2,)], (4,), options("PadV2Options"), [widths, value])
    assert _operator(graph) == Pad(padding=(1, 1), value=-2.5)


def test_transpose() -> None:
    graph = _graph(
        "TRANSPOSE", [(1, 2, 3)], (3, 1, 2), options("TransposeOptions"), [_ints(2, 0, 1)]
    )
    assert _operator(graph) == Transpose(permutation=(2, 0, 1))


def test_concatenation_counts_its_axis_from_the_front() -> None:
    chosen = options("ConcatenationOptions", Axis=-1)
    graph = _graph("CONCATENATION", [(2, 1), (2, 3), (2, 2)], (2, 6), chosen)
    assert _operator(graph) == Concat(axis=1)


@pytest.mark.parametrize("type_name", ["INT8", "INT16"])
def test_concatenation_of_integers_without_scales(type_name: str) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (2,), type_name), b.tensor("y", (4,), type_name)
    b.operator("CONCATENATION", [x, x], [y], options("ConcatenationOptions"))
    assert _operator(import_tflite(b.finish([x], [y]))) == Concat(axis=0)


def test_relu_and_relu6_have_no_options() -> None:
    assert _operator(_graph("RELU", [(4,)], (4,))) == Relu()
    assert _operator(_graph("RELU6", [(4,)], (4,))) == Relu6()
    assert _operator(_graph("RELU_N1_TO_1", [(4,)], (4,))) == ReluN1To1()
    assert _operator(_graph("RELU_0_TO_1", [(4,)], (4,))) == Relu0To1()


def test_rectifiers_with_slopes() -> None:
    chosen = options("LeakyReluOptions", Alpha=0.25)
    assert _operator(_graph("LEAKY_RELU", [(4,)], (4,), chosen)) == LeakyRelu(alpha=0.25)
    assert _operator(_graph("PRELU", [(2, 4)], (2, 4), None, [_floats(4)])) == Prelu()
    assert _operator(_graph("HARD_SWISH", [(4,)], (4,))) == HardSwish()


@pytest.mark.parametrize(
    "kind", [Abs, Ceil, Elu, Exp, Floor, Log, Neg, Round, Rsqrt, Sign, Sqrt, Square]
)
def test_functions(kind: type[Operator]) -> None:
    assert _operator(_graph(kind.mnemonic.upper(), [(4,)], (4,))) == kind()


def test_gelu_div_and_squared_difference() -> None:
    chosen = options("GeluOptions", Approximate=True)
    assert _operator(_graph("GELU", [(4,)], (4,), chosen)) == Gelu(approximate=True)
    assert _operator(_graph("GELU", [(4,)], (4,))) == Gelu()
    chosen = options("DivOptions", FusedActivationFunction=RELU6)
    assert _operator(_graph("DIV", [(4,), (4,)], (4,), chosen)) == Div(activation=Activation.RELU6)
    squared = _graph("SQUARED_DIFFERENCE", [(2, 4), (4,)], (2, 4))
    assert _operator(squared) == SquaredDifference()


def test_add_n_adds_one_after_the_other() -> None:
    graph = _graph("ADD_N", [(4,)] * 3, (4,))
    assert [node.operator for node in graph.nodes] == [Add(), Add()]
    first, second = graph.nodes
    assert second.inputs == (first.outputs[0], graph.inputs[2])
    with pytest.raises(ModelError, match="operands of one shape"):
        _graph("ADD_N", [(2, 4), (4,)], (2, 4))


def test_leaky_relu_refuses_an_alpha_that_is_not_finite() -> None:
    chosen = options("LeakyReluOptions", Alpha=float("nan"))
    with pytest.raises(ModelError, match="a finite alpha, got nan"):
        _graph("LEAKY_RELU", [(4,)], (4,), chosen)


@pytest.mark.parametrize(("source", "result", "operator"), [
    ("FLOAT32", "INT8", Quantize(dtype=DType.INT8)),
    ("FLOAT32", "INT16", Quantize(dtype=DType.INT16)),
    ("INT8", "INT8", Requantize(dtype=DType.INT8)),
    ("INT16", "INT8", Requantize(dtype=DType.INT8)),
])  # fmt: skip
def test_quantize_depends_on_its_input(source: str, result: str, operator: Operator) -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), source, quantization=Quantization.per_tensor(0.5, 0))
    y = b.tensor("y", (4,), result, quantization=Quantization.per_tensor(0.25, 0))
    b.operator("QUANTIZE", [x], [y], options("QuantizeOptions"))
    assert _operator(import_tflite(b.finish([x], [y]))) == operator


def test_dequantize() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,), "INT8", quantization=Q), b.tensor("y", (4,))
    b.operator("DEQUANTIZE", [x], [y], options("DequantizeOptions"), version=2)
    assert _operator(import_tflite(b.finish([x], [y]))) == Dequantize()


def test_tensors_that_no_operator_needs_are_left_out() -> None:
    b = ModelBuilder()
    b.tensor("unused text", (1,), "STRING")
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    assert set(import_tflite(b.finish([x], [y])).values) == {"x", "y"}


def test_a_graph_output_may_be_a_constant() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    per_axis = Quantization((0.5, 0.25), (0, 0), axis=0)
    table = b.constant("table", np.array([[1], [2]], np.int8), quantization=per_axis)
    b.operator("RELU", [x], [y])
    graph = import_tflite(b.finish([x], [y, table]))
    assert [value.name for value in graph.outputs] == ["y", "table"]
    assert graph.outputs[1].type == TensorType((2, 1), DType.INT8, per_axis)
    np.testing.assert_array_equal(graph.constant_data["table"], [[1], [2]])


def test_equal_tensor_names_stay_apart() -> None:
    b = ModelBuilder()
    x, h, y = b.tensor("t", (4,)), b.tensor("t", (4,)), b.tensor("t", (4,))
    b.operator("RELU", [x], [h])
    b.operator("RELU6", [h], [y])
    graph = import_tflite(b.finish([x], [y]))
    assert list(graph.values) == ["t", "t_2", "t_3"]


def test_unknown_batch_is_taken_as_the_shape_says() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (1, 4), signature=(-1, 4)), b.tensor("y", (1, 4), signature=(-1, 4))
    b.operator("RELU", [x], [y])
    assert import_tflite(b.finish([x], [y])).inputs[0].type.shape == (1, 4)


def test_nodes_say_where_they_came_from(tmp_path: pathlib.Path) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("layer/relu", (4,))
    b.operator("RELU", [x], [y])
    path = tmp_path / "my model.tflite"
    path.write_bytes(b.finish([x], [y]))
    graph = import_tflite(path)
    assert graph.name == "my_model"
    assert str(graph.nodes[0].location) == "my model.tflite: operator 0 RELU 'layer/relu'"
    assert import_tflite(path, name="other").name == "other"
