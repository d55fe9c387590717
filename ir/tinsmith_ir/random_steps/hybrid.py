"""Steps of random networks: float32 activations that meet int8 weights as integers of a scale chosen anew."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Cast,
    Conv2D,
    DynamicQuantize,
    DynamicScale,
    FullyConnected,
    Mul,
    Reshape,
)
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization


def weighted(network: Network, random: np.random.Generator, value: Value) -> None:
    """Conv2D of one pixel, or FullyConnected of rows; nothing in a network of integers."""
    if value.type.dtype is not DType.FLOAT32 or len(value.type.shape) < 2:
        return
    add = network.builder.add
    is_symmetric, units = bool(random.random() < 0.5), int(random.integers(1, 6))
    source, shape = value, (units, value.type.shape[-1])
    operator = FullyConnected(accumulator=DType.INT32)
    if len(value.type.shape) == 4 and random.random() < 0.5:
        shape = (units, 1, 1, shape[1])
        operator = Conv2D(accumulator=DType.INT32)
    elif len(value.type.shape) > 2:
        source = add(Reshape(shape=(value.type.elements // shape[1], shape[1])), [value])
    integers = random.integers(-127, 128, shape).astype(np.int8)
    weights = network.builder.constant("w", integers, Quantization.per_tensor(0.01, 0))
    sums = add(operator, [add(DynamicQuantize(is_symmetric), [source]), weights])
    scale = add(DynamicScale(is_symmetric), [source])
    network.read.add(value.name)
    network.add(Mul(), [add(Cast(), [sums]), scale], None)
