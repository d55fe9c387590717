"""Each rule of a Graph and of a type, broken once, with where and what in the message."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Activation,
    Add,
    Concat,
    Constant,
    Conv2D,
    DType,
    FullyConnected,
    Graph,
    GraphError,
    Location,
    MaxPool2D,
    Mean,
    Mul,
    Node,
    Operator,
    Quantization,
    Relu,
    Relu6,
    Requantize,
    Softmax,
    TensorType,
    Value,
    verify_graph,
)
from tinsmith_ir.testing import random_graph

FLOAT = TensorType((2,), DType.FLOAT32)
X, Y, Z = Value("x", FLOAT), Value("y", FLOAT), Value("z", FLOAT)
RELU = Node(Relu(), (X,), (Y,), Location("kws.tflite", "operator 3"))


def graph_of(*nodes: Node, inputs: tuple[Value, ...] = (X,), output: Value = Y) -> Graph:
    return Graph("g", inputs, (output,), nodes)


def test_random_graphs_are_valid() -> None:
    for seed in range(20):
        verify_graph(random_graph(seed))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (graph_of(RELU, RELU), "%y is defined twice"),
        (graph_of(RELU, inputs=(X, Y)), "%y is defined twice"),
        (graph_of(Node(Relu(), (Z,), (Y,))), "%z in %y"),
        (graph_of(Node(Relu(), (Y,), (Z,)), RELU, output=Z), "defined before it is read"),
        (graph_of(output=Y), "%y in the graph's outputs"),
        (Graph("g", (X,), (), ()), "outputs"),
        (
            graph_of(Node(Relu(), (replace(X, type=TensorType((3,), DType.FLOAT32)),), (Y,))),
            r"%x is f32\[2\] but read as f32\[3\]",
        ),
        (graph_of(Node(Relu(), (), (Y,))), "expected operand 'input', got none"),
        (graph_of(Node(Relu(), (X, X), (Y,))), "expected 1 operands, got 2"),
        (graph_of(Node(Add(), (X, None), (Y,))), "expected operand 'rhs', got none"),
        (graph_of(Node(Relu(), (X,), (Y, Z))), "expected 1 results, got 2"),
        (
            graph_of(Node(Relu(), (X,), (replace(Y, type=TensorType((2,), DType.INT8)),))),
            r"%y is i8\[2\] but read as f32\[2\]",
        ),
    ],
)
def test_a_broken_graph_is_refused(graph: Graph, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        verify_graph(graph)


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        (TensorType((1 << 20, 1 << 12), DType.INT8), "2 GiB"),
        (TensorType((2,), DType.FLOAT32, Quantization.per_tensor(1.0, 0)), "only integers"),
        (TensorType((2,), DType.INT8, Quantization((1.0, 2.0), (0, 0))), "2 scales"),
        (TensorType((2,), DType.INT8, Quantization((1.0,), (0,), 0)), "1 scales"),
        (TensorType((2,), DType.INT8, Quantization((1.0,), (0,), 1)), "one for each index"),
        (TensorType((2,), DType.INT8, Quantization.per_tensor(1.0, 128)), "within the dtype"),
    ],
)
def test_a_broken_type_is_refused_and_named(type_: TensorType, message: str) -> None:
    value = Value("model/weird name", type_)
    with pytest.raises(GraphError, match=message) as caught:
        verify_graph(Graph("g", (value,), (value,), ()))
    assert '%"model/weird name"' in str(caught.value)


def test_the_message_shows_node_model_and_what_was_expected() -> None:
    wrong = replace(RELU, outputs=(replace(Y, type=TensorType((3,), DType.FLOAT32)),))
    with pytest.raises(GraphError) as caught:
        verify_graph(graph_of(wrong, output=wrong.outputs[0]))
    text = str(caught.value)
    assert "kws.tflite: operator 3" in text
    assert "%y: f32[3] = relu(%x)" in text
    assert "expected a result f32[2], got f32[3]" in text


def test_a_constant_owns_read_only_data_of_its_type() -> None:
    data = np.array([1, 2], np.float32)
    constant = Constant(X, data)
    data[0] = 9
    assert constant.data.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        constant.data[0] = 3
    with pytest.raises(GraphError, match="expected f32"):
        Constant(X, np.array([1, 2], np.int8))


def int8(shape: tuple[int, ...], scale: float, zero_point: int = 0) -> TensorType:
    return TensorType(shape, DType.INT8, Quantization.per_tensor(scale, zero_point))


def int16(shape: tuple[int, ...], scale: float) -> TensorType:
    return TensorType(shape, DType.INT16, Quantization.per_tensor(scale, 0))


_FILTER = TensorType((1, 1, 1, 1), DType.INT8, Quantization.per_tensor(1.0, 0))
_ROW = TensorType((1, 1), DType.INT8, Quantization.per_tensor(1.0, 0))
_BIAS = TensorType((1,), DType.INT32)


@pytest.mark.parametrize(
    ("operator", "inputs", "output", "message"),
    [
        (Add(), [int8((2,), 0.05), int8((2,), 0.07)], int8((2,), 1e-45), "an output scale above"),
        (Mul(), [int8((2,), 1e20), int8((2,), 1e10)], int8((2,), 1e-30), "a finite scale"),
        (Relu(), [int8((2,), 1e10)], int8((2,), 1e-5), "below 2\\*\\*30"),
        (Relu6(), [int8((2,), 1e-30)], int8((2,), 1e-30), "6.0 / scale within int32"),
        (Mean(axes=(0,)), [int8((2,), 1e10)], int8((), 1e-5), "below 2\\*\\*30"),
        (Requantize(), [int8((2,), 1e10)], int8((2,), 1e-5), "below 2\\*\\*30"),
        (Softmax(), [int8((2,), 1e-9)], int8((2,), 1 / 256, -128), "expected beta \\* scale"),
        (Concat(), [int8((1,), 1e10), int8((1,), 1.0)], int8((2,), 1e-5), "below 2\\*\\*30"),
        (
            MaxPool2D(activation=Activation.RELU6),
            [int8((1, 1, 1, 1), 1e-30)],
            int8((1, 1, 1, 1), 1e-30),
            "within int32",
        ),
        (Conv2D(), [int8((1, 1, 1, 1), 1e10), _FILTER], int8((1, 1, 1, 1), 1e-5), "2\\*\\*30"),
        (Conv2D(), [int16((1, 1, 1, 1), 1e3), _FILTER], int16((1, 1, 1, 1), 1.0), "2\\*\\*7"),
        (FullyConnected(), [int16((1, 1), 1e3), _ROW, _BIAS], int16((1, 1), 1.0), "2\\*\\*7"),
        (Conv2D(stride=(1 << 31, 1)), [int8((1, 1, 1, 1), 1.0), _FILTER], X.type, "stride"),
        (Concat(), [int8((4,), 1.0), int8((), 1.0)], int8((5,), 1.0), "expected inputs like"),
        (Concat(), [int8((4,), 1.0), int8((4, 1), 1.0)], int8((8,), 1.0), "expected inputs like"),
    ],
)
def test_an_operator_that_cannot_be_computed_is_refused(
    operator: Operator, inputs: list[TensorType], output: TensorType, message: str
) -> None:
    values = tuple(Value(f"x{index}", type_) for index, type_ in enumerate(inputs))
    result = Value("y", output)
    with pytest.raises(GraphError, match=message) as caught:
        verify_graph(Graph("g", values, (result,), (Node(operator, values, (result,)),)))
    assert operator.mnemonic in str(caught.value)


def test_int16_without_bias_may_have_any_left_shift() -> None:
    x, w, y = (
        Value(name, type_)
        for name, type_ in (("x", int16((1, 1), 1e3)), ("w", _ROW), ("y", int16((1, 1), 1.0)))
    )
    verify_graph(Graph("g", (x, w), (y,), (Node(FullyConnected(), (x, w), (y,)),)))
