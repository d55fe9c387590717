"""Each rule of a Graph and of a type, broken once, with where and what in the message."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Add,
    Constant,
    DType,
    Graph,
    GraphError,
    Location,
    Node,
    Quantization,
    Relu,
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
        (TensorType((0,), DType.INT8), "at least 1"),
        (TensorType((1 << 20, 1 << 12), DType.INT8), "2 GiB"),
        (TensorType((2,), DType.FLOAT32, Quantization.per_tensor(1.0, 0)), "only integers"),
        (TensorType((2,), DType.INT8, Quantization((1.0, 2.0), (0, 0))), "2 scales"),
        (TensorType((2,), DType.INT8, Quantization((1.0,), (0,), 0)), "1 scales"),
        (TensorType((2,), DType.INT8, Quantization((1.0,), (0,), 1)), "one for each index"),
        (TensorType((2,), DType.INT8, Quantization((1.0, 2.0), (0,), 0)), "1 zero points"),
        (TensorType((2,), DType.INT8, Quantization.per_tensor(0.0, 0)), "above 0"),
        (TensorType((2,), DType.INT8, Quantization.per_tensor(float("nan"), 0)), "finite"),
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
