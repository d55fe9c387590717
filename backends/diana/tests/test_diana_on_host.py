"""Random layers at the rules' borders: refused by a rule, or the twin's bytes are the evaluator's."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from diana_networks import layer_calls
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_diana.border_layers import border_inputs, border_layer
from tinsmith_ir import Graph
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import DepthwiseConv2D, FullyConnected
from tinsmith_lowering import Kernel, lower
from tinsmith_target import Target, target

_LAYERS = 60
_OF_EACH_HALF = 0.4
_LEAST_REFUSED = 0.1
_NAME = "tinsmith_diana_digital"
_REFUSALS = (f"{_NAME}: ", f"{_NAME}_in_pixels: ", "diana_digital has no kernel for ")


def is_taken(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> bool:
    (call,) = layer_calls(lower(graph, host, kernels))
    taken = call.kernel.startswith((_NAME, "diana_digital/"))
    assert taken or call.reason.startswith(_REFUSALS), call.reason
    return taken


@pytest.mark.parametrize("seed", range(_LAYERS))
def test_a_layer_is_refused_by_a_rule_or_that_of_the_evaluator(
    seed: int,
    host: Target,
    kernels: tuple[Kernel, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = border_layer(seed)
    if not is_taken(graph, host, kernels):
        return
    model = HostModel.of_graph(graph, host, kernels, kernel_objects, tmp_path)
    for inputs in border_inputs(graph, seed):
        assert model.wrong_results(inputs, graph) == []


def has_several_runs(graph: Graph) -> bool:
    """Whether a chip that takes more of a job has fewer: of depthwise layers each fourth channel is one."""
    (node,) = graph.nodes
    channels = node.outputs[0].type.shape[-1]
    match node.operator:
        case DepthwiseConv2D():
            return channels > 4
        case FullyConnected():
            return channels > 16
        case _:
            return False


@pytest.mark.parametrize("features", ["channel-loops+whole-vectors", "instruction-lists"])
def test_layers_of_less_jobs_are_the_evaluators(
    features: str,
    kernels: tuple[Kernel, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    """Where a target has it so; some channels have no room for what is written behind them, and a job each."""
    place = target(f"host+{features}")
    joined: Counter[str] = Counter()
    for seed in range(2 * _LAYERS):
        graph = border_layer(seed)
        if not has_several_runs(graph) or not is_taken(graph, place, kernels):
            continue
        folder = tmp_path / str(seed)
        folder.mkdir()
        model = HostModel.of_graph(graph, place, kernels, kernel_objects, folder)
        for inputs in border_inputs(graph, seed):
            assert model.wrong_results(inputs, graph) == [], seed
        joined[graph.nodes[0].operator.mnemonic] += 1
    assert joined.keys() == {"depthwise_conv2d", "fully_connected"}
    assert min(joined.values()) > 4


def test_many_layers_are_taken_and_many_refused(host: Target, kernels: tuple[Kernel, ...]) -> None:
    """What the test above stands for: it cannot pass because all are refused, nor the rules because none is."""
    graphs = [border_layer(seed) for seed in range(_LAYERS)]
    taken = [graph for graph in graphs if is_taken(graph, host, kernels)]
    assert len(taken) > _OF_EACH_HALF * _LAYERS
    assert len(graphs) - len(taken) > _LEAST_REFUSED * _LAYERS
    counts = Counter(graph.nodes[0].operator.mnemonic for graph in taken)
    assert counts.keys() == {"conv2d", "depthwise_conv2d", "fully_connected", "add"}
    assert min(counts.values()) > 0.05 * _LAYERS


def test_results_are_rarely_clipped(host: Target, kernels: tuple[Kernel, ...]) -> None:
    """A layer of which only ends are seen would hide wrong sums."""
    graphs = [border_layer(seed) for seed in range(_LAYERS)]
    taken = [graph for graph in graphs if is_taken(graph, host, kernels)]
    inner = 0
    for graph in taken:
        (found,) = evaluate_graph(graph, border_inputs(graph, 0)[0]).values()
        result = found.astype(np.int64)
        inner += float(((result > -128) & (result < 127) & (result != 0)).mean()) > 0.3
    assert inner > 0.6 * len(taken)
