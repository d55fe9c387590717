"""LeakyRelu, Prelu and HardSwish: rectifiers that are more than a clamp."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import multiply_by_quantized_multiplier, wrap_int32
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Trait, Types, required
from tinsmith_ir.operators.scaling import clamp
from tinsmith_ir.operators.tabulated import ALL_INT8, Tabulated
from tinsmith_ir.rectifier_parameters import (
    HARD_SWISH_BITS,
    HardSwishParameters,
    RectifierParameters,
    hard_swish_parameters,
    leaky_relu_parameters,
    prelu_parameters,
)
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class LeakyRelu(Tabulated):
    """x > 0 ? x : alpha * x. Integers are rescaled with two roundings, as by TFLite's reference kernel."""

    mnemonic: ClassVar[str] = "leaky_relu"

    alpha: float = 0.0

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 quantized per tensor with parameters; a finite alpha."""
        if not abs(self.alpha) <= float(np.finfo(np.float32).max):
            raise GraphError(f"expected an alpha that is finite in float32, got {self.alpha}")
        checks.check_numbers(checks.present(inputs, 0, "input"), "input")
        checks.check_numbers(outputs[0], "result")
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `leaky_relu_parameters`."""
        leaky_relu_parameters(self.alpha, inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first."""
        return leaky_relu_table(self.alpha, inputs, output)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, output = required(arrays, 0), outputs[0]
        if output.dtype is DType.FLOAT32:
            real = array.astype(np.float32)
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                return (np.where(real > 0, real, real * np.float32(self.alpha)),)
        values = leaky_relu_values(self.alpha, array.astype(np.int64), inputs, output)
        return (values.astype(output.dtype.numpy),)


@dataclass(frozen=True)
class Prelu(Operator):
    """x >= 0 ? x : alpha * x with alpha broadcast to x, whose shape the result has.

    int8: rescaled with two roundings, as by TFLite's reference kernel.
    """

    mnemonic: ClassVar[str] = "prelu"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"), Operand("alpha"))
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape and dtype."""
        input_, alpha = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "alpha")
        if input_.dtype is not alpha.dtype:
            raise GraphError(
                f"expected operands of one dtype, got {input_.dtype.value} and {alpha.dtype.value}"
            )
        try:
            fits = np.broadcast_shapes(input_.shape, alpha.shape) == input_.shape
        except ValueError:
            fits = False
        if not fits:
            raise GraphError(
                f"expected an alpha that broadcasts to the input {input_.shape}, got {alpha.shape}"
            )
        return (TensorType(input_.shape, input_.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8 quantized per tensor with parameters."""
        types = (checks.present(inputs, 0, "input"), checks.present(inputs, 1, "alpha"), outputs[0])
        for type_, name in zip(types, ("input", "alpha", "result"), strict=True):
            checks.check_dtype(type_, (DType.FLOAT32, DType.INT8), name)
            checks.check_numbers(type_, name)
        if checks.are_quantized(*types):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `prelu_parameters`."""
        prelu_parameters(inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, alpha, output = required(arrays, 0), required(arrays, 1), outputs[0]
        if output.dtype is DType.FLOAT32:
            real = array.astype(np.float32)
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                return (np.where(real >= 0, real, real * alpha.astype(np.float32)),)
        p = prelu_parameters(inputs, output)
        return (_rectified(array.astype(np.int64), alpha.astype(np.int64), p, output.dtype),)


@dataclass(frozen=True)
class HardSwish(Tabulated):
    """x * min(max(x + 3, 0), 6) / 6. int8: 16-bit fixed point, as TFLite's reference kernel."""

    mnemonic: ClassVar[str] = "hard_swish"

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8 quantized per tensor with parameters."""
        input_ = checks.present(inputs, 0, "input")
        for type_, name in ((input_, "input"), (outputs[0], "result")):
            checks.check_dtype(type_, (DType.FLOAT32, DType.INT8), name)
            checks.check_numbers(type_, name)
        if checks.are_quantized(input_, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `hard_swish_parameters`."""
        hard_swish_parameters(inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first."""
        parameters = hard_swish_parameters(inputs, output)
        return _hard_swish(ALL_INT8, parameters).astype(np.int8)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, output = required(arrays, 0), outputs[0]
        if output.dtype is not DType.FLOAT32:
            return (self.looked_up(array, inputs, output),)
        real, zero, six = array.astype(np.float32), np.float32(0.0), np.float32(6.0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            raised = real + np.float32(3.0)
            above = np.where(raised < zero, zero, raised)
            return (real * np.where(above > six, six, above) / six,)


def leaky_relu_table(alpha: float, inputs: Types, output: TensorType) -> NDArray[np.int8]:
    """What a LeakyRelu of that alpha gives for each int8, that of -128 first; of alpha -1 it is |x|."""
    return leaky_relu_values(alpha, ALL_INT8, inputs, output).astype(np.int8)


def leaky_relu_values(
    alpha: float, values: NDArray[np.int64], inputs: Types, output: TensorType
) -> NDArray[np.int64]:
    """The same for integers, within the range of `output`."""
    p = leaky_relu_parameters(alpha, inputs, output)
    return _rectified(values, np.int64(1), p, output.dtype).astype(np.int64)


def _rectified(
    values: NDArray[np.int64],
    alpha: NDArray[np.int64] | np.int64,
    p: RectifierParameters,
    dtype: DType,
) -> Array:
    centred = values + p.input_offset
    positive = multiply_by_quantized_multiplier(wrap_int32(centred), p.multiplier, p.shift)
    product = np.asarray(centred * (alpha + p.alpha_offset))
    negative = multiply_by_quantized_multiplier(
        wrap_int32(product), p.negative_multiplier, p.negative_shift
    )
    scaled = np.where(centred >= 0, positive, negative).astype(np.int64)
    low, high = dtype.integer_range
    return clamp(scaled, p.output_offset, low, high, dtype)


def _hard_swish(values: NDArray[np.int64], p: HardSwishParameters) -> NDArray[np.int64]:
    """x in units of the result before its shift, times (x + 3) / 6 within [0, 1] in 15 bits, rounded to zero."""
    fine = (values + p.input_offset) << HARD_SWISH_BITS
    unshifted = (fine * p.output_multiplier + (1 << 14)) >> 15
    factor = (_reluish(fine, p) + (1 << 15)) >> 1
    product = factor * unshifted
    truncated = np.where(product < 0, -(-product >> 15), product >> 15)
    return np.clip(_divided(truncated, -p.output_exponent) + p.output_offset, -128, 127)


def _reluish(fine: NDArray[np.int64], p: HardSwishParameters) -> NDArray[np.int64]:
    """x in units of 3 / 32768. The last bit of a left shift comes after the product: nothing that saturates
    before it is seen in the result.
    """
    left = max(p.reluish_exponent, 0)
    shifted = np.clip(fine << max(left - 1, 0), -(1 << 15), (1 << 15) - 1)
    scaled = (shifted * p.reluish_multiplier + (1 << 14)) >> 15
    if left:
        return np.clip(scaled << 1, -(1 << 15), (1 << 15) - 1)
    return _divided(scaled, -p.reluish_exponent)


def _divided(values: NDArray[np.int64], exponent: int) -> NDArray[np.int64]:
    """Values / 2**exponent, halves away from zero."""
    half = (1 << exponent) >> 1
    return np.where(values < 0, -((-values + half) >> exponent), (values + half) >> exponent)
