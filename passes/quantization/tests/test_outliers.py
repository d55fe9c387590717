"""Channels that stand out, split in two: the same network, and integers that lose less."""

from dataclasses import replace

import numpy as np
import pytest
from split_networks import Array, gated, samples, two_layers
from tinsmith_ir import Graph, UsageError, evaluate_graph, parse_graph
from tinsmith_ir.printer import print_graph
from tinsmith_qdq import FoldQuantization
from tinsmith_quantization import AddedChannels, Scheme, quantize, scheme, split_outliers, sqnr

ONE_SCALE = replace(scheme("int8"), per_channel=False, weights="nearest", split=0.1)
PER_CHANNEL = replace(scheme("int8"), method="minmax", split=0.1)


def random() -> np.random.Generator:
    return np.random.default_rng(5)


def difference(graph: Graph, made: Graph) -> float:
    """The largest of all results, as a share of the largest result."""
    largest = lost = 0.0
    for sample in samples(graph):
        (wanted,) = evaluate_graph(graph, sample).values()
        (got,) = evaluate_graph(made, sample).values()
        real = wanted.astype(np.float64)
        largest = max(largest, float(np.abs(real).max()))
        lost = max(lost, float(np.abs(real - got.astype(np.float64)).max()))
    return lost / largest


def decibels(graph: Graph, chosen: Scheme) -> float:
    """Of the output of the network of integers, as its operators of integers compute it."""
    integers = FoldQuantization().run(quantize(graph, samples(graph), chosen).graph)
    (taken,), (given,) = integers.inputs, integers.outputs
    of_inputs, of_outputs = taken.type.quantization, given.type.quantization
    assert of_inputs is not None
    assert of_outputs is not None
    wanted: list[Array] = []
    got: list[Array] = []
    for sample in samples(graph):
        (array,) = sample.values()
        steps = np.rint(array.astype(np.float64) / of_inputs.scale) + of_inputs.zero_point
        (found,) = evaluate_graph(integers, [np.clip(steps, -128, 127).astype(np.int8)]).values()
        wanted.append(evaluate_graph(graph, sample)[given.name])
        got.append(of_outputs.scale * (found.astype(np.float64) - of_outputs.zero_point))
    return sqnr(wanted, got)


def gain(graph: Graph, chosen: Scheme) -> float:
    """Decibels that splitting brings."""
    return decibels(graph, chosen) - decibels(graph, replace(chosen, split=0.0))


def added(graph: Graph, chosen: Scheme) -> list[tuple[str, int, int]]:
    found = split_outliers(graph, samples(graph), chosen).added
    return [(each.name, each.given, each.read) for each in found]


def origins(graph: Graph, made: Graph) -> set[int]:
    """The channels of the first of `two_layers` that are there more than once, with their weights or half of them."""
    rows, more = graph.constant_data["a"], made.constant_data["a"]
    return {
        index
        for row in more[len(rows) :]
        for index in range(len(rows))
        if any(np.array_equal(row, rows[index] / factor) for factor in (1, 2, 4))
    }


def test_weights_that_stand_out_are_halved() -> None:
    graph = two_layers(random(), "relu6", read={5: 8.0})
    chosen = replace(ONE_SCALE, split=0.2)
    made = split_outliers(graph, samples(graph), chosen)
    assert made.added[0] == AddedChannels("1", 3, 0, 3 * 36, 3 * 36)
    assert made.added[1].read == 3
    assert origins(graph, made.graph) == {5}
    weights, more = graph.constant_data["c"], made.graph.constant_data["c"]
    assert np.abs(more).max() < 0.3 * np.abs(weights).max()
    assert difference(graph, made.graph) < 1e-6
    assert gain(graph, chosen) > 3


def test_numbers_that_stand_out_are_halved() -> None:
    graph = two_layers(random(), given={7: 20.0}, read={7: 0.05})
    made = split_outliers(graph, samples(graph), PER_CHANNEL)
    assert origins(graph, made.graph) == {7}
    rows = np.abs(graph.constant_data["a"][7]).max(), np.abs(made.graph.constant_data["a"]).max()
    assert rows[1] <= rows[0] / 2
    assert difference(graph, made.graph) < 1e-6
    assert gain(graph, PER_CHANNEL) > 4


def test_numbers_with_an_upper_end_are_not_halved() -> None:
    graph = two_layers(random(), "relu6", given={7: 20.0}, read={7: 0.05})
    made = split_outliers(graph, samples(graph), replace(PER_CHANNEL, split=0.5))
    first = made.graph.constant_data["a"]
    kept = graph.constant_data["a"]
    assert all(any(np.array_equal(row, other) for other in kept) for row in first)
    assert difference(graph, made.graph) < 1e-6


def test_what_a_norm_gives_is_halved_by_its_factors() -> None:
    graph = gated(random(), {3: 30.0})
    made = split_outliers(graph, samples(graph), PER_CHANNEL)
    assert added(graph, PER_CHANNEL)[0] == ("1", 1, 0)
    assert made.graph.constant_data["g"][3] == graph.constant_data["g"][3] / 2
    assert made.graph.constant_data["b"][3] == graph.constant_data["b"][3] / 2
    assert [node.operator.mnemonic for node in made.graph.nodes][:2] == ["layer_norm", "gather"]
    assert difference(graph, made.graph) < 1e-5
    assert gain(graph, PER_CHANNEL) > 2


def test_nothing_is_split_where_nothing_stands_out_or_nothing_may_be_added() -> None:
    text = """graph 2 "g" {
      input %x: f32[1,4]
      const %a: f32[4,4] = [1.0, 0.5, 0.5, -0.5, -1.0, -0.5, 0.5, 0.5, 0.5, -1.0, 0.5, 0.5, 0.5, 0.5, 1.0, -0.5]
      const %b: f32[2,4] = [1.0, -1.0, 1.0, -1.0, 0.5, 0.5, -0.5, -0.5]
      %1: f32[1,4] = fully_connected(%x, %a) {activation=relu}
      %2: f32[1,2] = fully_connected(%1, %b)
      output %2
    }"""
    even = parse_graph(text)
    found = split_outliers(even, samples(even), replace(PER_CHANNEL, split=1.0))
    assert found.graph is even
    assert found.added == ()
    graph = two_layers(random(), read={5: 8.0})
    assert split_outliers(graph, samples(graph), replace(ONE_SCALE, split=0.0)).graph is graph


@pytest.mark.parametrize(("share", "count"), [(0.01, 1), (0.0625, 1), (0.07, 2), (0.125, 2)])
def test_at_most_the_share_is_added_rounded_up(share: float, count: int) -> None:
    graph = two_layers(random(), read={1: 16.0, 5: 8.0})
    assert added(graph, replace(ONE_SCALE, split=share))[0] == ("1", count, 0)


def test_channels_that_stand_out_alike_are_split_together() -> None:
    """None of three alone would let the steps shrink."""
    graph = two_layers(random(), "relu6", read={1: 9.0, 5: 9.0, 9: 9.0})
    made = split_outliers(graph, samples(graph), replace(ONE_SCALE, split=0.2))
    assert origins(graph, made.graph) >= {1, 5, 9}


def test_layers_with_bits_of_their_own_are_split_for_these() -> None:
    graph = two_layers(random(), read={5: 8.0})
    found = split_outliers(graph, samples(graph), ONE_SCALE, {"2": 4})
    (first, second, *_) = found.added
    elements = [made.constant_data["c"].size for made in (found.graph, graph)]
    assert first.size_bytes == 36 * first.given
    assert second.size_bytes == -(-elements[0] // 2) - -(-elements[1] // 2)
    with pytest.raises(UsageError, match="expected a layer with weights"):
        split_outliers(graph, samples(graph), ONE_SCALE, {"nobody": 4})


def test_the_same_samples_give_the_same_bytes() -> None:
    graph = gated(random(), {3: 30.0})
    first, second = (split_outliers(graph, samples(graph), PER_CHANNEL).graph for _ in range(2))
    assert print_graph(first) == print_graph(second)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_a_share_is_between_0_and_1(share: float) -> None:
    with pytest.raises(UsageError, match="expected split of 0 to 1"):
        Scheme(split=share)


def test_a_quantized_network_tells_what_was_added() -> None:
    graph = two_layers(random(), read={5: 8.0})
    made = quantize(graph, samples(graph), ONE_SCALE)
    assert made.added == split_outliers(graph, samples(graph), ONE_SCALE).added
    assert [tensor.name for tensor in made.losses.tensors] == ["x", "1", "2", "3"]
    assert made.losses.weights[0].elements == (16 + made.added[0].given) * 36
    assert quantize(graph, samples(graph), replace(ONE_SCALE, split=0.0)).added == ()


def test_channels_that_make_the_outputs_worse_are_not_added() -> None:
    """Noise is foreseen layer by layer, so what is chosen may still be worse; this network's are."""
    graph, chosen = (
        two_layers(np.random.default_rng(18), read={5: 8.0}),
        replace(PER_CHANNEL, split=0.3),
    )
    made, plain = (
        quantize(graph, samples(graph), each) for each in (chosen, replace(chosen, split=0.0))
    )
    assert made.splitting is not None
    assert made.splitting.added
    assert made.splitting.split_db < made.splitting.plain_db
    assert not made.splitting.is_adopted
    assert made.added == ()
    assert print_graph(made.graph) == print_graph(plain.graph)
    assert made.losses == plain.losses
    assert plain.splitting is None
