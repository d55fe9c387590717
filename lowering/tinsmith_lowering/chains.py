"""Nodes of a graph that one kernel may compute together."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import Chain, Link
from tinsmith_ir.operators.base import Operator

from tinsmith_lowering.kernel import Kernel


def chains_from(graph: Graph, first: Node, kernels: Sequence[Kernel]) -> Iterator[tuple[Node, ...]]:
    """The nodes from `first` on for which there are patterns, those of the longest first.

    Each but the last has one result, which the next one reads once and nobody else does; no state and no output is it.
    All are to be computed by the same engine.
    """
    nodes = [first]
    for pattern in _patterns(type(first.operator), tuple(kernels)):
        while len(nodes) < len(pattern) and (behind := _only_reader(graph, nodes[-1])) is not None:
            nodes.append(behind)
        fitting = len(nodes) >= len(pattern) and all(
            isinstance(node.operator, kind) for node, kind in zip(nodes, pattern, strict=False)
        )
        if fitting:
            yield tuple(nodes[: len(pattern)])


def as_one_node(nodes: Sequence[Node]) -> Node:
    """A node that computes the chain of them, in the place of the last."""
    first, *others = nodes
    links: list[Link] = []
    inputs = [*first.inputs]
    for before, node in zip(nodes, others, strict=False):
        (taken,) = before.outputs
        place = node.inputs.index(taken)
        links.append(Link(node.operator, taken.type, len(node.inputs), place))
        inputs += [*node.inputs[:place], *node.inputs[place + 1 :]]
    chain = Chain(first.operator, len(first.inputs), tuple(links))
    return Node(chain, tuple(inputs), nodes[-1].outputs, nodes[-1].location, first.engine)


def _only_reader(graph: Graph, node: Node) -> Node | None:
    (result, *others) = node.outputs
    reader = None if others else graph.only_user(result)
    if reader is None or reader.inputs.count(result) != 1 or len(reader.outputs) != 1:
        return None
    return reader if reader.engine == node.engine else None


@lru_cache(maxsize=1024)
def _patterns(
    first: type[Operator], kernels: tuple[Kernel, ...]
) -> tuple[tuple[type[Operator], ...], ...]:
    """Those of several operators that begin with such a one, each once, the longest first."""
    found = {
        kernel.pattern: None
        for kernel in kernels
        if kernel.then and issubclass(first, kernel.operator)
    }
    return tuple(sorted(found, key=len, reverse=True))
