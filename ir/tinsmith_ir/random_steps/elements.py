"""Steps of random networks: operators of one element of each operand, softmax, and other element types."""

import numpy as np

from tinsmith_ir.dtypes import COMPUTED_DTYPES, DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Add,
    Cast,
    Maximum,
    Minimum,
    Mul,
    Relu,
    Relu6,
    Requantize,
    Softmax,
    Sub,
)
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization

_SOFTMAX = Quantization.per_tensor(1 / 256, -128)


def binary(network: Network, value: Value) -> None:
    """Add, Sub or Mul of two values of one shape."""
    others = [other for other in network.values if other.type.shape == value.type.shape]
    others = [other for other in others if other != value] or [value]
    _combined(network, value, others[network.pick(0, len(others) - 1)])


def binary_with_constant(network: Network, value: Value) -> None:
    """Add, Sub or Mul with a constant of the last dimension."""
    _combined(network, value, network.row(value, network.quantization(network.scale(value))))


def _combined(network: Network, lhs: Value, rhs: Value) -> None:
    kind = (Add, Sub, Mul)[network.pick(0, 2)]
    spread = 20000 if network.dtype is DType.INT16 else 100
    larger = max(network.scale(lhs), network.scale(rhs))
    near = network.scale(lhs) * network.scale(rhs) * spread if kind is Mul else larger * 1.5
    network.add(kind(activation=network.activation()), [lhs, rhs], network.quantization(near))


def extremum(network: Network, value: Value) -> None:
    """Minimum or Maximum with another value of its type, or with a constant."""
    others = [other for other in network.values if other.type == value.type and other != value]
    others = others or [network.row(value, value.type.quantization)]
    operator = (Minimum(), Maximum())[network.pick(0, 1)]
    network.add(operator, [value, others[network.pick(0, len(others) - 1)]], None)


def clamp(network: Network, value: Value) -> None:
    """Relu or Relu6, with the same quantization or another."""
    same = network.random.random() < 0.5
    chosen = value.type.quantization if same else network.quantization(network.scale(value))
    network.add((Relu(), Relu6())[network.pick(0, 1)], [value], chosen)


def requantize(network: Network, value: Value) -> None:
    """Requantize to the same dtype; nothing in a float32 network."""
    if network.dtype is not DType.FLOAT32:
        operator = Requantize(dtype=network.dtype)
        network.add(operator, [value], network.quantization(network.scale(value)))


def softmax(network: Network, value: Value) -> None:
    """Softmax; nothing in an int16 network, and of a scalar."""
    if network.dtype is DType.INT16 or not value.type.shape:
        return
    network.add(Softmax(), [value], None if network.dtype is DType.FLOAT32 else _SOFTMAX)


def cast(network: Network, random: np.random.Generator, value: Value) -> None:
    """Into another element type and back, with what that one keeps of the numbers."""
    others = [dtype for dtype in COMPUTED_DTYPES if dtype is not network.dtype]
    other = others[int(random.integers(len(others)))]
    middle = network.builder.add(Cast(other), [value])
    network.read.add(value.name)
    network.add(Cast(network.dtype), [middle], value.type.quantization)
