"""Which tensors have 16 bits in a network of int8: what layers with a memory add to, step after step.

Those of an LSTM are its cells, as TFLite's layers of int8 have them. A GRU is composed of operators; its state, and all
between that and the products of its gates, have int16, since a state of int8 keeps nothing of what is less than half a
step, however often it comes. Products read and give int8, as those of an LSTM read it, if the scheme does not say more.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import (
    Add,
    Concat,
    FullyConnected,
    Logistic,
    Lstm,
    Mul,
    Operator,
    Reshape,
    Slice,
    Sub,
    SvdfState,
    Tanh,
    Transpose,
)

from tinsmith_quantization.execution import is_real_layer
from tinsmith_quantization.schemes import Scheme

_OUTPUT_STATE, _CELL_STATE, _FIRST_CONSTANT, _PEEPHOLES, _PROJECTION = 1, 2, 3, 15, 18
_MOVES = (Reshape, Slice, Transpose)
_INSIDE: tuple[type[Operator], ...] = (Add, Logistic, Mul, Sub, Tanh)
"""What stands between a gated sum and the products with weights that it comes from."""


@dataclass(frozen=True)
class Widths:
    """lstms: names of LSTMs that become such of integers. gated: of nodes from gated sums back to products. nodes: of
    those that compute with int16 among int8. cells: of values that are int16 of a power of two. states: of others that
    are int16. floats: of states that stay float32, and what comes next of these.
    """

    lstms: frozenset[str] = frozenset()
    gated: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()
    cells: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    floats: frozenset[str] = frozenset()

    def is_wide(self, name: str) -> bool:
        """Whether a value is int16 among int8; results of nodes have the names of these."""
        return name in self.nodes or name in self.cells or name in self.states

    def dtype(self, name: str, usual: DType) -> DType:
        """Of a value. usual: of the scheme."""
        return DType.INT16 if self.is_wide(name) else usual


def widths_of(graph: Graph, scheme: Scheme) -> Widths:
    """Of a float32 network that a scheme quantizes."""
    is_narrow = scheme.activations is DType.INT8
    gated = frozenset[str]()
    if scheme.gates != "int8" or not is_narrow:
        has_products = scheme.gates == "products" or not is_narrow
        gated = frozenset(_around_gated_sums(graph, has_products=has_products))
    lstms = tuple(_lstms(graph, is_narrow=is_narrow)) if scheme.integer_lstms else ()
    names = frozenset(node.name for node in lstms)
    nodes = gated if is_narrow else frozenset[str]()
    return Widths(
        lstms=names,
        gated=gated,
        nodes=nodes,
        cells=frozenset(_cells(graph, lstms)),
        states=frozenset(state.value.name for state in graph.states if state.next.name in nodes),
        floats=frozenset(_float_states(graph, names)),
    )


def _lstms(graph: Graph, *, is_narrow: bool) -> Iterator[Node]:
    """Those of constant weights that TFLite's arithmetic of int8, or TFLite Micro's of int16, can compute."""
    for node in graph.nodes:
        if not isinstance(node.operator, Lstm) or node.outputs[0].type.dtype is not DType.FLOAT32:
            continue
        constants = [value for value in node.inputs[_FIRST_CONSTANT:] if value is not None]
        is_known = all(graph.constant(value) is not None for value in constants)
        has_parts = _has_parts_of_int8(node) if is_narrow else _has_parts_of_int16(node)
        if is_known and graph.constant(node.inputs[0]) is None and has_parts:
            yield node


def _has_parts_of_int8(node: Node) -> bool:
    """Peephole weights or a projection, not both."""
    return not (_has(node, _PEEPHOLES + 1) and _has(node, _PROJECTION))


def _has_parts_of_int16(node: Node) -> bool:
    """An input gate, neither peephole weights nor a projection."""
    return _has(node, _FIRST_CONSTANT) and not (
        _has(node, _PEEPHOLES + 1) or _has(node, _PROJECTION)
    )


def _has(node: Node, place: int) -> bool:
    return place < len(node.inputs) and node.inputs[place] is not None


def _float_states(graph: Graph, lstms: frozenset[str]) -> Iterator[str]:
    """States of operators that stay float32, and what comes next of them: rounding them would serve nobody."""
    for state in graph.states:
        readers = graph.readers(state.value)
        if any(_keeps_floats(reader, lstms) for reader in readers):
            yield state.value.name
            yield state.next.name


def _keeps_floats(node: Node, lstms: frozenset[str]) -> bool:
    return isinstance(node.operator, SvdfState) or (
        isinstance(node.operator, Lstm) and node.name not in lstms
    )


def _cells(graph: Graph, lstms: tuple[Node, ...]) -> set[str]:
    """Names of what LSTMs leave in their cells, of what is made of these alone, and of what is read as cells alone."""
    found = {node.outputs[2].name for node in lstms}
    for node in graph.nodes:
        is_moved = isinstance(node.operator, (*_MOVES, Concat))
        if is_moved and all(value.name in found for value in node.present_inputs):
            found.add(node.name)
    found |= {state.value.name for state in graph.states if state.next.name in found}
    own = {node.name for node in lstms}
    moves = [node for node in graph.nodes if isinstance(node.operator, _MOVES)]
    candidates = [*(node.outputs[0] for node in reversed(moves)), *graph.inputs]
    for value in candidates:
        readers = graph.readers(value)
        if not readers or graph.is_output(value):
            continue
        if all(_reads_cells(reader, value, own, found) for reader in readers):
            found.add(value.name)
    return found


def _reads_cells(node: Node, value: Value, lstms: set[str], cells: set[str]) -> bool:
    if isinstance(node.operator, _MOVES):
        return node.name in cells
    places = [place for place, each in enumerate(node.inputs) if each == value]
    return node.name in lstms and places == [_CELL_STATE]


def _around_gated_sums(graph: Graph, *, has_products: bool) -> set[str]:
    """Names of the nodes from gated sums back to products with weights, with these or without."""
    found: set[str] = set()
    waiting = [node for node in graph.nodes if _is_gated_sum(graph, node)]
    while waiting:
        node = waiting.pop()
        if node.name in found:
            continue
        found.add(node.name)
        if isinstance(node.operator, FullyConnected):
            continue
        sources = (graph.producer(value) for value in node.present_inputs)
        waiting += [
            source
            for source in sources
            if source is not None and _joins(graph, source, has_products=has_products)
        ]
    return found


def _joins(graph: Graph, node: Node, *, has_products: bool) -> bool:
    """Whether a node that gives what int16 reads computes it, too; what only moves elements does as its operand."""
    if isinstance(node.operator, _MOVES):
        source = graph.producer(node.present_inputs[0])
        return source is not None and _joins(graph, source, has_products=has_products)
    if node.outputs[0].type.dtype is not DType.FLOAT32:
        return False
    if isinstance(node.operator, FullyConnected):
        return has_products and is_real_layer(graph, node)
    return isinstance(node.operator, _INSIDE)


def _is_gated_sum(graph: Graph, node: Node) -> bool:
    """new + gate * (old - new), as a GRU's, or gate * old + gate * new, as one's that is written otherwise."""
    if not isinstance(node.operator, Add) or node.outputs[0].type.dtype is not DType.FLOAT32:
        return False
    first, second = node.present_inputs
    gated = _gated(graph, first), _gated(graph, second)
    if all(value is not None for value in gated):
        return True
    pairs = ((gated[0], second), (gated[1], first))
    return any(_is_difference_to(graph, value, new) for value, new in pairs)


def _gated(graph: Graph, value: Value) -> Value | None:
    """What a gate multiplies; None of what is no such product."""
    node = graph.producer(value)
    if node is None or not isinstance(node.operator, Mul):
        return None
    first, second = node.present_inputs
    if _is_gate(graph, first):
        return second
    return first if _is_gate(graph, second) else None


def _is_gate(graph: Graph, value: Value) -> bool:
    """A logistic function, or what that leaves of 1."""
    node = graph.producer(value)
    while node is not None and isinstance(node.operator, (*_MOVES, Sub)):
        left = node.present_inputs[0]
        is_rest = isinstance(node.operator, Sub) and graph.constant(left) is not None
        if isinstance(node.operator, Sub) and not is_rest:
            return False
        node = graph.producer(node.present_inputs[1] if is_rest else left)
    return node is not None and isinstance(node.operator, Logistic)


def _is_difference_to(graph: Graph, value: Value | None, new: Value) -> bool:
    node = None if value is None else graph.producer(value)
    return node is not None and isinstance(node.operator, Sub) and node.present_inputs[1] == new
