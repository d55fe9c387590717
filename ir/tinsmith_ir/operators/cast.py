"""Cast: the same numbers in another element type, whatever real numbers they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Trait, Types, required
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Cast(Operator):
    """Elements as `dtype`: of integers the low bits, to bool whether they differ from 0, to float32 the nearest.

    float32 is cut off towards zero. Beyond the range of `dtype` it becomes the nearest integer there is, and NaN
    becomes 0; TFLite 2.14 leaves both to the machine. Scales are neither read nor asked for.
    """

    mnemonic: ClassVar[str] = "cast"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    dtype: DType = DType.FLOAT32

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape in `dtype`."""
        return (TensorType(checks.present(inputs, 0, "input").shape, self.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Any element types."""
        checks.present(inputs, 0, "input")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array = required(arrays, 0)
        if self.dtype is DType.BOOL:
            return (array != 0,)
        if array.dtype.kind == "f" and self.dtype.is_integer:
            return (_cut_off(array, self.dtype),)
        return (array.astype(self.dtype.numpy),)


def _cut_off(array: Array, dtype: DType) -> Array:
    low, high = dtype.integer_range
    real = array.astype(np.float64)
    is_inside = (real > low) & (real < high)
    inside = np.where(is_inside, real, 0.0).astype(np.int64)
    raised = np.where(real <= low, np.int64(low), inside)
    return np.where(real >= high, np.int64(high), raised).astype(dtype.numpy)
