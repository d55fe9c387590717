"""The logistic function and tanh, element by element."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import exponent_of
from tinsmith_ir.curves import Curve, int8_table, logistic_of_int16, tanh_of_int16
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
    """Logistic and Tanh, elementwise.

    int8: a table made in float32, any scales. int16: straight lines between the values of a table in
    fixed point, the result in units of 1/32768; both quantized per tensor, and as TFLite's reference kernels.
    float32: see `float_arithmetic`.
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
        return (self._between(array, parameters),)

    def _real(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        raise NotImplementedError

    def _between(self, array: Array, parameters: CurveParameters) -> NDArray[np.int16]:
        """Of int16."""
        raise NotImplementedError


@dataclass(frozen=True)
class Logistic(SigmoidCurve):
    """1 / (1 + exp(-x)), as `SigmoidCurve`."""

    mnemonic: ClassVar[str] = "logistic"
    curve: ClassVar[Curve] = Curve.LOGISTIC

    def _real(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return logistic_f32(values)

    def _between(self, array: Array, parameters: CurveParameters) -> NDArray[np.int16]:
        return logistic_of_int16(array, parameters.multiplier, parameters.right_shift)


@dataclass(frozen=True)
class Tanh(SigmoidCurve):
    """tanh(x), as `SigmoidCurve`."""

    mnemonic: ClassVar[str] = "tanh"
    curve: ClassVar[Curve] = Curve.TANH

    def _real(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return tanh_f32(values)

    def _between(self, array: Array, parameters: CurveParameters) -> NDArray[np.int16]:
        return tanh_of_int16(array, parameters.multiplier, parameters.right_shift)
