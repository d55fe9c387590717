"""Moves transposes to where they cancel."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Transpose
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import erase_dead

from tinsmith_layout.layouts import CALL_BYTES, Layouts
from tinsmith_layout.network import Network
from tinsmith_layout.rebuild import rebuilt


@dataclass(frozen=True)
class MoveTransposes:
    """Let operators read and give their tensors in the layouts for which the fewest bytes have to be transposed.

    Graph inputs, outputs and states stay as they are. A graph without transposes is left alone.
    """

    name: ClassVar[str] = "move-transposes"
    # The same elements meet in the same order, in other places.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer transposed bytes, or as many in fewer steps or later; `graph` itself if it is best."""
        if not any(isinstance(node.operator, Transpose) for node in graph.nodes):
            return graph
        network = Network(graph)
        layouts = Layouts(network)
        layouts.improve()
        result = erase_dead(rebuilt(network, layouts))
        return result if _moves(Network(result)) < _moves(network) else graph


def _moves(network: Network) -> tuple[int, int, int]:
    """What moving elements of computed tensors costs: bytes that are transposed, steps, and how early they are."""
    size_bytes = steps = early = 0
    deepest = max(network.depths.values(), default=0)
    for node in network.graph.nodes:
        root, _ = network.way_of(node.outputs[0])
        if root.name == node.name or network.graph.constant(root) is not None:
            continue
        if isinstance(node.operator, Transpose):
            size_bytes += root.type.size_bytes + CALL_BYTES
        steps += 1
        early += deepest - network.depths.get(root.name, 0)
    return size_bytes, steps, early
