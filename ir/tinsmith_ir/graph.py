"""The Graph level: what is computed, on no hardware.

A Graph is immutable and in single-assignment form: every Value has one definition (graph input,
state, constant, or the result of one node) and is known by its name, unique in the graph. A pass
builds a new Graph. Nodes are kept in an order in which each comes after what it reads; that order is
the order of execution until a scheduling pass chooses another.

A graph with states is run on a sequence of inputs, its frames: what it computes of one goes on to the next.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name, visible
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.types import TensorType

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Value(Checked):
    """A tensor in a graph: its name there, and its type."""

    name: str
    type: TensorType


@dataclass(frozen=True, eq=False)
class Constant(Checked):
    """A value known at compile time. `data` has the value's shape and dtype and is read-only."""

    value: Value
    data: Array

    def __post_init__(self) -> None:
        """Own a read-only copy, so that no pass can change a constant that another graph shares."""
        super().__post_init__()
        object.__setattr__(self, "data", _owned("constant", self.value, self.data))


@dataclass(frozen=True, eq=False)
class State(Checked):
    """A value that is kept from run to run, such as the hidden state of a recurrent layer.

    In the first run it is `initial`, in every other what `next` was at the end of the run before; all three have
    one type. `initial` is read-only.
    """

    value: Value
    initial: Array
    next: Value

    def __post_init__(self) -> None:
        """Own a read-only copy, as a Constant does."""
        super().__post_init__()
        object.__setattr__(self, "initial", _owned("state", self.value, self.initial))


def _owned(what: str, value: Value, data: Array) -> Array:
    """`data`, read-only; raises GraphError if they are not of the value's shape and dtype."""
    expected = value.type
    if data.shape != expected.shape or data.dtype != expected.dtype.numpy:
        raise GraphError(
            f"{what} {print_name(value.name)}: expected {expected.dtype.value}{list(expected.shape)}, "
            f"got {data.dtype}{list(data.shape)}"
        )
    if data.flags.writeable:
        data = np.array(data, order="C")
        data.flags.writeable = False
    return data


@dataclass(frozen=True)
class Location(Checked):
    """Where a node came from, for messages: the model file and the source's name or index."""

    source: str = ""
    name: str = ""

    def __str__(self) -> str:
        """`model.tflite: op 3 conv2d_1`, or what of it is known."""
        known = [visible(part) for part in (self.source, self.name) if part]
        return ": ".join(known) or "unknown location"


@dataclass(frozen=True)
class Node(Checked):
    """One operation. An absent optional operand is None.

    engine: the one of the target that is to compute it, where somebody chose; "" for whichever lowering takes.
    """

    operator: Operator
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    location: Location = field(default=Location(), compare=False)
    engine: str = ""

    @property
    def name(self) -> str:
        """A node is known by its first result."""
        return self.outputs[0].name

    @cached_property
    def present_inputs(self) -> tuple[Value, ...]:
        """The operands that are there."""
        return tuple(value for value in self.inputs if value is not None)

    def with_inputs(self, inputs: Sequence[Value | None]) -> "Node":
        """The same node reading other values."""
        return replace(self, inputs=tuple(inputs))


class GraphView(Protocol):
    """What a rewriting pattern may ask: of a Graph, or of one that is being rewritten."""

    def producer(self, value: Value) -> Node | None:
        """The node that computes `value`; None for an input, a state or a constant."""
        ...

    def constant(self, value: Value | None) -> Array | None:
        """The data of `value` if it is a constant of this graph, else None."""
        ...

    def readers(self, value: Value) -> tuple[Node, ...]:
        """The nodes that read `value`, in order, each once."""
        ...

    def only_user(self, value: Value) -> Node | None:
        """The one node that reads `value`, if there is exactly one and the graph neither returns nor keeps it."""
        ...

    def is_output(self, value: Value) -> bool:
        """True if the graph returns `value`, or keeps it for its next run."""
        ...

    def has_name(self, name: str) -> bool:
        """True if an input, a state, a constant or a result has this name."""
        ...


@dataclass(frozen=True, eq=False)
class Graph(Checked):
    """A network: inputs, constants, nodes in execution order, outputs, and what it keeps between runs.

    Names of values are unique, and each is made before it is read; `verify_graph` sees to both, and to the types, of
    graphs that are built by hand. Nothing in a graph changes: passes make new ones (`rebuilt`).
    """

    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    constants: tuple[Constant, ...] = ()
    states: tuple[State, ...] = ()

    @cached_property
    def constant_data(self) -> Mapping[str, Array]:
        """Name of a constant -> its data."""
        return {constant.value.name: constant.data for constant in self.constants}

    @cached_property
    def producers(self) -> Mapping[str, Node]:
        """Name of a node's result -> the node."""
        return {value.name: node for node in self.nodes for value in node.outputs}

    @cached_property
    def users(self) -> Mapping[str, tuple[Node, ...]]:
        """Name of a value -> the nodes that read it, in order, each once."""
        users: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in dict.fromkeys(value.name for value in node.present_inputs):
                users.setdefault(name, []).append(node)
        return {name: tuple(nodes) for name, nodes in users.items()}

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """Every value by name: inputs, states, constants, results."""
        defined: list[Value] = [*self.inputs, *(state.value for state in self.states)]
        defined += [constant.value for constant in self.constants]
        defined += [value for node in self.nodes for value in node.outputs]
        return {value.name: value for value in defined}

    @cached_property
    def kept(self) -> Mapping[str, Value]:
        """What must be there at the end of a run, by name: the outputs, and what is the next of states."""
        values = [*self.outputs, *(state.next for state in self.states)]
        return {value.name: value for value in values}

    def is_output(self, value: Value) -> bool:
        """See GraphView."""
        return value.name in self.kept

    def constant(self, value: Value | None) -> Array | None:
        """The data of `value` if it is a constant of this graph, else None."""
        return None if value is None else self.constant_data.get(value.name)

    def producer(self, value: Value) -> Node | None:
        """See GraphView."""
        return self.producers.get(value.name)

    def readers(self, value: Value) -> tuple[Node, ...]:
        """The nodes that read `value`, in order, each once."""
        return self.users.get(value.name, ())

    def has_name(self, name: str) -> bool:
        """See GraphView."""
        return name in self.values

    def only_user(self, value: Value) -> Node | None:
        """See GraphView."""
        users = self.users.get(value.name, ())
        return users[0] if len(users) == 1 and not self.is_output(value) else None

    def rebuilt(
        self,
        *,
        nodes: Iterable[Node] | None = None,
        constants: Iterable[Constant] | None = None,
        outputs: Iterable[Value] | None = None,
        states: Iterable[State] | None = None,
    ) -> "Graph":
        """A copy with some parts exchanged; what is not given stays."""
        return replace(
            self,
            nodes=self.nodes if nodes is None else tuple(nodes),
            constants=self.constants if constants is None else tuple(constants),
            outputs=self.outputs if outputs is None else tuple(outputs),
            states=self.states if states is None else tuple(states),
        )

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one inference."""
        return sum(
            node.operator.macs(
                [value.type if value else None for value in node.inputs],
                [value.type for value in node.outputs],
            )
            for node in self.nodes
        )
