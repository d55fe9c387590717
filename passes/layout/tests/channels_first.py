"""Networks as importers compose them of channels-first models: transposes around whatever wants channels last."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    BatchMatmul,
    Concat,
    Conv2D,
    Conv3D,
    DepthwiseConv2D,
    FullyConnected,
    Logistic,
    MaxPool2D,
    Mean,
    Mul,
    Operator,
    Pad,
    Relu,
    Reshape,
    ResizeBilinear,
    Slice,
    Softmax,
    Sub,
    Transpose,
)
from tinsmith_ir.types import Quantization, TensorType

QUANTIZATION = Quantization.per_tensor(0.05, 3)


class ChannelsFirst:
    """Composes a network of tensors (N, C, ...), of float32 or quantized int8, whose weights are random."""

    def __init__(self, dtype: DType = DType.FLOAT32) -> None:
        self.builder = GraphBuilder("network")
        self.dtype = dtype
        self._random = np.random.default_rng(1)

    @property
    def is_real(self) -> bool:
        return self.dtype is DType.FLOAT32

    def image(self, *shape: int) -> Value:
        """An input (N, H, W, C), as a tensor (N, C, H, W)."""
        return self.first(self.given(*shape))

    def given(self, *shape: int) -> Value:
        """An input."""
        quantization = None if self.is_real else QUANTIZATION
        return self.builder.input("x", TensorType(shape, self.dtype, quantization))

    def build(self, *outputs: Value) -> Graph:
        return self.builder.build(outputs)

    def first(self, x: Value) -> Value:
        """(N, ..., C) as (N, C, ...)."""
        rank = len(x.type.shape)
        return self.transpose(x, 0, rank - 1, *range(1, rank - 1))

    def last(self, x: Value) -> Value:
        """(N, C, ...) as (N, ..., C)."""
        return self.transpose(x, 0, *range(2, len(x.type.shape)), 1)

    def transpose(self, x: Value, *permutation: int) -> Value:
        return self.add(Transpose(permutation), x)

    def reshape(self, x: Value, *shape: int) -> Value:
        return self.add(Reshape(shape), x)

    def add(self, operator: Operator, *operands: Value | None) -> Value:
        """A node; of integers its result is quantized as all others are."""
        (type_,) = operator.infer([value and value.type for value in operands])
        is_plain = self.is_real or type_.dtype is not self.dtype
        return self.builder.add(operator, operands, quantization=None if is_plain else QUANTIZATION)

    def constant(self, *shape: int) -> Value:
        """Real numbers, or integers quantized as all others are."""
        if self.is_real:
            numbers = self._random.standard_normal(shape, np.float32)
            return self.builder.constant("constant", numbers)
        return self.builder.constant("constant", self._integers(shape), QUANTIZATION)

    def weights(self, axis: int, *shape: int) -> tuple[Value, Value]:
        """Weights and bias. axis: that of output channels, each of which has a scale if they are integers."""
        channels = shape[axis]
        if self.is_real:
            return self.constant(*shape), self.constant(channels)
        scales = tuple(float(np.float32(0.001 * (2 + index))) for index in range(channels))
        per_channel = Quantization(scales, (0,) * channels, axis)
        products = tuple(float(np.float32(scale * QUANTIZATION.scale)) for scale in scales)
        bias = self._random.integers(-99, 100, channels).astype(np.int32)
        return (
            self.builder.constant("weights", self._integers(shape), per_channel),
            self.builder.constant("bias", bias, Quantization(products, (0,) * channels, 0)),
        )

    def _integers(self, shape: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
        return self._random.integers(-127, 128, shape).astype(np.int8)

    def conv(self, x: Value, channels: int, size: int = 3, *, groups: int = 1) -> Value:
        """A convolution that keeps height and width."""
        depth, edge = x.type.shape[1] // groups, size // 2
        weights = self.weights(0, channels, size, size, depth)
        return self.first(
            self.add(Conv2D(padding=(edge, edge, edge, edge)), self.last(x), *weights)
        )

    def depthwise(self, x: Value, multiplier: int = 1) -> Value:
        weights = self.weights(3, 1, 3, 3, x.type.shape[1] * multiplier)
        operator = DepthwiseConv2D(padding=(1, 1, 1, 1))
        return self.first(self.add(operator, self.last(x), *weights))

    def conv1d(self, x: Value, channels: int, size: int, dilation: int = 1) -> Value:
        """Of (N, C, W), through (N, 1, W, C); it reads what lies in front."""
        before = (size - 1) * dilation
        return self.unpadded_conv1d(
            self.add(Pad((0, 0, 0, 0, before, 0)), x), channels, size, dilation
        )

    def unpadded_conv1d(self, x: Value, channels: int, size: int, dilation: int = 1) -> Value:
        """Of (N, C, W), to fewer places."""
        batch, depth, _ = x.type.shape
        rows = self.last(x)
        image = self.reshape(rows, batch, 1, *rows.type.shape[1:])
        weights = self.weights(0, channels, 1, size, depth)
        made = self.add(Conv2D(dilation=(1, dilation)), image, *weights)
        return self.first(self.reshape(made, batch, *made.type.shape[2:]))

    def conv3d(self, x: Value, channels: int) -> Value:
        """Of (N, C, D, H, W)."""
        weights = self.constant(3, 3, 3, x.type.shape[1], channels)
        operator = Conv3D(padding=(1, 1, 1, 1, 1, 1))
        return self.first(self.add(operator, self.last(x), weights, self.constant(channels)))

    def pool(self, x: Value) -> Value:
        """The largest of two by two."""
        return self.first(self.add(MaxPool2D(window=(2, 2), stride=(2, 2)), self.last(x)))

    def average(self, x: Value) -> Value:
        """The mean of two by two."""
        return self.first(self.add(AveragePool2D(window=(2, 2), stride=(2, 2)), self.last(x)))

    def resize(self, x: Value, height: int, width: int) -> Value:
        operator = ResizeBilinear((height, width), half_pixel_centers=True)
        return self.first(self.add(operator, self.last(x)))

    def normalize(self, x: Value) -> Value:
        """A factor and a term for each channel, in two shapes that broadcast."""
        channels, ones = x.type.shape[1], (1,) * (len(x.type.shape) - 2)
        scaled = self.add(Mul(), x, self.constant(1, channels, *ones))
        return self.add(Add(), scaled, self.constant(channels, *ones))

    def normalize_groups(self, x: Value, groups: int) -> Value:
        """Each group of channels less its mean over all of its elements."""
        batch, elements = x.type.shape[0], x.type.elements
        rows = self.reshape(x, batch, groups, elements // (batch * groups))
        mean = self.add(Mean(axes=(2,), keep_dims=True), rows)
        return self.reshape(self.add(Sub(), rows, mean), *x.type.shape)

    def relu(self, x: Value) -> Value:
        return self.add(Relu(), x)

    def sum(self, lhs: Value, rhs: Value) -> Value:
        return self.add(Add(), lhs, rhs)

    def concat(self, *parts: Value, axis: int = 1) -> Value:
        """Of channels, or along another axis."""
        return self.add(Concat(axis=axis), *parts)

    def part(self, x: Value, axis: int, begin: int, end: int) -> Value:
        """Some of what there is along an axis."""
        start, shape = [0] * len(x.type.shape), list(x.type.shape)
        start[axis], shape[axis] = begin, end - begin
        return self.add(Slice(tuple(start), tuple(shape)), x)

    def state(self, *shape: int) -> Value:
        """What is kept from run to run, zeros at first."""
        return self.builder.state("state", np.zeros(shape, self.dtype.numpy))

    def shuffle(self, x: Value, groups: int) -> Value:
        """Channels that come one of each group after the other."""
        batch, channels, height, width = x.type.shape
        apart = self.reshape(x, batch, groups, channels // groups, height, width)
        return self.reshape(self.transpose(apart, 0, 2, 1, 3, 4), *x.type.shape)

    def mean(self, x: Value, *, keep_dims: bool = False) -> Value:
        """Over all places."""
        axes = tuple(range(2, len(x.type.shape)))
        return self.add(Mean(axes=axes, keep_dims=keep_dims), x)

    def excite(self, x: Value) -> Value:
        """Each channel by a factor that follows from the means of all."""
        squeezed = self.relu(self.conv(self.mean(x, keep_dims=True), 2, 1))
        factors = self.conv(squeezed, x.type.shape[1], 1)
        return self.add(
            Mul(), x, self.relu(factors) if not self.is_real else self.add(Logistic(), factors)
        )

    def flat(self, x: Value) -> Value:
        """(N, C H W)."""
        return self.reshape(x, x.type.shape[0], x.type.elements // x.type.shape[0])

    def linear(self, x: Value, outputs: int) -> Value:
        """Of the last axis."""
        depth = x.type.shape[-1]
        rows = self.reshape(x, x.type.elements // depth, depth)
        made = self.add(FullyConnected(), rows, *self.weights(0, outputs, depth))
        return self.reshape(made, *x.type.shape[:-1], outputs)

    def attend(self, x: Value, heads: int) -> Value:
        """Attention of (N, T, C): three transposes of heads, one back, and one of keys within their heads."""
        batch, length, depth = x.type.shape
        query, key, value = (
            self.transpose(
                self.reshape(self.linear(x, depth), batch, length, heads, depth // heads),
                *permutation,
            )
            for permutation in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
        )
        shares = self.add(Softmax(), self.add(BatchMatmul(), query, key))
        mixed = self.transpose(self.add(BatchMatmul(), shares, value), 0, 2, 1, 3)
        return self.linear(self.reshape(mixed, batch, length, depth), depth)
