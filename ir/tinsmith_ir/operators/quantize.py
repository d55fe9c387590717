"""Between real numbers and integers, and between quantizations: Quantize, Dequantize, Requantize.

A TensorType holds what `infer` cannot know here: the dtype of Quantize's and Requantize's result is
an attribute, its quantization the graph's choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Rescaling, Trait, Types, required
from tinsmith_ir.operators.scaling import requantize, store_accumulator
from tinsmith_ir.operators.weighted import check_shifts
from tinsmith_ir.parameters import accumulator_parameters, requantize_parameters
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Quantize(Operator):
    """float32 -> `dtype`: round(x / scale) + zero_point, halves away from zero, clamped.

    halves_to_even: halves to the even integer instead, before the zero point is added; so ONNX and PyTorch
    have it. The division is in float32. NaN gives the zero point.
    """

    mnemonic: ClassVar[str] = "quantize"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    dtype: DType = DType.INT8
    halves_to_even: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape in `dtype`."""
        return (TensorType(checks.present(inputs, 0, "input").shape, self.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32 to int8, uint8 or int16 per tensor."""
        checks.check_dtype(checks.present(inputs, 0, "input"), (DType.FLOAT32,), "input")
        checks.check_dtype(outputs[0], checks.CONVERTED_DTYPES, "result")
        checks.check_quantized(outputs[0], "result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        quantization = checks.check_quantized(outputs[0], "result")
        with np.errstate(over="ignore", invalid="ignore"):
            real = required(arrays, 0).astype(np.float32) / np.float32(quantization.scale)
        quotient = np.nan_to_num(real, nan=0.0, posinf=2.0**30, neginf=-(2.0**30)).astype(
            np.float64
        )
        bounded = np.clip(quotient, -(2.0**30), 2.0**30)
        away = np.trunc(bounded + np.copysign(0.5, bounded))
        rounded = (np.rint(bounded) if self.halves_to_even else away).astype(np.int64)
        low, high = outputs[0].dtype.integer_range
        shifted = np.clip(rounded + quantization.zero_point, low, high)
        return (shifted.astype(outputs[0].dtype.numpy),)


@dataclass(frozen=True)
class Dequantize(Operator):
    """int8, uint8 or int16 -> float32: scale * (x - zero_point)."""

    mnemonic: ClassVar[str] = "dequantize"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape in float32."""
        return (TensorType(checks.present(inputs, 0, "input").shape, DType.FLOAT32),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8, uint8 or int16 per tensor to float32."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, checks.CONVERTED_DTYPES, "input")
        checks.check_quantized(input_, "input")
        checks.check_numbers(outputs[0], "result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        quantization = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        centred = required(arrays, 0).astype(np.int32) - np.int32(quantization.zero_point)
        return (np.float32(quantization.scale) * centred.astype(np.float32),)


@dataclass(frozen=True)
class Requantize(Rescaling):
    """Integers of one quantization (and width) as integers of another, `dtype`, clamped.

    Accumulators (int32 per channel, and int64) are rescaled as the operators with weights do at their
    end: int64 by a multiplier of 15 bits.
    """

    mnemonic: ClassVar[str] = "requantize"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE, Trait.FUSES_CLAMP})

    dtype: DType = DType.INT8
    activation: Activation = Activation.NONE

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape in `dtype`."""
        return (TensorType(checks.present(inputs, 0, "input").shape, self.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8, uint8, int16 or int32 per tensor on both sides, or accumulators to int8 or int16, with
        parameters. int16 operands may have a zero point, which that of a wide Softmax has.
        """
        if is_accumulator(checks.present(inputs, 0, "input")):
            _check_sums(checks.present(inputs, 0, "input"))
            checks.check_dtype(outputs[0], checks.QUANTIZED_DTYPES, "result")
            checks.check_quantized(outputs[0], "result")
            self.check_scales(inputs, outputs)
            return
        allowed = (*checks.CONVERTED_DTYPES, DType.INT32)
        for type_, name in ((checks.present(inputs, 0, "input"), "input"), (outputs[0], "result")):
            checks.check_dtype(type_, allowed, name)
            checks.check_quantized(type_, name, may_be_shifted=name == "input")
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `requantize_parameters` and `accumulator_parameters`."""
        input_ = checks.present(inputs, 0, "input")
        if is_accumulator(input_):
            parameters = accumulator_parameters(self, inputs, outputs[0])
            check_shifts(parameters, wide=input_.dtype is DType.INT64)
        else:
            requantize_parameters(self, inputs, outputs[0])

    def rescales(self, outputs: Sequence[TensorType]) -> bool:
        """Always, to int32 too."""
        del outputs
        return True

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, dtype = required(arrays, 0), outputs[0].dtype
        input_ = checks.present(inputs, 0, "input")
        if is_accumulator(input_):
            sums = accumulator_parameters(self, inputs, outputs[0])
            wide = input_.dtype is DType.INT64
            return (store_accumulator(array.astype(np.int64), sums, dtype, wide=wide),)
        return (requantize(array, requantize_parameters(self, inputs, outputs[0]), dtype),)


def is_accumulator(type_: TensorType) -> bool:
    """True for int64, and for int32 with a scale per channel: what is rescaled per channel."""
    per_axis = type_.quantization is not None and type_.quantization.axis is not None
    return type_.dtype is DType.INT64 or (type_.dtype is DType.INT32 and per_axis)


def _check_sums(type_: TensorType) -> None:
    quantization = type_.quantization
    if quantization is None:
        raise GraphError("expected accumulators with a quantization, got none")
    if quantization.axis not in (None, len(type_.shape) - 1) or any(quantization.zero_points):
        raise GraphError(
            "expected accumulators of zero point 0, per tensor or per index of the last axis, got "
            f"{quantization}"
        )
