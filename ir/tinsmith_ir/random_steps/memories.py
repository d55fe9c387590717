"""Steps of random networks: layers with a memory; what they remember is given."""

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Lstm, Reshape, Svdf, SvdfState
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization


def filters_over_time(network: Network, random: np.random.Generator, value: Value) -> None:
    """Of all elements as features; nothing in an int16 network."""
    if network.dtype is DType.INT16:
        return
    depth = value.type.elements
    rank, units, steps = (int(size) for size in random.integers(1, (3, 4, 3)))
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


def cells(network: Network, random: np.random.Generator, value: Value) -> None:
    """An LSTM over the rows of an image, or of all elements; nothing in an int16 network."""
    if network.dtype is DType.INT16:
        return
    shape = value.type.shape
    depth = value.type.elements // (shape[1] if len(shape) == 4 else 1)
    steps, count = value.type.elements // depth, int(random.integers(1, 5))
    is_float = network.dtype is DType.FLOAT32
    constant = network.builder.constant
    near = 2.0 / (74 * 74 * network.scale(value) * depth**0.5)
    kept = None if is_float else Quantization.per_tensor(2.0**-7, int(random.integers(-9, 10)))
    of_cells = None if is_float else _symmetric(2.0 ** -int(random.integers(9, 16)))

    def weights(*shape: int, scale: float = 0.01) -> Value:
        quantization = None if is_float else _symmetric(scale)
        return constant("weights", _numbers(random, shape, network.dtype), quantization)

    sequence = network.builder.add(Reshape(shape=(1, steps, depth)), [value])
    network.read.add(value.name)
    small, wide = (DType.FLOAT32, DType.FLOAT32) if is_float else (DType.INT8, DType.INT16)
    output_state = constant("output_state", _numbers(random, (1, count), small), kept)
    cell_state = constant("cell_state", _numbers(random, (1, count), wide), of_cells)
    operands: list[Value | None] = [sequence, output_state, cell_state]
    operands += [weights(count, depth, scale=float(np.float32(near))) for _ in range(4)]
    operands += [weights(count, count) for _ in range(4)]
    for _ in range(4):
        numbers = _numbers(random, (count,), DType.FLOAT32 if is_float else DType.INT32)
        operands.append(constant("bias", numbers))
    if random.random() < 0.5:
        operands[3] = operands[7] = operands[11] = None
    if random.random() < 0.5:
        peepholes = [
            constant(
                "peephole",
                _numbers(random, (count,), wide),
                None if is_float else _symmetric(0.001),
            )
            for _ in range(3)
        ]
        operands += [None if operands[3] is None else peepholes[0], *peepholes[1:]]
    hidden = (2.0**-7, kept.zero_point) if kept else (0.0, 0)
    layer = Lstm(
        backwards=bool(random.random() < 0.5), hidden_scale=hidden[0], hidden_zero_point=hidden[1]
    )
    results = network.builder.add_all(layer, operands)
    network.read.add(sequence.name)
    network.values.append(results[0])


def _symmetric(scale: float) -> Quantization:
    return Quantization.per_tensor(float(np.float32(scale)), 0)


def _numbers(
    random: np.random.Generator, shape: tuple[int, ...], dtype: DType
) -> NDArray[np.generic]:
    if dtype is DType.FLOAT32:
        return random.standard_normal(shape, np.float32) / 8
    return random.integers(-100, 101, shape).astype(dtype.numpy)
