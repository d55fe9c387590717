"""Random networks: lowered, placed, run as a Program in numpy and as C on the host."""

from pathlib import Path

import pytest
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_cmsis_nn import backend
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import equal_arrays, evaluate_graph
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.simulate import evaluate_program
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
def test_lowering_keeps_the_results(packed: bool) -> None:
    for seed in range(15):
        graph = random_graph(seed, dtype=DType.INT8)
        kernels = (*backend(packed=packed).kernels(HOST), *reference().kernels(HOST))
        program = place(prepare(lower(graph, HOST, kernels), HOST, kernels))
        inputs = random_inputs(graph, seed)
        expected = evaluate_graph(graph, inputs)
        found = evaluate_program(program, inputs)
        for name, value in zip(program.outputs, graph.outputs, strict=True):
            assert equal_arrays(found[name], expected[value.name]), (seed, name)


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
def test_c_gives_the_results(packed: bool, kernel_objects: KernelObjects, tmp_path: Path) -> None:
    for seed in range(4):
        graph = random_graph(200 + seed, dtype=DType.INT8, nodes=14)
        kernels = (*backend(packed=packed).kernels(HOST), *reference().kernels(HOST))
        model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
        assert model.wrong_results(random_inputs(graph, seed), graph) == [], seed


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16], ids=lambda dtype: dtype.value)
def test_networks_that_round_once(
    dtype: DType, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    kernels = (*backend().kernels(HOST), *reference().kernels(HOST))
    for seed in range(4):
        graph = random_graph(400 + seed, dtype=dtype, nodes=14, roundings=(Rounding.NEAREST,))
        model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
        assert model.wrong_results(random_inputs(graph, seed), graph) == [], seed
