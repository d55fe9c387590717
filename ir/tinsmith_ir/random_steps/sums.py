"""A step of random networks: an average over height and width by sums of its parts."""

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import AverageOfSums, ChannelSums, MeanOfSums, Slice
from tinsmith_ir.random_steps.network import Network


def average(network: Network, random: np.random.Generator, value: Value) -> None:
    """Sums of the rows above one and of those below, and their mean; nothing of floats, or without rows."""
    if network.dtype is DType.FLOAT32 or len(value.type.shape) != 4:
        return
    images, height, width, channels = value.type.shape
    cut = int(random.integers(0, height))
    network.read.add(value.name)
    sums: list[Value] = []
    for begin, end in ((0, cut), (cut, height)):
        if begin < end:
            part = Slice((0, begin, 0, 0), (images, end - begin, width, channels))
            rows = network.builder.add(part, [value])
            sums = [network.builder.add(ChannelSums(), [rows, *sums])]
    quantization = value.type.quantization
    if random.random() < 0.5 and quantization is not None:
        rescaled = MeanOfSums(
            count=height * width,
            scale=quantization.scale,
            zero_point=quantization.zero_point,
            dtype=network.dtype,
            keep_dims=random.random() < 0.5,
        )
        network.add(rescaled, [*sums], network.quantization(network.scale(value) / 2))
        return
    halves = random.random()
    is_up = bool(halves < 0.3 and network.dtype is DType.INT8)
    operator = AverageOfSums(
        height * width,
        network.dtype,
        Activation.RELU if random.random() < 0.3 else Activation.NONE,
        halves_up=is_up,
        halves_to_even=bool(halves > 0.6),
    )
    network.add(operator, [*sums], value.type.quantization)
