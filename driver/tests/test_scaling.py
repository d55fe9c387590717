"""The benchmark of compile times: its networks, its rows, its bounds; no time is asserted."""

import pytest
from tinsmith_driver.benchmarks.scaling import (
    LEAST_SECONDS,
    MOST_PER_DOUBLING,
    NETWORKS,
    OTHERS,
    Row,
    doubling,
    measure,
    misses,
)
from tinsmith_ir import print_graph


def row(operators: int, seconds: float, factor: float | None) -> Row:
    return Row("chain", "host", operators, {OTHERS: seconds}, seconds, factor, 64)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_has_as_many_operators_as_asked_for_and_is_always_the_same(name: str) -> None:
    graph = NETWORKS[name](60)
    assert 59 <= len(graph.nodes) <= 60
    assert print_graph(graph) == print_graph(NETWORKS[name](60))


def test_a_fan_has_all_its_branches_before_the_first_sum() -> None:
    operators = [node.operator.mnemonic for node in NETWORKS["fan"](20).nodes]
    assert operators == ["conv2d"] * 10 + ["add"] * 9


def test_a_row_divides_its_seconds_among_the_steps() -> None:
    half, found = measure("random", "cortex-m4", (10, 20))
    assert (found.network, found.target, found.operators) == ("random", "cortex-m4", 20)
    names = {
        "simplify",
        "fuse-activations",
        "lower",
        "schedule-calls",
        "allocate-buffers",
        "write-c",
    }
    assert names | {OTHERS} <= found.steps.keys()
    assert sum(found.steps.values()) == pytest.approx(found.seconds)
    assert half.factor is None
    assert found.factor is not None
    assert found.factor > 0
    assert found.arena > 0


def test_one_slow_round_makes_no_factor() -> None:
    assert doubling([1.0, 2.0, 1.0], [2.0, 5.0, 3.0]) == 2.5


def test_seconds_and_factors_beyond_their_bounds_are_misses() -> None:
    assert misses([row(1000, 2.0, None), row(2000, 4.6, MOST_PER_DOUBLING)]) == []
    (slow,) = misses([row(2000, 6.5, 2.0)])
    assert slow == "chain of 2,000 operators for host: 6.50 s > 6.0 s"
    (steep,) = misses([row(1000, 2.5, 2.5)])
    assert steep == "chain of 1,000 operators for host: 2.50 times half of it > 2.3"


def test_seconds_that_are_noise_have_no_factor_to_keep() -> None:
    seconds = 0.9 * LEAST_SECONDS
    assert misses([row(500, 3 * seconds, 3.0)]) == []
