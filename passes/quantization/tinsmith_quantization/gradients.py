"""Float networks on batches of samples, and how much each weight changes what they give: backpropagation.

Arrays have the samples along an axis in front of the value's own. Everything is of doubles, with sums that are the same
on any computer (`exact`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Graph, Node, Value

from tinsmith_quantization.exact import Reals
from tinsmith_quantization.execution import is_real_layer
from tinsmith_quantization.gradient_layers import LayerNumbers, LayerStep, layer_step
from tinsmith_quantization.gradient_operators import Make, Step, operator_step
from tinsmith_quantization.products import Product, product_of


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
    trained: frozenset[str]
    """Names of values in which some layer's weights have a say."""


@dataclass(frozen=True)
class Pass:
    """One batch, computed. results: of the ends, in order."""

    results: Sequence[Reals]
    network: Differentiable
    layers: Mapping[str, LayerStep]
    steps: Mapping[str, Step]

    def gradients(self, wanted: Sequence[Reals]) -> dict[str, LayerNumbers]:
        """Of each layer by the name of its result: how its weights change a sum of which the results' share is known.

        wanted: that share, of each result, its shape.
        """
        arriving: dict[str, Reals] = {}
        for value, array in zip(self.network.ends, wanted, strict=True):
            _add(arriving, value.name, array)
        found: dict[str, LayerNumbers] = {}
        for node in reversed(self.network.nodes):
            gradient = arriving.pop(node.name, None)
            if gradient is None:
                continue
            if node.name in self.layers:
                self._through_layer(node, gradient, found, arriving)
            else:
                self._through_operator(node, gradient, arriving)
        return found

    def _through_layer(
        self,
        node: Node,
        gradient: Reals,
        found: dict[str, LayerNumbers],
        arriving: dict[str, Reals],
    ) -> None:
        source = node.present_inputs[0]
        is_wanted = source.name in self.network.trained
        found[node.name], back = self.layers[node.name].backward(gradient, is_wanted)
        if back is not None:
            _add(arriving, source.name, back)

    def _through_operator(self, node: Node, gradient: Reals, arriving: dict[str, Reals]) -> None:
        shares = self.steps[node.name].backward(gradient)
        for value, share in zip(node.present_inputs, shares, strict=True):
            if share is not None and value.name in self.network.trained:
                _add(arriving, value.name, share)


def _add(arriving: dict[str, Reals], name: str, share: Reals) -> None:
    before = arriving.get(name)
    arriving[name] = share if before is None else before + share


def differentiable(graph: Graph, ends: Sequence[Value]) -> Differentiable:
    """The graph as far as `ends` need it.

    Raises UnsupportedError for an operator whose derivative is not known here.
    """
    needed = {value.name for value in ends}
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if any(value.name in needed for value in node.outputs):
            nodes.append(node)
            needed |= {value.name for value in node.present_inputs}
    nodes.reverse()
    products: dict[str, Product] = {}
    makers: dict[str, Make] = {}
    trained: set[str] = set()
    for node in nodes:
        product = product_of(node)
        if product is not None and is_real_layer(graph, node):
            products[node.name] = product
        else:
            makers[node.name] = _maker(node)
        if node.name in products or any(v.name in trained for v in node.present_inputs):
            trained.add(node.name)
    return Differentiable(graph, nodes, ends, products, makers, frozenset(trained))


def _maker(node: Node) -> Make:
    is_real = len(node.outputs) == 1 and node.outputs[0].type.dtype is DType.FLOAT32
    make = operator_step(node)
    if is_real and make is not None:
        return make
    raise UnsupportedError(
        f"{node.location}: expected operators with known derivatives to distil a network, got {node.operator.title} "
        f"for {visible(node.name)!r}; take weights=learned, which rounds each layer by itself"
    )


def layer_names(network: Differentiable) -> list[str]:
    """Those of layers with weights, in order."""
    return list(network.products)


def computed(
    network: Differentiable, inputs: Mapping[str, Reals], layers: Mapping[str, LayerNumbers]
) -> Pass:
    """The network on a batch. layers: numbers of each layer with weights, by the name of its result."""
    values: dict[str, Reals] = dict(inputs)
    layer_steps: dict[str, LayerStep] = {}
    steps: dict[str, Step] = {}
    for node in network.nodes:
        operands = [_operand(network, value, values) for value in _read(network, node)]
        product = network.products.get(node.name)
        if product is not None:
            layer_steps[node.name] = layer_step(product, layers[node.name], operands[0])
            values[node.name] = layer_steps[node.name].result
        else:
            steps[node.name] = network.makers[node.name](operands)
            values[node.name] = steps[node.name].result
    results = [values[value.name] for value in network.ends]
    return Pass(results, network, layer_steps, steps)


def _read(network: Differentiable, node: Node) -> Sequence[Value]:
    """Of a layer without what is trained."""
    return node.present_inputs[:1] if node.name in network.products else node.present_inputs


def _operand(network: Differentiable, value: Value, values: Mapping[str, Reals]) -> Reals:
    """Constants with an axis of 1 in front."""
    data = network.graph.constant(value)
    return values[value.name] if data is None else data.astype(np.float64)[None]
