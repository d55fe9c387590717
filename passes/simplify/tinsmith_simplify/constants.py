"""Computes at compile time what does not depend on the graph's inputs."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Array, Constant, Graph, Node
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.types import TensorType

_GROWTH_FOR_ANY_GRAPH = 1 << 24


@dataclass(frozen=True)
class FoldConstants(Checked):
    """Replace a node whose operands are all constants by its results.

    What is above a limit stays to be computed at run time, so that a model of a few bytes cannot ask
    for gigabytes of memory here, or of flash.
    max_bytes: of a result. max_total_bytes: of all constants, old and new; by default twice the old
    ones and 16 MiB. max_work: of evaluating a node (`Operator.work`), some 50 bytes each.
    A node that computes a graph output stays, as the caller finds outputs in RAM.
    """

    max_bytes: int = 1 << 24
    max_total_bytes: int | None = None
    max_work: int = 1 << 21

    name: ClassVar[str] = "fold-constants"
    # The evaluator computes what the kernels would, bit by bit.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer nodes and more constants; constants nobody reads are not removed."""
        known: dict[str, Array] = dict(graph.constant_data)
        constants = list(graph.constants)
        room = self._room(graph)
        nodes: list[Node] = []
        for node in graph.nodes:
            size_bytes = sum(value.type.size_bytes for value in node.outputs)
            if size_bytes > room or not self._can_fold(graph, node, known):
                nodes.append(node)
                continue
            room -= size_bytes
            for value, array in zip(node.outputs, evaluate_node(node, known), strict=True):
                known[value.name] = array
                constants.append(Constant(value, array))
        if len(nodes) == len(graph.nodes):
            return graph
        return graph.rebuilt(nodes=nodes, constants=constants)

    def _room(self, graph: Graph) -> int:
        """Bytes that new constants may take."""
        limit = self.max_total_bytes
        return (total_limit(graph) if limit is None else limit) - constant_bytes(graph)

    def _can_fold(self, graph: Graph, node: Node, known: dict[str, Array]) -> bool:
        if any(graph.is_output(value) or self._is_large(value.type) for value in node.outputs):
            return False
        if any(value.name not in known for value in node.present_inputs):
            return False
        inputs = [None if value is None else value.type for value in node.inputs]
        return node.operator.work(inputs, [value.type for value in node.outputs]) <= self.max_work

    def _is_large(self, type_: TensorType) -> bool:
        return type_.size_bytes > self.max_bytes


def constant_bytes(graph: Graph) -> int:
    """Bytes of all constants."""
    return sum(constant.data.nbytes for constant in graph.constants)


def total_limit(graph: Graph) -> int:
    """What the constants of `graph` may grow to."""
    return 2 * constant_bytes(graph) + _GROWTH_FOR_ANY_GRAPH
