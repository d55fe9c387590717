"""Sums of all that lies in front."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class CumSum(Operator):
    """Along `axis`, the sum of an element and of all in front of it, in that order from zero; plain integers wrap.

    exclusive: without the element itself. reverse: of all behind it, the last first.
    """

    mnemonic: ClassVar[str] = "cumsum"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    axis: int = 0
    exclusive: bool = False
    reverse: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape and dtype."""
        input_ = checks.present(inputs, 0, "input")
        rank = len(input_.shape)
        if not 0 <= self.axis < rank:
            raise GraphError(f"expected an axis within rank {rank}, got {self.axis}")
        return (TensorType(input_.shape, input_.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int32 or int64 without quantization."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, (DType.FLOAT32, DType.INT32, DType.INT64), "input")
        for type_, name in ((input_, "input"), (outputs[0], "result")):
            checks.check_numbers(type_, name, plain=(DType.INT32, DType.INT64))

    @np.errstate(invalid="ignore", over="ignore", under="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Element after element."""
        array = np.moveaxis(required(arrays, 0), self.axis, 0)
        result = np.zeros_like(array)
        total: Array = np.zeros(array.shape[1:], array.dtype)
        for index in reversed(range(len(array))) if self.reverse else range(len(array)):
            following = np.add(total, array[index])
            result[index] = total if self.exclusive else following
            total = following
        return (np.ascontiguousarray(np.moveaxis(result, 0, self.axis)),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Where the axis is whole."""
        del inputs
        is_whole = box.ranges[self.axis] == (0, outputs[0].shape[self.axis])
        return Restriction(self, (box,)) if is_whole else None
