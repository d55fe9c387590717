"""Functions of one real number, element by element."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arcs import acos_f32, asin_f32, atan_f32
from tinsmith_ir.dtypes import DType
from tinsmith_ir.float_functions import (
    elu_f32,
    erf_f32,
    full_exp_f32,
    gelu_by_tanh_f32,
    gelu_f32,
    log_f32,
    round_f32,
    sqrt_f32,
)
from tinsmith_ir.function_tables import (
    RealFunction,
    exact_exp_f32,
    int8_function_table,
    int16_function_table,
    interpolated,
)
from tinsmith_ir.hyperbolics import acosh_f32, asinh_f32, atanh_f32, cosh_f32, sinh_f32
from tinsmith_ir.inverse_root import inverse_root_table
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Types, required
from tinsmith_ir.operators.rectifiers import leaky_relu_table, leaky_relu_values
from tinsmith_ir.operators.tabulated import Tabulated
from tinsmith_ir.rectifier_parameters import leaky_relu_parameters
from tinsmith_ir.trigonometry import cos_f32, sin_f32, tan_f32
from tinsmith_ir.types import TensorType

_Floats = NDArray[np.float32]
_PLAIN = (DType.INT32, DType.INT64)


@dataclass(frozen=True)
class Function(Tabulated):
    """A function of float32, some of them of integers as far as TFLite 2.14 has them: of quantized int8 and int16,
    and of plain int32 and int64, which wrap.
    """

    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32,)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """One of `dtypes`; int8 and int16 quantized per tensor with a table or parameters."""
        input_ = checks.present(inputs, 0, "input")
        for type_, name in ((input_, "input"), (outputs[0], "result")):
            checks.check_dtype(type_, self.dtypes, name)
            checks.check_numbers(type_, name, plain=_PLAIN)
        if checks.are_quantized(input_, outputs[0]):
            self.check_scales(inputs, outputs)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, output = required(arrays, 0), outputs[0]
        if output.dtype is DType.FLOAT32:
            with np.errstate(all="ignore"):
                return (self._real(array.astype(np.float32)).astype(np.float32, copy=False),)
        if output.dtype is DType.INT8:
            return (self.looked_up(array, inputs, output),)
        wide = array.astype(np.int64)
        if output.dtype is DType.INT16:
            return (self._int16(wide, inputs, output).astype(np.int16),)
        return (self._plain(wide).astype(output.dtype.numpy),)

    def _real(self, values: _Floats) -> _Floats:
        raise NotImplementedError

    def _int16(
        self, values: NDArray[np.int64], inputs: Types, output: TensorType
    ) -> NDArray[np.int64]:
        raise NotImplementedError

    def _plain(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        raise NotImplementedError


@dataclass(frozen=True)
class TabulatedFunction(Function):
    """One whose tables are made in float32; see `function_tables`."""

    @property
    def in_table(self) -> RealFunction:
        """The function that tables are made of."""
        raise NotImplementedError

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `function_tables`."""
        if outputs[0].dtype is DType.INT8:
            self.table(inputs, outputs[0])
        else:
            self.int16_table(inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first."""
        source = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        result = checks.check_quantized(output, "result")
        return int8_function_table(self.in_table, source, result)

    def int16_table(self, inputs: Types, output: TensorType) -> NDArray[np.int16]:
        """Values of int16; see `int16_function_table`."""
        source = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        result = checks.check_quantized(output, "result")
        return int16_function_table(self.in_table, source, result)

    def _int16(
        self, values: NDArray[np.int64], inputs: Types, output: TensorType
    ) -> NDArray[np.int64]:
        return interpolated(self.int16_table(inputs, output), values)


def _gelu_in_table(values: _Floats) -> _Floats:
    places = values * np.float32(-math.sqrt(0.5))
    erfc = np.array([math.erfc(place) for place in places.tolist()]).astype(np.float32)
    return np.float32(0.5) * values * erfc


def _elu_in_table(values: _Floats) -> _Floats:
    return np.where(values < 0, exact_exp_f32(values) - np.float32(1.0), values)


@dataclass(frozen=True)
class Exp(TabulatedFunction):
    """exp(x)."""

    mnemonic: ClassVar[str] = "exp"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, DType.INT8, DType.INT16)

    @property
    def in_table(self) -> RealFunction:
        """With exp nearest."""
        return exact_exp_f32

    def _real(self, values: _Floats) -> _Floats:
        return full_exp_f32(values)


@dataclass(frozen=True)
class Elu(TabulatedFunction):
    """x < 0 ? exp(x) - 1 : x."""

    mnemonic: ClassVar[str] = "elu"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, DType.INT8)

    @property
    def in_table(self) -> RealFunction:
        """With exp nearest."""
        return _elu_in_table

    def _real(self, values: _Floats) -> _Floats:
        return elu_f32(values)


@dataclass(frozen=True)
class Gelu(TabulatedFunction):
    """x / 2 * erfc(-x / sqrt(2)). approximate: by tanh, x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))).

    int16, which TFLite has not, by 513 values as Exp.
    """

    mnemonic: ClassVar[str] = "gelu"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, DType.INT8, DType.INT16)

    approximate: bool = False

    @property
    def in_table(self) -> RealFunction:
        """With erfc nearest."""
        return gelu_by_tanh_f32 if self.approximate else _gelu_in_table

    def _real(self, values: _Floats) -> _Floats:
        return (gelu_by_tanh_f32 if self.approximate else gelu_f32)(values)


@dataclass(frozen=True)
class Abs(Function):
    """|x|. Integers are rescaled with two roundings, as by TFLite's reference kernel."""

    mnemonic: ClassVar[str] = "abs"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, DType.INT8, DType.INT16, *_PLAIN)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """A leaky rectifier's; see `leaky_relu_parameters`."""
        leaky_relu_parameters(-1.0, inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first."""
        return leaky_relu_table(-1.0, inputs, output)

    def _real(self, values: _Floats) -> _Floats:
        return np.abs(values)

    def _int16(
        self, values: NDArray[np.int64], inputs: Types, output: TensorType
    ) -> NDArray[np.int64]:
        return leaky_relu_values(-1.0, values, inputs, output)

    def _plain(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.abs(values)


@dataclass(frozen=True)
class Rsqrt(Function):
    """1 / sqrt(x). int8: fixed point, as TFLite's reference kernel; below zero, which that refuses, as of zero the
    largest integer.
    """

    mnemonic: ClassVar[str] = "rsqrt"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, DType.INT8)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `inverse_root_table`."""
        self.table(inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first."""
        source = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        return inverse_root_table(source, checks.check_quantized(output, "result"))

    def _real(self, values: _Floats) -> _Floats:
        return np.float32(1.0) / sqrt_f32(values)


@dataclass(frozen=True)
class Neg(Function):
    """-x."""

    mnemonic: ClassVar[str] = "neg"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, *_PLAIN)

    def _real(self, values: _Floats) -> _Floats:
        return -values

    def _plain(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        return -values


@dataclass(frozen=True)
class Sign(Function):
    """1, 0 or -1; 0 of NaN."""

    mnemonic: ClassVar[str] = "sign"
    dtypes: ClassVar[tuple[DType, ...]] = (DType.FLOAT32, *_PLAIN)

    def _real(self, values: _Floats) -> _Floats:
        one = np.float32(1.0)
        return np.where(values > 0, one, np.where(values < 0, -one, np.float32(0.0)))

    def _plain(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.sign(values)


@dataclass(frozen=True)
class Square(Function):
    """x * x."""

    mnemonic: ClassVar[str] = "square"

    def _real(self, values: _Floats) -> _Floats:
        return values * values


@dataclass(frozen=True)
class Sqrt(Function):
    """The square root, nearest; NaN below zero."""

    mnemonic: ClassVar[str] = "sqrt"

    def _real(self, values: _Floats) -> _Floats:
        return sqrt_f32(values)


@dataclass(frozen=True)
class Log(Function):
    """The natural logarithm."""

    mnemonic: ClassVar[str] = "log"

    def _real(self, values: _Floats) -> _Floats:
        return log_f32(values)


@dataclass(frozen=True)
class Erf(Function):
    """The error function, 2 / sqrt(pi) * the integral of exp(-t**2) from 0 to x."""

    mnemonic: ClassVar[str] = "erf"

    def _real(self, values: _Floats) -> _Floats:
        return erf_f32(values)


@dataclass(frozen=True)
class Floor(Function):
    """The largest integer that is not above."""

    mnemonic: ClassVar[str] = "floor"

    def _real(self, values: _Floats) -> _Floats:
        return np.floor(values)


@dataclass(frozen=True)
class Ceil(Function):
    """The smallest integer that is not below."""

    mnemonic: ClassVar[str] = "ceil"

    def _real(self, values: _Floats) -> _Floats:
        return np.ceil(values)


@dataclass(frozen=True)
class Round(Function):
    """The nearest integer, ties to even."""

    mnemonic: ClassVar[str] = "round"

    def _real(self, values: _Floats) -> _Floats:
        return round_f32(values)


@dataclass(frozen=True)
class Sin(Function):
    """The sine."""

    mnemonic: ClassVar[str] = "sin"

    def _real(self, values: _Floats) -> _Floats:
        return sin_f32(values)


@dataclass(frozen=True)
class Cos(Function):
    """The cosine."""

    mnemonic: ClassVar[str] = "cos"

    def _real(self, values: _Floats) -> _Floats:
        return cos_f32(values)


@dataclass(frozen=True)
class Tan(Function):
    """The tangent."""

    mnemonic: ClassVar[str] = "tan"

    def _real(self, values: _Floats) -> _Floats:
        return tan_f32(values)


@dataclass(frozen=True)
class Asin(Function):
    """The angle in [-pi / 2, pi / 2] of that sine; NaN beyond 1."""

    mnemonic: ClassVar[str] = "asin"

    def _real(self, values: _Floats) -> _Floats:
        return asin_f32(values)


@dataclass(frozen=True)
class Acos(Function):
    """The angle in [0, pi] of that cosine; NaN beyond 1."""

    mnemonic: ClassVar[str] = "acos"

    def _real(self, values: _Floats) -> _Floats:
        return acos_f32(values)


@dataclass(frozen=True)
class Atan(Function):
    """The angle in [-pi / 2, pi / 2] of that tangent."""

    mnemonic: ClassVar[str] = "atan"

    def _real(self, values: _Floats) -> _Floats:
        return atan_f32(values)


@dataclass(frozen=True)
class Sinh(Function):
    """(exp(x) - exp(-x)) / 2."""

    mnemonic: ClassVar[str] = "sinh"

    def _real(self, values: _Floats) -> _Floats:
        return sinh_f32(values)


@dataclass(frozen=True)
class Cosh(Function):
    """(exp(x) + exp(-x)) / 2."""

    mnemonic: ClassVar[str] = "cosh"

    def _real(self, values: _Floats) -> _Floats:
        return cosh_f32(values)


@dataclass(frozen=True)
class Asinh(Function):
    """log(x + sqrt(x**2 + 1))."""

    mnemonic: ClassVar[str] = "asinh"

    def _real(self, values: _Floats) -> _Floats:
        return asinh_f32(values)


@dataclass(frozen=True)
class Acosh(Function):
    """log(x + sqrt(x**2 - 1)); NaN below 1."""

    mnemonic: ClassVar[str] = "acosh"

    def _real(self, values: _Floats) -> _Floats:
        return acosh_f32(values)


@dataclass(frozen=True)
class Atanh(Function):
    """log((1 + x) / (1 - x)) / 2; infinities of 1 and -1, NaN beyond."""

    mnemonic: ClassVar[str] = "atanh"

    def _real(self, values: _Floats) -> _Floats:
        return atanh_f32(values)
