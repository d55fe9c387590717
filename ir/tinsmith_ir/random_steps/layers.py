"""Steps of random networks: operators with weights, pools and means."""

import math
from dataclasses import replace

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Conv2D,
    Convolution,
    DepthwiseConv2D,
    FullyConnected,
    MaxPool2D,
    Mean,
    Operator,
    Requantize,
    Sub,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization


def convolution(network: Network, value: Value) -> None:
    """Conv2D, now and then in groups."""
    window, channels = _window(network, value, 3), value.type.shape[3]
    groups = 2 if channels % 2 == 0 and network.random.random() < 0.2 else 1
    operator = Conv2D(
        stride=(network.pick(1, 2), network.pick(1, 2)),
        padding=_padding(network, window),
        activation=network.activation(),
    )
    shape = (groups * network.pick(1, 4), *window, channels // groups)
    _weighted(network, operator, value, shape, 0)


def depthwise(network: Network, value: Value) -> None:
    """DepthwiseConv2D with a multiplier of 1 or 2."""
    window, channels = _window(network, value, 3), value.type.shape[3]
    operator = DepthwiseConv2D(
        stride=(network.pick(1, 2), network.pick(1, 2)),
        padding=_padding(network, window),
        activation=network.activation(),
    )
    multiplier = network.pick(1, 2) if channels < 12 else 1
    _weighted(network, operator, value, (1, *window, channels * multiplier), 3)


def fully_connected(network: Network, value: Value) -> None:
    """FullyConnected over all elements, or over the last dimension."""
    keep_dims = len(value.type.shape) > 1 and network.random.random() < 0.3
    kept = value.type.shape[-1:] if keep_dims else value.type.shape
    operator = FullyConnected(activation=network.activation(), keep_dims=keep_dims)
    _weighted(network, operator, value, (network.pick(1, 10), math.prod(kept)), 0)


def pool(network: Network, value: Value) -> None:
    """AveragePool2D or MaxPool2D."""
    kind = AveragePool2D if network.random.random() < 0.5 else MaxPool2D
    window = _window(network, value, 4)
    operator = kind(
        window=window,
        stride=(network.pick(1, 2), network.pick(1, 2)),
        padding=_padding(network, window),
        activation=network.activation(),
    )
    if isinstance(operator, AveragePool2D) and network.dtype is not DType.FLOAT32:
        chance = network.border.random()
        is_up = network.is_unsigned and chance < 0.5
        operator = replace(operator, halves_up=is_up, halves_to_even=chance > 0.7)
    network.add(operator, [value], None)


def mean(network: Network, value: Value) -> None:
    """Mean over height and width, or one of them."""
    axes = ((1, 2), (1,), (2,))[network.pick(0, 2)]
    operator = Mean(axes=axes, keep_dims=network.random.random() < 0.5)
    network.add(operator, [value], network.quantization(network.scale(value) / 2))


def _weighted(
    network: Network, operator: Operator, value: Value, shape: tuple[int, ...], axis: int
) -> None:
    """An operator with weights of `shape`, whose result uses most of its range; now and then as
    sums of integers, added and rescaled.
    """
    weights, scale = _weights(network, shape, axis)
    depth = math.prod(shape) // shape[axis]
    near = network.scale(value) * scale * 50 * math.sqrt(depth)
    inputs = [value, weights, _bias(network, shape[axis])]
    is_one = weights.type.quantization is not None and weights.type.quantization.axis is None
    if network.is_unsigned and is_one and isinstance(operator, Convolution):
        operator = replace(operator, float32_scale=network.border.random() < 0.5)
    if network.dtype is DType.FLOAT32 or network.random.random() < 0.8:
        network.add(operator, inputs, network.quantization(near))
        return
    wide = DType.INT64 if network.dtype is DType.INT16 else DType.INT32
    parts = replace(operator, activation=Activation.NONE, accumulator=wide)
    total = network.builder.add(parts, inputs)
    network.read |= {other.name for other in inputs if other is not None}
    total = network.builder.add((Add(), Sub())[network.pick(0, 1)], [total, total])
    end = Requantize(dtype=network.dtype, activation=activation_of(operator))
    network.add(end, [total], network.quantization(near))


def _weights(network: Network, shape: tuple[int, ...], axis: int) -> tuple[Value, float]:
    """Constant weights, per tensor or per `axis`, and about the scale of one of them."""
    if network.dtype is DType.FLOAT32:
        data = network.random.standard_normal(shape, np.float32)
        return network.builder.constant("weights", data), 1.0
    integers = network.random.integers(-127, 128, shape).astype(np.int8)
    count = shape[axis] if network.random.random() < 0.7 else 1
    scales = np.float32(0.01) * np.exp2(network.random.uniform(-1, 1, count)).astype(np.float32)
    zero_points = (0,) * count
    if network.is_unsigned and count == 1 and network.border.random() < 0.5:
        zero_points = (int(network.border.integers(-128, 128)),)
    quantization = Quantization(
        tuple(float(scale) for scale in scales), zero_points, axis if count > 1 else None
    )
    return network.builder.constant("weights", integers, quantization), 0.01


def _bias(network: Network, channels: int) -> Value | None:
    """A constant bias, or none."""
    if network.random.random() < 0.2:
        return None
    if network.dtype is DType.FLOAT32:
        return network.builder.constant(
            "bias", network.random.standard_normal(channels, np.float32)
        )
    integers = network.random.integers(-3000, 3000, channels).astype(np.int32)
    return network.builder.constant("bias", integers)


def _window(network: Network, value: Value, largest: int) -> tuple[int, int]:
    """A window that fits into `value` without padding."""
    height, width = value.type.shape[1:3]
    return network.pick(1, min(largest, height)), network.pick(1, min(largest, width))


def _padding(network: Network, window: tuple[int, int]) -> tuple[int, int, int, int]:
    """Less than the window on each side, often none."""
    if network.random.random() < 0.4:
        return (0, 0, 0, 0)
    sides = [network.pick(0, size - 1) for size in (window[0], window[0], window[1], window[1])]
    return sides[0], sides[1], sides[2], sides[3]
