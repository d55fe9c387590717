"""The numbers that BatchMatmul of integers computes with, derived once for evaluator and back ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tinsmith_ir.arithmetic import MAX_SHIFT_64, MULTIPLIER_BITS, MULTIPLIER_BITS_64, quantize_scale
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.parameter_records import Rescaled
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType


@dataclass(frozen=True)
class MatmulParameters:
    """Of BatchMatmul. Offsets are added: to elements of the operands, and to results."""

    lhs_offset: int
    rhs_offset: int
    multiplier: int
    shift: int
    output_offset: int


def matmul_parameters(
    operator: Rescaled, inputs: Sequence[TensorType | None], output: TensorType
) -> MatmulParameters:
    """The product of the operands' scales is rounded to float32 before the division in double, as TFLite's
    `GetQuantizedConvolutionMultipler`. Raises GraphError where the ratio is too large.
    """
    lhs, rhs, result = (_quantization(type_) for type_ in (*inputs, output))
    with np.errstate(over="ignore"):  # too large: quantize_scale says so
        product = float(np.float32(lhs.scale) * np.float32(rhs.scale))
    is_wide = output.dtype is DType.INT16
    most = MULTIPLIER_BITS_64 if is_wide else MULTIPLIER_BITS
    bits = min(operator.multiplier_bits, most)
    multiplier, shift = quantize_scale(product / result.scale, operator.rounding, bits)
    if is_wide and operator.rounding is Rounding.TFLITE and shift > MAX_SHIFT_64:
        raise GraphError(
            f"expected lhs * rhs / result scale below 2**{MAX_SHIFT_64}, got {product / result.scale}"
        )
    return MatmulParameters(-lhs.zero_point, -rhs.zero_point, multiplier, shift, result.zero_point)


def _quantization(type_: TensorType | None) -> Quantization:
    if type_ is None or type_.quantization is None:
        raise GraphError("expected a quantized tensor, got none or one without quantization")
    return type_.quantization
