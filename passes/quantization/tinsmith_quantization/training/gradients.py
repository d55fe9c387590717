"""Float networks on batches of samples, and how weights and ranges change what they give: backpropagation.

Arrays have the samples along an axis in front of the value's own. Everything is of doubles, with sums that are the same
on any computer (`exact`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Graph, Node, Value

from tinsmith_quantization.execution import is_real_layer
from tinsmith_quantization.products import Product, product_of
from tinsmith_quantization.training.exact import Reals
from tinsmith_quantization.training.gradient_layers import LayerNumbers, LayerStep, layer_step
from tinsmith_quantization.training.gradient_operators import operator_step
from tinsmith_quantization.training.gradient_rounding import (
    RangeSlopes,
    RoundedStep,
    Rounding,
    rounded,
)
from tinsmith_quantization.training.gradient_steps import Make, Step, plain_step

Roundings = Mapping[str, Rounding]
"""Of values that are rounded as soon as they are computed, by name."""
_NONE: Roundings = MappingProxyType({})


@dataclass(frozen=True)
class Learning:
    """What learns. layers: whether those with weights do. ranges: names of the values whose ranges do."""

    layers: bool = True
    ranges: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Differentiable:
    """What is computed of a graph, to the values `ends`. Made by `differentiable`."""

    graph: Graph
    nodes: Sequence[Node]
    ends: Sequence[Value]
    products: Mapping[str, Product]
    """Of layers with weights, by the name of the result."""
    makers: Mapping[str, Make]
    """What computes each other node."""
    learning: Learning
    trained: frozenset[str]
    """Names of values in which something that learns has a say."""


@dataclass(frozen=True)
class Gradients:
    """layers: of the numbers of each by the name of its result. ranges: of those that learn, by the value's name."""

    layers: dict[str, LayerNumbers]
    ranges: dict[str, RangeSlopes]


@dataclass(frozen=True)
class Pass:
    """One batch, computed. results: of the ends, in order."""

    results: Sequence[Reals]
    network: Differentiable
    layers: Mapping[str, LayerStep]
    steps: Mapping[str, Step]
    roundings: Mapping[str, RoundedStep]

    def gradients(self, wanted: Sequence[Reals]) -> Gradients:
        """How what learns changes a sum of which the results' share is known.

        wanted: that share, of each result, its shape.
        """
        arriving: dict[str, Reals] = {}
        for value, array in zip(self.network.ends, wanted, strict=True):
            _add(arriving, value.name, array)
        found = Gradients({}, {})
        for node in reversed(self.network.nodes):
            gradient = arriving.pop(node.name, None)
            if gradient is None:
                continue
            gradient = self._through_rounding(node.name, gradient, found)
            if node.name in self.layers:
                self._through_layer(node, gradient, found, arriving)
            else:
                self._through_operator(node, gradient, arriving)
        for name, gradient in arriving.items():
            self._through_rounding(name, gradient, found)
        return found

    def _through_rounding(self, name: str, gradient: Reals, found: Gradients) -> Reals:
        step = self.roundings.get(name)
        if step is None:
            return gradient
        if name in self.network.learning.ranges:
            found.ranges[name] = step.slopes(gradient)
        return step.back(gradient)

    def _through_layer(
        self, node: Node, gradient: Reals, found: Gradients, arriving: dict[str, Reals]
    ) -> None:
        source, step = node.present_inputs[0], self.layers[node.name]
        passed = step.passed(gradient)
        if self.network.learning.layers:
            found.layers[node.name] = step.of_numbers(passed)
        if source.name in self.network.trained:
            _add(arriving, source.name, step.of_read(passed))

    def _through_operator(self, node: Node, gradient: Reals, arriving: dict[str, Reals]) -> None:
        shares = self.steps[node.name].backward(gradient)
        for value, share in zip(node.present_inputs, shares, strict=True):
            if share is not None and value.name in self.network.trained:
                _add(arriving, value.name, share)


def _add(arriving: dict[str, Reals], name: str, share: Reals) -> None:
    before = arriving.get(name)
    arriving[name] = share if before is None else before + share


_WEIGHTS_LEARN = Learning()


def differentiable(
    graph: Graph, ends: Sequence[Value], learning: Learning = _WEIGHTS_LEARN
) -> Differentiable:
    """The graph as far as `ends` need it.

    Raises UnsupportedError for an operator whose derivative is not known here, if what learns is in front of it.
    """
    nodes = _needed(graph, ends)
    products: dict[str, Product] = {}
    makers: dict[str, Make] = {}
    trained = set(learning.ranges)
    for node in nodes:
        is_behind = any(value.name in trained for value in node.present_inputs)
        product = product_of(node)
        if product is not None and is_real_layer(graph, node):
            products[node.name] = product
            is_behind = is_behind or learning.layers
        else:
            makers[node.name] = _maker(node, is_behind=is_behind)
        if is_behind:
            trained.add(node.name)
    return Differentiable(graph, nodes, ends, products, makers, learning, frozenset(trained))


def _needed(graph: Graph, ends: Sequence[Value]) -> list[Node]:
    needed = {value.name for value in ends}
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if any(value.name in needed for value in node.outputs):
            nodes.append(node)
            needed |= {value.name for value in node.present_inputs}
    nodes.reverse()
    return nodes


def _maker(node: Node, *, is_behind: bool) -> Make:
    is_real = len(node.outputs) == 1 and node.outputs[0].type.dtype is DType.FLOAT32
    make = operator_step(node)
    if is_real and make is not None:
        return make
    if len(node.outputs) == 1 and not is_behind:
        return plain_step(node)
    raise UnsupportedError(
        f"{node.location}: expected operators with known derivatives to train a network, got {node.operator.title} "
        f"for {visible(node.name)!r}; take weights=learned, which rounds each layer by itself, and a method other than "
        "learned, which chooses each range by itself"
    )


def layer_names(network: Differentiable) -> list[str]:
    """Those of layers with weights, in order."""
    return list(network.products)


def layer_numbers(network: Differentiable) -> dict[str, LayerNumbers]:
    """What the graph's layers compute with, by the name of the result; a bias of 0 where there is none."""
    return {name: real_numbers(network.graph, found) for name, found in network.products.items()}


def real_numbers(graph: Graph, product: Product) -> LayerNumbers:
    """What a layer of the graph computes with; a bias of 0 if it has none."""
    node = product.node
    weights = graph.constant(node.inputs[1])
    given = graph.constant(node.inputs[2]) if len(node.inputs) > 2 else None
    assert weights is not None
    matrix = product.matrix(weights)
    bias = np.zeros(matrix.shape[:2]) if given is None else product.per_channel(given)
    return LayerNumbers(matrix, bias)


def computed(
    network: Differentiable,
    inputs: Mapping[str, Reals],
    layers: Mapping[str, LayerNumbers],
    roundings: Roundings = _NONE,
) -> Pass:
    """The network on a batch. layers: numbers of each layer with weights, by the name of its result."""
    values: dict[str, Reals] = {}
    layer_steps: dict[str, LayerStep] = {}
    steps: dict[str, Step] = {}
    rounded_steps: dict[str, RoundedStep] = {}

    def keep(name: str, array: Reals) -> None:
        values[name] = array
        if name in roundings:
            rounded_steps[name] = rounded(array, roundings[name])
            values[name] = rounded_steps[name].result

    for name, array in inputs.items():
        keep(name, array)
    for node in network.nodes:
        operands = [_operand(network, value, values) for value in _read(network, node)]
        product = network.products.get(node.name)
        if product is not None:
            layer_steps[node.name] = layer_step(product, layers[node.name], operands[0])
            keep(node.name, layer_steps[node.name].result)
        else:
            steps[node.name] = network.makers[node.name](operands)
            keep(node.name, steps[node.name].result)
    results = [values[value.name] for value in network.ends]
    return Pass(results, network, layer_steps, steps, rounded_steps)


def _read(network: Differentiable, node: Node) -> Sequence[Value]:
    """Of a layer without what is trained."""
    return node.present_inputs[:1] if node.name in network.products else node.present_inputs


def _operand(network: Differentiable, value: Value, values: Mapping[str, Reals]) -> Reals:
    """Constants with an axis of 1 in front."""
    data = network.graph.constant(value)
    return values[value.name] if data is None else data.astype(np.float64)[None]
