"""What operators over the last axis share: each row of the result follows from the same row of the operand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.boxes import Box
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Operand, Operator, Restriction, Types
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class RowOperator(Operator):
    """An operator over the last axis, whose result has the operand's shape."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape, of rank 1 or more."""
        input_ = checks.present(inputs, 0, "input")
        if not input_.shape:
            raise GraphError("expected an input of rank 1 or more, got a scalar")
        return (TensorType(input_.shape, input_.dtype),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By rows; each needs all of itself."""
        del inputs
        rows = box.is_whole(outputs[0].shape, len(box.ranges) - 1)
        return Restriction(self, (box,)) if rows else None


def check_result(output: TensorType, scale: float, zero_point: int, share: float = 0.0) -> None:
    """Raise GraphError unless an integer result has the only quantization that there is for it.

    share: by which its scale may differ, though nobody reads it.
    """
    quantization = checks.check_quantized(output, "result", may_be_shifted=True)
    is_near = abs(quantization.scale - scale) <= share * scale
    if not is_near or quantization.zero_point != zero_point:
        raise GraphError(
            f"expected a result of scale 1/{1 / scale:g} and zero point {zero_point}, got {quantization}"
        )
