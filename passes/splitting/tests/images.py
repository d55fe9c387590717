"""Small networks of images, lowered for the host."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir import Graph, Program
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Activation,
    Add,
    AveragePool2D,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    MaxPool2D,
    Mean,
    Operator,
)
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, lower
from tinsmith_reference import backend
from tinsmith_target import Target, target

HOST: Target = target("host")
KERNELS: tuple[Kernel, ...] = backend().kernels(HOST)


class Network:
    """A network of int8 in the making, with random weights. x: its input."""

    def __init__(self, *shape: int, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self._builder = GraphBuilder("network")
        self.x = self._builder.input("x", TensorType(shape, DType.INT8, self._quantization()))

    def conv(self, x: Value, channels: int, window: int = 3, stride: int = 1) -> Value:
        operator = Conv2D((stride, stride), padding=_margins(window))
        return self._weighted(operator, x, (channels, window, window, x.type.shape[3]))

    def depthwise(self, x: Value, window: int = 3, stride: int = 1) -> Value:
        operator = DepthwiseConv2D((stride, stride), padding=_margins(window))
        return self._weighted(operator, x, (1, window, window, x.type.shape[3]))

    def add(self, lhs: Value, rhs: Value) -> Value:
        return self._builder.add(Add(), [lhs, rhs], "y", self._quantization())

    def concat(self, *values: Value, axis: int) -> Value:
        return self._builder.add(Concat(axis=axis), [*values], "y", values[0].type.quantization)

    def pool(self, x: Value, window: int, stride: int, *, average: bool = False) -> Value:
        kind = AveragePool2D if average else MaxPool2D
        operator = kind((window, window), (stride, stride))
        return self._builder.add(operator, [x], "y", x.type.quantization)

    def average(self, x: Value) -> Value:
        operator = AveragePool2D((x.type.shape[1], x.type.shape[2]))
        return self._builder.add(operator, [x], "y", x.type.quantization)

    def linear(self, x: Value, units: int, *, has_bias: bool = True) -> Value:
        """Fully connected to all of an image."""
        return self._weighted(
            FullyConnected(activation=Activation.RELU),
            x,
            (units, x.type.elements),
            has_bias=has_bias,
        )

    def dense_rows(self, x: Value, units: int) -> Value:
        """Fully connected pixel by pixel."""
        return self._weighted(FullyConnected(), x, (units, x.type.shape[3]))

    def mean(self, x: Value, *, keep_dims: bool) -> Value:
        """Over height and width, rescaled."""
        operator = Mean(axes=(1, 2), keep_dims=keep_dims)
        return self._builder.add(operator, [x], "y", self._quantization())

    def build(self, *outputs: Value) -> Graph:
        return self._builder.build(outputs)

    def _quantization(self) -> Quantization:
        scale = float(np.float32(self.random.uniform(0.02, 0.09)))
        return Quantization.per_tensor(scale, int(self.random.integers(-100, 100)))

    def _weighted(
        self, operator: Operator, x: Value, shape: Sequence[int], *, has_bias: bool = True
    ) -> Value:
        axis = 3 if isinstance(operator, DepthwiseConv2D) else 0
        count = shape[axis]
        scales = tuple(float(np.float32(s)) for s in self.random.uniform(0.001, 0.01, count))
        data = self.random.integers(-127, 128, shape).astype(np.int8)
        weights = self._builder.constant("w", data, Quantization(scales, (0,) * count, axis))
        bias = self._builder.constant(
            "b", self.random.integers(-3000, 3000, count).astype(np.int32)
        )
        inputs = [x, weights, bias] if has_bias else [x, weights]
        return self._builder.add(operator, inputs, "y", self._quantization())


def _margins(window: int) -> tuple[int, int, int, int]:
    """Together one less than the window."""
    return (window - 1) // 2, window // 2, (window - 1) // 2, window // 2


def random_network(seed: int) -> Graph:
    """A chain with branches: convolutions, pools, sums, concatenations of rows and of channels."""
    random = np.random.default_rng(seed)

    def draw(low: int, high: int) -> int:
        return int(random.integers(low, high))

    network = Network(1, draw(2, 20), draw(1, 12), draw(1, 6), seed=seed)
    x = network.x
    for _ in range(draw(1, 7)):
        kind = draw(0, 7)
        window = (1, 2, 3, 5)[draw(0, 4)]
        if kind == 0:
            x = network.add(network.conv(x, x.type.shape[3], window), x)
        elif kind == 1:
            x = network.concat(x, x, axis=draw(1, 4))
        elif kind == 2 and min(x.type.shape[1:3]) >= 2:
            x = network.pool(x, 2, draw(1, 3), average=bool(draw(0, 2)))
        elif kind == 3:
            x = network.depthwise(x, window, draw(1, 3))
        else:
            x = network.conv(x, draw(1, 8), window, draw(1, 3))
    return network.build(x)


def lowered(graph: Graph) -> Program:
    return lower(graph, HOST, KERNELS)
