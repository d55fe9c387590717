"""Random networks that take and give uint8, and a step that they have."""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import FloatRescale, Requantize
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization, TensorType


def begin(network: Network, type_: TensorType) -> Value:
    """An input of uint8 as int8: its twin, or rescaled."""
    x = network.builder.input("x", TensorType(type_.shape, DType.UINT8, _twin(network, type_)))
    return network.builder.add(Requantize(), [x], quantization=type_.quantization)


def end(network: Network, value: Value) -> Value:
    """A result of int8 as uint8."""
    return network.builder.add(
        Requantize(DType.UINT8), [value], quantization=_twin(network, value.type)
    )


def _twin(network: Network, type_: TensorType) -> Quantization | None:
    """Of uint8, the same real numbers as int8 has, or now and then others."""
    quantization = type_.quantization
    if quantization is None or network.border.random() < 0.3:
        return Quantization.per_tensor(0.05, int(network.border.integers(256)))
    return Quantization.per_tensor(quantization.scale, quantization.zero_point + 128)


def float_rescale(network: Network, value: Value) -> None:
    """As a concatenation of uint8 does it."""
    zero_point = int(network.border.integers(-128, 128))
    network.add(FloatRescale(), [value], Quantization.per_tensor(0.03, zero_point))
