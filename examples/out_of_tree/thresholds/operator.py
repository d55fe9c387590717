"""The operator: its attribute, its types, and what it computes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from tinsmith_ir import DType, GraphError
from tinsmith_ir.operators import Array, Operand, Operator, Trait, Types
from tinsmith_ir.operators.base import required
from tinsmith_ir.operators.checks import (
    check_dtype,
    check_quantized,
    check_same_quantization,
    present,
)
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class ThresholdedRelu(Operator):
    """x where x is greater than theta, else 0; int8, of one quantization."""

    theta: float

    mnemonic: ClassVar[str] = "thresholded_relu"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    # So it is cut anywhere, without a line here.
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's type."""
        return (present(inputs, 0, "input"),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8, and theta a number."""
        input_ = present(inputs, 0, "input")
        check_dtype(input_, [DType.INT8], "input")
        check_same_quantization(input_, outputs[0], "input and result")
        check_quantized(input_, "input")
        if not math.isfinite(self.theta):
            raise GraphError(f"expected a finite theta, got {self.theta}")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Integers are compared with the least one that is kept."""
        array, type_ = required(arrays, 0), outputs[0]
        kept = array.astype(np.int64) >= self.least_kept(type_)
        return (np.where(kept, array, np.int8(zero_point(type_))).astype(np.int8),)

    def least_kept(self, type_: TensorType) -> int:
        """The least integer that stands for more than theta, whether or not it is an int8."""
        quantization = check_quantized(type_, "input")
        return quantization.zero_point + math.floor(self.theta / quantization.scales[0]) + 1


def zero_point(type_: TensorType) -> int:
    """The integer that stands for 0."""
    return check_quantized(type_, "input").zero_point
