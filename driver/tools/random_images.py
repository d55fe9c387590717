"""Random networks of int8 images, for tools that compile and run many of them."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir import DType, Graph, Value
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    MaxPool2D,
    Mean,
    Operator,
    Reshape,
    Softmax,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

_PROBABILITIES = Quantization.per_tensor(1 / 256, -128)


class RandomNetwork:
    """A network in the making, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._builder = GraphBuilder(f"random_{seed}")
        modes = (Rounding.TFLITE,) if seed % 3 else (Rounding.NEAREST, Rounding.FLOOR)
        self._rounding = modes[self._draw(0, len(modes))]

    def graph(self) -> Graph:
        """An image, layers, and mostly a classifier at the end."""
        shape = (1, self._draw(1, 33), self._draw(1, 33), self._draw(1, 25))
        x = self._builder.input("x", TensorType(shape, DType.INT8, self._quantization()))
        for _ in range(self._draw(2, 8)):
            x = self._block(x)
        end = self._draw(0, 4)
        if end == 1:
            x = self._mean(x)
        if end:
            for _ in range(self._draw(1, 3)):
                x = self._linear(x, self._draw(1, 40))
        if self._draw(0, 2):
            x = self._builder.add(Softmax(), [x], "y", _PROBABILITIES)
        return self._builder.build([x])

    def _block(self, x: Value) -> Value:
        kind = self._draw(0, 8)
        if kind == 0:
            return self._sum(x, self._same(x))
        if kind == 1:
            return self._sum(self._same(x), self._same(x))
        if kind == 2:
            return self._concatenation(x)
        if kind == 3:
            return self._pool(x)
        if kind in (4, 5):
            return self._depthwise(x, stride=self._draw(1, 3))
        return self._convolution(x, self._draw(1, 40), stride=self._draw(1, 3))

    def _same(self, x: Value) -> Value:
        """Of the shape of `x`."""
        if self._draw(0, 2):
            return self._convolution(x, x.type.shape[3], stride=1)
        return self._depthwise(x, stride=1)

    def _sum(self, lhs: Value, rhs: Value) -> Value:
        return self._result(Add(rounding=self._rounding), [lhs, rhs])

    def _concatenation(self, x: Value) -> Value:
        """Two or three branches one after the other, along the channels mostly."""
        axis = 3 if self._draw(0, 4) else self._draw(1, 3)
        like = self._quantization()
        channels = self._draw(1, 12)
        branches: list[Value] = []
        for _ in range(self._draw(2, 4)):
            channels = self._draw(1, 12) if axis == 3 else channels
            branches.append(self._convolution(x, channels, stride=1, like=like))
        return self._builder.add(Concat(axis=axis), branches, "y", like)

    def _pool(self, x: Value) -> Value:
        """Of any window that is not larger than the image."""
        window = [self._draw(1, min(4, extent) + 1) for extent in x.type.shape[1:3]]
        top, bottom = (self._draw(0, min(window[0], 2)) for _ in range(2))
        left, right = (self._draw(0, min(window[1], 2)) for _ in range(2))
        kind = (MaxPool2D, AveragePool2D)[self._draw(0, 2)]
        stride = (self._draw(1, 4), self._draw(1, 4))
        operator = kind((window[0], window[1]), stride, (top, bottom, left, right))
        return self._pooled(operator, x)

    def _pooled(self, operator: Operator, x: Value) -> Value:
        return self._builder.add(operator, [x], "y", x.type.quantization)

    def _mean(self, x: Value) -> Value:
        """Over height and width, as a pool or rescaled."""
        if self._draw(0, 2):
            keep_dims = bool(self._draw(0, 2))
            return self._result(
                Mean(axes=(1, 2), keep_dims=keep_dims, rounding=self._rounding), [x]
            )
        height, width = x.type.shape[1:3]
        return self._pooled(AveragePool2D((height, width)), x)

    def _linear(self, x: Value, outputs: int) -> Value:
        inputs = x.type.elements
        if len(x.type.shape) > 2:
            x = self._builder.add(Reshape(shape=(1, inputs)), [x], "flat", x.type.quantization)
        operator = FullyConnected(rounding=self._rounding)
        return self._weighted(operator, x, (outputs, inputs))

    def _convolution(
        self, x: Value, channels: int, *, stride: int, like: Quantization | None = None
    ) -> Value:
        """Padded so that a stride of 1 keeps the image."""
        window = [(1, 3, 3, 5)[self._draw(0, 4)]] * 2
        if not self._draw(0, 4):
            window[self._draw(0, 2)] = 1
        operator = Conv2D((stride, stride), padding=_margins(window), rounding=self._rounding)
        return self._weighted(operator, x, (channels, *window, x.type.shape[3]), like)

    def _depthwise(self, x: Value, *, stride: int) -> Value:
        """Padded so that a stride of 1 keeps the image; a stride may be another one down than across."""
        window = [(3, 3, 5, 2)[self._draw(0, 4)]] * 2
        strides = (stride, self._draw(1, stride + 1))
        operator = DepthwiseConv2D(strides, padding=_margins(window), rounding=self._rounding)
        return self._weighted(operator, x, (1, *window, x.type.shape[3]))

    def _weighted(
        self, operator: Operator, x: Value, shape: Sequence[int], like: Quantization | None = None
    ) -> Value:
        is_depthwise = isinstance(operator, DepthwiseConv2D)
        axis = 3 if is_depthwise else 0
        count = shape[axis]
        taps = int(np.prod(shape)) // count
        scales = self._random.uniform(0.2, 1.0, count) * 0.02 / np.sqrt(taps)
        scales = tuple(float(np.float32(scale)) for scale in scales)
        if isinstance(operator, FullyConnected):
            quantization = Quantization.per_tensor(scales[0], 0)
        else:
            quantization = Quantization(scales, (0,) * count, axis)
        data = self._random.integers(-127, 128, shape).astype(np.int8)
        weights = self._builder.constant("w", data, quantization)
        bias = self._random.integers(-2000, 2000, count).astype(np.int32)
        inputs = [x, weights, self._builder.constant("b", bias)]
        return self._builder.add(operator, inputs, "y", like or self._quantization())

    def _result(self, operator: Operator, inputs: Sequence[Value]) -> Value:
        return self._builder.add(operator, inputs, "y", self._quantization())

    def _quantization(self) -> Quantization:
        scale = float(np.float32(self._random.uniform(0.02, 0.06)))
        return Quantization.per_tensor(scale, self._draw(-128, 128))

    def _draw(self, low: int, high: int) -> int:
        return int(self._random.integers(low, high))


def _margins(window: Sequence[int]) -> tuple[int, int, int, int]:
    """Top, bottom, left, right: together one less than the window."""
    height, width = window
    return (height - 1) // 2, height // 2, (width - 1) // 2, width // 2
