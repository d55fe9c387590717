"""Functions of one int8 that several operators of float32 compute, as a table of all that they give."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Array, GraphView, Node, Value
from tinsmith_ir.operators import Dequantize, Lookup, Trait
from tinsmith_ir.rewrite import Rewrite
from tinsmith_ir.tables import has_table, value_table
from tinsmith_ir.types import TensorType

_MOST_NODES = 32
"""That one table stands for."""
_COUNT = 256
"""Of int8."""


def lookup(graph: GraphView, quantize: Node) -> Rewrite | None:
    """A table in place of a Quantize to int8 and all between it and one Dequantize of int8; None if there is more.

    All that is computed there has the shape of the integers and is read by nothing else; constants are one number each.
    """
    result = quantize.outputs[0]
    found = _between(graph, quantize)
    if found is None or result.type.dtype is not DType.INT8:
        return None
    source, nodes = found
    if source.type.dtype is not DType.INT8 or source.type.shape != result.type.shape:
        return None
    if len(nodes) < 2:  # nothing computes anything
        return None
    table = _table(graph, source, [*nodes, quantize])
    if table is None:
        return None
    operator = Lookup(tuple(int(each) for each in table))
    location = nodes[-1].location
    return Rewrite((result,), (Node(operator, (source,), (result,), location),))


def looks_up_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """One table for two functions of int8 one behind the other, of which one is a table."""
    if not _is_function(node):
        return None
    middle, result = node.present_inputs[0], node.outputs[0]
    producer = graph.producer(middle)
    if producer is None or not _is_function(producer) or graph.only_user(middle) is not node:
        return None
    if not any(isinstance(each.operator, Lookup) for each in (producer, node)):
        return None
    source = producer.present_inputs[0]
    operators = [producer.operator, node.operator]
    table = value_table(operators, [source.type, middle.type, result.type])
    if table is None:
        return None
    operator = Lookup(tuple(int(each) for each in table))
    return Rewrite((result,), (Node(operator, (source,), (result,), node.location),))


def _between(graph: GraphView, quantize: Node) -> tuple[Value, Sequence[Node]] | None:
    """The integers at the begin, and the nodes from their Dequantize on, each behind what it reads."""
    found: dict[str, Node] = {}
    sources: dict[str, Value] = {}
    waiting = [quantize]
    while waiting:
        node = waiting.pop()
        for value in node.present_inputs:
            if value.name in found or graph.constant(value) is not None:
                continue
            producer = graph.producer(value)
            if producer is None or len(found) == _MOST_NODES or not _is_plain(producer):
                return None
            found[value.name] = producer
            if isinstance(producer.operator, Dequantize):
                source = producer.present_inputs[0]
                sources[source.name] = source
            elif graph.is_output(value):
                return None
            else:
                waiting.append(producer)
    names = {*found, quantize.name}
    for node in found.values():
        is_first = isinstance(node.operator, Dequantize)
        readers = graph.readers(node.outputs[0])
        if not is_first and any(reader.name not in names for reader in readers):
            return None
    while len(sources) > 1:
        if not _is_one_less(graph, sources, found):
            return None
    (source,) = sources.values()
    return source, _in_order(found)


def _is_one_less(graph: GraphView, sources: dict[str, Value], found: dict[str, Node]) -> bool:
    """Whether one of the integers is a function of others, which then are in its place."""
    functions: dict[str, Node] = {}
    for value in sources.values():
        producer = graph.producer(value)
        if producer is not None and _is_function(producer):
            functions[value.name] = producer
    if not functions:
        return False
    # One that is a function of another of them, if there is such.
    of_others = [name for name, node in functions.items() if node.present_inputs[0].name in sources]
    name = next(iter(of_others or functions))
    del sources[name]
    found[name] = functions[name]
    operand = functions[name].present_inputs[0]
    sources[operand.name] = operand
    return len(found) <= _MOST_NODES


def _is_function(node: Node) -> bool:
    """Whether it is a function of int8 to int8, element by element."""
    if not has_table(node.operator):
        return False
    return all(value.type.dtype is DType.INT8 for value in (*node.present_inputs, *node.outputs))


def _is_plain(node: Node) -> bool:
    return Trait.ELEMENTWISE in node.operator.traits and len(node.outputs) == 1


def _in_order(found: dict[str, Node]) -> Sequence[Node]:
    ordered: dict[str, Node] = {}

    def put(node: Node) -> None:
        for value in node.present_inputs:
            if value.name in found and value.name not in ordered:
                put(found[value.name])
        ordered[node.name] = node

    for node in found.values():
        if node.name not in ordered:
            put(node)
    return list(ordered.values())


def _table(graph: GraphView, source: Value, nodes: Sequence[Node]) -> Array | None:
    """What comes of each int8, through the nodes in turn; None if one is of another shape, or depends on the place."""
    arrays: dict[str, Array] = {source.name: np.arange(-_COUNT // 2, _COUNT // 2).astype(np.int8)}
    for node in nodes:
        operands: list[Array | None] = []
        types: list[TensorType | None] = []
        for value in node.inputs:
            if value is None:
                operands.append(None)
                types.append(None)
                continue
            array = arrays.get(value.name)
            if array is None:
                array = _only(graph.constant(value))
            if array is None:
                return None
            operands.append(array)
            types.append(value.type.with_shape(array.shape))
        output = node.outputs[0].type
        if output.shape != source.type.shape:
            return None
        try:
            with np.errstate(all="ignore"):
                (result,) = node.operator.evaluate(operands, types, [output.with_shape((_COUNT,))])
        except GraphError:
            return None
        arrays[node.name] = result
    return arrays[nodes[-1].name]


def _only(data: Array | None) -> Array | None:
    """The number that all elements of a constant are, as one element."""
    if data is None or not bool((data == data.reshape(-1)[0]).all()):
        return None
    return data.reshape(-1)[:1]
