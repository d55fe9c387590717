"""Steps of random networks: what plain int32 and int64 have, between casts."""

from collections.abc import Callable, Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Abs,
    ArgMax,
    ArgMin,
    Cast,
    Compare,
    Div,
    FloorDiv,
    FloorMod,
    Maximum,
    Minimum,
    Neg,
    Operator,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Select,
    Sign,
    Sum,
)
from tinsmith_ir.random_steps.network import Network

_OF_ONE: Sequence[type[Operator]] = (Abs, Neg, Sign)
_OF_TWO: Sequence[type[Operator]] = (Div, FloorDiv, FloorMod, Maximum, Minimum)
_OVER_ONE_AXIS: Sequence[Callable[[int], Operator]] = (
    lambda axis: Sum(axes=(axis,), keep_dims=True),
    lambda axis: ReduceMax(axes=(axis,), keep_dims=True),
    lambda axis: ReduceMin(axes=(axis,), keep_dims=True),
    lambda axis: ReduceProd(axes=(axis,), keep_dims=True),
    lambda axis: ArgMax(axis=axis),
    lambda axis: ArgMin(axis=axis),
)


def integer(network: Network, random: np.random.Generator, value: Value) -> None:
    """Of integers one function, one that meets a constant row, a choice between the two, and one over an axis."""
    shape = value.type.shape
    if not shape:
        return
    dtype = DType.INT32 if random.random() < 0.5 else DType.INT64
    builder = network.builder
    network.read.add(value.name)
    whole = builder.add(Cast(dtype), [value])
    row = random.integers(-9, 10, shape[-1]).astype(dtype.numpy)
    constant = builder.constant("c", row)
    one = builder.add(_drawn(random, _OF_ONE)(), [whole])
    two = builder.add(_drawn(random, _OF_TWO)(), [whole, constant])
    condition = builder.add(Compare(), [one, two])
    chosen = builder.add(Select(), [condition, whole, two])
    found = builder.add(_drawn(random, _OVER_ONE_AXIS)(int(random.integers(len(shape)))), [chosen])
    network.add(Cast(network.dtype), [found], value.type.quantization)


def _drawn(
    random: np.random.Generator, kinds: Sequence[Callable[..., Operator]]
) -> Callable[..., Operator]:
    return kinds[int(random.integers(len(kinds)))]
