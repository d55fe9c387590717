"""Random networks, exported and imported again: node by node, and of floats as a whole."""

import pytest
from export_cases import is_coarse, single_nodes
from exported import assert_near
from tinsmith_ir import DType, UnsupportedError
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_onnx import export_onnx

_NETWORKS = 40


@pytest.mark.parametrize("seed", range(_NETWORKS))
def test_each_node_is_within_a_step(seed: int) -> None:
    compared = 0
    for graph, inputs in single_nodes(random_graph(seed), seed):
        try:
            export_onnx(graph)
        except UnsupportedError:
            continue
        if not is_coarse(graph.nodes[0]):
            assert_near(graph, inputs)
            compared += 1
    assert compared


def test_networks_of_floats_compute_the_same() -> None:
    compared = 0
    for seed in range(_NETWORKS):
        graph = random_graph(seed, dtype=DType.FLOAT32)
        try:
            export_onnx(graph)
        except UnsupportedError:
            continue
        compared += 1
        assert_near(graph, random_inputs(graph, seed), steps=0)
    assert compared > _NETWORKS // 2
