"""Rewriting of immutable graphs: patterns on nodes, applied until none fires.

A pattern looks at one node and returns a Rewrite, or None when the node is not its case. Graph
inputs and outputs keep their names and types through every rewrite.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Constant, Graph, Node, Value


@dataclass(frozen=True)
class Rewrite(Checked):
    """What stands in for a node.

    values: one for each of its results, with the same types: an existing value, a result of `nodes`
    (which may be the very result), or a constant.
    nodes: new nodes, put in its place.
    constants: new constants.
    """

    values: tuple[Value, ...]
    nodes: tuple[Node, ...] = ()
    constants: tuple[Constant, ...] = ()


Pattern = Callable[[Graph, Node], Rewrite | None]

_REWRITES_PER_NODE = 20


@checked
def apply_patterns(
    graph: Graph, patterns: Sequence[Pattern], *, max_rewrites: int | None = None
) -> Graph:
    """Sweep over the nodes, applying the first pattern that fires, until none does; erase what is dead.

    The same object comes back when none fires. A rewrite that would rename a graph output is not
    applied (see `replace_node`).
    max_rewrites: 20 per node, and 100 at least, unless given.
    Raises GraphError naming the pattern when that many do not reach an end.
    """
    bound = (
        max(100, _REWRITES_PER_NODE * len(graph.nodes)) if max_rewrites is None else max_rewrites
    )
    current, count, position, has_fired = graph, 0, 0, False
    while position < len(current.nodes) or has_fired:
        if position >= len(current.nodes):
            # Another sweep: a rewrite may have made a node before it a pattern's case.
            position, has_fired = 0, False
            continue
        found = _rewritten(current, current.nodes[position], patterns)
        if found is None:
            position += 1
            continue
        current, pattern = found
        has_fired = True
        count += 1
        if count > bound:
            raise GraphError(
                f"graph {graph.name!r}: expected an end within {bound} rewrites, "
                f"but {getattr(pattern, '__name__', repr(pattern))} fired again"
            )
    return current if count == 0 else erase_dead(current)


def _rewritten(
    graph: Graph, node: Node, patterns: Sequence[Pattern]
) -> tuple[Graph, Pattern] | None:
    """The graph after the first pattern that fires on `node`, and that pattern."""
    for pattern in patterns:
        rewrite = pattern(graph, node)
        changed = None if rewrite is None else replace_node(graph, node, rewrite)
        if changed is not None:
            return changed, pattern
    return None


def replace_node(graph: Graph, node: Node, rewrite: Rewrite) -> Graph | None:
    """The graph with `rewrite` in the place of `node`.

    None if a result of the node is a graph output and its stand-in cannot take that name: because it
    is a graph input, a constant, or an output too.
    Raises GraphError if the types differ.
    """
    index = next(i for i, other in enumerate(graph.nodes) if other is node)
    nodes = (*graph.nodes[:index], *rewrite.nodes, *graph.nodes[index + 1 :])
    changed: Graph | None = graph.rebuilt(
        nodes=nodes, constants=(*graph.constants, *rewrite.constants)
    )
    for old, new in zip(node.outputs, rewrite.values, strict=True):
        if changed is not None and old != new:
            changed = replace_value(changed, old, new)
    return changed


def replace_value(graph: Graph, old: Value, new: Value) -> Graph | None:
    """The graph in which everything reads `new` instead of `old`.

    If `old` is a graph output, the node that computes `new` computes it under the name of `old`, and
    the node that computed `old` goes; None if that cannot be, see `replace_node`.
    """
    if old.type != new.type:
        raise GraphError(
            f"expected a value of type {old.type} for {print_name(old.name)}, got {new.type}"
        )
    if not graph.is_output(old):
        return graph.rebuilt(nodes=[_reading(node, old, new) for node in graph.nodes])
    if graph.is_output(new) or new.name not in graph.producers:
        return None
    kept = [node for node in graph.nodes if old not in node.outputs]
    return graph.rebuilt(nodes=[_making(_reading(node, new, old), new, old) for node in kept])


def _reading(node: Node, old: Value, new: Value) -> Node:
    """`node` reading `new` where it read `old`."""
    if old not in node.inputs:
        return node
    return node.with_inputs([new if value == old else value for value in node.inputs])


def _making(node: Node, old: Value, new: Value) -> Node:
    """`node` with its result `old` called `new`."""
    if old not in node.outputs:
        return node
    return replace(node, outputs=tuple(new if value == old else value for value in node.outputs))


@checked
def erase_dead(graph: Graph) -> Graph:
    """The graph without nodes and constants that no output needs; graph inputs stay."""
    needed = {value.name for value in graph.outputs}
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if any(value.name in needed for value in node.outputs):
            nodes.append(node)
            needed |= {value.name for value in node.present_inputs}
    constants = [constant for constant in graph.constants if constant.value.name in needed]
    if len(nodes) == len(graph.nodes) and len(constants) == len(graph.constants):
        return graph
    return graph.rebuilt(nodes=reversed(nodes), constants=constants)


def fresh_name(graph: Graph, hint: str) -> str:
    """`hint`, with a number behind it if the graph has that name already."""
    name, count = hint, 0
    while name in graph.values:
        count += 1
        name = f"{hint}_{count}"
    return name
