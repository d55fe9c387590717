"""Weights of few bits that are trained: the network of them learns to give what the float network gives.

The data are inputs made of the calibration samples (`synthesis`), and the float network is the teacher (Hinton et al.,
"Distilling the Knowledge in a Neural Network", 2015), so nobody has to say what the inputs show. Weights are rounded on
the way forward, and derivatives pass as if they were not (Bengio et al., "Estimating or Propagating Gradients Through
Stochastic Neurons", 2013); scales are learned with them (Esser et al., "Learned Step Size Quantization", 2020). Rounded
weights would go to and fro between two integers to the end; towards it they are drawn to the nearest one, more and more
(Nagel et al., "Overcoming Oscillations in Quantization-Aware Training", 2022).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Node, Value
from tinsmith_ir.names import FreshNames
from tinsmith_ir.rewrite import erase_dead
from tinsmith_ir.types import TensorType

from tinsmith_quantization.layers import bits_of_layers
from tinsmith_quantization.products import Product, product_of
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.training.adam import Adam, share_left
from tinsmith_quantization.training.exact import Reals, total
from tinsmith_quantization.training.goals import Goal, goals_of, slopes
from tinsmith_quantization.training.gradient_layers import LayerNumbers
from tinsmith_quantization.training.gradients import (
    Differentiable,
    Learning,
    computed,
    differentiable,
    layer_names,
    real_numbers,
)
from tinsmith_quantization.training.learned_ranges import LearnedRanges
from tinsmith_quantization.training.synthesis import Synthesis
from tinsmith_quantization.weights import BlockScales, Rounded, largest, scales_of

_BATCH = 32
_SEED = 1
_RATE, _SCALE_RATE = 3e-3, 9e-4
"""Of Adam, at the start; it falls to nothing as half a cosine."""
_DRAWN_FROM, _DRAWN = 0.1, 200.0
"""The share of the steps behind which weights are drawn to integers, and by how much of the way at the end, times the
number of steps.
"""


@dataclass
class _Trained:
    """Numbers of a layer that are trained. bits: None if its weights are rounded later, by themselves.

    matrix: (G, O, K). bias: (G, O). scales: natural logarithms, (G, O).
    """

    product: Product
    bits: int | None
    has_bias: bool
    matrix: Reals
    bias: Reals
    scales: Reals

    def numbers(self) -> LayerNumbers:
        """What the layer computes with."""
        if self.bits is None:
            return LayerNumbers(self.matrix, self.bias)
        return LayerNumbers(self.integers() * self.steps(), self.bias)

    def integers(self) -> Reals:
        """The nearest of each weight."""
        assert self.bits is not None
        most = largest(self.bits)
        return np.clip(np.rint(self.matrix / self.steps()), -most, most)

    def gradients(self, found: LayerNumbers) -> tuple[Reals, Reals, Reals]:
        """Of matrix, bias and scales."""
        bias = found.bias if self.has_bias else np.zeros_like(self.bias)
        if self.bits is None:
            return found.matrix, bias, np.zeros_like(self.scales)
        steps, most = self.steps(), largest(self.bits)
        exact = self.matrix / steps
        is_inside = np.abs(exact) <= most
        scale = (self.integers() - np.where(is_inside, exact, 0.0)) * steps * found.matrix
        return np.where(is_inside, found.matrix, 0.0), bias, total(scale, (2,))

    def draw(self, share: float) -> None:
        """Weights a share of the way to their integers."""
        if self.bits is not None:
            self.matrix += share * (self.integers() * self.steps() - self.matrix)

    def steps(self) -> Reals:
        """Scales, in numbers that float32 has, (G, O, 1)."""
        return np.exp(self.scales).astype(np.float32).astype(np.float64)[:, :, None]


@dataclass(frozen=True)
class Distilled:
    """graph: float network with the weights that were trained. rounded: of its layers of few bits, by the name of the
    result, the integers that these weights are.
    """

    graph: Graph
    rounded: Mapping[str, Rounded]


def distilled(
    graph: Graph,
    samples: Mapping[str, Array],
    scheme: Scheme,
    bits: Mapping[str, int],
    on_step: Callable[[str], None],
    ranges: LearnedRanges | None = None,
) -> Distilled:
    """Train the layers of a network, those of fewer than 8 bits as integers, to give what the network itself gives.

    samples: (samples, *shape) of each input. bits: of layers where they differ from the scheme's. on_step: is told of
    each step of `scheme.steps`. ranges: learned with the weights, in place; None to leave activations real. A network
    without layers of few bits stays as it is, as ranges do.
    Raises UnsupportedError for a network with operators whose derivative is not known here.
    """
    all_bits = bits_of_layers(graph, scheme, bits)
    if all(number == 8 for number in all_bits.values()):
        return Distilled(graph, {})
    goals = goals_of(graph)
    learning = Learning(ranges=frozenset() if ranges is None else ranges.names)
    network = differentiable(graph, [goal.value for goal in goals], learning)
    layers = _layers(graph, layer_names(network), all_bits, scheme)
    data = Synthesis(samples, np.random.default_rng(_SEED))
    _train(network, goals, layers, data, scheme, on_step, ranges)
    rounded = {name: _rounded(layer) for name, layer in layers.items() if layer.bits is not None}
    return Distilled(_with_numbers(graph, layers), rounded)


def _layers(
    graph: Graph, names: Sequence[str], bits: Mapping[str, int], scheme: Scheme
) -> dict[str, _Trained]:
    """Of each layer by the name of its result; one for all with the same weights, bias and bits."""
    found: dict[str, _Trained] = {}
    own: dict[tuple[str, ...], _Trained] = {}
    for node in graph.nodes:
        if node.name not in names:
            continue
        key = *(value.name for value in node.present_inputs[1:]), str(bits[node.name])
        if key not in own:
            own[key] = _untrained(graph, node, bits[node.name], scheme)
        found[node.name] = own[key]
    return found


def _untrained(graph: Graph, node: Node, bits: int, scheme: Scheme) -> _Trained:
    product = product_of(node)
    assert product is not None
    scheme = scheme.of_layer(bits)
    numbers = real_numbers(graph, product)
    scales = scales_of(
        numbers.matrix, bits, per_channel=scheme.per_channel, power_of_two=scheme.power_of_two
    )
    has_bias = len(node.present_inputs) > 2
    few = None if bits == 8 else bits
    return _Trained(
        product, few, has_bias, numbers.matrix.copy(), numbers.bias.copy(), np.log(scales)
    )


def _train(
    network: Differentiable,
    goals: Sequence[Goal],
    layers: Mapping[str, _Trained],
    data: Synthesis,
    scheme: Scheme,
    on_step: Callable[[str], None],
    ranges: LearnedRanges | None,
) -> None:
    teacher = {
        name: LayerNumbers(layer.matrix.copy(), layer.bias.copy()) for name, layer in layers.items()
    }
    few = scheme.of_layer(min((layer.bits or 8 for layer in layers.values()), default=8))
    learns_scales = few.per_channel and not few.power_of_two
    walk = _Walk(layers, _SCALE_RATE if learns_scales else 0.0)
    for step in range(scheme.steps):
        on_step("distilling")
        inputs = data.batch(_BATCH)
        wanted = computed(network, inputs, teacher).results
        given = {name: layer.numbers() for name, layer in layers.items()}
        roundings = {} if ranges is None else ranges.roundings()
        done = computed(network, inputs, given, roundings)
        found = done.gradients(slopes(goals, wanted, done.results))
        left = share_left(step, scheme.steps)
        walk.step(found.layers, step + 1, left)
        if ranges is not None:
            ranges.step(found.ranges, step + 1, left)
        share = step / scheme.steps
        drawn = _DRAWN / scheme.steps * (share - _DRAWN_FROM) / (1 - _DRAWN_FROM)
        for layer in walk.layers:
            layer.draw(min(max(drawn, 0.0), 1.0))


class _Walk:
    """Adam over the numbers of all layers."""

    def __init__(self, layers: Mapping[str, _Trained], scale_rate: float) -> None:
        """layers: by name, some of them under several."""
        self._names: dict[int, list[str]] = {}
        self.layers: list[_Trained] = []
        for name, layer in layers.items():
            if id(layer) not in self._names:
                self.layers.append(layer)
            self._names.setdefault(id(layer), []).append(name)
        rates = _RATE, _RATE, scale_rate
        self._movers = [
            Adam((layer.matrix, layer.bias, layer.scales), rates) for layer in self.layers
        ]

    def step(self, gradients: Mapping[str, LayerNumbers], count: int, share: float) -> None:
        """gradients: by name. count: of steps, with this one. share: of the rate that is left."""
        for layer, mover in zip(self.layers, self._movers, strict=True):
            found = [gradients[name] for name in self._names[id(layer)] if name in gradients]
            if found:
                mover.step(layer.gradients(_sum(found)), count, share)


def _sum(found: Sequence[LayerNumbers]) -> LayerNumbers:
    """Of what one layer's numbers do in several places."""
    matrix, bias = found[0].matrix, found[0].bias
    for other in found[1:]:
        matrix, bias = matrix + other.matrix, bias + other.bias
    return LayerNumbers(matrix, bias)


def _rounded(layer: _Trained) -> Rounded:
    integers = layer.integers().astype(np.int64)
    scales = BlockScales(layer.steps()[:, :, 0])
    return Rounded(integers, scales, layer.bias if layer.has_bias else None)


def _with_numbers(graph: Graph, layers: Mapping[str, _Trained]) -> Graph:
    """The graph with the layers' numbers in constants of their own."""
    own = _OwnConstants(graph)
    nodes = [
        own.read_by(node, layers[node.name]) if node.name in layers else node
        for node in graph.nodes
    ]
    return erase_dead(
        replace(graph, nodes=tuple(nodes), constants=(*graph.constants, *own.constants))
    )


class _OwnConstants:
    """One for each array of a layer, however many nodes read it."""

    def __init__(self, graph: Graph) -> None:
        self._names = FreshNames(graph.values)
        self._values: dict[tuple[int, int], Value] = {}
        self.constants: list[Constant] = []

    def read_by(self, node: Node, layer: _Trained) -> Node:
        """The node with the layer's numbers."""
        numbers = layer.numbers()
        arrays = [layer.product.weights(numbers.matrix), numbers.bias.reshape(-1)]
        inputs = list(node.inputs)
        for place, array in enumerate(arrays[: 2 if layer.has_bias else 1], start=1):
            old = inputs[place]
            assert old is not None
            inputs[place] = self._value((id(layer), place), old.name, array.astype(np.float32))
        return replace(node, inputs=tuple(inputs))

    def _value(self, key: tuple[int, int], name: str, data: Array) -> Value:
        if key not in self._values:
            value = Value(self._names.name(name), TensorType(data.shape, DType.FLOAT32))
            self.constants.append(Constant(value, data))
            self._values[key] = value
        return self._values[key]
