"""What operators with weights and bias share: their type rules, accumulation and last step.

Integers are accumulated exactly by matrix products of doubles (every partial sum stays far below
2**53). float32 is accumulated over (kernel row, kernel column, input channel) in that order from
zero, each product and sum rounded to float32, then the bias is added: the order of TFLite's
reference kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import MAX_SHIFT_64
from tinsmith_ir.boxes import Box, Range
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import (
    Array,
    Operand,
    Rescaling,
    Restriction,
    Trait,
    Types,
    required,
)
from tinsmith_ir.operators.scaling import clamp_f32, store_accumulator
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_WEIGHTS = {
    DType.FLOAT32: (DType.FLOAT32,),
    DType.INT8: (DType.INT8, DType.INT4, DType.INT2),
    DType.INT16: (DType.INT8,),
}
"""Of each element type of the input."""


@dataclass(frozen=True)
class Weighted(Rescaling):
    """An operator with weights and a bias per output channel, the last axis of its result.

    weights_axis: the axis of the weights that counts output channels.

    With the attribute `accumulator`, the result are the sums of products plus bias, as integers of that
    dtype with the scales of input * weights, neither rescaled nor clamped. Such sums over parts of the
    input channels can be added; a Requantize ends them, bit by bit as the operator itself would.
    """

    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("input"),
        Operand("weights"),
        Operand("bias", optional=True),
    )
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.FUSES_CLAMP})
    weights_axis: ClassVar[int]

    def restrict_sum(
        self, channels: Range, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """What sums over these input channels only, as an accumulator; the first part has the bias.

        The parts of all channels, added, and a Requantize with the operator's activation and rounding
        give its result. None for floats, and where channels are not summed up or cannot be told apart.
        """
        del channels, inputs, outputs
        return None


def summed_bias(channels: Range, inputs: Types) -> Box | None:
    """The bias in a sum over `channels`: it belongs to the first part."""
    bias = checks.optional(inputs, 2)
    return Box.whole(bias.shape) if bias is not None and channels[0] == 0 else None


def check_accumulator_dtype(
    accumulator: DType, input_: TensorType, allowed: Sequence[DType]
) -> None:
    """Raise GraphError unless sums of products with `input_` may be kept as `accumulator`.

    Never of floats: the order of their sums is their meaning.
    """
    if accumulator not in allowed:
        names = " or ".join(dtype.value for dtype in allowed) or "none"
        raise GraphError(
            f"expected an accumulator of {names} for an input of {input_.dtype.value}, got "
            f"{accumulator.value}"
        )


def check_accumulator(activation: Activation, expected: TensorType, output: TensorType) -> None:
    """Raise GraphError for sums that are clamped, or have other scales than `expected`."""
    if activation is not Activation.NONE:
        raise GraphError(
            f"expected no activation of an accumulator, got {activation.value}; the Requantize "
            "behind it clamps"
        )
    checks.check_same_quantization(expected, output, "input * weights and accumulator")


def weighted_operands(arrays: Sequence[Array | None]) -> tuple[Array, Array, Array | None]:
    """(input, weights, bias or None) of an operator with weights."""
    return required(arrays, 0), required(arrays, 1), arrays[2] if len(arrays) > 2 else None


def verify_weighted(inputs: Types, output: TensorType | None, axis: int) -> None:
    """Dtypes and quantization of an operator with weights and bias: all float32, or int8/int16
    activations with symmetric int8 weights (per tensor or per `axis`) and int32 bias. Beside int8, int8 weights
    that are quantized per tensor may have any zero point, and symmetric weights may be int4 or int2.

    output: None if the sums themselves are the result.
    """
    input_ = checks.present(inputs, 0, "input")
    weights = checks.present(inputs, 1, "weights")
    bias = checks.optional(inputs, 2)
    checks.check_numbers(input_, "input")
    if output is not None:
        checks.check_numbers(output, "result")
    is_float = input_.dtype is DType.FLOAT32
    checks.check_dtype(weights, _WEIGHTS[input_.dtype], "weights")
    if bias is not None:
        checks.check_dtype(bias, (DType.FLOAT32 if is_float else DType.INT32,), "bias")
    if is_float:
        return
    quantization = weights.quantization
    if quantization is None:
        raise GraphError("expected weights with a quantization, got none")
    may_be_asymmetric = input_.dtype is weights.dtype is DType.INT8 and quantization.axis is None
    if any(quantization.zero_points) and not may_be_asymmetric:
        raise GraphError(
            f"expected weights with zero points 0, got {quantization.zero_points}; only i8 per tensor "
            "beside i8 has others"
        )
    if quantization.axis not in (None, axis):
        raise GraphError(
            f"expected weights quantized per tensor or per axis {axis}, got {quantization.axis}"
        )


def check_shifts(parameters: ConvParameters, *, wide: bool) -> None:
    """Raise GraphError for a left shift that TFLite's rescaling of a 64-bit accumulator does not have."""
    largest = int(parameters.shifts.max())
    if wide and parameters.rounding is Rounding.TFLITE and largest > MAX_SHIFT_64:
        raise GraphError(
            f"expected input * weights / result scales below 2**{MAX_SHIFT_64}, got one of about "
            f"2**{largest}"
        )


def centred(array: Array, type_: TensorType) -> Array:
    """Integers minus their zero point, as int64; float32 as it is."""
    if type_.dtype is DType.FLOAT32 or type_.quantization is None:
        return array
    return array.astype(np.int64) - type_.quantization.zero_point


def centred_weights(array: Array, type_: TensorType) -> Array:
    """Weights minus their zero point; as they are if that is 0."""
    quantization = type_.quantization
    if quantization is None or not any(quantization.zero_points):
        return array
    return array.astype(np.int64) - quantization.zero_point


def accumulate(columns: Array, matrix: Array) -> Array:
    """(..., K) times (O, K) -> (..., O): int64 exactly, or float32 in the order of K."""
    if columns.dtype == np.float32:
        return _accumulate_f32(columns.astype(np.float32), matrix.astype(np.float32))
    return (columns.astype(np.float64) @ matrix.astype(np.float64).T).astype(np.int64)


def _accumulate_f32(
    columns: NDArray[np.float32], matrix: NDArray[np.float32]
) -> NDArray[np.float32]:
    taps = np.ascontiguousarray(columns.reshape(-1, columns.shape[-1]).T)
    rows = np.ascontiguousarray(matrix.T)
    acc = np.zeros((taps.shape[1], rows.shape[1]), np.float32)
    product = np.empty_like(acc)
    for tap, row in zip(taps, rows, strict=True):
        np.multiply(tap[:, None], row, out=product)
        acc += product
    return acc.reshape(*columns.shape[:-1], rows.shape[1])


def finish_f32(acc: Array, bias: Array | None, activation: Activation) -> Array:
    """Add the float32 bias and clamp."""
    total = acc.astype(np.float32)
    return clamp_f32(total if bias is None else total + bias.astype(np.float32), activation)


def finish_integer(
    acc: Array, bias: Array | None, parameters: ConvParameters, dtype: DType, *, wide: bool
) -> Array:
    """Add the int32 bias, rescale per channel (the last axis), clamp.

    wide: rescale a 64-bit accumulator, see `store_accumulator`.
    """
    total = acc.astype(np.int64)
    if bias is not None:
        total = total + bias.astype(np.int64)
    return store_accumulator(total, parameters, dtype, wide=wide)


def finish_accumulator(acc: Array, bias: Array | None, dtype: DType) -> Array:
    """Add the int32 bias, if there is one, and keep the sum: of int32 the low 32 bits."""
    total = acc.astype(np.int64)
    return (total if bias is None else total + bias.astype(np.int64)).astype(dtype.numpy)
