"""Steps of random networks: functions of one element, and what is made of them."""

from collections.abc import Callable, Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Abs,
    Add,
    Ceil,
    Cos,
    Div,
    Elu,
    Exp,
    Floor,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Neg,
    Operator,
    Pow,
    Prelu,
    Relu0To1,
    ReluN1To1,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sqrt,
    Square,
    SquaredDifference,
    Tanh,
)
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization

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
        *map(_plain, (HardSwish, Elu, Ceil, Cos, Floor, Neg, Round, Sign, Sin)),
    ),
}
_CURVE_SCALE = 2.5
"""Curves of int16 take no scale that is much larger."""
_OF_POSITIVE = (Log, Rsqrt, Sqrt)
"""Of float32, drawn for numbers that are well above 0."""
_OF_SMALL = (Exp, Square)
"""Of float32, drawn for numbers that are at most 1: others grow beyond all bounds."""


def curve(network: Network, random: np.random.Generator, value: Value) -> None:
    """Logistic or Tanh with the result's usual quantization, of int8 now and then another one."""
    if network.dtype is DType.INT16 and network.scale(value) > _CURVE_SCALE:
        return
    is_logistic = random.random() < 0.5
    usual = Quantization.per_tensor(*((1 / 256, -128) if is_logistic else (1 / 128, 0)))
    if network.dtype is DType.INT16:
        usual = Quantization.per_tensor(1 / 32768, 0)
    elif random.random() < 0.3:
        zero_point = int(random.integers(-128, 128))
        usual = Quantization.per_tensor(1 / 160, zero_point)
    chosen = None if network.dtype is DType.FLOAT32 else usual
    network.add(Logistic() if is_logistic else Tanh(), [value], chosen)


def function(network: Network, random: np.random.Generator, value: Value) -> None:
    """A function of one element, Prelu with a constant, or a squared difference of two values."""
    if network.dtype is not DType.INT16 and random.random() < 0.2:
        _prelu(network, random, value)
        return
    if network.dtype is DType.FLOAT32 and random.random() < 0.4:
        _bounded(network, random, value)
        return
    if network.dtype is not DType.INT16 and random.random() < 0.2:
        _difference(network, random, value)
        return
    operator = _drawn(random, network.dtype, network.turn)
    network.turn += 1
    network.add(operator, [value], _near(network, random, value))


def _bounded(network: Network, random: np.random.Generator, value: Value) -> None:
    """A function of numbers that are made at least 0.5, or at most 1."""
    kinds = (*_OF_POSITIVE, *_OF_SMALL)
    kind = kinds[int(random.integers(len(kinds)))]
    size = network.add(Abs(), [value], None)
    if kind in _OF_POSITIVE:
        half = network.builder.constant("half", np.array([0.5], np.float32))
        network.add(kind(), [network.add(Add(), [size, half], None)], None)
    else:
        below = network.add(Neg(), [size], None)
        network.add(kind(), [network.add(Tanh(), [below], None)], None)


def _difference(network: Network, random: np.random.Generator, value: Value) -> None:
    """SquaredDifference, of floats of what is at most 1 and divided by what is at least 1, which is raised, too."""
    if network.dtype is not DType.FLOAT32:
        network.add(SquaredDifference(), [value, value], _near(network, random, value))
        last = network.values[0]
        row = network.row(last, _near(network, random, last))
        network.add(SquaredDifference(), [last, row], _near(network, random, last))
        return
    small = network.add(Tanh(), [value], None)
    square = network.add(SquaredDifference(), [small, network.row(small, None)], None)
    one = network.builder.constant("one", np.array([1.0], np.float32))
    large = network.add(Add(), [square, one], None)
    network.add(Div(), [small, large], None)
    if random.random() < 0.5:
        network.add(Pow(), [large, small], None)


def _prelu(network: Network, random: np.random.Generator, value: Value) -> None:
    shape = value.type.shape[-1:]
    integers = random.integers(-127, 128, shape)
    near = Quantization.per_tensor(1 / 64, int(random.integers(-50, 50)))
    is_real = network.dtype is DType.FLOAT32
    data = (integers / 64).astype(np.float32) if is_real else integers.astype(np.int8)
    alpha = network.builder.constant("alpha", data, None if is_real else near)
    network.add(Prelu(), [value, alpha], _near(network, random, value))


def _near(network: Network, random: np.random.Generator, value: Value) -> Quantization | None:
    """A scale within a factor of 1.5 of that of `value`, from the functions' own stream."""
    if network.dtype is DType.FLOAT32:
        return None
    factor = 1.5 ** random.uniform(-1, 1)
    zero_point = int(random.integers(-128, 128))
    scale = float(np.float32(network.scale(value) * factor))
    return Quantization.per_tensor(scale, zero_point if network.dtype is DType.INT8 else 0)


def _drawn(random: np.random.Generator, dtype: DType, turn: int) -> Operator:
    """An operator that takes one tensor of `dtype`, int8, int16 or float32, of any scale near 0.01 and gives one
    of about that scale.

    turn: which one; the known ones take turns, so that few networks hold them all.
    """
    known = _FUNCTIONS[dtype]
    return known[turn % len(known)](random)
