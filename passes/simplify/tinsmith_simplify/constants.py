"""Computes at compile time what does not depend on the graph's inputs."""

from dataclasses import dataclass

from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Array, Constant, Graph, Node
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class FoldConstants:
    """Replace a node whose operands are all constants by its results.

    max_bytes: a result that is larger stays to be computed at run time, so that a model of a few
    bytes cannot ask for gigabytes of flash.
    A node that computes a graph output stays, as the caller finds outputs in RAM.
    """

    max_bytes: int = 1 << 24

    @property
    def name(self) -> str:
        """The name in reports and on the command line."""
        return "fold-constants"

    @property
    def contract(self) -> Contract:
        """The evaluator computes what the kernels would, bit by bit."""
        return BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        """The graph with fewer nodes and more constants; constants nobody reads are not removed."""
        known: dict[str, Array] = dict(graph.constant_data)
        constants = list(graph.constants)
        nodes: list[Node] = []
        for node in graph.nodes:
            if not self._can_fold(graph, node, known):
                nodes.append(node)
                continue
            for value, array in zip(node.outputs, evaluate_node(node, known), strict=True):
                known[value.name] = array
                constants.append(Constant(value, array))
        if len(nodes) == len(graph.nodes):
            return graph
        return graph.rebuilt(nodes=nodes, constants=constants)

    def _can_fold(self, graph: Graph, node: Node, known: dict[str, Array]) -> bool:
        if any(graph.is_output(value) or self._is_large(value.type) for value in node.outputs):
            return False
        return all(value.name in known for value in node.present_inputs)

    def _is_large(self, type_: TensorType) -> bool:
        return type_.size_bytes > self.max_bytes
