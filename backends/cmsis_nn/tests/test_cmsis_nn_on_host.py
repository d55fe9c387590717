"""The plain C implementation on the host, by the packed kernels and by the public API."""

from pathlib import Path

import pytest
from tinsmith_c.testing import CASES, Case, HostModel, KernelObjects
from tinsmith_cmsis_nn import backend
from tinsmith_ir.testing import random_inputs
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
OTHERS = (
    "four_bits",
    "two_bits",
    "blockwise",
    "network",
    "network_nearest",
    "network_narrow",
    "conversions_nearest",
)
ENDS = ("_i8", "_i8_nearest", "_i8_narrow")
INT8_CASES = [case for case in CASES if case.name.endswith(ENDS) or case.name in OTHERS]


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
@pytest.mark.parametrize("case", INT8_CASES, ids=lambda case: case.name)
def test_generated_c_equals_the_evaluator(
    case: Case, packed: bool, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = case.build(seed=2)
    kernels = (*backend(packed=packed).kernels(HOST), *reference().kernels(HOST))
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []
