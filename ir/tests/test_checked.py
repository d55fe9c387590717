"""Wrong arguments are refused at once, with the library's own error; what is meant well is taken."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import tinsmith_ir as ir
from tinsmith_ir import ArgumentError, DType, GraphError, Quantization, TensorType, Value
from tinsmith_ir.checked import checked
from tinsmith_ir.testing import random_graph

TYPE = TensorType((2,), DType.INT8, Quantization.per_tensor(0.5, 0))
X = Value("x", TYPE)
GRAPH = random_graph(1)

# What is given here is wrong on purpose, which the annotations would not let pass.
Loose = Callable[..., object]


def loose(made: object) -> Loose:
    assert callable(made)
    return made


CASES: list[tuple[object, tuple[object, ...], str]] = [
    (Quantization, (0.5, 0), "Quantization: expected scales to be tuple[float, ...], got 0.5 (float)"),
    (Quantization, ([0.5], [0]), "scales"),
    (Quantization, (("0.5",), (0,)), "scales"),
    (Quantization, ((True,), (0,)), "scales"),
    (Quantization, ((10**400,), (0,)), "scales"),
    (Quantization, ((0.5,), (0.0,)), "zero_points to be tuple[int, ...]"),
    (Quantization, ((0.5,), (False,)), "zero_points"),
    (Quantization, ((0.5,), (0,), "0"), "axis to be int or None"),
    (Quantization, ((0.5,), (0,), True), "axis"),
    (TensorType, ((1,), "int8"), "dtype to be DType, got 'int8' (str)"),
    (TensorType, (1, DType.INT8), "shape"),
    (TensorType, ([1], DType.INT8), "shape"),
    (TensorType, ((1.0,), DType.INT8), "shape"),
    (TensorType, ((True,), DType.INT8), "shape"),
    (TensorType, ((1,), DType.INT8, (0.5, 0)), "quantization to be Quantization or None"),
    (Value, (b"x", TYPE), "name to be str"),
    (Value, ("x", (1,)), "type to be TensorType"),
    (ir.Constant, (X, [1, 2]), "data"),
    (ir.Location, (None,), "source to be str"),
    (ir.Node, (ir.Relu, (X,), (X,)), "operator to be Operator"),
    (ir.Node, (ir.Relu(), [X], (X,)), "inputs"),
    (ir.Node, (ir.Relu(), (X,), (None,)), "outputs"),
    (ir.Graph, ("g", (X,), (X,), [], ()), "nodes"),
    (ir.Graph, (None, (X,), (X,), ()), "name"),
    (ir.Memory, ("m", "16"), "size_bytes to be int or None"),
    (ir.Memory, ("m", None, 16.0), "alignment"),
    (ir.Buffer, ("b", 4, "m", 0.5), "offset"),
    (ir.Buffer, ("b", 4, None), "memory"),
    (ir.Buffer, ("b", TYPE, "m"), "size_bytes to be int"),
    (ir.View, ("v", TYPE, "b", 3), "start to be Expression"),
    (ir.Loop, ("i", 3, ("x",)), "body"),
    (ir.ConstantBuffer, ("c", TYPE, b"12"), "data"),
    (ir.Call, ("c", "k", ir.Relu(), ("x",), ("y",), 5), "scratch"),
    (ir.Call, ("c", "k", ir.Relu(), (X,), ("y",)), "inputs"),
    (ir.Copy, ("x", "y", "dma", 1), "token"),
    (ir.Wait, (1,), "token"),
    (ir.Program, ("p", "t", (), (), (), (), (ir.Relu(),), (), ()), "steps"),
    (ir.Conv2D, ((1,),), "stride to be tuple[int, int]"),
    (ir.Conv2D, (2,), "stride"),
    (ir.Conv2D, ((1, 1), (1, 1), (0, 0, 0, 0), "relu"), "activation to be Activation"),
    (ir.FullyConnected, (ir.Activation.NONE, 1), "keep_dims to be bool"),
    (ir.Softmax, ("1",), "beta to be float"),
    (ir.Pad, ((0, 0), "0"), "value to be int or float or None"),
    (ir.Quantize, (np.int8,), "dtype"),
    (ir.Operand, ("x", 1), "optional"),
    (ir.Rewrite, (X,), "values"),
    (ir.Retyped, (1,), "what"),
    (ir.Tolerance, ("share", 1.0), "metric"),
    (ir.Pipeline, ([5],), "passes"),
    (ir.Pipeline([]).run, ("graph",), "run: expected ir to be Graph or Program"),
    (ir.parse_graph, (b"graph",), "parse_graph: expected text to be str"),
    (ir.parse_program, (None,), "text"),
    (ir.print_graph, ("graph",), "graph to be Graph"),
    (ir.print_program, (GRAPH,), "program to be Program"),
    (ir.print_node, (GRAPH,), "node to be Node"),
    (ir.verify_graph, (None,), "graph to be Graph"),
    (ir.verify_program, (GRAPH,), "program to be Program"),
    (ir.evaluate_graph, (GRAPH, [[1, 2]]), "inputs"),
    (ir.evaluate_program, (GRAPH, {}), "program to be Program"),
    (ir.apply_patterns, (GRAPH, ["p"]), "patterns"),
    (ir.erase_dead, ([],), "graph to be Graph"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "arguments", "message"), CASES)
def test_a_wrong_type_is_refused_at_once(
    make: object, arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        loose(make)(*arguments)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_argument_given_by_name_is_checked() -> None:
    with pytest.raises(ArgumentError, match="constants to be"):
        loose(ir.print_graph)(GRAPH, constants="all")


@pytest.mark.parametrize("scale", [0.0, -0.5, float("nan"), float("inf"), 1e-300, 3.5e38])
def test_a_scale_that_is_no_positive_float32_is_refused(scale: float) -> None:
    with pytest.raises(GraphError, match="finite and above 0, also as float32"):
        Quantization.per_tensor(scale, 0)


def test_each_scale_has_a_zero_point() -> None:
    with pytest.raises(GraphError, match="got 1 zero points and 2 scales"):
        Quantization((1.0, 2.0), (0,), 0)


@pytest.mark.parametrize("size", [0, -1])
def test_a_dimension_is_at_least_1(size: int) -> None:
    with pytest.raises(GraphError, match="dimensions of at least 1"):
        TensorType((2, size), DType.INT8)


def test_numbers_of_numpy_become_those_of_python() -> None:
    made = loose(Quantization)((np.float32(0.5), 1), (np.int64(3), np.int8(0)), np.int32(0))
    assert isinstance(made, Quantization)
    type_ = TensorType(tuple(np.array([2, 3])), DType.INT8, made)
    assert made == Quantization((0.5, 1.0), (3, 0), 0)
    assert [type(n) for n in (*made.scales, *made.zero_points)] == [
        *[float] * 2,
        *[int] * 2,
    ]
    assert type(made.axis) is int
    assert [type(size) for size in type_.shape] == [int, int]
    assert type(ir.Softmax(1).beta) is float


def test_a_number_for_int_or_float_keeps_its_kind() -> None:
    assert type(ir.Pad((0, 0), 1).value) is int
    assert type(ir.Pad((0, 0), 1.0).value) is float


def test_a_checked_record_is_still_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(X, "name", "y")  # noqa: B010 (an assignment would not pass the type checker)


def test_a_checked_function_keeps_its_name_and_result() -> None:
    @checked
    def add(one: int, *more: int, scale: float = 1.0) -> float:
        """The sum."""
        return scale * (one + sum(more))

    assert (add.__name__, add.__doc__) == ("add", "The sum.")
    assert add(1, 2, 3, scale=2.0) == 12.0
