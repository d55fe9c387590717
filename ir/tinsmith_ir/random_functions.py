"""A function of one element, drawn for a random network."""

from collections.abc import Callable, Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Abs,
    Ceil,
    Elu,
    Exp,
    Floor,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Neg,
    Operator,
    Relu0To1,
    ReluN1To1,
    Round,
    Rsqrt,
    Sign,
    Sqrt,
    Square,
)

_ALPHAS = (0.0, 0.1, 0.3, 1.0, 1.7, -0.5)

_Make = Callable[[np.random.Generator], Operator]


def _leaky_relu(random: np.random.Generator) -> Operator:
    return LeakyRelu(alpha=_ALPHAS[int(random.integers(len(_ALPHAS)))])


def _gelu(random: np.random.Generator) -> Operator:
    return Gelu(approximate=bool(random.integers(2)))


def _plain(kind: type[Operator]) -> _Make:
    return lambda random: kind()


_OF_ALL: Sequence[_Make] = (_leaky_relu, *map(_plain, (ReluN1To1, Relu0To1, Abs)))
_FUNCTIONS: dict[DType, Sequence[_Make]] = {
    DType.INT16: (*_OF_ALL, _plain(Exp)),
    DType.INT8: (*_OF_ALL, _gelu, *map(_plain, (HardSwish, Exp, Elu, Rsqrt))),
    DType.FLOAT32: (
        _leaky_relu,
        _gelu,
        *map(_plain, (HardSwish, Elu, Ceil, Floor, Neg, Round, Sign)),
    ),
}
OF_POSITIVE = (Log, Rsqrt, Sqrt)
"""Of float32, drawn for numbers that are well above 0."""
OF_SMALL = (Exp, Square)
"""Of float32, drawn for numbers that are at most 1: others grow beyond all bounds."""


def random_function(random: np.random.Generator, dtype: DType, turn: int) -> Operator:
    """An operator that takes one tensor of `dtype`, int8, int16 or float32, of any scale near 0.01 and gives one
    of about that scale.

    turn: which one; the known ones take turns, so that few networks hold them all.
    """
    known = _FUNCTIONS[dtype]
    return known[turn % len(known)](random)
