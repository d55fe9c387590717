"""Copies of channels: whatever is split, the network stays the same; and rounded halves make the rounded whole."""

from collections.abc import Callable

import numpy as np
import pytest
from split_networks import convolutions, gated, samples, two_layers
from tinsmith_ir import Graph, evaluate_graph
from tinsmith_quantization import Scheme
from tinsmith_quantization.channels.channel_copies import Copies
from tinsmith_quantization.channels.families import Family, families_of
from tinsmith_quantization.channels.family_noise import FamilyNoise, observed, sides_of
from tinsmith_quantization.channels.split_graph import with_copies
from tinsmith_quantization.channels.split_weights import Side
from tinsmith_quantization.execution import Samples
from tinsmith_quantization.layers import bits_of_layers

SCHEME = Scheme(weights="nearest")


def stacked(graph: Graph) -> Samples:
    given = samples(graph)
    return {name: np.stack([sample[name] for sample in given]) for name in given[0]}


def places(family: Family) -> list[frozenset[int]]:
    """Where channels may be halved."""
    halved = [family.behind(number) for number in range(len(family.segments))]
    even = [each for each in halved if all(family.segments[at].is_homogeneous for at in each)]
    return [frozenset(), *even]


def at_random(family: Family, random: np.random.Generator) -> Copies:
    """Some splits; what a norm gives is halved as a whole."""
    copies = Copies.none(family.channels, len(family.segments))
    choices, has_norm = (
        places(family),
        family.segments[0].givers[0].operator.mnemonic == "layer_norm",
    )
    for _ in range(6):
        channel = int(random.integers(len(copies.origins)))
        halved = choices[int(random.integers(len(choices)))]
        same = np.flatnonzero(copies.origins == copies.origins[channel]).tolist()
        for each in same if has_norm and halved else [channel]:
            copies = copies.split(each, halved)
    return copies


def split(graph: Graph, seed: int) -> Graph:
    random = np.random.default_rng(seed)
    families = families_of(graph)
    seen = observed(graph, stacked(graph), SCHEME, families)
    bits = bits_of_layers(graph, SCHEME, {})
    sides: dict[str, Side] = {}
    for family in families:
        sides |= sides_of(family, at_random(family, random))
    weights = {
        name: found
        for family in families
        for name, found in FamilyNoise(graph, SCHEME, family, seen, bits, sides)
        .weights(sides)
        .items()
    }
    return with_copies(graph, sides, weights)


def bounded(random: np.random.Generator) -> Graph:
    return convolutions(random, "relu6")


def with_outlier(random: np.random.Generator) -> Graph:
    return gated(random, {3: 30.0})


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("network", [convolutions, bounded, with_outlier, two_layers])
def test_any_splits_keep_the_network(
    network: Callable[[np.random.Generator], Graph], seed: int
) -> None:
    """Halves are exact; what is left is the order of float32 sums of less than 100 terms, and the quarter of a step by
    which weights are moved, rounded to float32: each a few times 2**-24 of the largest term.
    """
    graph = network(np.random.default_rng(seed))
    made = split(graph, seed)
    assert made.macs > graph.macs
    for sample in samples(graph, 3):
        (wanted,) = evaluate_graph(graph, sample).values()
        (got,) = evaluate_graph(made, sample).values()
        real = wanted.astype(np.float64)
        assert np.abs(real - got.astype(np.float64)).max() <= 2.0**-17 * np.abs(real).max()


@pytest.mark.parametrize("halved", [frozenset[int](), frozenset({0})])
@pytest.mark.parametrize("split", [(2,), (2, 2, 4)], ids=["in two", "in four"])
def test_rounded_halves_make_the_rounded_whole(
    halved: frozenset[int], split: tuple[int, ...]
) -> None:
    """Weights that are halved make it to the step; where tensors are, to as much less as these, since weights stay as
    large.
    """
    weights = np.random.default_rng(3).normal(size=(5, 2, 4)) * 20
    steps = np.array([1.0, 0.5, 0.25, 2.0, 3.0])
    copies = Copies.none(4, 1)
    for channel in split:
        copies = copies.split(channel, halved)
    found = copies.columns(weights, 0, steps)
    assert np.allclose(copies.summed(found, 2, copies.factors(0)), weights, rtol=1e-12)
    rounded = np.floor(found / steps[:, None, None] + 0.5)
    step = steps[:, None] * (1 / (len(split) + 1) if halved else 1.0)
    whole = np.floor(weights[:, :, 2] / step + 0.5) * step
    made = copies.summed(rounded, 2, copies.factors(0))[:, :, 2] * steps[:, None]
    assert np.array_equal(made, whole)
