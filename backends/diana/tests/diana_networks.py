"""Small networks of the kinds that DIANA was measured with, of random weights."""

import numpy as np
from tinsmith_ir import Graph
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Activation,
    Add,
    AveragePool2D,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Mean,
    Reshape,
    Softmax,
)
from tinsmith_ir.program import Call, Program
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType

_SCALE = 2.0**-5
_POINT = Quantization.per_tensor(_SCALE, 0)
_FLOOR = Rounding.FLOOR


class Layers:
    """Layers of int8 whose results are shifted sums, with scales of 2**-5 everywhere."""

    def __init__(self, name: str, shape: tuple[int, ...], seed: int) -> None:
        self._builder = GraphBuilder(name)
        self._random = np.random.default_rng(seed)
        self._count = 0
        self.input = self._builder.input("x", TensorType(shape, DType.INT8, _POINT))

    def conv(
        self, x: Value, outputs: int, window: tuple[int, int], stride: int = 1, *, relu: bool = True
    ) -> Value:
        """With as much padding on each side as half a window."""
        shape = (outputs, *window, x.type.shape[3])
        operator = Conv2D(
            stride=(stride, stride),
            padding=_around(window),
            rounding=_FLOOR,
            activation=_clip(relu=relu),
        )
        return self._weighted(operator, x, shape, outputs)

    def depthwise(self, x: Value, stride: int = 1) -> Value:
        """3x3, with ReLU."""
        channels = x.type.shape[3]
        operator = DepthwiseConv2D(
            stride=(stride, stride),
            padding=_around((3, 3)),
            rounding=_FLOOR,
            activation=Activation.RELU,
        )
        return self._weighted(operator, x, (1, 3, 3, channels), channels)

    def dense(self, x: Value, outputs: int, *, relu: bool = False) -> Value:
        """A fully connected layer."""
        operator = FullyConnected(rounding=_FLOOR, activation=_clip(relu=relu))
        return self._weighted(operator, x, (outputs, x.type.shape[1]), outputs)

    def add(self, one: Value, other: Value) -> Value:
        """(one + other) >> 1."""
        result = Quantization.per_tensor(2 * _SCALE, 0)
        return self._builder.add(Add(rounding=_FLOOR), [one, other], self._name(), result)

    def mean(self, x: Value) -> Value:
        """Of all pixels, as a vector."""
        operator = Mean(axes=(1, 2), keep_dims=False)
        return self._builder.add(operator, [x], self._name(), x.type.quantization)

    def average(self, x: Value) -> Value:
        """Of all pixels, as a vector, by a pool."""
        _, height, width, channels = x.type.shape
        y = self._builder.add(
            AveragePool2D((height, width)), [x], self._name(), x.type.quantization
        )
        shape = Reshape(shape=(1, channels))
        return self._builder.add(shape, [y], self._name(), x.type.quantization)

    def end(self, x: Value) -> Graph:
        """With a softmax."""
        quantization = Quantization.per_tensor(1 / 256, -128)
        return self._builder.build(self._builder.add(Softmax(), [x], "y", quantization))

    def _weighted(
        self,
        operator: Conv2D | DepthwiseConv2D | FullyConnected,
        x: Value,
        shape: tuple[int, ...],
        outputs: int,
    ) -> Value:
        data = self._random.integers(-128, 128, shape).astype(np.int8)
        spread = 74.0 * float(np.sqrt((data.astype(np.int64) ** 2).sum() / outputs))
        shift = max(0, int(np.log2(spread / 40)))
        assert x.type.quantization is not None
        scale = _SCALE / x.type.quantization.scale * 2.0**-shift
        name = self._name()
        weights = self._builder.constant(f"{name}.w", data, Quantization.per_tensor(scale, 0))
        biases = self._random.integers(-int(spread), int(spread), outputs).astype(np.int32)
        bias = self._builder.constant(f"{name}.b", biases)
        return self._builder.add(operator, [x, weights, bias], name, _POINT)

    def _name(self) -> str:
        self._count += 1
        return f"layer{self._count}"


def separable(seed: int) -> Graph:
    """As a network of depthwise separable convolutions on spectrograms."""
    layers = Layers("separable", (1, 10, 49, 1), seed)
    x = layers.conv(layers.input, 24, (5, 7), 2)
    for outputs in (24, 20):
        x = layers.conv(layers.depthwise(x), outputs, (1, 1))
    return layers.end(layers.dense(layers.mean(x), 12))


def strided(seed: int) -> Graph:
    """As a small MobileNet: few channels at first, images that shrink by depthwise layers."""
    layers = Layers("strided", (1, 24, 24, 3), seed)
    x = layers.conv(layers.input, 8, (3, 3), 2)
    for outputs, stride in ((16, 1), (33, 2), (20, 2)):
        x = layers.conv(layers.depthwise(x, stride), outputs, (1, 1))
    return layers.end(layers.dense(layers.average(x), 4))


def residual(seed: int) -> Graph:
    """Two blocks whose input is added to their end, the second one by 1x1 windows with strides."""
    layers = Layers("residual", (1, 16, 20, 3), seed)
    x = layers.conv(layers.input, 16, (3, 3))
    inner = layers.conv(layers.conv(x, 16, (3, 3)), 16, (3, 3), relu=False)
    x = layers.add(x, inner)
    inner = layers.conv(layers.conv(x, 20, (3, 3), 2), 20, (3, 3), relu=False)
    x = layers.add(layers.conv(x, 20, (1, 1), 2, relu=False), inner)
    return layers.end(layers.dense(layers.mean(x), 12))


def dense(seed: int) -> Graph:
    """An autoencoder of fully connected layers."""
    layers = Layers("dense", (1, 70), seed)
    x = layers.input
    for outputs in (48, 48, 8, 48):
        x = layers.dense(x, outputs, relu=True)
    return layers.end(layers.dense(x, 70))


def layer_calls(program: Program) -> list[Call]:
    """Those of layers, without the ones that turn a tensor to another layout."""
    return [call for call in program.calls if not isinstance(call.operator, Reshape)]


NETWORKS = (separable, strided, residual, dense)


def _around(window: tuple[int, int]) -> tuple[int, int, int, int]:
    height, width = window[0] // 2, window[1] // 2
    return height, height, width, width


def _clip(*, relu: bool) -> Activation:
    return Activation.RELU if relu else Activation.NONE
