"""What every test of a pass checks."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import Pass
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.verify import verify_graph

Rewrites = Callable[[Pass, str, str], None]


@pytest.fixture
def rewrites() -> Rewrites:
    """Run a pass on the first text: it becomes the second, is valid, and computes the same bits."""
    return _rewrites


@pytest.fixture
def same_bits() -> Callable[[Graph, Graph], None]:
    """Two graphs are valid and compute the same bits from random inputs."""
    return _same_bits


def _rewrites(pass_: Pass, before: str, after: str) -> None:
    graph, expected = parse_graph(before), parse_graph(after)
    result = pass_.run(graph)
    assert print_graph(result) == print_graph(expected)
    _same_bits(graph, result)
    assert print_graph(pass_.run(result)) == print_graph(result)


def _same_bits(before: Graph, after: Graph) -> None:
    verify_graph(before)
    verify_graph(after)
    assert before.inputs == after.inputs
    assert before.outputs == after.outputs
    for seed in range(3):
        inputs = random_inputs(before, seed)
        wanted, got = evaluate_graph(before, inputs), evaluate_graph(after, inputs)
        for name, array in wanted.items():
            assert array.tobytes() == got[name].tobytes(), name
            assert array.dtype == got[name].dtype
            assert np.shape(array) == np.shape(got[name])
