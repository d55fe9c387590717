"""A function of one element, drawn for a random network."""

from collections.abc import Callable, Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    HardSwish,
    LeakyRelu,
    Operator,
    Relu0To1,
    ReluN1To1,
)

_ALPHAS = (0.0, 0.1, 0.3, 1.0, 1.7, -0.5)

_Make = Callable[[np.random.Generator], Operator]


def _leaky_relu(random: np.random.Generator) -> Operator:
    return LeakyRelu(alpha=_ALPHAS[int(random.integers(len(_ALPHAS)))])


def _plain(kind: type[Operator]) -> _Make:
    return lambda random: kind()


_OF_INT16: Sequence[_Make] = (_leaky_relu, _plain(ReluN1To1), _plain(Relu0To1))
_FUNCTIONS: dict[DType, Sequence[_Make]] = {
    DType.INT16: _OF_INT16,
    DType.INT8: (*_OF_INT16, _plain(HardSwish)),
    DType.FLOAT32: (*_OF_INT16, _plain(HardSwish)),
}


def random_function(random: np.random.Generator, dtype: DType) -> Operator:
    """An operator that takes one tensor of `dtype`, int8, int16 or float32, of any scale near 0.01 and gives one
    of about that scale.
    """
    known = _FUNCTIONS[dtype]
    return known[int(random.integers(len(known)))](random)
