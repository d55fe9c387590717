"""Random layers at the rules' borders: refused by a rule, or the twin's bytes are the evaluator's."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_ir import Graph
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_lowering import Kernel, lower
from tinsmith_neureka.border_layers import border_inputs, border_layer
from tinsmith_target import Target

_LAYERS = 80
_OF_EACH_HALF = 0.4
_LEAST_REFUSED = 0.1
_NAME = "tinsmith_neureka_call"
_REFUSALS = (f"{_NAME}: ", "neureka has no kernel for ")


def kernel_of(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> str:
    (call,) = lower(graph, host, kernels).calls
    assert call.kernel.startswith(_NAME) or call.reason.startswith(_REFUSALS), call.reason
    return call.kernel


@pytest.mark.parametrize("seed", range(_LAYERS))
def test_a_layer_is_refused_by_a_rule_or_that_of_the_evaluator(
    seed: int,
    host: Target,
    kernels: tuple[Kernel, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = border_layer(seed)
    if not kernel_of(graph, host, kernels).startswith(_NAME):
        return
    model = HostModel.of_graph(graph, host, kernels, kernel_objects, tmp_path)
    for inputs in border_inputs(graph, seed):
        assert model.wrong_results(inputs, graph) == []


def test_many_layers_are_taken_and_many_refused(host: Target, kernels: tuple[Kernel, ...]) -> None:
    """What the test above stands for: it cannot pass because all are refused, nor the rules because none is."""
    graphs = [border_layer(seed) for seed in range(_LAYERS)]
    names = [kernel_of(graph, host, kernels) for graph in graphs]
    taken = [graph for graph, name in zip(graphs, names, strict=True) if name.startswith(_NAME)]
    assert len(taken) > _OF_EACH_HALF * _LAYERS
    assert len(graphs) - len(taken) > _LEAST_REFUSED * _LAYERS
    counts = Counter(names)
    assert min(counts[_NAME], counts[f"{_NAME}_strided"]) > _LEAST_REFUSED * _LAYERS
    weights = {graph.nodes[0].present_inputs[1].type.dtype for graph in taken}
    assert {dtype.value for dtype in weights} == {"i8", "i4", "i2"}


def test_results_are_rarely_clipped(host: Target, kernels: tuple[Kernel, ...]) -> None:
    """A layer of which only ends are seen would hide wrong sums."""
    inner = 0
    graphs = [border_layer(seed) for seed in range(_LAYERS)]
    taken = [graph for graph in graphs if kernel_of(graph, host, kernels).startswith(_NAME)]
    for graph in taken:
        (result,) = evaluate_graph(graph, border_inputs(graph, 0)[0]).values()
        result = result.astype(np.int64)
        inner += float(((result > -128) & (result < 127)).mean()) > 0.5
    assert inner > 0.5 * len(taken)
