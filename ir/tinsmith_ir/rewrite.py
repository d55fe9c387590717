"""Rewriting of immutable graphs: patterns on nodes, applied until none fires.

A pattern looks at one node and returns a Rewrite, or None when the node is not its case. It is a pure
function of the node and of what it asks the GraphView. Graph inputs and outputs keep their names through
every rewrite, and their types unless the pass says that it retypes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.draft import Draft, Place
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Constant, Graph, GraphView, Node, Value


@dataclass(frozen=True)
class Rewrite(Checked):
    """What stands in for a node.

    values: one for each of its results, with the same types (see `may_retype` for others): an existing
    value, a result of `nodes` (which may be the very result), or a constant.
    nodes: new nodes, put in its place.
    constants: new constants.
    """

    values: tuple[Value, ...]
    nodes: tuple[Node, ...] = ()
    constants: tuple[Constant, ...] = ()


Pattern = Callable[[GraphView, Node], Rewrite | None]

_REWRITES_PER_NODE = 20


@checked
def apply_patterns(
    graph: Graph,
    patterns: Sequence[Pattern],
    *,
    max_rewrites: int | None = None,
    may_retype: bool = False,
) -> Graph:
    """Sweep over the nodes, applying the first pattern that fires, until none does; erase what is dead.

    Nodes up to the first that fires are looked at twice: where none does, which is the rule, no draft
    is made, and the same object comes back. Behind it, a node is looked at again only if something has
    changed that a pattern asked for there. A rewrite that would rename a graph output is not applied:
    because the stand-in of one is a graph input, a constant, or an output too.
    max_rewrites: 20 per node, and 100 at least, unless given.
    may_retype: a stand-in may have another type than what it stands for, a graph output included;
    its readers then read that type, and fitting them to it is the patterns' business.
    Raises GraphError naming the pattern when that many do not reach an end, or if types differ that
    may not.
    """
    if not any(_fires(graph, node, patterns) for node in graph.nodes):
        return graph
    bound = (
        max(100, _REWRITES_PER_NODE * len(graph.nodes)) if max_rewrites is None else max_rewrites
    )
    draft, count = Draft(graph), 0
    for place in draft.waiting():
        pattern = _fired(draft, place, patterns, may_retype)
        if pattern is None:
            continue
        count += 1
        if count > bound:
            raise GraphError(
                f"graph {graph.name!r}: expected an end within {bound} rewrites, "
                f"but {getattr(pattern, '__name__', repr(pattern))} fired again"
            )
    return graph if count == 0 else erase_dead(draft.graph())


def _fires(graph: Graph, node: Node, patterns: Sequence[Pattern]) -> bool:
    return any(pattern(graph, node) is not None for pattern in patterns)


def _fired(
    draft: Draft, place: Place, patterns: Sequence[Pattern], may_retype: bool
) -> Pattern | None:
    """The first pattern that fires on the node there, after its rewrite."""
    node = place.node
    for pattern in patterns:
        rewrite = pattern(draft, node)
        if rewrite is None:
            continue
        if not may_retype:
            _check_types(node, rewrite)
        if draft.replace(place, rewrite.nodes, rewrite.constants, rewrite.values):
            return pattern
    return None


def _check_types(node: Node, rewrite: Rewrite) -> None:
    for old, new in zip(node.outputs, rewrite.values, strict=True):
        if old.type != new.type:
            raise GraphError(
                f"expected a value of type {old.type} for {print_name(old.name)}, got {new.type}"
            )


@checked
def erase_dead(graph: Graph) -> Graph:
    """The graph without nodes, constants and states that no output of any run needs; graph inputs stay."""
    needed = _needed(graph)
    nodes = [node for node in graph.nodes if any(value.name in needed for value in node.outputs)]
    constants = [constant for constant in graph.constants if constant.value.name in needed]
    states = [state for state in graph.states if state.value.name in needed]
    if len(nodes) + len(constants) + len(states) == len(graph.nodes) + len(graph.constants) + len(
        graph.states
    ):
        return graph
    return graph.rebuilt(nodes=nodes, constants=constants, states=states)


def _needed(graph: Graph) -> set[str]:
    """Names of the values that outputs depend on, through states those of earlier runs, too."""
    needed = {value.name for value in graph.outputs}
    waiting = list(needed)
    nexts = {state.value.name: state.next.name for state in graph.states}
    while waiting:
        name = waiting.pop()
        node = graph.producers.get(name)
        reads = [value.name for value in node.present_inputs] if node is not None else []
        if name in nexts:
            reads.append(nexts[name])
        new = set(reads) - needed
        needed |= new
        waiting += new
    return needed


def fresh_name(graph: GraphView, hint: str) -> str:
    """`hint`, with a number behind it if the graph has that name already."""
    name, count = hint, 0
    while graph.has_name(name):
        count += 1
        name = f"{hint}_{count}"
    return name
