"""The passes of this library; what operators bear stands with the rules."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Transpose
from tinsmith_ir.passes import BIT_EXACT, Contract, Metric, Tolerance
from tinsmith_ir.rewrite import erase_dead

from tinsmith_layout.answers import Answers
from tinsmith_layout.layouts import Layouts
from tinsmith_layout.network import Network
from tinsmith_layout.prices import total
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
        return _with_fewest_moves(graph, may_round=False)


@dataclass(frozen=True)
class PermuteWeights:
    """Let float32 weights be in the order in which inputs come, where those were transposed.

    Sums of products are then rounded in another order. Of integers, and of outputs of a layer, MoveTransposes does it.
    """

    name: ClassVar[str] = "permute-weights"
    # The same products are added, in another order.
    contract: ClassVar[Contract] = Tolerance(Metric.SHARE, 1e-4)

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer transposed bytes; `graph` itself if there are none to save."""
        return _with_fewest_moves(graph, may_round=True)


def _with_fewest_moves(graph: Graph, *, may_round: bool) -> Graph:
    """The graph in other layouts; `graph` itself if it has no transposes, or none are better.

    may_round: whether sums of float32 may be rounded otherwise.
    """
    if not any(isinstance(node.operator, Transpose) for node in graph.nodes):
        return graph
    network, answers = Network(graph), Answers(may_round=may_round)
    best = total(network)
    while True:
        layouts = Layouts(network, answers)
        layouts.improve()
        following = Network(erase_dead(rebuilt(network, layouts)))
        following_total = total(following)
        if following_total >= best:
            return network.graph
        network, best = following, following_total
