"""The rules of a Graph, as tables: what must hold, and what was found where it does not.

`verify_graph` raises GraphError for the first broken rule, with the text of the node and where it
came from. The rules of a Program are in program_rules.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.few_bits import fits
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators.chain import Chain
from tinsmith_ir.printer import print_name, print_node, print_type
from tinsmith_ir.program_rules import ProgramRule, verify_program
from tinsmith_ir.type_rules import operand_findings, operator_findings, verify_type

__all__ = [
    "GRAPH_RULES",
    "NODE_RULES",
    "GraphRule",
    "NodeRule",
    "ProgramRule",
    "verify_graph",
    "verify_program",
    "verify_type",
]


@dataclass(frozen=True)
class GraphRule:
    """What must hold of a whole graph, and the findings where it does not."""

    what: str
    findings: Callable[[Graph], Iterator[str]]


@dataclass(frozen=True)
class NodeRule:
    """What must hold of a node by itself, and the findings where it does not."""

    what: str
    findings: Callable[[Node], Iterator[str]]


@checked
def verify_graph(graph: Graph, verified: Graph | None = None) -> None:
    """Raise GraphError unless every rule holds, naming the node, its location and the tensor.

    verified: a graph that holds every rule; the nodes that are from it are right by themselves.
    """
    known = set[int]() if verified is None else {id(node) for node in verified.nodes}
    for graph_rule in GRAPH_RULES:
        for finding in graph_rule.findings(graph):
            raise GraphError(f"graph {graph.name!r}: {graph_rule.what}: {finding}")
    for node in graph.nodes:
        if id(node) in known:
            continue
        for node_rule in NODE_RULES:
            for finding in node_rule.findings(node):
                raise GraphError(f"{_where(graph, node)}: {node_rule.what}: {finding}")


def _where(graph: Graph, node: Node) -> str:
    return f"graph {graph.name!r}, {node.location}, in\n  {print_node(node)}\n"


def _definitions(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    yield from (state.value for state in graph.states)
    yield from (constant.value for constant in graph.constants)
    yield from (value for node in graph.nodes for value in node.outputs)


def _broken_types(graph: Graph) -> Iterator[str]:
    for value in _definitions(graph):
        try:
            verify_type(value.type)
        except GraphError as error:
            yield f"{print_name(value.name)}: {print_type(value.type)}: {error}"


def _repeated_names(graph: Graph) -> Iterator[str]:
    seen: set[str] = set()
    for value in _definitions(graph):
        if value.name in seen:
            yield f"{print_name(value.name)} is defined twice"
        seen.add(value.name)


def _unknown_reads(graph: Graph) -> Iterator[str]:
    defined = {value.name: value for value in graph.inputs}
    defined |= {state.value.name: state.value for state in graph.states}
    defined |= {constant.value.name: constant.value for constant in graph.constants}
    for node in graph.nodes:
        for value in node.present_inputs:
            yield from _misread(defined, value, node)
        defined |= {value.name: value for value in node.outputs}
    for value in graph.outputs:
        yield from _misread(defined, value, "the graph's outputs")
    for state in graph.states:
        yield from _misread(
            defined, state.next, f"the next of state {print_name(state.value.name)}"
        )


def _misread(defined: dict[str, Value], value: Value, where: Node | str) -> Iterator[str]:
    known = defined.get(value.name)
    if known is not None and known.type == value.type:
        return
    # A node's text is only made for a finding: it is long, and there is one for each operand.
    reader = where if isinstance(where, str) else print_node(where)
    if known is None:
        yield f"{print_name(value.name)} in {reader}"
    else:
        yield (
            f"{print_name(value.name)} is {print_type(known.type)} "
            f"but read as {print_type(value.type)} in {reader}"
        )


def _wrong_constants(graph: Graph) -> Iterator[str]:
    for constant in graph.constants:
        expected = constant.value.type
        if constant.data.shape != expected.shape or constant.data.dtype != expected.dtype.numpy:
            yield f"{print_name(constant.value.name)} holds {constant.data.dtype}{constant.data.shape}"
        elif expected.dtype.is_packed and not fits(constant.data, expected.dtype):
            yield f"{print_name(constant.value.name)} holds integers beyond {expected.dtype.value}"


def _kept_few_bits(graph: Graph) -> Iterator[str]:
    """Nodes cannot make them, see operator_findings."""
    for value in (*graph.inputs, *(state.value for state in graph.states), *graph.outputs):
        if value.type.dtype.is_packed:
            yield f"{print_name(value.name)} is {print_type(value.type)}"


def _wrong_states(graph: Graph) -> Iterator[str]:
    for state in graph.states:
        wanted, got = state.value.type, state.next.type
        if wanted != got:
            yield (
                f"{print_name(state.value.name)} is {print_type(wanted)}, "
                f"its next {print_name(state.next.name)} {print_type(got)}"
            )


def _no_outputs(graph: Graph) -> Iterator[str]:
    if not graph.outputs:
        yield "it has none"


GRAPH_RULES: tuple[GraphRule, ...] = (
    GraphRule("each type is well formed", _broken_types),
    GraphRule("each value has one definition", _repeated_names),
    GraphRule("a value is defined before it is read, with the same type", _unknown_reads),
    GraphRule("a constant's data have its shape and dtype", _wrong_constants),
    GraphRule("a state and its next have one type", _wrong_states),
    GraphRule("no input, state or output is of i4 or i2", _kept_few_bits),
    GraphRule("a graph has outputs", _no_outputs),
)


def _wrong_operands(node: Node) -> Iterator[str]:
    yield from operand_findings(node.operator, [value is not None for value in node.inputs])


def _wrong_results(node: Node) -> Iterator[str]:
    types = [value.type if value else None for value in node.inputs]
    yield from operator_findings(node.operator, types, [value.type for value in node.outputs])


def _chained(node: Node) -> Iterator[str]:
    if isinstance(node.operator, Chain):
        yield f"got {node.operator.title}, which only calls of a program are"


NODE_RULES: tuple[NodeRule, ...] = (
    NodeRule("a node is one operator", _chained),
    NodeRule("operands are those of the operator", _wrong_operands),
    NodeRule("types are those the operator takes", _wrong_results),
)
