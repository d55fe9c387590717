"""Whatever float32 network is drawn becomes one of integers that computes."""

import numpy as np
import pytest
from tinsmith_ir import evaluate_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_qdq import FoldQuantization
from tinsmith_quantization import quantize, scheme


@pytest.mark.parametrize("name", ["int8", "int16x8", "power-of-two"])
@pytest.mark.parametrize("seed", [5, 17, 113, 120, 151, 205])
def test_a_random_network_becomes_integers(seed: int, name: str) -> None:
    graph = random_graph(seed, dtype=DType.FLOAT32, nodes=14)
    samples = [random_inputs(graph, seed=number) for number in range(3)]
    folded = FoldQuantization().run(quantize(graph, samples, scheme(name)).graph)
    found = evaluate_graph(folded, random_inputs(folded, seed=0))
    assert [array.shape for array in found.values()] == [v.type.shape for v in graph.outputs]
    assert not any(np.isnan(array.astype(np.float64)).any() for array in found.values())
