"""Inputs and outputs of a network as the integers that they become, or come from, inside."""

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Dequantize, Quantize
from tinsmith_ir.verify import verify_graph


@checked
def integer_ends(graph: Graph) -> Graph:
    """The network without the Quantize of each input and the Dequantize of each output; names stay.

    An input that is read otherwise too stays real, as does an output that is. Meant for graphs that have been folded
    and simplified, since what only moves elements may have stood between before.
    """
    gone: set[str] = set()
    renamed: dict[str, Value] = {}
    for value in graph.inputs:
        readers = graph.readers(value)
        types = {reader.outputs[0].type for reader in readers}
        if graph.is_output(value) or len(types) != 1:
            continue
        if all(isinstance(reader.operator, Quantize) for reader in readers):
            integers = Value(value.name, types.pop())
            renamed |= {value.name: integers}
            renamed |= {reader.name: integers for reader in readers}
            gone |= {reader.name for reader in readers}
    for node in graph.nodes:
        stored = node.inputs[0] if node.inputs else None
        if stored is None or not _is_end(graph, node) or stored.name in renamed:
            continue
        if graph.is_output(stored) or stored in graph.inputs:
            continue
        renamed |= {name: Value(node.name, stored.type) for name in (node.name, stored.name)}
        gone.add(node.name)
    return _rebuilt(graph, gone, renamed)


def _is_end(graph: Graph, node: Node) -> bool:
    """Whether a node makes real numbers of integers for nobody but the network's reader."""
    result = node.outputs[0]
    is_last = graph.is_output(result) and not graph.readers(result)
    return is_last and isinstance(node.operator, Dequantize)


def _rebuilt(graph: Graph, gone: set[str], renamed: dict[str, Value]) -> Graph:
    def new(value: Value) -> Value:
        return renamed.get(value.name, value)

    nodes = tuple(
        Node(
            node.operator,
            tuple(None if value is None else new(value) for value in node.inputs),
            tuple(new(value) for value in node.outputs),
            node.location,
        )
        for node in graph.nodes
        if node.name not in gone
    )
    inputs, outputs = (tuple(map(new, values)) for values in (graph.inputs, graph.outputs))
    found = Graph(graph.name, inputs, outputs, nodes, graph.constants, graph.states)
    verify_graph(found)
    return found
