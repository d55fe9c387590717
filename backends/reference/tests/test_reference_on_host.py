from pathlib import Path

import pytest
from tinsmith_c import lower
from tinsmith_c.testing import CASES, Case, HostModel, KernelObjects, place
from tinsmith_ir.evaluate import equal_arrays, evaluate_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_generated_c_equals_the_evaluator(
    case: Case, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = case.build(seed=1)
    kernels = backend().kernels(HOST)
    program = place(lower(graph, HOST, kernels))
    model = HostModel.build(program, HOST, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        inputs = random_inputs(graph, seed)
        expected = evaluate_graph(graph, inputs)
        for name, result in zip(program.outputs, model.run(inputs), strict=True):
            assert equal_arrays(result, expected[name]), (name, result, expected[name])
