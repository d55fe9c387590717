"""Squared differences, quotients and powers of two tensors, with numpy's broadcasting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import activation_range, rescale
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Trait, Types, required
from tinsmith_ir.operators.elementwise import Broadcasting
from tinsmith_ir.operators.scaling import clamp, clamp_f32
from tinsmith_ir.parameters import ElementwiseAddParameters, squared_difference_parameters
from tinsmith_ir.powers import pow_f32
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_INTEGERS = (DType.INT32, DType.INT64)


@dataclass(frozen=True)
class SquaredDifference(Broadcasting):
    """(lhs - rhs)**2. int8 as by TFLite's reference kernel, int32 without quantization wraps."""

    mnemonic: ClassVar[str] = "squared_difference"

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32, all int32 without quantization, or all int8 quantized per tensor with parameters."""
        types = (checks.present(inputs, 0, "lhs"), checks.present(inputs, 1, "rhs"), outputs[0])
        for type_, name in zip(types, ("lhs", "rhs", "result"), strict=True):
            checks.check_dtype(type_, (DType.FLOAT32, DType.INT8, DType.INT32), name)
            checks.check_numbers(type_, name, plain=(DType.INT32,))
        if checks.are_quantized(*types):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `squared_difference_parameters`."""
        squared_difference_parameters(inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        lhs, rhs, output = required(arrays, 0), required(arrays, 1), outputs[0]
        if output.dtype is DType.FLOAT32:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                real = lhs.astype(np.float32) - rhs.astype(np.float32)
                return (real * real,)
        if output.dtype is DType.INT8:
            p = squared_difference_parameters(inputs, output)
            return (_quantized(lhs.astype(np.int64), rhs.astype(np.int64), p),)
        with np.errstate(over="ignore"):
            difference = lhs.astype(np.int32) - rhs.astype(np.int32)
            return (difference * difference,)


@dataclass(frozen=True)
class Div(Broadcasting):
    """lhs / rhs of float32, or of plain int32 or int64 rounded towards 0. Of integers, what is divided by 0 gives 0."""

    mnemonic: ClassVar[str] = "div"
    traits: ClassVar[frozenset[Trait]] = Broadcasting.traits | {Trait.FUSES_CLAMP}

    activation: Activation = Activation.NONE

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32, or all int32 or all int64 without quantization."""
        types = (checks.present(inputs, 0, "lhs"), checks.present(inputs, 1, "rhs"), outputs[0])
        for type_, name in zip(types, ("lhs", "rhs", "result"), strict=True):
            checks.check_dtype(type_, (DType.FLOAT32, *_INTEGERS), name)
            checks.check_numbers(type_, name, plain=_INTEGERS)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise; without activation infinities become the largest finite numbers, as in TFLite. The lowest
        integer by -1 is itself.
        """
        lhs, rhs = required(arrays, 0), required(arrays, 1)
        if outputs[0].dtype in _INTEGERS:
            return (self._of_integers(lhs.astype(np.int64), rhs.astype(np.int64), outputs[0]),)
        with np.errstate(all="ignore"):
            quotient = lhs.astype(np.float32) / rhs.astype(np.float32)
        return (clamp_f32(quotient, self.activation),)

    def _of_integers(
        self, lhs: NDArray[np.int64], rhs: NDArray[np.int64], output: TensorType
    ) -> Array:
        divisor = np.where(rhs == 0, np.int64(1), rhs)
        with np.errstate(over="ignore"):
            below = lhs // divisor
            rest = lhs % divisor
        towards_zero = below + ((rest != 0) & ((lhs < 0) != (rhs < 0)))
        quotient = np.where(rhs == 0, np.int64(0), towards_zero).astype(output.dtype.numpy)
        low, high = activation_range(self.activation, output)
        return np.clip(quotient, low, high).astype(output.dtype.numpy)


@dataclass(frozen=True)
class Pow(Broadcasting):
    """lhs to the power of rhs, of float32."""

    mnemonic: ClassVar[str] = "pow"

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32."""
        types = (checks.present(inputs, 0, "lhs"), checks.present(inputs, 1, "rhs"), outputs[0])
        for type_, name in zip(types, ("lhs", "rhs", "result"), strict=True):
            checks.check_dtype(type_, (DType.FLOAT32,), name)
            checks.check_numbers(type_, name)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise; see `pow_f32`."""
        lhs, rhs = required(arrays, 0), required(arrays, 1)
        return (pow_f32(lhs.astype(np.float32), rhs.astype(np.float32)),)


def _quantized(
    lhs: NDArray[np.int64], rhs: NDArray[np.int64], p: ElementwiseAddParameters
) -> Array:
    tflite = Rounding.TFLITE
    scaled_lhs = rescale(
        (lhs + p.input1_offset) << p.left_shift, p.input1_multiplier, p.input1_shift, tflite
    )
    scaled_rhs = rescale(
        (rhs + p.input2_offset) << p.left_shift, p.input2_multiplier, p.input2_shift, tflite
    )
    difference = scaled_lhs - scaled_rhs
    scaled = rescale(difference * difference, p.output_multiplier, p.output_shift, tflite)
    return clamp(scaled, p.output_offset, p.clamp_min, p.clamp_max, DType.INT8)
