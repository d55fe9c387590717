"""Says windows in one way, where several compute the same."""

from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph, GraphView, Node
from tinsmith_ir.operators import Pool
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import Pattern, Rewrite, apply_patterns


@dataclass(frozen=True)
class SimplifyWindows:
    """Let a pool that has one window along an axis have stride 1 there."""

    name: ClassVar[str] = "simplify-windows"
    # The same windows are taken.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer different pools; `graph` itself if they are so."""
        return apply_patterns(graph, PATTERNS)


def slides_nowhere(graph: GraphView, node: Node) -> Rewrite | None:
    """A stride says nothing where there is no next window."""
    del graph
    if not isinstance(node.operator, Pool):
        return None
    rows, columns = node.operator.stride
    _, height, width, _ = node.outputs[0].type.shape
    stride = (1 if height == 1 else rows, 1 if width == 1 else columns)
    # With another stride more windows may fit.
    operator = replace(node.operator, stride=stride)
    types = [value.type for value in node.present_inputs]
    if stride == node.operator.stride or operator.infer(types)[0].shape != (
        node.outputs[0].type.shape
    ):
        return None
    return Rewrite(node.outputs, (replace(node, operator=operator),))


PATTERNS: tuple[Pattern, ...] = (slides_nowhere,)
