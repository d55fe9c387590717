"""A graph without its transposes and reshapes: who reads whose result, and how rearranged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tinsmith_ir.graph import Graph, Node, State, Value
from tinsmith_ir.operators import Operand, Operator, Reshape, Trait, Transpose

from tinsmith_layout.rearrangement import Rearrangement, reshaped, transposed
from tinsmith_layout.rules import rule_of
from tinsmith_layout.variants import Rule


@dataclass(frozen=True)
class _Memory(Operator):
    """One run later, the operand."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("next"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})


@dataclass(frozen=True, eq=False)
class Read:
    """One reading of a root: a value that no transpose or reshape makes.

    reader: None for what reads an output of the graph, or the next of a state. port: the operand's number. value: what
    the reader reads, `way` from the root.
    """

    reader: Node | None
    port: int
    value: Value
    root: Value
    way: Rearrangement


class Network:
    """The nodes that compute, and what they read; of each state a memory, which reads what the state is next.

    reads: by the name of a node or memory, of each operand. kept: of the outputs.
    """

    def __init__(self, graph: Graph) -> None:
        """Follow all values of `graph` to their roots."""
        self.graph = graph
        self._ways: dict[str, tuple[Value, Rearrangement]] = {}
        for node in graph.nodes:
            self._pass(node)
        self.nodes = [node for node in graph.nodes if node.name not in self._ways]
        self.memories = [_memory(state) for state in graph.states]
        self._producers = {
            value.name: node for node in (*self.nodes, *self.memories) for value in node.outputs
        }
        self.reads: Mapping[str, tuple[Read | None, ...]] = {
            node.name: tuple(
                value and self._read(node, port, value) for port, value in enumerate(node.inputs)
            )
            for node in (*self.nodes, *self.memories)
        }
        outputs = {value.name: value for value in graph.outputs}
        self.kept = tuple(self._read(None, 0, value) for value in outputs.values())

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """Name of a node or memory -> what it bears."""
        found = {node.name: rule_of(node) for node in (*self.nodes, *self.memories)}
        return {name: rule for name, rule in found.items() if rule is not None}

    @cached_property
    def readings(self) -> Mapping[str, tuple[Read, ...]]:
        """Name of a root -> its readings; of constants those that are read more than once."""
        found: dict[str, list[Read]] = {}
        for read in self._all():
            found.setdefault(read.root.name, []).append(read)
        constants = self.graph.constant_data
        return {
            name: tuple(reads)
            for name, reads in found.items()
            if name not in constants or len(reads) > 1
        }

    @cached_property
    def depths(self) -> Mapping[str, int]:
        """Name of a root -> how many nodes stand in front of it at most, one behind the other, with its own."""
        found: dict[str, int] = {}
        for node in self.nodes:
            fed = [found.get(read.root.name, 0) for read in self.reads[node.name] if read]
            found |= dict.fromkeys((value.name for value in node.outputs), 1 + max(fed, default=0))
        return found

    def producer(self, root: Value) -> Node | None:
        """The node or memory that gives a root; None for an input or a constant."""
        return self._producers.get(root.name)

    def node(self, name: str) -> Node:
        """The node or memory of that name."""
        return self._producers[name]

    def way_of(self, value: Value) -> tuple[Value, Rearrangement]:
        """The root of a value, and the way from there."""
        nowhere = reshaped(value.type.shape, value.type.shape)
        return self._ways.get(value.name, (value, nowhere))

    def _all(self) -> Iterator[Read]:
        for reads in self.reads.values():
            yield from (read for read in reads if read is not None)
        yield from self.kept

    def _read(self, reader: Node | None, port: int, value: Value) -> Read:
        return Read(reader, port, value, *self.way_of(value))

    def _pass(self, node: Node) -> None:
        """Give the result of a node that only moves elements its way, from its operand if from no root further up."""
        step = step_of(node)
        if step is None:
            return
        operand = node.present_inputs[0]
        root, way = self.way_of(operand)
        whole = way.then(step)
        if whole is None or (whole.is_deep and not step.is_deep):
            self._ways.pop(operand.name, None)
            root, whole = operand, step
        self._ways[node.name] = root, whole


def _memory(state: State) -> Node:
    """A node that gives a state: one run later what it reads."""
    return Node(_Memory(), (state.next,), (state.value,))


def step_of(node: Node) -> Rearrangement | None:
    """What a transpose or a reshape does; None of other nodes, and of one that keeps a quantization per axis."""
    shape, result = (
        node.present_inputs[0].type.shape if node.present_inputs else (),
        node.outputs[0].type,
    )
    if result.quantization is not None and result.quantization.axis is not None:
        return None
    match node.operator:
        case Transpose(permutation):
            return transposed(shape, permutation)
        case Reshape():
            return reshaped(shape, result.shape)
        case _:
            return None
