"""Which tensors have the same channels, from the layers that give them to those that add them up.

A family is what has to change together when a channel is to be there twice. Depthwise convolutions part it into
segments: each scales a channel by weights of its own, so a channel can be halved from one on.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected, LayerNorm, RmsNorm
from tinsmith_ir.operators.base import activation_of

from tinsmith_quantization.channels.carriers import carried, is_homogeneous
from tinsmith_quantization.channels.channels import HOMOGENEOUS, owns_constants, reads_channels
from tinsmith_quantization.execution import is_real_layer


@dataclass(frozen=True)
class Segment:
    """Tensors with the same channels, equally large in each.

    values: in the order of the network. givers: layers and norms whose results they are made of. readers: layers that
    add their channels up. is_homogeneous: halves of a channel as it is given are halves of it everywhere.
    """

    values: tuple[Value, ...]
    givers: tuple[Node, ...]
    readers: tuple[Node, ...]
    is_homogeneous: bool


@dataclass(frozen=True)
class Link:
    """A depthwise convolution between two segments, by number."""

    node: Node
    source: int
    result: int


@dataclass(frozen=True)
class Family:
    """channels: how many all tensors have. segments: in the order of the network."""

    channels: int
    segments: tuple[Segment, ...]
    links: tuple[Link, ...]

    def behind(self, segment: int) -> frozenset[int]:
        """The segment itself, and all that are made of it."""
        found, more = {segment}, {segment}
        while more:
            more = {link.result for link in self.links if link.source in more} - found
            found |= more
        return frozenset(found)


def families_of(graph: Graph) -> tuple[Family, ...]:
    """Those that may get more channels, in the order of the network.

    Inputs, results and states of the network keep their channels, and with them all tensors that have the same; so do
    those that something else reads or gives, and layers that share their weights.
    """
    return _Finder(graph).found()


class _Sets:
    """Sets of names that are joined."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def top(self, name: str) -> str:
        """What stands for the set of a name."""
        while self._parents.get(name, name) != name:
            name = self._parents[name]
        return name

    def join(self, first: str, second: str) -> None:
        """Make one set of two."""
        self._parents[self.top(second)] = self.top(first)


class _Finder:
    """Goes through the nodes in order. Values without channels that are known have none that may change."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._channels: dict[str, int] = {}
        self._segments, self._families = _Sets(), _Sets()
        self._closed = set(graph.kept)
        self._givers: list[Node] = []
        self._readers: list[Node] = []
        self._links: list[Node] = []
        self._uneven: set[str] = set()

    def found(self) -> tuple[Family, ...]:
        for node in self._graph.nodes:
            if not self._takes_part(node):
                self._close(node.present_inputs)
        members: dict[str, list[str]] = {}
        for name in self._channels:
            members.setdefault(self._families.top(name), []).append(name)
        return tuple(
            self._family(names)
            for names in members.values()
            if self._closed.isdisjoint(names) and self._are_read(names)
        )

    def _takes_part(self, node: Node) -> bool:
        """Whether the channels that a node reads may change, as far as it is concerned."""
        if is_real_layer(self._graph, node):
            return self._layer(node)
        if isinstance(node.operator, LayerNorm | RmsNorm):
            self._norm(node)
            return False
        return self._carrier(node)

    def _layer(self, node: Node) -> bool:
        if not owns_constants(self._graph, node):
            return False
        if isinstance(node.operator, DepthwiseConv2D):
            return self._link(node)
        source, weights = node.present_inputs[:2]
        is_whole = isinstance(node.operator, FullyConnected) or reads_channels(node)
        if is_whole:
            self._give(node)
        is_read = _reads_rows(node, source, weights) and source.name in self._channels
        if is_read:
            self._readers.append(node)
        return is_read

    def _give(self, node: Node) -> None:
        result = node.outputs[0]
        self._channels[result.name] = result.type.shape[-1]
        self._givers.append(node)
        if activation_of(node.operator) not in HOMOGENEOUS:
            self._uneven.add(result.name)

    def _link(self, node: Node) -> bool:
        source, result = node.present_inputs[0], node.outputs[0]
        channels = self._channels.get(source.name)
        is_single = reads_channels(node) and source.type.shape[3] == channels
        if channels is None or not is_single:
            return False
        self._channels[result.name] = channels
        self._families.join(source.name, result.name)
        self._links.append(node)
        if activation_of(node.operator) not in HOMOGENEOUS:
            self._uneven.add(result.name)
        return True

    def _norm(self, node: Node) -> None:
        """Gives channels if it scales each; what it reads is averaged over all."""
        if node.outputs[0].type.dtype is not DType.FLOAT32 or node.inputs[1:2] in ((), (None,)):
            return
        is_known = all(self._graph.constant(value) is not None for value in node.present_inputs[1:])
        if is_known and owns_constants(self._graph, node):
            self._give(node)

    def _carrier(self, node: Node) -> bool:
        known = [self._channels.get(value.name) for value in node.present_inputs]
        channels = next((found for found in known if found is not None), None)
        if channels is None or not owns_constants(self._graph, node):
            return False
        operands = carried(self._graph, node, channels)
        if not operands or any(self._channels.get(value.name) != channels for value in operands):
            return False
        self._channels[node.name] = channels
        for value in operands:
            self._segments.join(value.name, node.name)
            self._families.join(value.name, node.name)
        if not is_homogeneous(self._graph, node):
            self._uneven.add(node.name)
        return True

    def _close(self, values: Iterable[Value]) -> None:
        self._closed.update(value.name for value in values)

    def _are_read(self, names: list[str]) -> bool:
        return any(node.present_inputs[0].name in names for node in self._readers)

    def _family(self, names: list[str]) -> Family:
        parts: dict[str, list[str]] = {}
        for name in names:
            parts.setdefault(self._segments.top(name), []).append(name)
        order = {top: number for number, top in enumerate(parts)}

        def number(value: Value) -> int:
            return order[self._segments.top(value.name)]

        links = tuple(
            Link(node, number(node.present_inputs[0]), number(node.outputs[0]))
            for node in self._links
            if node.name in names
        )
        segments = tuple(self._segment(part) for part in parts.values())
        return Family(self._channels[names[0]], segments, links)

    def _segment(self, names: list[str]) -> Segment:
        return Segment(
            tuple(self._graph.values[name] for name in names),
            tuple(node for node in self._givers if node.name in names),
            tuple(node for node in self._readers if node.present_inputs[0].name in names),
            self._uneven.isdisjoint(names),
        )


def _reads_rows(node: Node, source: Value, weights: Value) -> bool:
    """Whether the channels of the input are the innermost of the weights, each place of a row having all of them."""
    if isinstance(node.operator, Conv2D):
        return reads_channels(node)
    return not weights.type.shape[1] % source.type.shape[-1]
