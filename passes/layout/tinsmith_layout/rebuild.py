"""The graph that a choice of layouts stands for."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir.graph import Constant, Graph, Location, Node, State, Value
from tinsmith_ir.operators import BatchMatmul, Operator, Reshape, Transpose
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_layout.axes import axes_of
from tinsmith_layout.choice import Need
from tinsmith_layout.layouts import Layouts
from tinsmith_layout.network import Network, Read
from tinsmith_layout.rearrangement import Rearrangement, Shape, refined
from tinsmith_layout.variants import nothing


def rebuilt(network: Network, layouts: Layouts) -> Graph:
    """A graph that computes the same; its constants may have no reader left."""
    return _Builder(network, layouts).graph()


class _Builder:
    """The nodes and constants so far.

    made: (root, what was done with it) -> the value. names: of (root, way) that has to be there at the end, its name.
    """

    def __init__(self, network: Network, layouts: Layouts) -> None:
        self._network = network
        self._layouts = layouts
        self._graph = network.graph
        self._nodes: list[Node] = []
        self._constants = list(self._graph.constants)
        self._made: dict[tuple[str, object], Value] = {}
        self._names: dict[tuple[str, Rearrangement], str] = {}
        self._outputs = {read.value.name for read in network.kept}
        self._taken = self._outputs | {
            value.name for node in network.nodes for value in node.outputs
        }
        given = (*self._graph.constants, *self._graph.states)
        self._taken |= {value.name for value in self._graph.inputs}
        self._taken |= {item.value.name for item in given}

    def graph(self) -> Graph:
        """All nodes with their operands as they need them, then what has to be there at the end."""
        for read in self._network.kept:
            way = self._layouts.need(read).way
            if read.value.name != read.root.name or not way.is_nothing:
                self._names.setdefault((read.root.name, way), read.value.name)
        for state in self._graph.states:
            self._give(state.value, self._layouts.label(state.value), state.value.name)
        for node in self._network.nodes:
            self._compute(node)
        for read in self._network.kept:
            self._keep(read)
        states = [self._state(state) for state in self._graph.states]
        return self._graph.rebuilt(nodes=self._nodes, constants=self._constants, states=states)

    def _state(self, state: State) -> State:
        (read,) = self._network.reads[state.value.name]
        assert read is not None
        following = self._moved(read, self._layouts.need(read).way)
        initial = self._layouts.label(state.value).of(state.initial)
        return State(self._root(state.value), initial, following)

    def _compute(self, node: Node) -> None:
        variant = self._layouts.variant(node)
        reads = self._network.reads[node.name]
        needs = [read and self._layouts.need(read) for read in reads]
        inputs = tuple(
            self._moved(read, need.way) if read is not None and need is not None else None
            for read, need in zip(reads, needs, strict=True)
        )
        given = node.operator if variant is None else variant.operator
        operator, outputs = _as_swapped(given, needs), node.outputs
        if len(outputs) == 1:
            outputs = (self._result(outputs[0], self._layouts.label(outputs[0])),)
        if (operator, inputs, outputs) != (node.operator, node.inputs, node.outputs):
            node = replace(node, operator=operator, inputs=inputs, outputs=outputs)
        self._nodes.append(node)

    def _result(self, value: Value, label: Rearrangement) -> Value:
        """The only result of a node as it lies, with the name of what it is at the end, if it is that."""
        name = value.name
        if name not in self._outputs:
            name = self._names.pop((value.name, nothing(label.after)), name)
        return self._give(value, label, name)

    def _give(self, root: Value, label: Rearrangement, name: str) -> Value:
        """A root as it lies; the names of outputs are for what lies as these do."""
        if root.name in self._outputs and not label.is_nothing:
            name = self._fresh(name)
        value = root
        if (name, label.after) != (root.name, root.type.shape):
            value = Value(name, root.type.with_shape(label.after))
        self._made[root.name, nothing(label.after)] = value
        return value

    def _root(self, root: Value) -> Value:
        """A root as it lies."""
        after = self._layouts.label(root).after
        return self._made.get((root.name, nothing(after)), root)

    def _keep(self, read: Read) -> None:
        """Let a value be there at the end by its name."""
        way = self._layouts.need(read).way
        if read.value.name == read.root.name and way.is_nothing:
            return
        made = self._made.get((read.root.name, way))
        if made is None:
            self._move(read, way)
        elif made.name != read.value.name:
            self._append(Reshape(way.after), made, read, read.value.name)

    def _moved(self, read: Read, way: Rearrangement) -> Value:
        """What a reading takes."""
        if way.is_nothing:
            return self._root(read.root)
        key = read.root.name, way
        if key in self._made:
            return self._made[key]
        data = self._graph.constant(read.root)
        if data is None:
            return self._move(read, way)
        name = self._fresh(read.value.name)
        self._made[key] = Value(name, _type_of(read.root.type, way))
        self._constants.append(Constant(self._made[key], way.of(data)))
        return self._made[key]

    def _move(self, read: Read, way: Rearrangement) -> Value:
        """Nodes that make of a root what a reading takes."""
        name = self._names.pop((read.root.name, way), None) or self._fresh(read.value.name)
        if way.is_reshape:
            made = self._append(Reshape(way.after), self._root(read.root), read, name)
        else:
            made = self._transpose(read, way, name)
        self._made[read.root.name, way] = made
        return made

    def _transpose(self, read: Read, way: Rearrangement, name: str) -> Value:
        """One transposition for all that need the elements in this order, and a reshape if need be."""
        shape, permutation = _plan(way)
        after = tuple(shape[axis] for axis in permutation)
        key = read.root.name, (way.sizes, way.order)
        if key not in self._made:
            value = self._root(read.root)
            if value.type.shape != shape:
                value = self._append(Reshape(shape), value, read, self._fresh(name))
            given = name if after == way.after else self._fresh(name)
            self._made[key] = self._append(Transpose(permutation), value, read, given)
            self._made[read.root.name, replace(way, after=after)] = self._made[key]
        # The shape is that of the reading for which it was made.
        made = self._made[key]
        if made.type.shape == way.after:
            return made
        return self._append(Reshape(way.after), made, read, name)

    def _append(self, operator: Operator, operand: Value, read: Read, name: str) -> Value:
        (type_,) = operator.infer([operand.type])
        before = self._graph.producer(read.value)
        location = Location() if before is None else before.location
        value = Value(name, type_)
        self._nodes.append(Node(operator, (operand,), (value,), location))
        return value

    def _fresh(self, hint: str) -> str:
        """`hint`, with a number behind it if it is taken; then it is."""
        name, count = hint, 0
        while name in self._taken:
            count += 1
            name = f"{hint}_{count}"
        self._taken.add(name)
        return name


def _type_of(type_: TensorType, way: Rearrangement) -> TensorType:
    """The type of a constant that is rearranged; one with a scale per index of an axis keeps that axis."""
    quantization = type_.quantization
    if quantization is None or quantization.axis is None:
        return type_.with_shape(way.after)
    axis = quantization.axis
    indices = np.arange(type_.shape[axis]).reshape(
        [-1 if at == axis else 1 for at in range(len(type_.shape))]
    )
    moved = np.moveaxis(way.of(np.broadcast_to(indices, type_.shape)), axis, 0)
    order = [int(index) for index in moved.reshape(len(moved), -1)[:, 0]]
    scales = tuple(quantization.scales[index] for index in order)
    zero_points = tuple(quantization.zero_points[index] for index in order)
    return TensorType(way.after, type_.dtype, Quantization(scales, zero_points, axis))


def _as_swapped(operator: Operator, needs: Sequence[Need | None]) -> Operator:
    """A product whose operands are transposed matrices where the needs say so."""
    if not isinstance(operator, BatchMatmul):
        return operator
    lhs, rhs = (need is not None and need.is_swapped for need in needs)
    return BatchMatmul(operator.transpose_lhs != lhs, operator.transpose_rhs != rhs)


def _plan(way: Rearrangement) -> tuple[Shape, tuple[int, ...]]:
    """A shape and a permutation of its axes: those that there are if none is taken apart, in the end those of
    `way.after` if none is put together.
    """
    for axes in axes_of(way):
        permutation = tuple(axis for axis in axes if axis is not None)
        if len(permutation) == len(axes) == len(way.before):
            return way.before, permutation
    digits = refined([way.sizes[digit] for digit in way.order], way.after)
    axes = [axis for _, _, axis in digits or ()]
    if digits is None or len(set(axes)) != len(axes):
        return way.sizes, way.order
    # Axes of size 1 first, from where they go to their places.
    ones = [axis for axis, size in enumerate(way.after) if size == 1]
    by_source = sorted(range(len(digits)), key=lambda at: (way.order[digits[at][1]], at))
    sources = [*ones, *(axes[at] for at in by_source)]
    permutation = tuple(sources.index(axis) for axis in range(len(way.after)))
    return tuple(way.after[axis] for axis in sources), permutation
