"""The logistic function and tanh, element by element."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import exponent_of
from tinsmith_ir.curves import Curve, int8_table, int16_table
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.float_arithmetic import logistic_f32, tanh_f32
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Types, required
from tinsmith_ir.operators.tabulated import Tabulated
from tinsmith_ir.parameters import CurveParameters, curve_parameters
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class SigmoidCurve(Tabulated):
    """Logistic and Tanh.

    int8: a table made in float32, any scales. int16: straight lines between the values of a table in
    fixed point, the result in units of 1/32768; both as TFLite's reference kernels. float32: see
    `float_arithmetic`.
    """

    curve: ClassVar[Curve]

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 quantized per tensor with a table or parameters."""
        checks.check_numbers(checks.present(inputs, 0, "input"), "input")
        checks.check_numbers(outputs[0], "result")
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8: see `int8_table`. int16: see `curve_parameters`; a result of scale 1/32768."""
        if outputs[0].dtype is DType.INT8:
            self.table(inputs, outputs[0])
            return
        quantization = checks.check_quantized(outputs[0], "result")
        if exponent_of(quantization.scale) != -15:
            raise GraphError(f"expected an i16 result of scale 1/32768, got {quantization.scale}")
        curve_parameters(self, inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first; see `int8_table`."""
        source = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        return int8_table(self.curve, source, checks.check_quantized(output, "result"))

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, output = required(arrays, 0), outputs[0]
        if output.dtype is DType.FLOAT32:
            return (self._real(array.astype(np.float32)),)
        self.check_scales(inputs, outputs)
        if output.dtype is DType.INT8:
            return (self.looked_up(array, inputs, output),)
        parameters = curve_parameters(self, inputs, output)
        return (self._between(_steps(array, parameters)).astype(np.int16),)

    def _real(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        raise NotImplementedError

    def _between(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The result at steps of 1/12288."""
        raise NotImplementedError


@dataclass(frozen=True)
class Logistic(SigmoidCurve):
    """1 / (1 + exp(-x))."""

    mnemonic: ClassVar[str] = "logistic"
    curve: ClassVar[Curve] = Curve.LOGISTIC

    def _real(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return logistic_f32(values)

    def _between(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        above_half = _interpolated(np.abs(steps), 9, 32766)
        signed = np.where(steps < 0, -above_half - 1, above_half)
        return (signed + (1 << 24) + (1 << 9)) >> 10


@dataclass(frozen=True)
class Tanh(SigmoidCurve):
    """tanh(x)."""

    mnemonic: ClassVar[str] = "tanh"
    curve: ClassVar[Curve] = Curve.TANH

    def _real(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return tanh_f32(values)

    def _between(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        # 2 / (1 + exp(-2 x)) - 1: the steps of the table are half as long.
        magnitude = _interpolated(np.abs(steps), 8, 32767)
        signed = np.where(steps < 0, -magnitude - 1, magnitude)
        return (signed + (1 << 7)) >> 8


def _steps(array: Array, parameters: CurveParameters) -> NDArray[np.int64]:
    product = array.astype(np.int64) * parameters.multiplier
    half = (1 << parameters.right_shift) >> 1
    return (product + half) >> parameters.right_shift


def _interpolated(steps: NDArray[np.int64], bits: int, limit: int) -> NDArray[np.int64]:
    """The table at steps of 2**-bits of its own, times 2**bits; from its last value on `limit` instead."""
    table = int16_table().astype(np.int64)
    index = np.minimum(steps >> bits, len(table) - 2)
    fraction = steps & ((1 << bits) - 1)
    between = (table[index] << bits) + fraction * (table[index + 1] - table[index])
    return np.where(steps >> bits >= len(table) - 1, np.int64(limit << bits), between)
