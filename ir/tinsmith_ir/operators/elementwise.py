"""Add, Sub, Mul, Minimum and Maximum of two tensors, with numpy's broadcasting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import activation_range, rescale, rounded_right
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import (
    Array,
    Operand,
    Operator,
    Rescaling,
    Trait,
    Types,
    required,
)
from tinsmith_ir.operators.scaling import clamp, clamp_f32
from tinsmith_ir.parameters import (
    elementwise_add_parameters,
    mul_parameters,
    weighted_sum_parameters,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_SUMS = (DType.INT32, DType.INT64)


@dataclass(frozen=True)
class Broadcasting(Operator):
    """An elementwise operator of two operands of one dtype."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("lhs"), Operand("rhs"))
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The broadcast shape; both operands have the same dtype."""
        lhs, rhs = checks.present(inputs, 0, "lhs"), checks.present(inputs, 1, "rhs")
        if lhs.dtype is not rhs.dtype:
            raise GraphError(
                f"expected operands of one dtype, got {lhs.dtype.value} and {rhs.dtype.value}"
            )
        try:
            shape = np.broadcast_shapes(lhs.shape, rhs.shape)
        except ValueError:
            raise GraphError(
                f"expected shapes that broadcast, got {lhs.shape} and {rhs.shape}"
            ) from None
        return (TensorType(shape, lhs.dtype),)


@dataclass(frozen=True)
class Arithmetic(Broadcasting, Rescaling):
    """Add, Sub and Mul.

    Operands are broadcast as numpy does. float32; int8 or int16 (zero point 0), each quantized per tensor, which follow
    TFLite, or round their sum or product once; int32 and int64 without quantization, which wrap. activation: clamps the
    result.
    """

    traits: ClassVar[frozenset[Trait]] = Broadcasting.traits | {Trait.FUSES_CLAMP}

    activation: Activation = Activation.NONE

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The broadcast shape and dtype; accumulators keep their quantization."""
        (plain,) = super().infer(inputs)
        lhs = checks.present(inputs, 0, "lhs")
        return (lhs.with_shape(plain.shape) if lhs.dtype in _SUMS else plain,)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32, all int32 or int64 without quantization, or all quantized per tensor with
        parameters; or accumulators, see `_verify_sums`.
        """
        if outputs[0].dtype in _SUMS and outputs[0].quantization is not None:
            self._verify_sums(inputs, outputs[0])
            return
        for type_, name in zip((*inputs, outputs[0]), ("lhs", "rhs", "result"), strict=True):
            if type_ is not None:
                checks.check_numbers(type_, name, plain=_SUMS)
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        lhs, rhs, output = required(arrays, 0), required(arrays, 1), outputs[0]
        if output.dtype is DType.FLOAT32:
            result = self._combine(lhs.astype(np.float32), rhs.astype(np.float32))
            return (clamp_f32(result.astype(np.float32), self.activation),)
        if output.dtype in _SUMS:
            with np.errstate(over="ignore"):
                wide = self._combine(lhs.astype(np.int64), rhs.astype(np.int64)).astype(np.int64)
            low, high = activation_range(self.activation, output)
            wrapped = wide.astype(output.dtype.numpy)
            return (np.clip(wrapped, low, high).astype(output.dtype.numpy),)
        return (self._quantized(lhs.astype(np.int64), rhs.astype(np.int64), inputs, output),)

    def _verify_sums(self, inputs: Types, output: TensorType) -> None:
        """Accumulators of one type, per tensor or per channel, that are only added or subtracted."""
        if self.activation is not Activation.NONE:
            raise GraphError("expected no activation of accumulators; the Requantize behind clamps")
        for index, name in enumerate(("lhs", "rhs")):
            type_ = checks.present(inputs, index, name)
            if type_ != output:
                raise GraphError(f"expected {name} of the accumulator's type {output}, got {type_}")
        if output.quantization is not None and any(output.quantization.zero_points):
            raise GraphError("expected accumulators of zero point 0")

    def _combine(self, lhs: Array, rhs: Array) -> Array:
        raise NotImplementedError

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `elementwise_add_parameters` and `weighted_sum_parameters`."""
        if self.rounding is Rounding.TFLITE:
            elementwise_add_parameters(self, inputs, outputs[0])
        else:
            weighted_sum_parameters(self, inputs, outputs[0])

    def _quantized(
        self, lhs: NDArray[np.int64], rhs: NDArray[np.int64], inputs: Types, output: TensorType
    ) -> Array:
        """Add and Sub."""
        if self.rounding is not Rounding.TFLITE:
            return self._rounded_once(lhs, rhs, inputs, output)
        # Both go to a common scale first.
        p = elementwise_add_parameters(self, inputs, output)
        scaled_lhs = rescale(
            (lhs + p.input1_offset) << p.left_shift,
            p.input1_multiplier,
            p.input1_shift,
            self.rounding,
        )
        scaled_rhs = rescale(
            (rhs + p.input2_offset) << p.left_shift,
            p.input2_multiplier,
            p.input2_shift,
            self.rounding,
        )
        combined = self._combine(scaled_lhs, scaled_rhs).astype(np.int64)
        scaled = rescale(combined, p.output_multiplier, p.output_shift, self.rounding)
        return clamp(scaled, p.output_offset, p.clamp_min, p.clamp_max, output.dtype)

    def _rounded_once(
        self, lhs: NDArray[np.int64], rhs: NDArray[np.int64], inputs: Types, output: TensorType
    ) -> Array:
        p = weighted_sum_parameters(self, inputs, output)
        combined = self._combine(
            (lhs + p.input1_offset) * p.multiplier1, (rhs + p.input2_offset) * p.multiplier2
        )
        scaled = rounded_right(combined.astype(np.int64), p.shift, self.rounding)
        return clamp(scaled, p.output_offset, p.clamp_min, p.clamp_max, output.dtype)


@dataclass(frozen=True)
class Add(Arithmetic):
    """lhs + rhs, as `Arithmetic`."""

    mnemonic: ClassVar[str] = "add"

    def _combine(self, lhs: Array, rhs: Array) -> Array:
        return np.add(lhs, rhs)


@dataclass(frozen=True)
class Sub(Arithmetic):
    """lhs - rhs, as `Arithmetic`."""

    mnemonic: ClassVar[str] = "sub"

    def _combine(self, lhs: Array, rhs: Array) -> Array:
        return np.subtract(lhs, rhs)


@dataclass(frozen=True)
class Mul(Arithmetic):
    """lhs * rhs, as `Arithmetic`."""

    mnemonic: ClassVar[str] = "mul"

    def _verify_sums(self, inputs: Types, output: TensorType) -> None:
        raise GraphError("expected int32 and int64 without quantization in a product")

    def _combine(self, lhs: Array, rhs: Array) -> Array:
        return np.multiply(lhs, rhs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `mul_parameters`."""
        mul_parameters(self, inputs, outputs[0])

    def _quantized(
        self, lhs: NDArray[np.int64], rhs: NDArray[np.int64], inputs: Types, output: TensorType
    ) -> Array:
        p = mul_parameters(self, inputs, output)
        product = (lhs + p.input1_offset) * (rhs + p.input2_offset)
        scaled = rescale(product, p.output_multiplier, p.output_shift, self.rounding)
        return clamp(scaled, p.output_offset, p.clamp_min, p.clamp_max, output.dtype)


@dataclass(frozen=True)
class Extremum(Broadcasting):
    """Minimum and Maximum.

    Operands are broadcast as numpy does. float32, int32, int64 and bool without quantization; int8 and int16, compared
    as they are, so that both operands and the result have one quantization. rhs where neither wins: of equal zeros, and
    where one is NaN.
    """

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The broadcast shape, dtype and quantization of the operands."""
        (plain,) = super().infer(inputs)
        return (checks.present(inputs, 0, "lhs").with_shape(plain.shape),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, int32, int64 or bool without quantization, or int8/int16 all quantized alike."""
        lhs, rhs = checks.present(inputs, 0, "lhs"), checks.present(inputs, 1, "rhs")
        checks.check_numbers(lhs, "lhs", plain=(*_SUMS, DType.BOOL))
        checks.check_same_quantization(lhs, rhs, "lhs and rhs")
        checks.check_same_quantization(lhs, outputs[0], "lhs and result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise; rhs where neither wins: of equal zeros, and where one is NaN."""
        lhs, rhs = required(arrays, 0), required(arrays, 1)
        return (np.where(self._lhs_wins(lhs, rhs), lhs, rhs),)

    def _lhs_wins(self, lhs: Array, rhs: Array) -> NDArray[np.bool_]:
        raise NotImplementedError


@dataclass(frozen=True)
class Minimum(Extremum):
    """lhs < rhs ? lhs : rhs, as `Extremum`."""

    mnemonic: ClassVar[str] = "minimum"

    def _lhs_wins(self, lhs: Array, rhs: Array) -> NDArray[np.bool_]:
        return np.less(lhs, rhs)


@dataclass(frozen=True)
class Maximum(Extremum):
    """lhs > rhs ? lhs : rhs, as `Extremum`."""

    mnemonic: ClassVar[str] = "maximum"

    def _lhs_wins(self, lhs: Array, rhs: Array) -> NDArray[np.bool_]:
        return np.greater(lhs, rhs)
