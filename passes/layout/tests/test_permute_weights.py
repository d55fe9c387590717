"""PermuteWeights: what goes into the order of sums, and how far that moves results."""

from collections.abc import Callable

import pytest
from channels_first import ChannelsFirst
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import BatchMatmul, Transpose
from tinsmith_ir.passes import Metric, Tolerance
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.tolerance import shares
from tinsmith_layout import MoveTransposes, PermuteWeights


def transposes(graph: Graph) -> int:
    return sum(isinstance(node.operator, Transpose) for node in graph.nodes)


def flat_layer(n: ChannelsFirst) -> Graph:
    x = n.relu(n.conv(n.image(2, 4, 6, 3), 4))
    return n.build(n.linear(n.flat(n.pool(x)), 5))


def product_with_a_constant(n: ChannelsFirst) -> Graph:
    x = n.conv(n.image(2, 3, 2, 3), 4)
    rows = n.reshape(x, 2, 1, 4 * 3 * 2)
    return n.build(n.add(BatchMatmul(), rows, n.constant(2, 4 * 3 * 2, 5)))


def shuffled_channels(n: ChannelsFirst) -> Graph:
    x = n.conv(n.image(1, 4, 4, 4), 6, groups=2)
    return n.build(n.mean(n.conv(n.depthwise(n.relu(n.shuffle(x, 2))), 5, 1)))


def groups(n: ChannelsFirst) -> Graph:
    """Means over channels and places of a group, which no reshape makes an axis of channels last."""
    x = n.normalize_groups(n.conv(n.image(1, 4, 4, 3), 6), 2)
    return n.build(n.mean(n.conv(n.relu(x), 4)))


def layers_of_one_input(n: ChannelsFirst) -> Graph:
    """Gates of a recurrent layer: the transposition is spared only if both do without."""
    rows = n.flat(n.relu(n.conv(n.image(2, 4, 6, 3), 4)))
    return n.build(n.linear(rows, 5), n.linear(rows, 3))


NETWORKS = [flat_layer, product_with_a_constant, shuffled_channels, groups, layers_of_one_input]


@pytest.mark.parametrize("make", NETWORKS)
def test_sums_take_the_last_transposes_in(make: Callable[[ChannelsFirst], Graph]) -> None:
    graph = MoveTransposes().run(make(ChannelsFirst()))
    assert transposes(graph) > 0
    result = PermuteWeights().run(graph)
    assert transposes(result) == 0
    for seed in range(3):
        given = random_inputs(graph, seed)
        wanted, got = evaluate_graph(graph, given), evaluate_graph(result, given)
        for name, array in wanted.items():
            assert shares(array, got[name]).max() <= 1e-6
    assert PermuteWeights().run(result) is result


def test_contract_says_that_rounding_changes() -> None:
    contract = PermuteWeights.contract
    assert contract == Tolerance(Metric.SHARE, 1e-4)
    graph = MoveTransposes().run(flat_layer(ChannelsFirst()))
    (record,) = Pipeline([PermuteWeights()]).run(graph, random_inputs(graph)).records
    assert record.measured is not None
    assert 0 < record.measured < 1e-6


@pytest.mark.parametrize("seed", range(30))
def test_graphs_without_transposes_are_left_alone(seed: int) -> None:
    graph = random_graph(seed, nodes=12)
    if transposes(graph) == 0:
        assert PermuteWeights().run(graph) is graph
