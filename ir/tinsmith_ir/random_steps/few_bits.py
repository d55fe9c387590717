"""Steps of random networks: operators with weights of four and of two bits, of these the half of them ternary."""

import math

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.operators import (
    BlockwiseFullyConnected,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Weighted,
)
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization


def four_bits(network: Network, random: np.random.Generator, value: Value) -> None:
    """A convolution of an image, a fully connected layer of all else; of int8 alone."""
    if network.dtype is DType.INT8:
        operator, shape = _drawn(random, value, 6)
        integers = random.integers(-8, 8, shape).astype(np.int8)
        _add(network, random, value, operator, integers, DType.INT4, (0.05, 0.2))


def two_bits(network: Network, random: np.random.Generator, value: Value) -> None:
    """The same with weights of two bits."""
    if network.dtype is DType.INT8:
        operator, shape = _drawn(random, value, 12)
        lowest = -1 if random.random() < 0.5 else -2
        integers = random.integers(lowest, 2, shape).astype(np.int8)
        _add(network, random, value, operator, integers, DType.INT2, (0.2, 0.8))


def blockwise(network: Network, random: np.random.Generator, value: Value) -> None:
    """A fully connected layer of int8 alone, over all elements or the last dimension, with multipliers of blocks."""
    if network.dtype is not DType.INT8:
        return
    keep_dims = len(value.type.shape) > 1 and random.random() < 0.5
    depth = int(value.type.shape[len(value.type.shape) - 1]) if keep_dims else value.type.elements
    units, block = int(random.integers(1, 9)), int(random.integers(1, depth + 2))
    dtype = DType.INT4 if random.random() < 0.8 else DType.INT2
    low, high = dtype.integer_range
    integers = random.integers(low, high + 1, (units, depth)).astype(np.int8)
    multipliers = random.integers(0, 256, (units, -(-depth // block))).astype(np.uint8)
    activation = Activation.RELU if random.random() < 0.3 else Activation.NONE
    operator = BlockwiseFullyConnected(block=block, activation=activation, keep_dims=keep_dims)
    blocks = network.builder.constant("blocks", multipliers)
    steps = (0.0004, 0.0016) if dtype is DType.INT4 else (0.0016, 0.0064)
    _add(network, random, value, operator, integers, dtype, steps, (blocks,))


def _add(
    network: Network,
    random: np.random.Generator,
    value: Value,
    operator: Weighted,
    integers: Array,
    dtype: DType,
    steps: tuple[float, float],
    others: tuple[Value, ...] = (),
) -> None:
    """steps: between which the scales of weights are. others: operands behind the bias."""
    axis, shape = operator.weights_axis, integers.shape
    channels = int(shape[axis])
    count = channels if random.random() < 0.7 else 1
    scales = tuple(float(np.float32(scale)) for scale in random.uniform(*steps, count))
    quantization = Quantization(scales, (0,) * count, axis if count > 1 else None)
    weights = network.builder.constant("weights", integers, quantization, dtype)
    bias = network.builder.constant("bias", random.integers(-300, 300, channels).astype(np.int32))
    near = network.scale(value) * 0.5 * math.sqrt(math.prod(shape) / channels)
    inputs = [value, weights, bias if random.random() < 0.8 else None, *others]
    result = Quantization.per_tensor(float(np.float32(near)), int(random.integers(-128, 128)))
    network.add(operator, inputs, result)


def _drawn(
    random: np.random.Generator, value: Value, most: int
) -> tuple[Weighted, tuple[int, ...]]:
    """An operator, and the shape of its weights. most: output channels of a convolution."""
    given = value.type.shape
    if len(given) != 4 or random.random() < 0.3:
        return FullyConnected(), (int(random.integers(1, 9)), value.type.elements)
    window = int(random.integers(1, min(3, *given[1:3]) + 1))
    if random.random() < 0.4:
        return DepthwiseConv2D(), (1, window, window, given[3])
    stride = (int(random.integers(1, 3)), int(random.integers(1, 3)))
    return Conv2D(stride=stride), (int(random.integers(1, most + 1)), window, window, given[3])
