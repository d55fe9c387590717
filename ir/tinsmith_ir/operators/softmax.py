"""Softmax over the last axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import (
    multiply_by_quantized_multiplier,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
    wrap_int32,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.fixed_point import exp_of_negative, reciprocal
from tinsmith_ir.float_arithmetic import exp_f32
from tinsmith_ir.function_tables import interpolated, softmax_tables
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Types, required
from tinsmith_ir.operators.rows import RowOperator, check_result
from tinsmith_ir.parameters import (
    SOFTMAX_INTEGER_BITS,
    Softmax16Parameters,
    SoftmaxParameters,
    softmax16_parameters,
    softmax_parameters,
)
from tinsmith_ir.types import TensorType

_SUM_INTEGER_BITS = 12
_RESULTS = {DType.INT8: (1 / 256, -128), DType.INT16: (1 / 32768, 0)}
_WIDE_RESULT = (1 / 65536, -32768)
_SHARE_OF_SCALE_INT16 = 0.001
"""TFLite takes scales of 1/65535, too."""
_LONGEST_ROW_INT16 = 65536
"""More exponentials may leave int32."""


@dataclass(frozen=True)
class Softmax(RowOperator):
    """exp(beta * (x - max)) / sum, over the last axis.

    int16: by tables of the exponential and of 1 / (1 + x), as there; the result has scale 1/32768.
    int8: fixed point, as TFLite's reference kernel; the result has scale 1/256, zero point -128. wide: the same with
    a result of int16, of scale 1/65536 and zero point -32768.
    float32: exp by `exp_f32`, sum in order from zero, one division per element.
    """

    mnemonic: ClassVar[str] = "softmax"
    beta: float = 1.0
    wide: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape, of rank 1 or more."""
        (type_,) = super().infer(inputs)
        return (TensorType(type_.shape, DType.INT16) if self.wide else type_,)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32; integers with the only quantization of their result, and parameters; beta above 0."""
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise GraphError(f"expected a finite beta above 0, got {self.beta}")
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, (DType.FLOAT32, DType.INT8, DType.INT16), "input")
        checks.check_numbers(input_, "input")
        if self.wide:
            checks.check_dtype(input_, (DType.INT8,), "input of a wide softmax")
        else:
            checks.check_numbers(outputs[0], "result")
        if input_.dtype is DType.FLOAT32:
            return
        scale, zero_point = _WIDE_RESULT if self.wide else _RESULTS[input_.dtype]
        share = 0.0 if outputs[0].dtype is DType.INT8 else _SHARE_OF_SCALE_INT16
        check_result(outputs[0], scale, zero_point, share)
        if input_.dtype is DType.INT16 and input_.shape[-1] > _LONGEST_ROW_INT16:
            raise GraphError(
                f"expected rows of at most {_LONGEST_ROW_INT16} int16, got {input_.shape[-1]}"
            )
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `softmax_parameters` and `softmax16_parameters`."""
        if checks.present(inputs, 0, "input").dtype is DType.INT16:
            softmax16_parameters(self, inputs, outputs[0])
        else:
            softmax_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row over the last axis."""
        array = required(arrays, 0)
        if outputs[0].dtype is DType.FLOAT32:
            return (_softmax_f32(array.astype(np.float32), np.float32(self.beta)),)
        if array.dtype == np.int16:
            return (_softmax_s16(array, softmax16_parameters(self, inputs, outputs[0])),)
        parameters = softmax_parameters(self, inputs, outputs[0])
        return (_softmax_s8(array, parameters, outputs[0].dtype),)


def _softmax_f32(array: NDArray[np.float32], beta: np.float32) -> NDArray[np.float32]:
    largest = array.max(axis=-1, keepdims=True)
    exponentials = exp_f32((array - largest) * beta)
    total = np.zeros_like(largest)
    for index in range(array.shape[-1]):
        total += exponentials[..., index : index + 1]
    return exponentials / total


def _softmax_s8(array: Array, parameters: SoftmaxParameters, result: DType) -> Array:
    wide = array.astype(np.int64)
    difference = wrap_int32(wide - wide.max(axis=-1, keepdims=True))
    counted = difference >= parameters.diff_min
    # A difference that does not count may overflow the shift; 0 stands in for it.
    safe = np.where(counted, difference, np.int32(0))
    scaled = multiply_by_quantized_multiplier(
        safe, parameters.input_multiplier, parameters.input_left_shift
    )
    exponentials = exp_of_negative(scaled, SOFTMAX_INTEGER_BITS)
    terms = np.where(counted, rounding_divide_by_pot(exponentials, _SUM_INTEGER_BITS), 0)
    total = wrap_int32(terms.sum(axis=-1, keepdims=True, dtype=np.int64))
    scale, bits_over_unit = reciprocal(total, _SUM_INTEGER_BITS)
    product = saturating_rounding_doubling_high_mul(exponentials, scale)
    shifted = rounding_divide_by_pot(product, bits_over_unit + np.int32(31 - 8 * result.size_bytes))
    low, high = result.integer_range
    probabilities = np.clip(shifted.astype(np.int64) + low, low, high)
    return np.where(counted, probabilities, low).astype(result.numpy)


def _softmax_s16(array: Array, parameters: Softmax16Parameters) -> NDArray[np.int16]:
    """As TFLite's `SoftmaxInt16`: exponentials, their sum's reciprocal and the results have units of 2**-15."""
    exponential_table, reciprocal_table = softmax_tables()
    wide = array.astype(np.int64)
    difference = wrap_int32(wide - wide.max(axis=-1, keepdims=True))
    scaled = multiply_by_quantized_multiplier(difference, parameters.multiplier, parameters.shift)
    places = np.clip(scaled.astype(np.int64) + 32767, -32768, 32767)
    exponentials = interpolated(exponential_table, places)
    total = exponentials.sum(axis=-1, keepdims=True)
    # total = (1 + x) * 2**top; the table has x in [0, 1] from -32768 on.
    top = np.floor(np.log2(total)).astype(np.int64)
    leading = ((total << (30 - top)) + (1 << 13)) >> 14
    reciprocals = interpolated(reciprocal_table, np.clip(leading - (3 << 15), -32768, 32767))
    result = (exponentials * reciprocals + (1 << (top - 1))) >> top
    return np.clip(result, 0, 32767).astype(np.int16)
