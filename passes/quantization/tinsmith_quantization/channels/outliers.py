"""Outlier splitting: a channel that stands out is computed twice, and each copy takes half, so that ranges shrink.

A layer's weights, or a tensor, have steps as wide as their largest number asks for. If that is in a channel of its own,
the channel can be there twice, with half of the weights or of the tensor in each, and all others have narrower steps;
the network computes the same. Zhao et al., "Improving Neural Network Quantization without Retraining using Outlier
Channel Splitting" (2019). Here a channel runs through all that lies between the layers that give it and those that add
it up, and depthwise convolutions may halve it, too. What is split, and whether, is decided by measured noise.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.graph import Array, Graph, Node

from tinsmith_quantization.channels.channel_copies import Copies
from tinsmith_quantization.channels.families import Family, families_of
from tinsmith_quantization.channels.family_noise import FamilyNoise, observed, sides_of
from tinsmith_quantization.channels.split_graph import with_copies
from tinsmith_quantization.channels.split_weights import Side
from tinsmith_quantization.execution import Samples, with_states
from tinsmith_quantization.layers import bits_of_layers
from tinsmith_quantization.samples import checked_samples
from tinsmith_quantization.schemes import Scheme

_LOOKAHEAD = 4
"""Channels that may be split in one place before noise shrinks: several may be equally large."""

_ROUNDING = 1e-9
"""Of a number of channels: 0.07 * 100 is a little more than 7."""


@dataclass(frozen=True)
class AddedChannels(Checked):
    """Of a layer: how many channels it gives and reads that the float network has not. elements, size_bytes: what they
    add to its weights; of a norm 0.
    """

    name: str
    given: int
    read: int
    elements: int
    size_bytes: int


@dataclass(frozen=True)
class SplitNetwork:
    """graph: computes the same as before. added: channels, by layer, in the order of the network."""

    graph: Graph
    added: tuple[AddedChannels, ...] = ()


@dataclass(frozen=True)
class ChannelSplitting(Checked):
    """What splitting brought: SQNR in decibels of the network's outputs on the calibration samples, and of the scores
    that a softmax at their end reads, without and with it. is_adopted: whether the network has the channels, as it does
    where neither is worse, of outputs up to 40 dB. added: them, by layer; none where nothing was worth it.
    """

    plain_db: float
    plain_scores_db: float
    split_db: float
    split_scores_db: float
    is_adopted: bool
    added: tuple[AddedChannels, ...]


@checked
def split_outliers(
    graph: Graph,
    samples: Iterable[Mapping[str, Array]],
    scheme: Scheme,
    bits: Mapping[str, int] | None = None,
) -> SplitNetwork:
    """The same network with more channels where that lets integers of the scheme lose less.

    graph, samples, bits: see `quantize`. Each tensor has at most `scheme.split` of its channels more, rounded up; with
    0 nothing changes. Raises UsageError for samples that are not fit, and for bits of what is no layer.
    """
    arrays = with_states(graph, checked_samples(graph, samples))
    return split_channels(graph, arrays, scheme, bits or {})


def split_channels(
    graph: Graph, samples: Samples, scheme: Scheme, bits: Mapping[str, int]
) -> SplitNetwork:
    """As `split_outliers`, of samples as `execution.Samples`."""
    families = families_of(graph) if scheme.split else ()
    if not families:
        return SplitNetwork(graph)
    observations = observed(graph, samples, scheme, families)
    known = bits_of_layers(graph, scheme, bits)
    sides: dict[str, Side] = {}
    noises: list[FamilyNoise] = []
    for family in families:
        noise = FamilyNoise(graph, scheme, family, observations, known, dict(sides))
        copies = _Chooser(noise, family, scheme.split).run()
        if copies.splits:
            sides |= sides_of(family, copies)
        noises.append(noise)
    if not sides:
        return SplitNetwork(graph)
    weights = {name: found for noise in noises for name, found in noise.weights(sides).items()}
    made = with_copies(graph, sides, weights)
    return SplitNetwork(made, tuple(_added(graph, made, sides, known)))


class _Chooser:
    """Splits channels of one family one after another, each time those that leave least noise, as long as it pays: as
    the number of channels times the noise shrinks.
    """

    def __init__(self, noise: FamilyNoise, family: Family, share: float) -> None:
        self._noise = noise
        self._most = family.channels + math.ceil(share * family.channels - _ROUNDING)
        self.copies = Copies.none(family.channels, len(family.segments))
        self._least = self._price(self.copies)

    def run(self) -> Copies:
        """What is to be there more than once."""
        while self._takes(self._next(self.copies)) or self._takes(self._further()):
            pass
        return self.copies

    def _next(self, copies: Copies) -> list[tuple[frozenset[int], Copies]]:
        """With one more channel, each where it is halved, within the share."""
        found: list[tuple[frozenset[int], Copies]] = []
        for channels, halved in self._noise.candidates(copies):
            more = copies
            for channel in channels:
                more = more.split(channel, halved)
            if len(more.origins) <= self._most:
                found.append((halved, more))
        return found

    def _further(self) -> list[tuple[frozenset[int], Copies]]:
        """With several more that are halved in the same place."""
        found: list[tuple[frozenset[int], Copies]] = []
        for first, copies in self._next(self.copies):
            now: Copies | None = copies
            for _ in range(1, _LOOKAHEAD):
                following = self._next(now) if now else []
                now = next((more for halved, more in following if halved == first), None)
                found += [(first, now)] if now else []
        return found

    def _takes(self, choices: list[tuple[frozenset[int], Copies]]) -> bool:
        """Choose the best of some, if it pays."""
        prices = [self._price(copies) for _, copies in choices]
        if not prices or min(prices) >= self._least:
            return False
        self._least = min(prices)
        self.copies = choices[prices.index(self._least)][1]
        return True

    def _price(self, copies: Copies) -> float:
        return self._noise.of(copies) * len(copies.origins)


def _added(
    graph: Graph, made: Graph, sides: Mapping[str, Side], bits: Mapping[str, int]
) -> Iterable[AddedChannels]:
    """By layer. made: the graph with more channels."""
    for node in graph.nodes:
        given = _more(sides.get(node.name))
        read = _more(sides.get(node.present_inputs[0].name)) if node.present_inputs else 0
        if node.name in bits and (given or read):
            before, now = (_weights(each, node) for each in (graph, made))
            size_bytes = _bytes(now, bits[node.name]) - _bytes(before, bits[node.name])
            yield AddedChannels(node.name, given, read, now - before, size_bytes)
        elif given and not any(value.name in sides for value in node.present_inputs):
            yield AddedChannels(node.name, given, 0, 0, 0)


def _weights(graph: Graph, node: Node) -> int:
    return int(graph.constant_data[node.present_inputs[1].name].size)


def _bytes(elements: int, bits: int) -> int:
    return -(-elements * bits // 8)


def _more(side: Side | None) -> int:
    return 0 if side is None else len(side.copies.splits)
