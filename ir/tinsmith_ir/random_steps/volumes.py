"""Steps of random networks: convolutions over volumes."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Conv3D, Reshape
from tinsmith_ir.random_steps.network import MAX_ELEMENTS, Network


def convolve(network: Network, random: np.random.Generator, value: Value) -> None:
    """Conv3D of floats, over an image with a fifth axis or over what already is a volume."""
    shape = value.type.shape
    if network.dtype is not DType.FLOAT32 or not 4 <= len(shape) <= 5:
        return
    if len(shape) == 4:
        shape = (1, *shape) if random.random() < 0.5 else (*shape, 1)
        value = network.add(Reshape(shape=shape), [value], None)
    windows = [int(random.integers(1, min(size, 3) + 1)) for size in shape[1:4]]
    depth, height, width = (int(random.integers(1, 3)) for _ in range(3))
    paddings = [int(padding) for window in windows for padding in random.integers(0, window, 2)]
    operator = Conv3D(
        stride=(depth, height, width),
        padding=(paddings[0], paddings[1], paddings[2], paddings[3], paddings[4], paddings[5]),
        activation=network.activation(),
    )
    channels = int(random.integers(1, 4)) if value.type.elements <= MAX_ELEMENTS // 4 else 1
    weights = random.standard_normal((*windows, shape[4], channels), np.float32)
    operands: list[Value | None] = [value, network.builder.constant("weights", weights)]
    if random.random() < 0.8:
        bias = random.standard_normal(channels, np.float32)
        operands.append(network.builder.constant("bias", bias))
    network.add(operator, operands, None)
