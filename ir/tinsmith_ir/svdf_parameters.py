"""The numbers that an SVDF of integers computes with; as parameters.py for other operators."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import activation_range, quantize_multiplier
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import Quantization, TensorType

Types = Sequence[TensorType | None]


@dataclass(frozen=True)
class SvdfParameters(Checked):
    """Of a sum of products: it is multiplied by multiplier * 2**(shift - 31).

    input_offset: minus the zero point of what the weights are multiplied with. output_offset: that of the result, whose
    bounds are clamp_min and clamp_max, before the offset is added to a state and after it to a result.
    """

    multiplier: int
    shift: int
    input_offset: int
    output_offset: int
    clamp_min: int
    clamp_max: int


def svdf_state_parameters(inputs: Types, state: TensorType) -> SvdfParameters:
    """Of an SvdfState, whose operands are state, input and weights."""
    input_ = _quantization(inputs[1])
    multiplier, shift = _scale(inputs[1], inputs[2], state)
    low, high = state.dtype.integer_range
    zero_point = _quantization(state).zero_point
    return SvdfParameters(multiplier, shift, -input_.zero_point, zero_point, low, high)


def svdf_parameters(inputs: Types, output: TensorType, activation: Activation) -> SvdfParameters:
    """Of an Svdf, whose operands are state, weights and a bias."""
    state = _quantization(inputs[0])
    multiplier, shift = _scale(inputs[0], inputs[1], output)
    zero_point = _quantization(output).zero_point
    bounds = activation_range(activation, output)
    return SvdfParameters(multiplier, shift, -state.zero_point, zero_point, *bounds)


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def _scale(
    factor: TensorType | None, weights: TensorType | None, result: TensorType
) -> tuple[int, int]:
    """The ratio of scales in float32, as TFLite's `Prepare` computes it."""
    product = np.float32(_quantization(factor).scale) * np.float32(_quantization(weights).scale)
    return quantize_multiplier(float(product / np.float32(_quantization(result).scale)))


def _quantization(type_: TensorType | None) -> Quantization:
    if type_ is None or type_.quantization is None:
        raise GraphError("expected a quantized tensor")
    return type_.quantization
