"""Steps of random networks: what finds or adds elements over axes, and other sizes of images."""

import math
from dataclasses import replace

import numpy as np

from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    ArgMax,
    ArgMin,
    Gather,
    ReduceMax,
    ReduceMin,
    Reshape,
    ResizeBilinear,
    Slice,
    Sum,
)
from tinsmith_ir.random_steps.network import MAX_ELEMENTS, Network


def sum_(network: Network, random: np.random.Generator, value: Value) -> None:
    """Sum over one axis behind the first."""
    shape = value.type.shape
    if len(shape) > 1:
        axis = int(random.integers(1, len(shape)))
        operator = Sum(axes=(axis,), keep_dims=bool(random.random() < 0.5))
        near = network.scale(value) * math.sqrt(shape[axis])
        network.add(operator, [value], network.quantization(near))


def reduce(network: Network, random: np.random.Generator, value: Value) -> None:
    """ReduceMax or ReduceMin over one axis behind the first, or two."""
    shape = value.type.shape
    if len(shape) > 1:
        axes = {int(random.integers(1, len(shape))) for _ in range(2)}
        kind = ReduceMax if random.random() < 0.5 else ReduceMin
        operator = kind(axes=tuple(sorted(axes)), keep_dims=bool(random.random() < 0.5))
        network.add(operator, [value], None)


def arg(network: Network, random: np.random.Generator, value: Value) -> None:
    """What lies where the largest or smallest elements along an axis are, by their indices in another one."""
    shape = value.type.shape
    if len(shape) < 2:
        return
    axis, other = (int(random.integers(len(shape))) for _ in range(2))
    kind = ArgMax if random.random() < 0.5 else ArgMin
    indices = network.builder.add(kind(axis=axis), [value])
    flat = Reshape(shape=(indices.type.elements,))
    few = Slice((0,), (min(5, indices.type.elements),))
    first = network.builder.add(few, [network.builder.add(flat, [indices])])
    network.add(Gather(axis=other), [value, first], None)


def resize(network: Network, random: np.random.Generator, value: Value) -> None:
    """ResizeBilinear to more or less."""
    shape = value.type.shape
    if len(shape) != 4 or value.type.elements > MAX_ELEMENTS:
        return
    height, width, way = (int(at) for at in random.integers(1, (10, 10, 4)))
    operator = ResizeBilinear((height, width), way == 1, way == 2)
    if network.is_unsigned:
        operator = replace(operator, in_float32=network.border.random() < 0.5)
    network.add(operator, [value], None)
