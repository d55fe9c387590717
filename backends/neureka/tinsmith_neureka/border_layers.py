"""Convolutions at the borders of what N-EUREKA takes, drawn at random: for tests and benchmarks, whoever runs them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, MULTIPLIER_BITS
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.operators import Activation, Conv2D, Convolution, DepthwiseConv2D
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

_MOST_CHANNELS = 70
_MOST_OUTPUTS = 14
_FEW = 4
_LEAST_BITS = 6
_LARGE = 1 << 24
_DEVIATION = 74.0  # of integers of 8 bits that are drawn evenly

_TYPES = (DType.INT8, DType.INT8, DType.INT4, DType.INT2)
_ROUNDINGS = (Rounding.NEAREST, Rounding.FLOOR)
_STRIDES = ((1, 1), (1, 1), (1, 1), (2, 2), (2, 1), (1, 2))

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class _Shape:
    """operator: with stride, padding and dilation. input: (batch, height, width, channels)."""

    operator: Convolution
    input: tuple[int, int, int, int]
    weights: tuple[int, int, int, int]
    outputs: int


def border_layer(seed: int) -> Graph:
    """A graph of one layer of int8, with weights of 8, 4 or 2 bits, the same for the same seed.

    1x1, 3x3 and depthwise 3x3; remainders of all tiles; paddings of 0 to 2 and strides of 1 and 2, each side by itself;
    both roundings, multipliers about as wide as 32 bits have room for; scales of each channel or one; channels of one
    value, and with large biases. About a third break a rule.
    """
    random = np.random.default_rng([seed, 0x4E45])
    shape = _odd_shape(random, _shape(random))
    dtype = _TYPES[int(random.integers(len(_TYPES)))]
    rows = _rows(random, shape, dtype)
    zero_point = int(random.choice([-128, 127, 0, int(random.integers(-128, 128))]))
    bias = _bias(random, rows)
    data = rows.reshape(shape.outputs, *_others(shape))
    weights = np.moveaxis(data, 0, shape.operator.weights_axis).reshape(shape.weights)
    input_scale = float(np.float32(random.uniform(0.01, 0.2)))
    scales = _weight_scales(random, shape)
    spread = _spread(rows, bias, zero_point)
    wanted = input_scale * max(scales.scales) * spread / float(random.uniform(10, 60))
    result = Quantization.per_tensor(float(np.float32(wanted)), int(random.integers(-128, 128)))
    operator = _rounding(random, shape.operator, rows, bias, zero_point)
    if random.random() < 0.3:
        operator = replace(operator, activation=Activation.RELU)
        result = replace(result, zero_points=(-128 if random.random() < 0.8 else 3,))
    builder = GraphBuilder(f"layer{seed}")
    given = Quantization.per_tensor(input_scale, zero_point)
    x = builder.input("x", TensorType(shape.input, DType.INT8, given))
    w = builder.constant("w", weights.astype(np.int8), scales, dtype)
    b = builder.constant("b", bias.astype(np.int32)) if random.random() < 0.9 else None
    return builder.build(builder.add(operator, [x, w, b], "y", result))


def border_inputs(graph: Graph, seed: int) -> list[dict[str, Array]]:
    """For a border layer: two at random, the second of ends alone, and all smallest and largest integers."""
    random = np.random.default_rng(seed)
    (x,) = graph.inputs
    shape = x.type.shape
    arrays = [
        random.integers(-128, 128, shape),
        random.choice([-128, 127], shape),
        np.full(shape, -128),
        np.full(shape, 127),
    ]
    return [{x.name: array.astype(np.int8)} for array in arrays]


def _shape(random: np.random.Generator) -> _Shape:
    side = int(random.choice([1, 3]))
    is_depthwise = side == 3 and random.random() < 0.5
    inputs = _size(random, _MOST_CHANNELS)
    outputs = inputs if is_depthwise else _size(random, _MOST_CHANNELS)
    stride = _STRIDES[int(random.integers(len(_STRIDES)))]
    height, top, bottom = _extent(random, side, stride[0])
    width, left, right = _extent(random, side, stride[1])
    make = DepthwiseConv2D if is_depthwise else Conv2D
    operator = make(stride=stride, padding=(top, bottom, left, right))
    weights = (1, side, side, outputs) if is_depthwise else (outputs, side, side, inputs)
    return _Shape(operator, (1, height, width, inputs), weights, outputs)


def _size(random: np.random.Generator, most: int) -> int:
    """Small ones are as frequent as all others."""
    return int(random.integers(1, (most if random.random() < 0.6 else _FEW) + 1))


def _extent(random: np.random.Generator, side: int, stride: int) -> tuple[int, int, int]:
    """Of the input in one direction, with the padding before and behind it, some of which no output may reach."""
    outputs = _size(random, _MOST_OUTPUTS)
    reach = (outputs - 1) * stride + side
    before, behind = (int(random.integers(3)) if side > 1 else 0 for _ in range(2))
    extent = reach - before - behind + int(random.integers(stride))
    return (extent, before, behind) if extent > 0 else (reach, 0, 0)


def _odd_shape(random: np.random.Generator, shape: _Shape) -> _Shape:
    """Most as they are; others have two images, dilated windows, or padding where there may be none."""
    chance = random.random()
    if chance < 0.03:
        return replace(shape, input=(2, *shape.input[1:]))
    if chance < 0.06 and min(shape.input[1:3]) >= 5:
        return replace(shape, operator=replace(shape.operator, dilation=(2, 2)))
    if chance < 0.09:
        return replace(
            shape, operator=replace(shape.operator, padding=(3, *shape.operator.padding[1:]))
        )
    return shape


def _others(shape: _Shape) -> Sequence[int]:
    axis = shape.operator.weights_axis
    return [size for index, size in enumerate(shape.weights) if index != axis]


def _rows(random: np.random.Generator, shape: _Shape, dtype: DType) -> Integers:
    """Weights (output channels, taps); of some channels all 0, or the smallest or largest of their type."""
    low, high = dtype.integer_range
    rows = random.integers(low, high + 1, (shape.outputs, int(np.prod(_others(shape)))))
    if random.random() < 0.3:
        for value in (0, low, high):
            rows[random.random(shape.outputs) < 0.1] = value
    return rows


def _bias(random: np.random.Generator, rows: Integers) -> Integers:
    """Of the size of sums; in some layers, of some channels, far beyond, so that their result has one value."""
    reach = int(_DEVIATION * np.sqrt((rows**2).sum(axis=1).max())) + 16
    bias = random.integers(-reach, reach, len(rows))
    if random.random() < 0.2:
        chosen = random.random(len(rows)) < 0.2
        sign = random.choice([-1, 1], len(rows))
        bias[chosen] = (sign * random.integers(_LARGE, INT32_MAX // 2, len(rows)))[chosen]
    return bias


def _spread(rows: Integers, bias: Integers, zero_point: int) -> float:
    """How large a sum usually is, in channels without large biases."""
    middle = rows.sum(axis=1) * (-0.5 - zero_point) + np.where(np.abs(bias) < _LARGE, bias, 0)
    return float(np.sqrt((middle**2 + _DEVIATION**2 * (rows**2).sum(axis=1)).mean() + 1))


def _weight_scales(random: np.random.Generator, shape: _Shape) -> Quantization:
    """Of all channels one, or of each its own, near each other or not."""
    if random.random() < 0.4:
        return Quantization.per_tensor(float(np.float32(random.uniform(0.001, 0.02))), 0)
    smallest = float(random.choice([0.5, 0.1]))
    scales = random.uniform(smallest, 1.0, shape.outputs) * 0.02
    axis = shape.operator.weights_axis
    numbers = tuple(float(np.float32(scale)) for scale in scales)
    return Quantization(numbers, (0,) * len(numbers), axis)


def _rounding(
    random: np.random.Generator,
    operator: Convolution,
    rows: Integers,
    bias: Integers,
    zero_point: int,
) -> Convolution:
    """Multipliers of as many bits as the largest usual sum leaves of 32, a few more or less; seldom of all."""
    if random.random() < 0.04:
        return operator
    usual = bias[np.abs(bias) < _LARGE]
    largest = int(np.abs(rows).sum(axis=1).max()) * max(127 - zero_point, 128 + zero_point)
    largest += int(np.abs(usual).max(initial=0))
    bits = MULTIPLIER_BITS - 1 - largest.bit_length() - int(random.integers(-2, 6))
    if random.random() < 0.05:
        bits = MULTIPLIER_BITS
    chosen = _ROUNDINGS[int(random.integers(2))]
    return replace(operator, rounding=chosen, multiplier_bits=max(bits, _LEAST_BITS))
