"""Steps of random networks: layers with a memory; what they remember is given."""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Reshape, Svdf, SvdfState
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization


def filters_over_time(network: Network, random: np.random.Generator, value: Value) -> None:
    """Of all elements as features; nothing in an int16 network."""
    if network.dtype is DType.INT16:
        return
    depth = value.type.elements
    rank, units, steps = (int(size) for size in random.integers(1, (3, 4, 5)))
    filters = rank * units
    is_float = network.dtype is DType.FLOAT32
    is_small = bool(random.random() < 0.5)
    memory = DType.INT8 if is_small else DType.INT16
    kept_scale = network.scale(value) * 0.01 * 50 * depth**0.5 * (1 if is_small else 0.01)
    kept = None if is_float else _symmetric(kept_scale)
    constant = network.builder.constant
    dtype = network.dtype if is_float else memory
    state = constant("memory", _numbers(random, (1, filters * steps), dtype), kept)
    weights = None if is_float else _symmetric(0.01)
    features = constant("features", _numbers(random, (filters, depth), network.dtype), weights)
    over_time = constant("time", _numbers(random, (filters, steps), dtype), weights)
    flat = network.builder.add(Reshape(shape=(1, depth)), [value])
    network.read.add(value.name)
    later = network.builder.add(SvdfState(), [state, flat, features])
    near = kept_scale * 0.01 * 50 * (rank * steps) ** 0.5
    network.add(Svdf(rank), [later, over_time], network.quantization(near))


def _symmetric(scale: float) -> Quantization:
    return Quantization.per_tensor(float(np.float32(scale)), 0)


def _numbers(
    random: np.random.Generator, shape: tuple[int, ...], dtype: DType
) -> NDArray[np.generic]:
    if dtype is DType.FLOAT32:
        return random.standard_normal(shape, np.float32) / 8
    return random.integers(-100, 101, shape).astype(dtype.numpy)
