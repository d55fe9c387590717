"""Steps of random networks: what counts, of float32 and of int32 between casts."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Cast, CumSum, FloorDiv, FloorMod, Operator, Tanh
from tinsmith_ir.random_steps.network import Network


def count(network: Network, random: np.random.Generator, value: Value) -> None:
    """CumSum, of floats of what is at most 1; or FloorDiv or FloorMod by a constant row."""
    rank = len(value.type.shape)
    if rank == 0:
        return
    kind = (CumSum, FloorDiv, FloorMod)[int(random.integers(3))]
    is_real = network.dtype is DType.FLOAT32
    counted = network.add(Tanh(), [value], None) if is_real else _cast(network, value, DType.INT32)
    operator: Operator = kind()
    operands: list[Value | None] = [counted]
    if kind is CumSum:
        exclusive, reverse = (bool(random.random() < 0.5) for _ in range(2))
        operator = CumSum(int(random.integers(rank)), exclusive, reverse)
    else:
        row = random.integers(1, 40, value.type.shape[-1]) * random.choice([-1, 1])
        data = (row / 16).astype(np.float32) if is_real else row.astype(np.int32)
        operands.append(network.builder.constant("c", data))
    if is_real:
        network.add(operator, operands, None)
        return
    result = network.builder.add(operator, operands)
    network.add(Cast(network.dtype), [result], value.type.quantization)


def _cast(network: Network, value: Value, dtype: DType) -> Value:
    network.read.add(value.name)
    return network.builder.add(Cast(dtype), [value])
