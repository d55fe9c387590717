"""Small ONNX models, and what they give: shared by tests."""

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from tinsmith_ir import Array, evaluate_graph
from tinsmith_onnx import import_onnx

OPSET = 21


class _Evaluator(Protocol):
    """What the package leaves untyped."""

    def run(self, output_names: None, feed_inputs: dict[str, Array]) -> list[object]: ...


def value(name: str, array: Array) -> onnx.ValueInfoProto:
    """A declared input or output of that array's type."""
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(name, kind, array.shape)


def declared(
    name: str, shape: Sequence[int | str | None] | None, kind: int = TensorProto.FLOAT
) -> onnx.ValueInfoProto:
    """A declared input or output; a name or None is a size that is left open."""
    return helper.make_tensor_value_info(name, kind, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    constants: Mapping[str, Array] | None = None,
    *,
    opset: int = OPSET,
    functions: Sequence[onnx.FunctionProto] = (),
    domains: Sequence[str] = (),
) -> onnx.ModelProto:
    """A model of one graph. domains: of operators beside the main one's, in version 1."""
    stored = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, stored)
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(name, 1) for name in domains)]
    return helper.make_model(
        graph,
        opset_imports=imports,
        functions=functions,
        ir_version=10 if opset <= 23 else onnx.IR_VERSION,
    )


def one(
    kind: str,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, object] | None = None,
    *,
    known: Sequence[int] = (),
    outputs: int = 1,
    opset: int = OPSET,
    domain: str = "",
) -> onnx.ModelProto:
    """A model of one operator. known: which of its operands are constants of the file; None is one that is left out."""
    names = ["" if array is None else f"x{index}" for index, array in enumerate(inputs)]
    results = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(kind, names, results, domain=domain)
    for key, attribute in (attributes or {}).items():
        node.attribute.append(helper.make_attribute(key, attribute))
    given = {name: array for name, array in zip(names, inputs, strict=True) if array is not None}
    constants = {f"x{index}": given[f"x{index}"] for index in known}
    return model(
        [node],
        [value(name, array) for name, array in given.items() if name not in constants],
        [onnx.ValueInfoProto(name=name) for name in results],
        constants,
        opset=opset,
        domains=[domain] if domain else (),
    )


def computed(made: onnx.ModelProto, inputs: Mapping[str, Array], **choices: object) -> list[Array]:
    """What the imported graph gives, channels first as in the file."""
    graph = import_onnx(
        made.SerializeToString(),
        channels_last=False,
        **choices,  # type: ignore[arg-type]
    )
    return [*evaluate_graph(graph, dict(inputs)).values()]


def expected(made: onnx.ModelProto, inputs: Mapping[str, Array]) -> list[Array]:
    """What the reference implementation of the onnx package gives."""
    evaluator = cast("_Evaluator", ReferenceEvaluator(made))
    return [np.asarray(array) for array in evaluator.run(None, dict(inputs))]


def assert_close(found: Array, wanted: Array, *, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Raise AssertionError where they differ by more, or in shape."""
    np.testing.assert_allclose(
        np.asarray(found, np.float64),
        np.asarray(wanted, np.float64),
        rtol=rtol,
        atol=atol,
        strict=True,
    )
