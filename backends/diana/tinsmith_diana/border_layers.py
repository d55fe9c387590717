"""Layers at the borders of what the digital array takes, drawn at random: for tests and benchmarks."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.operators import (
    Activation,
    Add,
    Conv2D,
    Convolution,
    DepthwiseConv2D,
    FullyConnected,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

_MOST_CHANNELS = 40
_MOST_EXTENT = 36
_MOST_INPUTS = 90
_FEW = 3
_DEVIATION = 74.0  # of integers of 8 bits that are drawn evenly
_LARGE = 1 << 22
_INPUT_BITS, _WEIGHT_BITS = 5, 7
"""Scales of inputs and weights are 2**-5 and 2**-7."""

_SIDES = (1, 1, 3, 3, 5, 7, 2, 4)
_STRIDES = ((1, 1), (1, 1), (2, 2), (2, 2), (1, 2))
_ROUNDINGS = (Rounding.FLOOR, Rounding.FLOOR, Rounding.NEAREST, Rounding.TFLITE)
_ROUNDING_WEIGHTS = (0.46, 0.3, 0.2, 0.04)

Integers = NDArray[np.int64]


def border_layer(seed: int) -> Graph:
    """A graph of one layer of int8, the same for the same seed: a convolution, a depthwise one, a fully connected layer
    or an addition.

    Remainders of all blocks of 16; windows of 1 to 7 rows and columns each, strides, padding of each side by itself;
    shifts about as large as sums need, the smallest and the largest; clips of both kinds; zero points where there is no
    padding, and where there is. About a third break a rule.
    """
    random = np.random.default_rng([seed, 0xD1A])
    makers: tuple[Callable[[np.random.Generator, str], Graph], ...] = (
        _convolution,
        _convolution,
        _depthwise,
        _fully_connected,
        _addition,
    )
    return makers[seed % len(makers)](random, f"layer{seed}")


def border_inputs(
    graph: Graph, seed: int, ends: tuple[int, int] = (-128, 127)
) -> list[dict[str, Array]]:
    """For a border layer: two at random, the second of ends alone, and all smallest and largest integers.

    ends: the smallest and the largest integer.
    """
    random = np.random.default_rng(seed)
    least, most = ends

    def filled(make: Callable[[tuple[int, ...]], Array]) -> dict[str, Array]:
        return {x.name: make(x.type.shape).astype(np.int8) for x in graph.inputs}

    return [
        filled(lambda shape: random.integers(least, most + 1, shape)),
        filled(lambda shape: random.choice(ends, shape)),
        filled(lambda shape: np.full(shape, least)),
        filled(lambda shape: np.full(shape, most)),
    ]


def _convolution(random: np.random.Generator, name: str) -> Graph:
    inputs, outputs = _size(random, _MOST_CHANNELS), _size(random, _MOST_CHANNELS)
    operator, shape, window = _image(random, Conv2D(), inputs)
    return _weighted(random, name, operator, shape, (outputs, *window, inputs))


def _depthwise(random: np.random.Generator, name: str) -> Graph:
    channels = _size(random, _MOST_CHANNELS)
    operator, shape, window = _image(random, DepthwiseConv2D(), channels)
    outputs = channels * (2 if random.random() < 0.05 else 1)
    return _weighted(random, name, operator, shape, (1, *window, outputs))


def _fully_connected(random: np.random.Generator, name: str) -> Graph:
    inputs, outputs = _size(random, _MOST_INPUTS), _size(random, _MOST_INPUTS)
    rows = 2 if random.random() < 0.06 else 1
    return _weighted(random, name, FullyConnected(), (rows, inputs), (outputs, inputs))


def _addition(random: np.random.Generator, name: str) -> Graph:
    shape = (1, _size(random, 9), _size(random, _MOST_EXTENT), _size(random, 9))
    if random.random() < 0.3:
        shape = (1, _size(random, _MOST_INPUTS))
    bits = int(random.choice([0, 1, 2, 6]))
    chance = random.random()
    points = [3, 0, 0] if chance < 0.06 else [0, 0, 0]
    scales = [2.0**-_INPUT_BITS * (2.0 if 0.06 < chance < 0.12 else 1.0), 2.0**-_INPUT_BITS]
    scales.append(2.0 ** (bits - _INPUT_BITS) * (1.5 if 0.12 < chance < 0.18 else 1.0))
    activation = Activation.RELU if 0.18 < chance < 0.24 else Activation.NONE
    rounding = Rounding.NEAREST if 0.24 < chance < 0.3 else Rounding.FLOOR
    builder = GraphBuilder(name)
    quantizations = [
        Quantization.per_tensor(scale, point) for scale, point in zip(scales, points, strict=True)
    ]
    operands = [
        builder.input(name, TensorType(shape, DType.INT8, quantization))
        for name, quantization in zip(("a", "b"), quantizations, strict=False)
    ]
    operator = Add(activation=activation, rounding=rounding)
    return builder.build(builder.add(operator, operands, "y", quantizations[2]))


def _image(
    random: np.random.Generator, operator: Convolution, channels: int
) -> tuple[Convolution, tuple[int, ...], tuple[int, int]]:
    """The operator with strides, padding and dilation, the input's shape and the window."""
    window = int(random.choice(_SIDES)), int(random.choice(_SIDES))
    chance = random.random()
    if chance < 0.04:
        window = (9, window[1])
    stride = _STRIDES[int(random.integers(5 if chance < 0.5 else 4))]
    dilation = (2, 2) if 0.04 < chance < 0.08 else (1, 1)
    reach = [(side - 1) * step + 1 for side, step in zip(window, dilation, strict=True)]
    height, above, below = _extent(random, reach[0])
    width, left, right = _extent(random, reach[1])
    chosen = replace(
        operator, stride=stride, dilation=dilation, padding=(above, below, left, right)
    )
    images = 2 if 0.08 < chance < 0.11 else 1
    return chosen, (images, height, width, channels), window


def _extent(random: np.random.Generator, reach: int) -> tuple[int, int, int]:
    """Of the input in one direction, with the padding before and behind it: none, the same, or each by itself."""
    extent = _size(random, _MOST_EXTENT)
    half = reach // 2
    before, behind = [(0, 0), (half, half), (0, min(1, reach - 1)), (half, (reach - 1) // 2)][
        int(random.integers(4))
    ]
    return max(extent, reach - before - behind), before, behind


def _size(random: np.random.Generator, most: int) -> int:
    """Small ones are as frequent as all others."""
    return int(random.integers(1, (most if random.random() < 0.7 else _FEW) + 1))


def _weighted(
    random: np.random.Generator,
    name: str,
    operator: Convolution | FullyConnected,
    shape: tuple[int, ...],
    weights: tuple[int, ...],
) -> Graph:
    """A layer with random weights and biases of the size of its sums, or far beyond; its shift leaves the sums 8 bits,
    a few more or less, or all.
    """
    data = random.integers(-128, 128, weights)
    outputs = weights[operator.weights_axis]
    spread = _DEVIATION * np.sqrt((data**2).sum() / outputs)
    bias = random.integers(-int(spread) - 16, int(spread) + 16, outputs)
    if random.random() < 0.1:
        bias[random.random(outputs) < 0.3] = int(random.choice([-_LARGE, _LARGE, (1 << 31) - 1]))
    shift = max(0, int(np.log2(spread / 64 + 1)) + int(random.integers(-1, 3)))
    shift = int(random.choice([0, 31, 32])) if random.random() < 0.1 else shift
    scale = 2.0 ** (shift - _INPUT_BITS - _WEIGHT_BITS)
    scales: tuple[float, ...] = (2.0**-_WEIGHT_BITS,)
    chance = random.random()
    if chance < 0.05:
        scales = tuple(2.0**-_WEIGHT_BITS * float(random.choice([1, 1, 2])) for _ in range(outputs))
    elif chance < 0.1:
        scale *= 1.25
    given, result = _points(random)
    if random.random() < 0.4:
        operator = replace(operator, activation=Activation.RELU)
    mode = _ROUNDINGS[int(random.choice(len(_ROUNDINGS), p=_ROUNDING_WEIGHTS))]
    operator = replace(operator, rounding=mode)
    builder = GraphBuilder(name)
    x = builder.input(
        "x", TensorType(shape, DType.INT8, Quantization.per_tensor(2.0**-_INPUT_BITS, given))
    )
    axis = operator.weights_axis if len(scales) > 1 else None
    own = Quantization(scales, (0,) * len(scales), axis) if axis is not None else None
    per_tensor = Quantization.per_tensor(2.0**-_WEIGHT_BITS, 0)
    w = builder.constant("w", data.astype(np.int8), own or per_tensor)
    b = builder.constant("b", bias.astype(np.int32)) if random.random() < 0.9 else None
    quantization = Quantization.per_tensor(scale, result)
    return builder.build(builder.add(operator, [x, w, b], "y", quantization))


def _points(random: np.random.Generator) -> tuple[int, int]:
    """Zero points of the input and the result: most are 0, some results have that at which ReLU clips nothing."""
    chance = random.random()
    if chance < 0.6:
        return 0, 0
    if chance < 0.75:
        return 0, -128
    return int(random.integers(-128, 128)) if chance < 0.9 else 0, int(random.choice([0, -128, 9]))
