"""What it costs to move elements."""

from collections.abc import Iterator
from functools import lru_cache

from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import Concat, Reshape, Slice, Transpose

from tinsmith_layout.axes import axes_of
from tinsmith_layout.network import Network
from tinsmith_layout.rearrangement import Rearrangement
from tinsmith_layout.variants import Variant, as_it_is

_CALL_BYTES = 32
"""What a transposition costs beside its bytes, so that one is better than two halves."""
_COPY, _TRANSPOSE = 1, 4
"""What a byte costs that is copied, or transposed."""

Part = tuple[str, object]
"""A transposition or a reshape of a root, which all that read it so share."""


class Prices:
    """Of a network, each as one number: bytes count above all, then reshapes, then whether it is done early.

    Done late it is further behind what could be fused with its producer.
    """

    def __init__(self, network: Network) -> None:
        """Weights for which no lower count ever adds up to a higher one."""
        self._network = network
        self._constants = network.graph.constant_data
        readings = 1 + sum(len(reads) for reads in network.readings.values())
        self._latest = max(network.depths.values(), default=0)
        self._reshape = 2 * readings * (self._latest + 1)
        self._byte = 2 * readings * self._reshape

    def parts(self, root: Value, way: Rearrangement | None) -> Iterator[tuple[Part, int]]:
        """What is done with a root, and the price of each step; with a constant it is done here, once more."""
        size_bytes, early = root.type.size_bytes, self._early(root)
        if way is None or way.is_deep:
            yield ("never", ""), self._byte << 60
        elif way.is_nothing or (root.name in self._constants and way.is_reshape):
            return
        elif root.name in self._constants:
            yield ("constant", (way.sizes, way.order)), size_bytes * _TRANSPOSE * self._byte
        elif way.is_reshape:
            yield ("reshape", way.after), self._reshape + early
        else:
            bytes_ = (size_bytes + _CALL_BYTES) * _TRANSPOSE
            yield ("transpose", (way.sizes, way.order)), bytes_ * self._byte + early
            if not is_transpose(way):
                yield ("reshape", way), self._reshape

    def node(self, node: Node, variant: Variant) -> int:
        """Of what a node copies that only takes or joins parts, where it could not read or write them in place."""
        return _copied_bytes(node, variant) * _COPY * self._byte

    def _early(self, root: Value) -> int:
        return self._latest - self._network.depths.get(root.name, 0)


def may_copy(node: Node) -> bool:
    """Whether a node only takes or joins parts; all others have no price by themselves."""
    return isinstance(node.operator, Concat | Slice)


def total(network: Network) -> tuple[int, int, int]:
    """Of a network's own graph, whose constants count, too, as if they were transposed: bytes, moves, how early."""
    graph, depths, constants = network.graph, network.depths, network.graph.constant_data
    read = {value.name for node in graph.nodes for value in node.present_inputs}
    known = [constant.value for constant in graph.constants if constant.value.name in read]
    cost = sum(value.type.size_bytes for value in known) * _TRANSPOSE
    parts = (node for node in network.nodes if may_copy(node))
    cost += sum(_copied_bytes(node, as_it_is(node)) * _COPY for node in parts)
    moves = early = 0
    deepest = max(depths.values(), default=0)
    for node in graph.nodes:
        root, _ = network.way_of(node.outputs[0])
        if root.name in constants or not isinstance(node.operator, Transpose | Reshape):
            continue
        if isinstance(node.operator, Transpose):
            cost += (root.type.size_bytes + _CALL_BYTES) * _TRANSPOSE
        moves += 1
        early += deepest - depths.get(root.name, 0)
    return cost, moves, early


def _copied_bytes(node: Node, variant: Variant) -> int:
    return 0 if variant.is_in_place else node.outputs[0].type.size_bytes


@lru_cache(maxsize=1 << 12)
def is_transpose(way: Rearrangement) -> bool:
    """Whether one transpose does it, with no reshape."""
    axes = next(axes_of(way), ())
    is_whole = len(way.before) == len(way.after) == len(axes) and None not in axes
    return is_whole and way.after == tuple(way.before[axis or 0] for axis in axes)
