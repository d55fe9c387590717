"""Parts of a graph that run by themselves, on what the evaluator made of the rest."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir import Array, Graph, GraphError, Value, evaluate_frames
from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.graph import Constant, Node
from tinsmith_ir.operators.base import Restriction
from tinsmith_ir.verify import verify_graph

from tinsmith_driver.inputs import Samples


@dataclass(frozen=True, eq=False)
class Case:
    """A graph and what it is run on. samples: of a graph with states, the frames of one sequence."""

    graph: Graph
    samples: Samples

    @property
    def units(self) -> tuple[str, ...]:
        """Names of its states and nodes: what `part` takes or leaves."""
        states = (state.value.name for state in self.graph.states)
        return (*states, *(node.name for node in self.graph.nodes))

    def values(self) -> dict[str, Array]:
        """All inputs, states and results by name; first axis the samples."""
        runs = [*_runs(self)]
        return {name: np.stack([run[name] for run in runs]) for name in runs[0]}


def _runs(case: Case) -> Iterator[dict[str, Array]]:
    if case.graph.states:
        yield from evaluate_frames(case.graph, case.samples.frames, keep=True)
        return
    for frame in case.samples.frames:
        yield from evaluate_frames(case.graph, [frame], keep=True)


def of_samples(graph: Graph, samples: Samples) -> Case:
    """A graph on some samples, of which outputs and labels do not matter."""
    return Case(graph, Samples("", samples.inputs, None, None))


def part(case: Case, units: Collection[str], values: Mapping[str, Array]) -> Case | None:
    """Some of the states and nodes; what they read of others becomes inputs. None if that is no network.

    Its outputs are the case's, and what nothing of the part reads. values: see Case.values.
    """
    graph = case.graph
    nodes = tuple(node for node in graph.nodes if node.name in units)
    states = tuple(state for state in graph.states if state.value.name in units)
    results = [value for node in nodes for value in node.outputs]
    read = {value.name: value for node in nodes for value in node.present_inputs}
    read |= {state.next.name: state.next for state in states}
    made = {*graph.constant_data, *(value.name for value in results)}
    made |= {state.value.name for state in states}
    ends = {value.name for value in graph.outputs}
    inputs = tuple(value for name, value in read.items() if name not in made)
    outputs = tuple(value for value in results if value.name in ends or value.name not in read)
    constants = tuple(found for found in graph.constants if found.value.name in read)
    if not inputs or not outputs:
        return None
    smaller = replace(
        graph, inputs=inputs, outputs=outputs, nodes=nodes, constants=constants, states=states
    )
    arrays = tuple(values[value.name] for value in inputs)
    return _checked(smaller, replace(case.samples, inputs=arrays))


def with_outputs(case: Case, names: Collection[str], values: Mapping[str, Array]) -> Case | None:
    """The same with some of its outputs, and what these need."""
    graph = case.graph
    outputs = tuple(value for value in graph.outputs if value.name in names)
    wanted = {value.name for value in outputs}
    states = {state.value.name: state for state in graph.states}
    needed: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in needed:
            continue
        needed.add(name)
        node = graph.producers.get(name)
        if node is not None:
            wanted |= {value.name for value in (*node.present_inputs, *node.outputs)}
        elif name in states:
            wanted.add(states[name].next.name)
    smaller = part(replace(case, graph=graph.rebuilt(outputs=outputs)), needed, values)
    if smaller is None or not outputs:
        return None
    return _checked(smaller.graph.rebuilt(outputs=outputs), smaller.samples)


def cut(case: Case, output: str, box: Box) -> Case | None:
    """The same with less of one output, and of all that leads to it; None where an operator is not cut so."""
    graph = case.graph
    boxes = {value.name: Box.whole(value.type.shape) for value in graph.outputs}
    boxes[output] = box
    kept = [value for state in graph.states for value in (state.value, state.next)]
    boxes |= {value.name: Box.whole(value.type.shape) for value in kept}
    restrictions: dict[str, Restriction] = {}
    for node in reversed(graph.nodes):  # those that read a value come before the one that makes it
        found = _restriction(node, boxes)
        if found is None:
            return None
        restrictions[node.name] = found
        for value, read in zip(node.inputs, found.operands, strict=True):
            if value is not None and read is not None and value.name not in graph.constant_data:
                boxes[value.name] = boxes.get(value.name, read).hull(read)
    if any(not boxes[value.name].is_whole(value.type.shape) for value in kept):
        return None
    constants: dict[str, Constant] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        smaller = _cut_node(graph, node, restrictions[node.name], boxes, constants)
        if smaller is None:
            return None
        nodes.append(smaller)
    arrays = tuple(
        array[(slice(None), *boxes[value.name].slices)]
        for value, array in zip(graph.inputs, case.samples.inputs, strict=True)
    )
    inputs, outputs = (
        tuple(_cut_value(value, boxes[value.name]) for value in ends)
        for ends in (graph.inputs, graph.outputs)
    )
    smaller_graph = replace(
        graph,
        inputs=inputs,
        outputs=outputs,
        nodes=tuple(nodes),
        constants=tuple(constants.values()),
    )
    return _checked(smaller_graph, replace(case.samples, inputs=arrays))


def _restriction(node: Node, boxes: Mapping[str, Box]) -> Restriction | None:
    """What computes the part of a node's result that `boxes` has."""
    inputs = [None if value is None else value.type for value in node.inputs]
    outputs = [value.type for value in node.outputs]
    wanted = [boxes.get(value.name, Box.whole(value.type.shape)) for value in node.outputs]
    if len(outputs) == 1:
        return node.operator.restrict(wanted[0], inputs, outputs)
    if any(not box.is_whole(type_.shape) for box, type_ in zip(wanted, outputs, strict=True)):
        return None
    whole = (None if type_ is None else Box.whole(type_.shape) for type_ in inputs)
    return Restriction(node.operator, tuple(whole))


def _cut_node(
    graph: Graph,
    node: Node,
    restriction: Restriction,
    boxes: Mapping[str, Box],
    constants: dict[str, Constant],
) -> Node | None:
    """The node of a part; None if it reads less of a value than others do.

    constants: what the part needs of them, to which this adds.
    """
    operands: list[Value | None] = []
    for value, box in zip(node.inputs, restriction.operands, strict=True):
        if value is None or box is None:
            operands.append(None)
        elif value.name in graph.constant_data:
            operands.append(_cut_constant(graph, value, box, constants))
        elif boxes[value.name] == box:
            operands.append(_cut_value(value, box))
        else:
            return None
    outputs = tuple(
        _cut_value(value, boxes.get(value.name, Box.whole(value.type.shape)))
        for value in node.outputs
    )
    return replace(
        node,
        operator=restriction.operator,
        inputs=restriction.taken(operands),
        outputs=outputs,
    )


def _cut_constant(graph: Graph, value: Value, box: Box, constants: dict[str, Constant]) -> Value:
    name = value.name
    part = replace(_cut_value(value, box), name=name)
    data = graph.constant_data[name][box.slices]
    while name in constants and not (
        constants[name].value.type == part.type and np.array_equal(constants[name].data, data)
    ):
        name += "_"  # another part of the same constant
        while graph.has_name(name):
            name += "_"
    part = replace(part, name=name)
    constants[name] = Constant(part, np.ascontiguousarray(data).reshape(part.type.shape))
    return part


def _cut_value(value: Value, box: Box) -> Value:
    return Value(value.name, cut_type(value.type, box))


def _checked(graph: Graph, samples: Samples) -> Case | None:
    """The case, if the graph is one."""
    try:
        verify_graph(graph)
    except GraphError:
        return None
    return Case(graph, samples)
