"""The four networks on which HTVM was measured on DIANA, as int8 with random weights.

Source: Van Delm et al., "HTVM", DAC 2023 (arXiv 2406.07453), and the layers in its code: shapes, strides and padding of
MLPerf Tiny's networks but for a first filter of 5 x 7 on a transposed input (DSCNN), classes filled up to a multiple of
four, and no ReLU behind sums (ResNet). That ToyAdmos has one behind every layer but the last, that ResNet has one
behind its first layer, and the shift of sums are assumptions; none of them changes cycles by much.

Zero points are 0 and scales powers of two, so a layer with weights is its accumulator `>> 4` in 8 bits, once
`set-rounding{mode=floor}` has made it round down, and a sum of two tensors `>> 1`. Weights are drawn from as few
integers as keep results of such a layer from saturating or vanishing; what is random follows from the seed.

Mixed ones have ternary weights in the layers that HTVM gave to the analog array, of any scales that keep results as
large. Free ones have them in all layers that could be the analog array's but the first and the last, and of scales that
are powers of two, so that the digital array can compute them, too.
"""

import enum
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

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
    Softmax,
)
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

SHIFT = 4
"""Of layers with weights: bits that their accumulators lose."""

_WEIGHT_SCALE = 2.0**-SHIFT
_INPUT_SCALE = 2.0**-7
_BIAS = 1 << (SHIFT + 3)
_PROBABILITIES = Quantization.per_tensor(1 / 256, -128)

Pair = tuple[int, int]
"""Of rows and of columns."""

_MOBILENET = (
    (16, 1),
    (32, 2),
    (32, 1),
    (64, 2),
    (64, 1),
    (128, 2),
    *[(128, 1)] * 5,
    (256, 2),
    (256, 1),
)
"""Channels behind each pair of a depthwise and a pointwise layer, and the stride of the former."""

_AUTOENCODER = (128, 128, 128, 128, 8, 128, 128, 128, 128)


class Ternary(enum.Enum):
    """Which layers have ternary weights, see above."""

    NONE = "none"
    MIXED = "mixed"
    FREE = "free"


def dscnn(seed: int = 0, *, weights: Ternary = Ternary.NONE) -> Graph:
    """Keyword spotting: 10 x 49 features."""
    made = _Network("dscnn", seed, weights)
    x = made.input(10, 49, 1)
    x = made.convolution(x, 64, _Window((5, 7), 2, (2, 3)))
    for _ in range(4):
        x = made.convolution(made.depthwise(x, 1), 64, _Window((1, 1)), ternary=True)
    return made.classified(x, 12)


def mobilenet(seed: int = 0, *, weights: Ternary = Ternary.NONE) -> Graph:
    """Visual wake words: MobileNet of width 1/4, 96 x 96 pixels."""
    made = _Network("mobilenet", seed, weights)
    x = made.convolution(made.input(96, 96, 3), 8, _Window((3, 3), 2, (1, 1)))
    for number, (channels, stride) in enumerate(_MOBILENET, start=1):
        ternary = weights is Ternary.FREE or number < len(_MOBILENET)
        x = made.convolution(made.depthwise(x, stride), channels, _Window((1, 1)), ternary=ternary)
    return made.classified(x, 4)


def separable(side: int, seed: int = 0, *, weights: Ternary = Ternary.NONE) -> Graph:
    """The first layers of `mobilenet` on `side` x `side` pixels, and a sum around the first pair as in MobileNetV2.

    Not one of the four: its images may be larger than the L1 memory.
    """
    made = _Network("separable", seed, weights)
    x = made.convolution(made.input(side, side, 3), 8, _Window((3, 3), 2, (1, 1)))
    y = made.convolution(made.depthwise(x, 1), 8, _Window((1, 1)), Activation.NONE, ternary=True)
    x = made.sum(y, x)
    x = made.convolution(made.depthwise(x, 1), 16, _Window((1, 1)), ternary=True)
    x = made.convolution(made.depthwise(x, 2), 32, _Window((1, 1)), ternary=True)
    return made.classified(x, 4)


def resnet(seed: int = 0, *, weights: Ternary = Ternary.NONE) -> Graph:
    """Image classification: ResNet-8, 32 x 32 pixels."""
    made = _Network("resnet", seed, weights)
    x = made.convolution(made.input(32, 32, 3), 16, _Window((3, 3), 1, (1, 1)))
    x = made.residual(x, 16, 1)
    x = made.residual(x, 32, 2)
    x = made.residual(x, 64, 2, ternary_skip=weights is Ternary.FREE)
    return made.classified(x, 12)


def toyadmos(seed: int = 0, *, weights: Ternary = Ternary.NONE) -> Graph:
    """Anomaly detection: an autoencoder of 640 features."""
    made = _Network("toyadmos", seed, weights)
    x = made.vector(640)
    for number, outputs in enumerate(_AUTOENCODER):
        x = made.linear(x, outputs, Activation.RELU, ternary=number > 0)
    return made.built(made.linear(x, 640, Activation.NONE))


NETWORKS: Mapping[str, Callable[..., Graph]] = {
    "dscnn": dscnn,
    "mobilenet": mobilenet,
    "resnet": resnet,
    "toyadmos": toyadmos,
}
"""By name; each takes a seed."""


def _with(weights: Ternary) -> Mapping[str, Callable[[int], Graph]]:
    return {name: partial(network, weights=weights) for name, network in NETWORKS.items()}


MIXED: Mapping[str, Callable[[int], Graph]] = _with(Ternary.MIXED)
"""Those with the layers ternary that HTVM gave to the analog array."""

FREE: Mapping[str, Callable[[int], Graph]] = _with(Ternary.FREE)
"""Those whose layers either array can compute."""


Image = tuple[int, int, int]
"""Rows, columns, channels."""


def one_convolution(image: Image, outputs: int, side: int, *, ternary: bool = False) -> Graph:
    """A layer of such networks by itself: as large a result as its input. side: of the window, odd."""
    made = _Network("convolution", 0, Ternary.MIXED if ternary else Ternary.NONE)
    half = side // 2
    window = _Window((side, side), 1, (half, half))
    return made.built(made.convolution(made.input(*image), outputs, window, ternary=ternary))


def one_depthwise(image: Image) -> Graph:
    """Of 3 x 3, as large a result as its input."""
    made = _Network("depthwise", 0)
    return made.built(made.depthwise(made.input(*image), 1))


def one_linear(inputs: int, outputs: int) -> Graph:
    """A fully connected layer."""
    made = _Network("linear", 0)
    return made.built(made.linear(made.vector(inputs), outputs, Activation.RELU))


def one_sum(image: Image) -> Graph:
    """Of two images."""
    made = _Network("sum", 0)
    return made.built(made.sum(made.input(*image), made.input(*image)))


@dataclass(frozen=True)
class _Window:
    """padding: zeros before and behind, as many on both sides."""

    size: Pair
    stride: int = 1
    padding: Pair = (0, 0)

    @property
    def sides(self) -> tuple[int, int, int, int]:
        rows, columns = self.padding
        return rows, rows, columns, columns

    @property
    def strides(self) -> Pair:
        return self.stride, self.stride


class _Network:
    """A network under construction."""

    def __init__(self, name: str, seed: int, weights: Ternary = Ternary.NONE) -> None:
        self._weights = weights
        self._random = np.random.default_rng(seed)
        self._builder = GraphBuilder(name)

    def input(self, height: int, width: int, channels: int) -> Value:
        """An image, (1, height, width, channels)."""
        return self._input(1, height, width, channels)

    def vector(self, elements: int) -> Value:
        """Features, (1, elements)."""
        return self._input(1, elements)

    def convolution(
        self,
        x: Value,
        channels: int,
        window: _Window,
        activation: Activation = Activation.RELU,
        *,
        ternary: bool = False,
    ) -> Value:
        """Padded alike on opposite sides, also where a stride of two leaves the last row unread."""
        operator = Conv2D(window.strides, padding=window.sides, activation=activation)
        shape = (channels, *window.size, x.type.shape[3])
        return self._weighted(operator, x, shape, 0, ternary=ternary)

    def depthwise(self, x: Value, stride: int) -> Value:
        """Of 3 x 3."""
        window = _Window((3, 3), stride, (1, 1))
        operator = DepthwiseConv2D(window.strides, padding=window.sides, activation=Activation.RELU)
        return self._weighted(operator, x, (1, *window.size, x.type.shape[3]), 3)

    def residual(
        self,
        x: Value,
        channels: int,
        stride: int,
        *,
        ternary_skip: bool = True,
    ) -> Value:
        """Two convolutions, and their input added, by a pointwise one where they change its shape."""
        first, second = _Window((3, 3), stride, (1, 1)), _Window((3, 3), 1, (1, 1))
        y = self.convolution(x, channels, first, ternary=True)
        y = self.convolution(y, channels, second, Activation.NONE, ternary=True)
        if stride != 1:
            skip = _Window((1, 1), stride)
            x = self.convolution(x, channels, skip, Activation.NONE, ternary=ternary_skip)
        return self.sum(y, x)

    def sum(self, x: Value, y: Value) -> Value:
        """Of two images."""
        twice = Quantization.per_tensor(2 * _scale(x), 0)
        return self._builder.add(Add(), [x, y], "sum", twice)

    def linear(
        self, x: Value, outputs: int, activation: Activation, *, ternary: bool = False
    ) -> Value:
        """A fully connected layer."""
        operator = FullyConnected(activation=activation)
        return self._weighted(operator, x, (outputs, x.type.elements), 0, ternary=ternary)

    def classified(self, x: Value, classes: int) -> Graph:
        """Mean of all pixels, a fully connected layer, softmax."""
        _, height, width, channels = x.type.shape
        pool = AveragePool2D((height, width), (1, 1))
        y = self._builder.add(pool, [x], "mean", x.type.quantization)
        y = self._builder.add(Reshape(shape=(1, channels)), [y], "flat", x.type.quantization)
        y = self.linear(y, classes, Activation.NONE)
        return self.built(self._builder.add(Softmax(), [y], "probabilities", _PROBABILITIES))

    def built(self, output: Value) -> Graph:
        """The whole."""
        return self._builder.build(output)

    def _input(self, *shape: int) -> Value:
        quantization = Quantization.per_tensor(_INPUT_SCALE, 0)
        return self._builder.input("x", TensorType(shape, DType.INT8, quantization))

    def _weighted(
        self,
        operator: Operator,
        x: Value,
        shape: tuple[int, ...],
        output_axis: int,
        *,
        ternary: bool = False,
    ) -> Value:
        count = shape[output_axis]
        ternary = ternary and self._weights is not Ternary.NONE
        most = _largest_weight(math.prod(shape) // count)
        # What a weight of 1 stands for: the square of weights is the same in the mean.
        size = most * math.sqrt(0.5) if ternary else 1.0
        if self._weights is Ternary.FREE:
            size = 2.0 ** round(math.log2(size))
        most, most_bias = (1 if ternary else most), round(_BIAS / size)
        weights = self._builder.constant(
            "weights",
            self._random.integers(-most, most, shape, np.int8, endpoint=True),
            Quantization.per_tensor(size * _WEIGHT_SCALE, 0),
        )
        bias = self._builder.constant(
            "bias",
            self._random.integers(-most_bias, most_bias, count, np.int32, endpoint=True),
            Quantization.per_tensor(size * _WEIGHT_SCALE * _scale(x), 0),
        )
        result = Quantization.per_tensor(_scale(x), 0)
        return self._builder.add(operator, [x, weights, bias], operator.mnemonic, result)


def _scale(x: Value) -> float:
    assert x.type.quantization is not None  # all are quantized
    return x.type.quantization.scale


def _largest_weight(taps: int) -> int:
    """Uniform weights up to this make sums of `taps` products, half of them by zero, of the operands' size, shifted."""
    return max(1, round(math.sqrt(6 / taps) * (1 << SHIFT)))
