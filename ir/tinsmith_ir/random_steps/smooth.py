"""Steps of random float32 networks: smooth functions that TFLite lacks."""

from collections.abc import Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Abs,
    Acos,
    Acosh,
    Add,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cosh,
    Erf,
    Mul,
    Operator,
    Sinh,
    Tan,
    Tanh,
)
from tinsmith_ir.random_steps.network import Network

_OF_ALL: Sequence[type[Operator]] = (Asinh, Atan, Erf)
_OF_SMALL: Sequence[type[Operator]] = (Acos, Asin, Atanh, Cosh, Sinh, Tan)
"""Drawn for numbers that are at most 1/2: others grow beyond all bounds, or have no result."""


def smooth(network: Network, random: np.random.Generator, value: Value) -> None:
    """A function of all numbers, three of numbers that are made at most 1/2, now and then acosh."""
    if network.dtype is not DType.FLOAT32:
        return
    network.add(_drawn(random, _OF_ALL, 1)[0](), [value], None)
    half = network.builder.constant("half", np.array([0.5], np.float32))
    small = network.add(Mul(), [network.add(Tanh(), [value], None), half], None)
    for kind in _drawn(random, _OF_SMALL, 3):
        network.add(kind(), [small], None)
    if random.random() < 0.5:
        one = network.builder.constant("one", np.array([1.0], np.float32))
        size = network.add(Abs(), [value], None)
        network.add(Acosh(), [network.add(Add(), [size, one], None)], None)


def _drawn(
    random: np.random.Generator, kinds: Sequence[type[Operator]], count: int
) -> Sequence[type[Operator]]:
    order: list[int] = random.permutation(len(kinds)).tolist()
    return [kinds[index] for index in order[:count]]
