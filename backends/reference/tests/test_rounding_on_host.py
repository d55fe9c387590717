"""Every mode of rounding: C on the host against the evaluator."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_ir import OPERATORS, DType, Graph
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.evaluate import equal_arrays, evaluate_graph
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Requantize, Rescaling
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")
ONCE = (Rounding.NEAREST, Rounding.FLOOR)
SEEDS = (0, 1, 2, 7, 12)
EXTREMES = (
    -(1 << 31),
    -(1 << 31) + 1,
    -(1 << 30),
    -3,
    -2,
    -1,
    0,
    1,
    2,
    3,
    (1 << 30),
    (1 << 31) - 1,
)


def run(
    graph: Graph, inputs: Mapping[str, Array], objects: KernelObjects, folder: Path
) -> list[Array]:
    kernels = backend().kernels(HOST)
    program = place(prepare(lower(graph, HOST, kernels), HOST, kernels))
    return HostModel.build(program, HOST, kernels, objects, folder).run(inputs)


@pytest.mark.parametrize("rounding", ONCE, ids=lambda rounding: rounding.value)
@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16], ids=lambda dtype: dtype.value)
def test_random_networks_are_the_evaluators(
    rounding: Rounding, dtype: DType, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    for seed in SEEDS:
        graph = random_graph(300 + seed, dtype=dtype, nodes=14, roundings=(rounding,))
        inputs = random_inputs(graph, seed)
        expected = evaluate_graph(graph, inputs)
        results = run(graph, inputs, kernel_objects, tmp_path)
        for value, result in zip(graph.outputs, results, strict=True):
            assert equal_arrays(result, expected[value.name]), (seed, value.name)


@pytest.mark.parametrize("rounding", ONCE, ids=lambda rounding: rounding.value)
def test_those_networks_have_every_operator_that_rescales(rounding: Rounding) -> None:
    graphs = [
        random_graph(300 + seed, dtype=dtype, nodes=14, roundings=(rounding,))
        for seed in SEEDS
        for dtype in (DType.INT8, DType.INT16)
    ]
    operators = [node.operator for graph in graphs for node in graph.nodes]
    seen = {
        type(found)
        for found in operators
        if isinstance(found, Rescaling) and found.rounding is rounding
    }
    assert seen == {kind for kind in OPERATORS.values() if issubclass(kind, Rescaling)}


@pytest.mark.parametrize("rounding", Rounding, ids=lambda rounding: rounding.value)
def test_extreme_numbers_are_scaled_by_all_shifts(
    rounding: Rounding, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    builder = GraphBuilder("extremes")
    fine = Quantization.per_tensor(1.0, 0)
    x = builder.input("x", TensorType((len(EXTREMES),), DType.INT32, fine))
    operator = Requantize(dtype=DType.INT32, rounding=rounding)
    outputs = [
        builder.add(operator, [x], quantization=Quantization.per_tensor(float(scale), 0))
        # Shifts to the right by 1 to 62; a scale that is no power of two beside each that is.
        for exponent in (-29, -8, -1, 0, 1, 2, 15, 29, 30, 31)
        for scale in (2.0**exponent, 1.37 * 2.0**exponent)
    ]
    graph = builder.build(outputs)
    inputs: dict[str, Array] = {"x": np.array(EXTREMES, np.int64).astype(np.int32)}
    expected = evaluate_graph(graph, inputs)
    results = run(graph, inputs, kernel_objects, tmp_path)
    for value, result in zip(graph.outputs, results, strict=True):
        np.testing.assert_array_equal(result, expected[value.name], err_msg=str(value.type))
