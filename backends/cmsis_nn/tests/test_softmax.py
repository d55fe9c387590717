"""Softmax of int16: which rows each library takes, and the compiled kernel."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.softmax import LONGEST_ROW_EITHER
from tinsmith_ir import DType, Graph
from tinsmith_ir.function_tables import interpolated, softmax_tables
from tinsmith_ir.operators import Softmax
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
STEP = 10 / 65535
"""The scale with which a difference is a place in the table."""


def graph_of(shape: tuple[int, ...], scale: float, beta: float = 1.0) -> Graph:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(shape, DType.INT16, Quantization.per_tensor(scale, 0)))
    result = Quantization.per_tensor(1 / 32768, 0)
    return builder.build(builder.add(Softmax(beta=beta), [x], "y", result))


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize(
    ("shape", "scale", "beta"),
    [
        ((1, 10), 0.001, 1.0),
        ((3, 5), 0.0004, 0.5),
        ((2, 3, 2), 2.4, 1.0),
        ((2, 300), 1e-7, 1.0),
        ((1, 9000), 0.0001, 1.0),
    ],
)
def test_generated_c_equals_the_evaluator(
    shape: tuple[int, ...],
    scale: float,
    beta: float,
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = graph_of(shape, scale, beta)
    model = HostModel.of_graph(graph, HOST, backend().kernels(HOST), kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
def test_a_sum_one_below_a_power_of_two_is_not_taken_for_it(
    kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    table, _ = softmax_tables()
    places = np.arange(-(1 << 15), 1 << 15)
    values = interpolated(table, places)
    largest = int(values[-1])
    rest = (1 << 18) - 1 - LONGEST_ROW_EITHER * largest
    place = int(places[np.flatnonzero(values == rest)[0]])
    row = np.full((1, LONGEST_ROW_EITHER + 1), 32767, np.int16)
    row[0, 3] = place
    graph = graph_of(row.shape, STEP)
    model = HostModel.of_graph(graph, HOST, backend().kernels(HOST), kernel_objects, tmp_path)
    assert model.wrong_results({"x": row}, graph) == []


@pytest.mark.parametrize(
    ("shape", "scale", "packed", "reason"),
    [
        ((4, 1), 0.001, True, "at least 2 elements: a row has 1"),
        ((4, 9), 0.001, False, "at most 8 elements for any library: a row has 9"),
        ((4, 8), 2.6, True, "fit 32 bits: a shift of at most 14: the shift is 15"),
    ],
)
def test_what_would_be_wrong_goes_to_the_reference_kernels(
    shape: tuple[int, ...], scale: float, packed: bool, reason: str
) -> None:
    kernels = (*backend(packed=packed).kernels(HOST), *reference().kernels(HOST))
    (call,) = lower(graph_of(shape, scale), HOST, kernels).calls
    assert call.kernel == "tinsmith_softmax_s16"
    assert reason in call.reason


@pytest.mark.parametrize(("depth", "packed"), [(9, True), (8, False)])
def test_rows_that_are_exact_are_called(depth: int, packed: bool) -> None:
    (call,) = lower(graph_of((4, depth), 0.001), HOST, backend(packed=packed).kernels(HOST)).calls
    assert call.kernel == "arm_softmax_s16"
