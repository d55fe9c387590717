"""The node tests of the onnx package, as cases for the benchmark of imports."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests
from tinsmith_ir.graph import Array
from tinsmith_plugins import ImportCase, ModelSource

from tinsmith_onnx.model_file import domain_of

_TRAINING = frozenset({"Adagrad", "Adam", "Momentum", "Gradient"})


class _Test(Protocol):
    """What the onnx package says of a test."""

    name: str
    model: onnx.ModelProto
    data_sets: Sequence[tuple[Sequence[object], Sequence[object]]]
    rtol: float
    atol: float


def cases() -> Iterator[ImportCase]:
    """All node tests of the package that is installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the package computes
        tests = cast("list[_Test]", load_model_tests(kind="node"))
    for test in tests:
        yield _case(test)


def _case(test: _Test) -> ImportCase:
    left_out = _left_out(test)
    data = test.model.SerializeToString()
    sets = () if left_out else test.data_sets
    names = [value.name for value in test.model.graph.input]
    return ImportCase(
        _group(test.model),
        test.name.removeprefix("test_"),
        lambda: ModelSource(data, "test.onnx"),
        tuple(_named(names, inputs) for inputs, _ in sets),
        tuple(tuple(map(_array, outputs)) for _, outputs in sets),
        relative=test.rtol,
        absolute=test.atol,
        left_out=left_out,
        differs=_differs(test.name.removeprefix("test_")),
    )


_DIFFERENT = (
    (
        re.compile(r"bf16|bfloat16|BFLOAT16|fp16"),
        "computed in float32, not rounded to half precision",
    ),
    (re.compile(r"^dft_inverse"), "noise of float32 where the result is zero"),
    (re.compile(r"qk_matmul_bias_.*_expanded"), "sums end at the largest float, not at infinity"),
    (
        re.compile(r"^resize_.*_align_corners"),
        "lengths in whole elements, as ONNX Runtime has them",
    ),
)
"""Names of tests whose results are others, and why; only where they are does the reason count."""


def _differs(name: str) -> str:
    return next((reason for pattern, reason in _DIFFERENT if pattern.search(name)), "")


def _group(model: onnx.ModelProto) -> str:
    """The operators of the test; of one that is expanded into its definition, just that."""
    kinds = sorted({node.op_type for node in model.graph.node})
    return kinds[0] if len(kinds) == 1 else "several"


def _left_out(test: _Test) -> str:
    """Why a test is of no network for microcontrollers: it trains, or is about sequences or texts."""
    graph = test.model.graph
    if any(domain_of(node).startswith("ai.onnx.preview.training") for node in graph.node):
        return "training"
    if any(_trains(node, graph) for node in graph.node):
        return "training"
    types = [value.type for value in (*graph.input, *graph.output)]
    if any(type_.WhichOneof("value") != "tensor_type" for type_ in types):
        return "sequences and optional values"
    if any(type_.tensor_type.elem_type == onnx.TensorProto.STRING for type_ in types):
        return "texts"
    return ""


def _trains(node: onnx.NodeProto, graph: onnx.GraphProto) -> bool:
    """Whether it is an operator of training, or one in its mode for training."""
    if node.op_type in _TRAINING:
        return True
    has_mode = any(each.name == "training_mode" and each.i for each in node.attribute)
    return has_mode or (node.op_type == "Dropout" and len(node.input) > 2 and bool(graph.input))


def _named(names: Sequence[str], inputs: Sequence[object]) -> Mapping[str, Array]:
    return {
        name: _array(given) for name, given in zip(names, inputs, strict=False) if given is not None
    }


def _array(given: object) -> Array:
    """As NumPy has it; elements of kinds that are the onnx package's own become numbers."""
    if isinstance(given, onnx.TensorProto):
        return onnx.numpy_helper.to_array(given)
    return np.asarray(given)
