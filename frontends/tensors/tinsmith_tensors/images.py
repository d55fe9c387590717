"""Lets a network take and give images channels last, as microcontrollers keep them and as its graph computes them.

Networks of ONNX and PyTorch are channels first, so a graph composed of one begins and ends with transposes of its
images. No pass may change what a network takes, so importers do, here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Concat, Pad, Trait, Transpose
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph

_FEWEST_AXES = 3
_MOST_STEPS = 64
"""Operators between an end of the network and the transpose that makes an image of it."""


@dataclass(frozen=True)
class Turned(Checked):
    """An input or output that is channels last now. before: its shape in the file, channels first."""

    name: str
    before: tuple[int, ...]
    after: tuple[int, ...]

    def __str__(self) -> str:
        """For people."""
        return f"{self.name} is {list(self.after)}, channels last (in the file {list(self.before)})"


def channels_last_ends(graph: Graph) -> tuple[Graph, tuple[Turned, ...]]:
    """The graph whose inputs and outputs are channels last where it computes them so, and which these are.

    An input is an image if operators that keep the places of elements lead from it to a transpose from channels first
    to channels last; an output, if they lead to it from the opposite. Images of one row, or of one channel and one
    pixel, are turned as well. All others stay.
    """
    inputs = [
        value for value in graph.inputs if _is_long(value.type) and _leads_to_image(graph, value)
    ]
    outputs = [
        value
        for value in graph.outputs
        if _is_long(value.type)
        and value.name in graph.producers
        and _comes_from_image(graph, value)
    ]
    if not inputs and not outputs:
        return graph, ()
    turned = _Turning(graph)
    for value in inputs:
        turned.input(value)
    for value in outputs:
        turned.output(value)
    return turned.graph()


def first_to_last(rank: int) -> tuple[int, ...]:
    """The permutation from (N, C, ...) to (N, ..., C)."""
    return (0, *range(2, rank), 1)


def last_to_first(rank: int) -> tuple[int, ...]:
    """The permutation from (N, ..., C) to (N, C, ...)."""
    return (0, rank - 1, *range(1, rank - 1))


def _is_long(type_: TensorType) -> bool:
    return len(type_.shape) >= _FEWEST_AXES


def _keeps_places(node: Node) -> bool:
    traits = node.operator.traits
    return Trait.ELEMENTWISE in traits or isinstance(node.operator, (Concat, Pad))


def _leads_to_image(graph: Graph, value: Value) -> bool:
    """Whether a transpose to channels last is the first that moves elements of `value`, on some way."""
    waiting, seen = [(value, 0)], {value.name}
    while waiting:
        current, steps = waiting.pop()
        for node in graph.readers(current):
            if node.operator == Transpose(first_to_last(len(value.type.shape))):
                return True
            result = node.outputs[0]
            is_same = len(result.type.shape) == len(value.type.shape)
            if _keeps_places(node) and is_same and steps < _MOST_STEPS and result.name not in seen:
                seen.add(result.name)
                waiting.append((result, steps + 1))
    return False


def _comes_from_image(graph: Graph, value: Value) -> bool:
    waiting, seen = [(value, 0)], {value.name}
    while waiting:
        current, steps = waiting.pop()
        node = graph.producer(current)
        if node is None:
            continue
        if node.operator == Transpose(last_to_first(len(value.type.shape))):
            return True
        if not _keeps_places(node) or steps == _MOST_STEPS:
            continue
        for operand in node.present_inputs:
            if len(operand.type.shape) == len(value.type.shape) and operand.name not in seen:
                seen.add(operand.name)
                waiting.append((operand, steps + 1))
    return False


class _Turning:
    """Exchanges ends of a graph, with a transpose beside each."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names = set(graph.values)
        self._renamed: dict[str, Value] = {}
        self._inputs = list(graph.inputs)
        self._outputs = list(graph.outputs)
        self._front: list[Node] = []
        self._back: list[Node] = []
        self._turned: list[Turned] = []

    def input(self, value: Value) -> None:
        """The input keeps its name; what reads it reads a transpose of it."""
        last = Value(value.name, _permuted(value.type, first_to_last(len(value.type.shape))))
        first = Value(self._fresh(value.name), value.type)
        self._front.append(Node(Transpose(last_to_first(len(value.type.shape))), (last,), (first,)))
        self._inputs[self._inputs.index(value)] = last
        self._renamed[value.name] = first
        self._turned.append(Turned(value.name, value.type.shape, last.type.shape))

    def output(self, value: Value) -> None:
        """The output keeps its name; what it was has another."""
        last = Value(value.name, _permuted(value.type, first_to_last(len(value.type.shape))))
        first = Value(self._fresh(value.name), value.type)
        self._back.append(Node(Transpose(first_to_last(len(value.type.shape))), (first,), (last,)))
        self._outputs[self._outputs.index(value)] = last
        self._renamed[value.name] = first
        self._turned.append(Turned(value.name, value.type.shape, last.type.shape))

    def graph(self) -> tuple[Graph, tuple[Turned, ...]]:
        """The new graph."""
        nodes = [*self._front, *self._with_new_names(self._graph.nodes), *self._back]
        states = [
            type(state)(state.value, state.initial, self._renamed.get(state.next.name, state.next))
            for state in self._graph.states
        ]
        graph = Graph(
            self._graph.name,
            tuple(self._inputs),
            tuple(self._outputs),
            tuple(nodes),
            self._graph.constants,
            tuple(states),
        )
        verify_graph(graph)
        return graph, tuple(self._turned)

    def _with_new_names(self, nodes: Sequence[Node]) -> Iterator[Node]:
        for node in nodes:
            inputs = tuple(value and self._renamed.get(value.name, value) for value in node.inputs)
            outputs = tuple(self._renamed.get(value.name, value) for value in node.outputs)
            yield Node(node.operator, inputs, outputs, node.location)

    def _fresh(self, name: str) -> str:
        candidate, count = f"{name}_channels_first", 1
        while candidate in self._names:
            count += 1
            candidate = f"{name}_channels_first_{count}"
        self._names.add(candidate)
        return candidate


def _permuted(type_: TensorType, permutation: Sequence[int]) -> TensorType:
    return type_.with_shape(tuple(type_.shape[axis] for axis in permutation))
