"""Quotients rounded down and what they leave, of two tensors, with numpy's broadcasting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Types, required
from tinsmith_ir.operators.elementwise import Broadcasting
from tinsmith_ir.types import TensorType

_INTEGERS = (DType.INT32, DType.INT64)


@dataclass(frozen=True)
class Division(Broadcasting):
    """FloorDiv and FloorMod of float32 and plain int32 and int64.

    TFLite ends the run for a divisor of 0, which firmware cannot: of integers the result is 0, of floats what
    IEEE 754 says. The lowest integer by -1 is itself.
    """

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32, or all int32 or all int64 without quantization."""
        for type_, name in zip((*inputs, outputs[0]), ("lhs", "rhs", "result"), strict=True):
            if type_ is not None:
                checks.check_dtype(type_, (DType.FLOAT32, *_INTEGERS), name)
                checks.check_numbers(type_, name, plain=_INTEGERS)

    @np.errstate(all="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        lhs, rhs = required(arrays, 0), required(arrays, 1)
        if outputs[0].dtype is DType.FLOAT32:
            real = self._real(lhs.astype(np.float32), rhs.astype(np.float32))
            return (real.astype(np.float32, copy=False),)
        divisor = rhs.astype(np.int64)
        safe = np.where(divisor == 0, np.int64(1), divisor)
        result = np.where(divisor == 0, np.int64(0), self._integer(lhs.astype(np.int64), safe))
        return (result.astype(outputs[0].dtype.numpy),)

    def _real(self, lhs: NDArray[np.float32], rhs: NDArray[np.float32]) -> Array:
        raise NotImplementedError

    def _integer(self, lhs: NDArray[np.int64], rhs: NDArray[np.int64]) -> NDArray[np.int64]:
        raise NotImplementedError


@dataclass(frozen=True)
class FloorDiv(Division):
    """The largest integer that is not above lhs / rhs; of float32 the quotient is taken in float64, as in TFLite."""

    mnemonic: ClassVar[str] = "floor_div"

    def _real(self, lhs: NDArray[np.float32], rhs: NDArray[np.float32]) -> Array:
        return np.floor(lhs.astype(np.float64) / rhs.astype(np.float64)).astype(np.float32)

    def _integer(self, lhs: NDArray[np.int64], rhs: NDArray[np.int64]) -> NDArray[np.int64]:
        return lhs // rhs


@dataclass(frozen=True)
class FloorMod(Division):
    """What FloorDiv leaves: of the divisor's sign. Of float32 the exact remainder, or that and the divisor."""

    mnemonic: ClassVar[str] = "floor_mod"

    def _real(self, lhs: NDArray[np.float32], rhs: NDArray[np.float32]) -> Array:
        rest = np.fmod(lhs, rhs)
        is_other = (rest != 0) & ((rest < 0) != (rhs < 0))
        return np.where(is_other, rest + rhs, rest)

    def _integer(self, lhs: NDArray[np.int64], rhs: NDArray[np.int64]) -> NDArray[np.int64]:
        return lhs % rhs
