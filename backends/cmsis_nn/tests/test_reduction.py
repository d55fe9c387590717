"""Means and sums by Tinsmith's own kernels: which they take, and compiled C, results over operands included."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import CASES, HostModel, KernelObjects, tight_program
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.testing import random_array
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = (*backend().kernels(HOST), *reference().kernels(HOST))


def network(
    shape: str, axes: str, result: str, operator: str = "mean", element: str = "i8"
) -> Graph:
    zeros = (3, -5) if element == "i8" else (0, 0)
    scale = 0.07 if operator == "mean" else 1.5
    return parse_graph(
        f"""graph 2 "g" {{
          input %x: {element}[{shape}]<0.1, {zeros[0]}>
          %y: {element}[{result}]<{scale}, {zeros[1]}> = {operator}(%x) {{axes=[{axes}]}}
          output %y
        }}"""
    )


NETWORKS = {
    "pool": network("2,5,6,19", "1,2", "2,19"),
    "lines": network("2,5,6,19", "1", "2,6,19"),
    "pixels": network("2,5,6,9", "2", "2,5,9"),
    "channels": network("2,5,6,19", "3", "2,5,6"),
    "all": network("3,5,7", "0,1,2", ""),
    "few": network("2,5,6,3", "1,2", "2,3"),
    "around_one": network("2,5,1,9", "1,3", "2,1"),
    "of_one": network("2,1,9", "1", "2,9"),
    "many_rows": network("1,30,20,10", "1,2", "1,10"),
    "sum": network("2,5,6,19", "1,2", "2,19", "sum"),
    "pool_i16": network("2,5,6,19", "1,2", "2,19", element="i16"),
    "sum_i16": network("2,5,6,3", "1,2", "2,3", "sum", "i16"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_c_gives_what_the_evaluator_does(
    name: str, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = NETWORKS[name]
    tight = tight_program(prepare(lower(graph, HOST, KERNELS), HOST, KERNELS))
    kernel = f"tinsmith_mean_columns_{'s16' if name.endswith('i16') else 's8'}"
    assert {call.kernel for call in tight.calls} == {kernel}
    model = HostModel.build(tight, HOST, KERNELS, kernel_objects, tmp_path)
    for seed in range(4):
        generator = np.random.default_rng(seed)
        inputs = {value: random_array(generator, tight.type_of(value)) for value in tight.inputs}
        assert model.wrong_results(inputs) == []


def test_a_mean_may_lie_over_what_it_is_of() -> None:
    (call,) = lower(NETWORKS["pool"], HOST, KERNELS).calls
    assert call.over


def test_axes_with_others_between_them_go_to_the_reference_kernels() -> None:
    (call,) = lower(network("2,5,6,19", "1,3", "2,6"), HOST, KERNELS).calls
    assert call.kernel == "tinsmith_mean_s8"
    assert "they are [1, 3] of (2, 5, 6, 19)" in call.reason


def test_the_public_api_alone_has_no_mean() -> None:
    kernels = (*backend(packed=False).kernels(HOST), *reference().kernels(HOST))
    (call,) = lower(NETWORKS["pool"], HOST, kernels).calls
    assert call.kernel == "tinsmith_mean_s8"


def test_cases_of_all_backends_reach_the_kernels() -> None:
    called = {
        call.kernel
        for case in CASES
        if case.name in ("mean_i8", "mean_i16")
        for call in lower(case.build(), HOST, KERNELS).calls
    }
    assert {"tinsmith_mean_columns_s8", "tinsmith_mean_columns_s16"} <= called
