"""The graph in which channels of families of tensors are there more than once."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Node, Value
from tinsmith_ir.operators import DepthwiseConv2D, Gather, Reshape
from tinsmith_ir.rewrite import erase_dead
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph

from tinsmith_quantization.channels.carriers import halves_constants
from tinsmith_quantization.channels.split_weights import Side, Sides
from tinsmith_quantization.execution import is_real_layer
from tinsmith_quantization.products import Matrix


def with_copies(graph: Graph, sides: Sides, weights: Mapping[str, Matrix]) -> Graph:
    """The graph with the copies of channels, under the names that values have. weights: of layers that read or give
    copies, by the name of their result, as `SplitLayer.weights`.
    """
    return _Splitter(graph, sides, weights).run()


class _Splitter:
    """Goes through the nodes in order. Values whose type is another now are read as `_now` has them."""

    def __init__(self, graph: Graph, sides: Sides, weights: Mapping[str, Matrix]) -> None:
        self._graph, self._sides, self._weights = graph, sides, weights
        self._now: dict[str, Value] = {}
        self._constants = {constant.value.name: constant for constant in graph.constants}
        self._nodes: list[Node] = []
        self._names = set(graph.values)

    def run(self) -> Graph:
        for node in self._graph.nodes:
            self._node(node)
        made = self._graph.rebuilt(nodes=self._nodes, constants=self._constants.values())
        found = erase_dead(made)
        verify_graph(found)
        return found

    def _node(self, node: Node) -> None:
        read = tuple(value and self._now.get(value.name, value) for value in node.inputs)
        if is_real_layer(self._graph, node):
            self._nodes.append(self._layer(replace(node, inputs=read), node))
        elif node.name not in self._sides:
            self._nodes.append(replace(node, inputs=read))
        elif not any(value and value.name in self._sides for value in node.inputs):
            self._norm(node, self._sides[node.name])
        else:
            self._carrier(replace(node, inputs=read), node, self._sides[node.name])

    def _layer(self, node: Node, before: Node) -> Node:
        if before.name not in self._weights:
            return node
        source, weights, *bias = node.inputs
        assert weights is not None
        laid_out = self._laid_out(before, self._weights[before.name])
        inputs = [source, self._replaced(weights, laid_out)]
        inputs += [value and self._bias(before, value) for value in bias]
        return replace(node, inputs=tuple(inputs), outputs=self._outputs(before))

    def _bias(self, node: Node, value: Value) -> Value:
        side, data = self._sides.get(node.name), self._graph.constant(value)
        if side is None or data is None:
            return value
        return self._replaced(value, side.copies.taken(data, side.factors))

    def _laid_out(self, node: Node, found: Matrix) -> Array:
        """In the layout of the operator: (O, ..., C), or (1, h, w, C) of a depthwise convolution's (C, 1, h * w)."""
        shape = node.present_inputs[1].type.shape
        if isinstance(node.operator, DepthwiseConv2D):
            taps_first = np.moveaxis(found.reshape(len(found), *shape[1:3]), 0, 2)
            return np.ascontiguousarray(taps_first[None], np.float32)
        return np.ascontiguousarray(found.reshape(len(found), *shape[1:-1], -1), np.float32)

    def _norm(self, node: Node, side: Side) -> None:
        """A norm has one number for each that it reads, so what takes its result twice comes behind it."""
        factors = side.factors[: side.copies.before]
        inputs = list(node.inputs)
        for at, value in enumerate(node.inputs[1:], 1):
            data = self._graph.constant(value)
            if value is not None and data is not None:
                halved = data.astype(np.float64) * factors
                inputs[at] = self._replaced(value, halved.astype(data.dtype))
        self._nodes.append(replace(node, inputs=tuple(inputs)))
        indices = side.copies.origins.astype(np.int32)
        type_ = TensorType(indices.shape, DType.INT32)
        given = self._added(Value(f"{node.name}_channels", type_), indices)
        result = node.outputs[0]
        taken = Value(self._fresh(f"{node.name}_split"), self._type(result, side))
        operator = Gather(axis=len(result.type.shape) - 1)
        self._nodes.append(Node(operator, (result, given), (taken,), node.location))
        self._now[node.name] = taken

    def _carrier(self, node: Node, before: Node, side: Side) -> None:
        inputs = [self._carried(before, value, side) for value in node.inputs]
        outputs, operator = self._outputs(before), node.operator
        if isinstance(operator, Reshape):
            operator = replace(operator, shape=outputs[0].type.shape)
        self._nodes.append(replace(node, operator=operator, inputs=tuple(inputs), outputs=outputs))

    def _carried(self, node: Node, value: Value | None, side: Side) -> Value | None:
        """An operand: a constant with the copies, halved where the others are and it is added to them."""
        data = self._graph.constant(value)
        if value is None or data is None:
            return value
        channels, width = side.copies.before, node.outputs[0].type.shape[-1]
        is_halved = halves_constants(node.operator) and bool(
            side.copies.halvings[side.segment].any()
        )
        if not data.shape or data.shape[-1] != width:
            if not is_halved or not data.any():
                return value
            data = np.broadcast_to(data, (*data.shape[:-1], width))
        found = side.copies.taken(data, side.factors if is_halved else None)
        assert found.shape[-1] == width // channels * len(side.copies.origins)
        return self._added(replace(value, name=f"{value.name}_split"), found)

    def _outputs(self, node: Node) -> tuple[Value, ...]:
        """The result of a node in its new type, which later nodes read."""
        (result,) = node.outputs
        side = self._sides.get(result.name)
        if side is None:
            return node.outputs
        self._now[result.name] = Value(result.name, self._type(result, side))
        return (self._now[result.name],)

    def _type(self, value: Value, side: Side) -> TensorType:
        shape, copies = value.type.shape, side.copies
        return value.type.with_shape(
            (*shape[:-1], shape[-1] // copies.before * len(copies.origins))
        )

    def _replaced(self, value: Value, data: Array) -> Value:
        """A constant that only one node reads, with other data."""
        now = Value(value.name, value.type.with_shape(data.shape))
        self._constants[value.name] = Constant(now, data)
        return now

    def _added(self, value: Value, data: Array) -> Value:
        now = Value(self._fresh(value.name), value.type.with_shape(data.shape))
        self._constants[now.name] = Constant(now, data)
        return now

    def _fresh(self, hint: str) -> str:
        name, count = hint, 0
        while name in self._names:
            count += 1
            name = f"{hint}_{count}"
        self._names.add(name)
        return name
