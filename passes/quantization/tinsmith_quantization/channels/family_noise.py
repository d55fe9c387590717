"""What is lost where a family of tensors with the same channels is rounded, and which channels stand out there."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.graph import Array, Graph, Node, Value

from tinsmith_quantization.channels.channel_copies import Copies
from tinsmith_quantization.channels.families import Family
from tinsmith_quantization.channels.split_ranges import Seen
from tinsmith_quantization.channels.split_weights import Side, Sides, SplitLayer, split_layer
from tinsmith_quantization.execution import Samples, evaluated, is_real_layer
from tinsmith_quantization.products import Matrix
from tinsmith_quantization.ranges.groups import grouped, is_keeping
from tinsmith_quantization.schemes import Scheme

_WHOLE: frozenset[int] = frozenset()
_LEFT = {"nearest": 1.0, "learned": 0.1, "refined": 0.1, "distilled": 0.1}
"""Of the noise of rounding weights to the nearest, about what is left by the way of the scheme."""


@dataclass(frozen=True)
class Observations:
    """squares: name of what a layer reads -> the mean square of each number of its last axis. seen: name of a tensor of
    a family -> what it holds, where integers of its own stand for it. channels: of tensors of families by name.
    """

    squares: Mapping[str, Matrix]
    seen: Mapping[str, Seen]
    channels: Mapping[str, int]


def observed(
    graph: Graph, samples: Samples, scheme: Scheme, families: Iterable[Family]
) -> Observations:
    """Of the float network on all samples."""
    read = {node.present_inputs[0].name for node in graph.nodes if is_real_layer(graph, node)}
    quantized = grouped(graph, scheme).quantized
    channels = {
        value.name: family.channels
        for family in families
        for segment in family.segments
        for value in segment.values
    }
    squares: dict[str, Matrix] = {}
    seen: dict[str, Seen] = {}
    for value, array in evaluated(graph, samples):
        if value.name in read:
            squares[value.name] = np.mean([_mean_squares(sample) for sample in array], axis=0)
        is_rounded = value.name in quantized and not _is_kept(graph, value)
        if value.name in channels and is_rounded:
            seen[value.name] = Seen.of(array, channels[value.name])
    return Observations(squares, seen, channels)


def _mean_squares(array: Array) -> Matrix:
    """Of each number of the last axis."""
    rows = array.astype(np.float64).reshape(-1, array.shape[-1])
    return np.asarray((rows**2).mean(axis=0), np.float64)


def _is_kept(graph: Graph, value: Value) -> bool:
    """Whether the integers of a tensor are those of an operand."""
    node = graph.producer(value)
    return node is not None and is_keeping(node.operator)


class FamilyNoise:
    """Of one family. sides: of the tensors of others, which are decided."""

    def __init__(
        self,
        graph: Graph,
        scheme: Scheme,
        family: Family,
        observations: Observations,
        bits: Mapping[str, int],
        sides: Sides,
    ) -> None:
        """bits: of the weights of layers by the name of their result."""
        self._graph, self._scheme, self._family = graph, scheme, family
        self._seen, self._sides = observations.seen, sides
        nodes = [
            node for segment in family.segments for node in (*segment.givers, *segment.readers)
        ]
        nodes += [link.node for link in family.links]
        self._layers = {
            node.name: self._layer(node, observations, bits[node.name])
            for node in nodes
            if node.name in bits
        }
        self._weighed = {
            number: self._weights_of_channels(number) for number in range(len(family.segments))
        }

    def _layer(self, node: Node, observations: Observations, bits: int) -> SplitLayer:
        source = node.present_inputs[0].name
        squares, channels = observations.squares[source], observations.channels.get(source)
        return split_layer(self._graph, node, squares, bits, channels)

    def of(self, copies: Copies) -> float:
        """The sum of the noise of all layers' weights, and of all tensors as their readers take them."""
        sides = self.sides(copies)
        rounded = sum(layer.noise(sides, self._scheme) for layer in self._layers.values())
        total = _LEFT[self._scheme.weights] * rounded
        for number, segment in enumerate(self._family.segments):
            for value in segment.values:
                if value.name in self._seen:
                    weighed = self._weighed[number]
                    seen = self._seen[value.name]
                    total += seen.noise(copies, number, weighed, self._scheme)
        return total

    def sides(self, copies: Copies) -> dict[str, Side]:
        """Of all tensors that have copies."""
        return dict(self._sides) | sides_of(self._family, copies)

    def weights(self, sides: Sides) -> dict[str, Matrix]:
        """Of layers that read or give copies, by name."""
        return {
            name: layer.copied(sides, self._scheme)
            for name, layer in self._layers.items()
            if layer.read(sides) or layer.given(sides)
        }

    def candidates(self, copies: Copies) -> list[tuple[tuple[int, ...], frozenset[int]]]:
        """Channels that stand out most, and in which segments they may be halved, without those that stand twice."""
        found: list[tuple[tuple[int, ...], frozenset[int]]] = []
        found += [((channel,), _WHOLE) for channel in self._columns(copies)]
        for number in range(len(self._family.segments)):
            halved = self._family.behind(number)
            if not all(self._family.segments[each].is_homogeneous for each in halved):
                continue
            for channel in (*self._rows(copies, number), *self._peaks(copies, number)):
                found.append((self._together(copies, channel, halved), halved))
        return list(dict.fromkeys(found))

    def _together(self, copies: Copies, channel: int, halved: frozenset[int]) -> tuple[int, ...]:
        """Copies that are halved at once: of what norms give all of a channel, which they give once."""
        givers = [node for number in halved for node in self._family.segments[number].givers]
        if all(node.name in self._layers for node in givers):
            return (channel,)
        return tuple(np.flatnonzero(copies.origins == copies.origins[channel]).tolist())

    def _weights_of_channels(self, number: int) -> Matrix:
        """By how much what is wrong in a channel of a segment is wrong in what reads it, (C,)."""
        family = self._family
        names = [node.name for node in family.segments[number].readers]
        names += [link.node.name for link in family.links if link.source == number]
        total = np.zeros(family.channels)
        for name in names:
            layer = self._layers[name]
            squares = layer.weights**2
            if layer.is_depthwise:
                total += squares.sum(axis=(1, 2)) / layer.signal
            else:
                total += squares.sum(axis=(0, 1)) / layer.signal
        return total

    def _columns(self, copies: Copies) -> Iterator[int]:
        """The copy whose weights, if halved, would let most steps of layers that read shrink."""
        sides, score = self.sides(copies), np.zeros(len(copies.origins))
        for segment in self._family.segments:
            for node in segment.readers:
                weights = np.abs(self._layers[node.name].even(sides))
                peaks = weights.max(axis=1)
                if not self._scheme.per_channel:
                    peaks = peaks.max(axis=0, keepdims=True)
                score += _shrinking(peaks)
        if score.any():
            yield int(score.argmax())

    def _rows(self, copies: Copies, number: int) -> Iterator[int]:
        """The largest rows of layers with one scale that give a segment."""
        if self._scheme.per_channel:
            return
        sides, family = self.sides(copies), self._family
        names = [node.name for node in family.segments[number].givers if node.name in self._layers]
        names += [
            link.node.name
            for link in family.links
            if link.result == number and link.source != number
        ]
        for name in names:
            yield int(np.abs(self._layers[name].even(sides)).max(axis=(1, 2)).argmax())

    def _peaks(self, copies: Copies, number: int) -> Iterator[int]:
        """The channels that reach farthest in the tensors of a segment."""
        for value in self._family.segments[number].values:
            if value.name in self._seen:
                yield int(self._seen[value.name].peaks(copies, number).argmax())


def sides_of(family: Family, copies: Copies) -> dict[str, Side]:
    """Of each tensor of a family."""
    return {
        value.name: Side(copies, number)
        for number, segment in enumerate(family.segments)
        for value in segment.values
    }


def _shrinking(peaks: Matrix) -> Matrix:
    """By how much, in all, squares of the largest of each row shrink if a column is halved, as a share of all squares.

    peaks: (rows, columns). Where two are equally large, halving one is the first half of the way.
    """
    rows, first = np.arange(len(peaks)), peaks.argmax(axis=1)
    largest = peaks[rows, first]
    others = peaks.copy()
    others[rows, first] = largest / 2
    gains = largest**2 - others.max(axis=1) ** 2
    if not gains.any():
        gains = largest**2
    found = np.zeros(peaks.shape[1])
    np.add.at(found, first, gains)
    return found / max(float((largest**2).sum()), 1e-300)
