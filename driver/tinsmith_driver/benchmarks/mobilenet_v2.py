"""MobileNetV2 of any width and image, as int8 with random weights: what planners of memory are asked for.

Source: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", table 2.
"""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir import DType, Graph, Value
from tinsmith_ir.activation import Activation
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Operator,
    Reshape,
)
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

_BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels of width 1, how many, stride of the first."""

_FIRST, _LAST = 32, 1280


def mobilenet_v2(pixels: int, width: float, classes: int = 1000) -> Graph:
    """The network for images of (pixels, pixels, 3); widths are rounded down, the last convolution keeps its own."""
    made = _Network(f"mobilenet_v2_{round(100 * width):03}_{pixels}")
    x = made.image(pixels)
    x = made.convolution(x, int(_FIRST * width), 3, 2, Activation.RELU6)
    for expansion, channels, count, stride in _BLOCKS:
        for number in range(count):
            x = made.block(x, expansion, int(channels * width), stride if number == 0 else 1)
    x = made.convolution(x, _LAST, 1, 1, Activation.RELU6)
    return made.classified(x, classes)


class _Network:
    def __init__(self, name: str) -> None:
        self._random = np.random.default_rng(0)
        self._builder = GraphBuilder(name)

    def image(self, pixels: int) -> Value:
        type_ = TensorType((1, pixels, pixels, 3), DType.INT8, Quantization.per_tensor(1 / 128, -1))
        return self._builder.input("image", type_)

    def block(self, x: Value, expansion: int, channels: int, stride: int) -> Value:
        """An inverted residual."""
        y = x
        if expansion > 1:
            y = self.convolution(y, expansion * x.type.shape[3], 1, 1, Activation.RELU6)
        y = self._depthwise(y, stride)
        y = self.convolution(y, channels, 1, 1, Activation.NONE)
        if stride > 1 or channels != x.type.shape[3]:
            return y
        return self._builder.add(Add(), [x, y], "sum", _LINEAR)

    def convolution(
        self, x: Value, channels: int, window: int, stride: int, activation: Activation
    ) -> Value:
        """Padded as TensorFlow's SAME."""
        operator = Conv2D((stride, stride), padding=_same(x, window, stride), activation=activation)
        return self._weighted(operator, x, (channels, window, window, x.type.shape[3]))

    def classified(self, x: Value, classes: int) -> Graph:
        """Mean over pixels and a linear layer."""
        pool = AveragePool2D((x.type.shape[1], x.type.shape[2]), (1, 1))
        y = self._builder.add(pool, [x], "mean", x.type.quantization)
        y = self._builder.add(Reshape(shape=(1, y.type.elements)), [y], "flat", y.type.quantization)
        return self._builder.build(
            [self._weighted(FullyConnected(), y, (classes, y.type.shape[1]))]
        )

    def _depthwise(self, x: Value, stride: int) -> Value:
        operator = DepthwiseConv2D(
            (stride, stride), padding=_same(x, 3, stride), activation=Activation.RELU6
        )
        return self._weighted(operator, x, (1, 3, 3, x.type.shape[3]))

    def _weighted(self, operator: Operator, x: Value, shape: Sequence[int]) -> Value:
        axis = 3 if isinstance(operator, DepthwiseConv2D) else 0
        count = shape[axis]
        taps = int(np.prod(shape)) // count
        if isinstance(operator, FullyConnected):
            quantization = Quantization.per_tensor(float(np.float32(0.02 / np.sqrt(taps))), 0)
        else:
            scales = self._random.uniform(0.5, 1.0, count) * 0.04 / np.sqrt(taps)
            quantization = Quantization(
                tuple(float(np.float32(scale)) for scale in scales), (0,) * count, axis
            )
        weights = self._builder.constant(
            "w", self._random.integers(-127, 128, shape).astype(np.int8), quantization
        )
        bias = self._builder.constant("b", self._random.integers(-900, 900, count).astype(np.int32))
        is_clamped = getattr(operator, "activation", Activation.NONE) is Activation.RELU6
        return self._builder.add(
            operator, [x, weights, bias], "y", _CLAMPED if is_clamped else _LINEAR
        )


_CLAMPED = Quantization.per_tensor(float(np.float32(6 / 255)), -128)
_LINEAR = Quantization.per_tensor(float(np.float32(0.05)), 3)


def _same(x: Value, window: int, stride: int) -> tuple[int, int, int, int]:
    """Top, bottom, left, right."""
    found: list[int] = []
    for extent in x.type.shape[1:3]:
        total = max(0, (-(-extent // stride) - 1) * stride + window - extent)
        found += [total // 2, total - total // 2]
    return found[0], found[1], found[2], found[3]
