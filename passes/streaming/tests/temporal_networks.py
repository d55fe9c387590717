"""Random networks over time: what temporal convolutional networks are made of, in one shape or another."""

from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir import Array, DType, Graph, Operator, Quantization, TensorType, Value
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
    Pad,
    Relu,
    Reshape,
    Slice,
)
from tinsmith_ir.operators.windows import Padding2D, Pair
from tinsmith_ir.testing import GraphBuilder

_DTYPES = (DType.INT8, DType.INT8, DType.INT16, DType.FLOAT32)


def random_temporal_network(seed: int) -> Graph:
    """A network of a few layers over 8 to 25 frames of a few features; of two streams where one goes around layers.

    Either all its layers pad in front, so that no row is lost, or none pads.
    """
    return _Drawing(np.random.default_rng(seed)).graph()


@dataclass(frozen=True)
class _Layer:
    """One window along time, and the features that it sees."""

    extent: int
    stride: int
    dilation: int
    before: int


class _Drawing:
    """time: the axis, 1 or 2, of values [1,H,W,C]."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._builder = GraphBuilder("temporal")
        self._dtype = _DTYPES[random.integers(len(_DTYPES))]
        self._time = int(random.integers(1, 3))
        self._is_causal = bool(random.random() < 0.6)

    def graph(self) -> Graph:
        value = self._input()
        for _ in range(self._random.integers(1, 5)):
            value = self._step(value)
        outputs = [value]
        if self._random.random() < 0.5:
            outputs.append(self._head(value))
        return self._builder.build(outputs)

    def _input(self) -> Value:
        frames = int(self._random.integers(8, 26))
        if self._is_causal:  # what is padded is a number of runs
            frames = 12 * int(self._random.integers(1, 3))
        features, channels = (int(self._random.integers(1, 4)) for _ in range(2))
        if self._time == 1:
            return self._given((1, frames, features, channels))
        # Time is the first long axis of what comes in.
        given = self._given((1, frames, channels))
        return self._builder.add(Reshape((1, 1, frames, channels)), [given], "image")

    def _given(self, shape: tuple[int, ...]) -> Value:
        return self._builder.input("x", TensorType(shape, self._dtype, self._scale()))

    def _step(self, value: Value) -> Value:
        steps = (self._layer, self._layer, self._residual, self._pool, self._padded, self._elements)
        return steps[self._random.integers(len(steps))](value)

    def _layer(self, value: Value, *, keeps_shape: bool = False) -> Value:
        layer = self._draw(value, most_stride=1 if keeps_shape else 2)
        channels = value.type.shape[3]
        if self._random.random() < 0.4:
            operator: Conv2D | DepthwiseConv2D = DepthwiseConv2D()
            outputs = channels
            weights = self._weights((1, *self._pair(layer.extent, 1), channels))
        else:
            operator = Conv2D()
            outputs = channels if keeps_shape else int(self._random.integers(1, 5))
            weights = self._weights((outputs, *self._pair(layer.extent, 1), channels))
        operator = replace(
            operator,
            stride=self._pair(layer.stride, 1),
            dilation=self._pair(layer.dilation, 1),
            padding=self._padding(layer.before),
            activation=Activation.RELU if self._random.random() < 0.5 else Activation.NONE,
        )
        bias = self._bias(outputs, value, weights)
        return self._add(operator, [value, weights, bias])

    def _residual(self, value: Value) -> Value:
        """A layer and what goes around it, aligned to its newest row."""
        made = self._layer(value, keeps_shape=True)
        lost = value.type.shape[self._time] - made.type.shape[self._time]
        around = value
        if lost:
            begin = tuple(lost if axis == self._time else 0 for axis in range(4))
            around = self._builder.add(Slice(begin, made.type.shape), [value], "around")
        if self._random.random() < 0.5:
            return self._add(Add(), [made, around])
        return self._add(Concat(3), [made, around])

    def _pool(self, value: Value) -> Value:
        layer = self._draw(value, most_stride=2)
        layer = replace(layer, dilation=1, before=min(layer.before, layer.extent - 1))
        if self._is_causal:
            layer = replace(layer, before=layer.extent - 1)
        is_mean = layer.before == 0 and self._random.random() < 0.5
        kind = AveragePool2D if is_mean else MaxPool2D
        return self._builder.add(
            kind(
                self._pair(layer.extent, 1),
                self._pair(layer.stride, 1),
                self._padding(layer.before),
            ),
            [value],
            "pool",
        )

    def _padded(self, value: Value) -> Value:
        """Padding as an operator of its own, with any value, and a layer behind it."""
        if not self._is_causal or value.type.shape[self._time] < 2:
            return self._elements(value)
        extent = int(self._random.integers(2, 4))
        before = [0] * 8
        before[2 * self._time] = extent - 1
        added = float(self._random.normal()) if self._dtype is DType.FLOAT32 else 5
        padded = self._builder.add(Pad(tuple(before), added), [value], "padded")
        weights = self._weights((2, *self._pair(extent, 1), value.type.shape[3]))
        return self._add(Conv2D(), [padded, weights, None])

    def _elements(self, value: Value) -> Value:
        constant = self._constant((value.type.shape[3],), self._scale())
        added = self._add(Add(), [value, constant])
        return self._add(Relu(), [added])

    def _head(self, value: Value) -> Value:
        rows = value.type.shape[self._time]
        match int(self._random.integers(3)):
            case 0:
                return self._add(Mean((1, 2), keep_dims=bool(self._random.integers(2))), [value])
            case 1:
                begin = tuple(rows - 1 if axis == self._time else 0 for axis in range(4))
                shape = tuple(
                    1 if axis == self._time else n for axis, n in enumerate(value.type.shape)
                )
                return self._builder.add(Slice(begin, shape), [value], "last")
            case _:
                flat = self._builder.add(Reshape((1, value.type.elements)), [value], "flat")
                weights = self._weights((3, value.type.elements))
                return self._add(FullyConnected(), [flat, weights, None])

    def _draw(self, value: Value, most_stride: int) -> _Layer:
        """A window that fits, and of a causal network leaves no row out."""
        rows = value.type.shape[self._time]
        may_stride = rows > 4 and (rows % 2 == 0 or not self._is_causal)
        stride = int(self._random.integers(1, most_stride + 1)) if may_stride else 1
        extent, dilation = (int(self._random.integers(1, 4)) for _ in range(2))
        reach = (extent - 1) * dilation + 1
        if not self._is_causal:
            fits = reach + 1 < rows
            return _Layer(extent, stride, dilation, 0) if fits else _Layer(1, 1, 1, 0)
        before = int(self._random.integers(max(0, reach - stride), reach))
        return _Layer(extent, stride, dilation, before)

    def _pair(self, along: int, beside: int) -> Pair:
        return (along, beside) if self._time == 1 else (beside, along)

    def _padding(self, before: int) -> Padding2D:
        return (before, 0, 0, 0) if self._time == 1 else (0, 0, before, 0)

    def _scale(self) -> Quantization | None:
        if self._dtype is DType.FLOAT32:
            return None
        zero = int(self._random.integers(-20, 20)) if self._dtype is DType.INT8 else 0
        return Quantization.per_tensor(float(self._random.uniform(0.2, 0.6)), zero)

    def _add(self, operator: Operator, inputs: list[Value | None]) -> Value:
        return self._builder.add(operator, inputs, quantization=self._scale())

    def _weights(self, shape: tuple[int, ...]) -> Value:
        if self._dtype is DType.FLOAT32:
            return self._constant(shape, None)
        integers = self._random.integers(-90, 91, shape).astype(np.int8)
        return self._builder.constant("w", integers, Quantization.per_tensor(0.02, 0))

    def _bias(self, outputs: int, value: Value, weights: Value) -> Value | None:
        if self._random.random() < 0.3:
            return None
        if value.type.quantization is None or weights.type.quantization is None:
            return self._constant((outputs,), None)
        scale = value.type.quantization.scale * weights.type.quantization.scale
        integers = self._random.integers(-200, 201, outputs).astype(np.int32)
        scale = float(np.float32(scale))
        return self._builder.constant("bias", integers, Quantization.per_tensor(scale, 0))

    def _constant(self, shape: tuple[int, ...], quantization: Quantization | None) -> Value:
        array: Array = self._random.standard_normal(shape).astype(np.float32)
        if quantization is not None:
            array = self._random.integers(-100, 101, shape).astype(self._dtype.numpy)
        return self._builder.constant("c", array, quantization)
