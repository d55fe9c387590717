"""Lets a network take and give images channels last, as microcontrollers keep them and as its graph computes them.

Networks of ONNX and PyTorch are channels first, so a graph composed of one begins and ends with transposes of its
images. No pass may change what a network takes, so importers do, here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.checked import Checked
from tinsmith_ir.graph import Graph, Node, State, Value
from tinsmith_ir.operators import Concat, Pad, Slice, Trait, Transpose
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

    An input is an image if operators that keep the order of axes lead from it to a transpose from channels first to
    channels last; an output, if they lead to it from the opposite. Images of one row, or of one channel and one
    pixel, are turned as well. All others stay. States that are images are kept channels last, too.
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
    states = [
        state
        for state in graph.states
        if _is_long(state.value.type) and _leads_to_image(graph, state.value)
    ]
    if not inputs and not outputs and not states:
        return graph, ()
    turned = _Turning(graph)
    for value in inputs:
        turned.input(value)
    for state in states:
        turned.state(state)
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


def _keeps_axes(node: Node) -> bool:
    """Whether a transpose of the operands could be one of the result: it computes by element, or along axes."""
    traits = node.operator.traits
    return Trait.ELEMENTWISE in traits or isinstance(node.operator, (Concat, Pad, Slice))


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
            if _keeps_axes(node) and is_same and steps < _MOST_STEPS and result.name not in seen:
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
        if not _keeps_axes(node) or steps == _MOST_STEPS:
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
        self._kept: dict[str, Value] = {}
        self._front: list[Node] = []
        self._back: list[Node] = []
        self._turned: list[Turned] = []

    def input(self, value: Value) -> None:
        """The input keeps its name; what reads it reads a transpose of it."""
        last = self._read_by_transpose(value)
        self._inputs[self._inputs.index(value)] = last
        self._turned.append(Turned(value.name, value.type.shape, last.type.shape))

    def state(self, state: State) -> None:
        """The state keeps its name, as an input does; nobody outside sees how it is kept."""
        self._kept[state.value.name] = self._read_by_transpose(state.value)

    def _read_by_transpose(self, value: Value) -> Value:
        """The value channels last, of the same name; what reads it reads a transpose of it."""
        last = Value(value.name, _permuted(value.type, first_to_last(len(value.type.shape))))
        first = Value(self._fresh(value.name), value.type)
        self._front.append(Node(Transpose(last_to_first(len(value.type.shape))), (last,), (first,)))
        self._renamed[value.name] = first
        return last

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
        states = [self._turned_state(state) for state in self._graph.states]
        nodes = [*self._front, *self._with_new_names(self._graph.nodes), *self._back]
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

    def _turned_state(self, state: State) -> State:
        next_ = self._renamed.get(state.next.name, state.next)
        last = self._kept.get(state.value.name)
        if last is None:
            return State(state.value, state.initial, next_)
        order = first_to_last(len(last.type.shape))
        kept = Value(self._fresh(state.next.name, "channels_last"), last.type)
        self._back.append(Node(Transpose(order), (next_,), (kept,)))
        return State(last, np.ascontiguousarray(state.initial.transpose(order)), kept)

    def _with_new_names(self, nodes: Sequence[Node]) -> Iterator[Node]:
        for node in nodes:
            inputs = tuple(value and self._renamed.get(value.name, value) for value in node.inputs)
            outputs = tuple(self._renamed.get(value.name, value) for value in node.outputs)
            yield Node(node.operator, inputs, outputs, node.location)

    def _fresh(self, name: str, what: str = "channels_first") -> str:
        candidate, count = f"{name}_{what}", 1
        while candidate in self._names:
            count += 1
            candidate = f"{name}_{what}_{count}"
        self._names.add(candidate)
        return candidate


def _permuted(type_: TensorType, permutation: Sequence[int]) -> TensorType:
    return type_.with_shape(tuple(type_.shape[axis] for axis in permutation))
