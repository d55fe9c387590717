"""Normalization over the last axis: the logarithm of softmax, and division by the Euclidean norm."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import (
    multiply_by_quantized_multiplier,
    rounding_divide_by_pot,
    wrap_int32,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.fixed_point import exp_of_negative, log_of_at_least_1
from tinsmith_ir.float_arithmetic import exp_f32
from tinsmith_ir.float_functions import log_f32, sqrt_f32
from tinsmith_ir.inverse_root import inverse_root
from tinsmith_ir.normalization_parameters import LogSoftmaxParameters, log_softmax_parameters
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Types, required
from tinsmith_ir.operators.rows import RowOperator, check_result
from tinsmith_ir.parameters import SOFTMAX_INTEGER_BITS
from tinsmith_ir.types import TensorType

_SUM_INTEGER_BITS = 12
LONGEST_LOG_SOFTMAX = (1 << _SUM_INTEGER_BITS) - 1
"""Elements of a row of int8: so many exponentials can be added."""
_RESULT_INTEGER_BITS = 4
LONGEST_L2 = 33025
"""Elements of a row of int8, whose squares int32 can add."""
_SMALLEST_NORM = np.float32(1e-6)
_RESULT_BITS = 7


@dataclass(frozen=True)
class LogSoftmax(RowOperator):
    """x - max - log(sum of exp(x - max)), over the last axis.

    int8: fixed point, as TFLite's reference kernel; the result has scale 1/16, zero point 127. float32: exp by
    `exp_f32`, log by `log_f32`, sum in order from zero.
    """

    mnemonic: ClassVar[str] = "log_softmax"

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8 with the result in units of 1/16 from 127 down, of at most 4095 elements a row."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, (DType.FLOAT32, DType.INT8), "input")
        checks.check_numbers(input_, "input")
        checks.check_numbers(outputs[0], "result")
        if input_.dtype is DType.FLOAT32:
            return
        check_result(outputs[0], 1 / 16, 127)
        _check_length(input_, LONGEST_LOG_SOFTMAX)
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `log_softmax_parameters`."""
        del outputs
        log_softmax_parameters(inputs)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row over the last axis."""
        array = required(arrays, 0)
        if outputs[0].dtype is DType.FLOAT32:
            return (_log_softmax_f32(array.astype(np.float32)),)
        return (_log_softmax_s8(array, log_softmax_parameters(inputs)),)


@dataclass(frozen=True)
class L2Normalization(RowOperator):
    """Each row of the last axis divided by the root of the sum of its squares, of float32 by at least 1e-6.

    int8: as TFLite's reference kernel; the result has scale 1/128, zero point 0. float32: sum in order from zero, one
    division per element.
    """

    mnemonic: ClassVar[str] = "l2_normalization"

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8 with the result in units of 1/128, of at most 33025 elements a row."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, (DType.FLOAT32, DType.INT8), "input")
        checks.check_numbers(input_, "input")
        checks.check_numbers(outputs[0], "result")
        if input_.dtype is DType.INT8:
            check_result(outputs[0], 1 / 128, 0)
            _check_length(input_, LONGEST_L2)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row over the last axis."""
        array = required(arrays, 0)
        if outputs[0].dtype is DType.FLOAT32:
            return (_l2_f32(array.astype(np.float32)),)
        source = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        return (_l2_s8(array.astype(np.int32) - np.int32(source.zero_point)),)


def _check_length(type_: TensorType, longest: int) -> None:
    if type_.shape[-1] > longest:
        raise GraphError(f"expected rows of at most {longest} elements, got {type_.shape[-1]}")


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def _log_softmax_f32(array: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = array.max(axis=-1, keepdims=True)
    exponentials = exp_f32(array - largest)
    total = np.zeros_like(largest)
    for index in range(array.shape[-1]):
        total += exponentials[..., index : index + 1]
    return (array - largest) - log_f32(total)


def _log_softmax_s8(array: Array, p: LogSoftmaxParameters) -> NDArray[np.int8]:
    wide = array.astype(np.int64)
    difference = wrap_int32(wide - wide.max(axis=-1, keepdims=True))
    counted = difference >= p.diff_min
    # A difference that does not count may overflow the shift; 0 stands in for it.
    safe = np.where(counted, difference, np.int32(0))
    scaled = multiply_by_quantized_multiplier(safe, p.multiplier, p.shift)
    exponentials = exp_of_negative(scaled, SOFTMAX_INTEGER_BITS)
    terms = np.where(counted, rounding_divide_by_pot(exponentials, _SUM_INTEGER_BITS), 0)
    total = wrap_int32(terms.sum(axis=-1, keepdims=True, dtype=np.int64))
    logarithm = log_of_at_least_1(total, _SUM_INTEGER_BITS, SOFTMAX_INTEGER_BITS)
    # The most negative difference whose result is not below all that int8 has.
    lowest = wrap_int32(logarithm.astype(np.int64) - (1 << 31))
    least = multiply_by_quantized_multiplier(lowest, p.back_multiplier, p.back_shift)
    kept = difference > np.maximum(least, np.int32(p.diff_min - 1))
    rest = wrap_int32(scaled.astype(np.int64) - logarithm)
    shift = 31 - SOFTMAX_INTEGER_BITS - _RESULT_INTEGER_BITS
    result = np.clip(rounding_divide_by_pot(rest, shift).astype(np.int64) + 127, -128, 127)
    return np.where(kept, result, -128).astype(np.int8)


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def _l2_f32(array: NDArray[np.float32]) -> NDArray[np.float32]:
    total = np.zeros((*array.shape[:-1], 1), np.float32)
    for index in range(array.shape[-1]):
        element = array[..., index : index + 1]
        total += element * element
    norm = sqrt_f32(total)
    bounded = np.where(norm < _SMALLEST_NORM, _SMALLEST_NORM, norm).astype(np.float32)
    return array / bounded


def _l2_s8(values: NDArray[np.int32]) -> NDArray[np.int8]:
    wide = values.astype(np.int64)
    squares = (wide * wide).sum(axis=-1, keepdims=True).astype(np.int32)
    multiplier, shift = inverse_root(squares)
    scaled = multiply_by_quantized_multiplier(values, multiplier, shift + np.int32(_RESULT_BITS))
    return np.clip(scaled, -128, 127).astype(np.int8)
