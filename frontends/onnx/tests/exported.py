"""What an exported file is and computes: shared by tests."""

from collections.abc import Mapping

import numpy as np
import onnx
from tinsmith_ir import Array, Graph, evaluate_graph
from tinsmith_onnx import export_onnx, import_onnx


def file_of(graph: Graph) -> onnx.ModelProto:
    """The file, which the onnx package finds sound."""
    model = onnx.load_from_string(export_onnx(graph))
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    return model


def kinds(model: onnx.ModelProto) -> list[str]:
    """The operators of a file in their order."""
    return [node.op_type for node in model.graph.node]


def operands_of(model: onnx.ModelProto, result: str) -> list[str]:
    """The operands of what computes a tensor."""
    return next(list(node.input) for node in model.graph.node if result in node.output)


def kind_of(model: onnx.ModelProto, result: str) -> str:
    """The operator that computes a tensor."""
    return next(node.op_type for node in model.graph.node if result in node.output)


def element_types(model: onnx.ModelProto) -> Mapping[str, int]:
    """Of initializers."""
    return {each.name: each.data_type for each in model.graph.initializer}


def reimported(graph: Graph, inputs: Mapping[str, Array]) -> list[Array]:
    """What the file computes, as the importer reads it."""
    model = file_of(graph)
    again = import_onnx(model.SerializeToString(), channels_last=False)
    given = [
        inputs[value.name] for value in graph.inputs
    ]  # one that is an output, too, has another name there
    return [*evaluate_graph(again, given).values()]


def assert_near(graph: Graph, inputs: Mapping[str, Array], *, steps: int = 1) -> None:
    """Raise AssertionError unless file and graph compute the same: integers within `steps`, floats up to 1e-5 of the
    largest, and everything of the same type and shape.
    """
    wanted = [*evaluate_graph(graph, inputs).values()]
    for found, each in zip(reimported(graph, inputs), wanted, strict=True):
        assert (found.dtype, found.shape) == (each.dtype, each.shape)
        real, other = found.astype(np.float64), each.astype(np.float64)
        largest = float(np.abs(other).max(initial=0))
        bound = 1e-5 * max(1.0, largest) if each.dtype.kind == "f" else steps
        assert float(np.abs(real - other).max(initial=0)) <= bound
