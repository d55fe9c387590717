"""Steps of random networks: the largest elements, products over axes, and quotients of plain integers."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Cast, Div, Mul, Operator, ReduceProd, Tanh, TopK, TopKIndices
from tinsmith_ir.random_steps.network import Network


def rank(network: Network, random: np.random.Generator, value: Value) -> None:
    """TopK; its indices; ReduceProd, of floats of what is at most 1; squares of int64; quotients of int32."""
    shape = value.type.shape
    if len(shape) < 2:
        return
    turn, count = int(random.integers(7)), 1
    if random.random() < 0.5:
        count = int(random.integers(1, min(4, shape[-1]) + 1))
    if turn in (0, 5, 6):
        network.add(TopK(count=count), [value], None)
    elif turn == 1:
        _back(network, TopKIndices(count=count), value, value)
    elif turn == 2 and network.dtype is DType.FLOAT32:
        bounded = network.add(Tanh(), [value], None)
        network.add(_product(random, shape), [bounded], None)
    elif turn == 2:
        _back(network, _product(random, shape), _cast(network, value, DType.INT32), value)
    elif turn == 3:
        wide = _cast(network, value, DType.INT64)
        _back(network, Mul(), wide, value, wide)
    else:
        divisor = random.integers(1, 9, shape[-1]) * random.choice([-1, 1])
        row = network.builder.constant("c", divisor.astype(np.int32))
        _back(network, Div(), _cast(network, value, DType.INT32), value, row)


def _product(random: np.random.Generator, shape: tuple[int, ...]) -> Operator:
    axis = int(random.integers(1, len(shape)))
    return ReduceProd(axes=(axis,), keep_dims=bool(random.random() < 0.5))


def _cast(network: Network, value: Value, dtype: DType) -> Value:
    network.read.add(value.name)
    return network.builder.add(Cast(dtype), [value])


def _back(
    network: Network, operator: Operator, operand: Value, like: Value, *others: Value
) -> None:
    """The operator's result, in the network's type again."""
    network.read |= {operand.name, *(other.name for other in others)}
    result = network.builder.add(operator, [operand, *others])
    network.add(Cast(network.dtype), [result], like.type.quantization)
