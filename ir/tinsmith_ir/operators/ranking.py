"""The largest elements of each row, in their order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Ranking(Operator):
    """TopK and TopKIndices: of each row of the last axis the `count` largest elements, or where they are.

    The largest comes first, of equal ones the first; NaN comes behind all others. Integers are compared as they are.
    """

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    count: int = 1

    def shape(self, inputs: Types) -> tuple[int, ...]:
        """The input's, with `count` as the last dimension; raises GraphError if there are fewer elements."""
        given = checks.present(inputs, 0, "input").shape
        if not given or not 1 <= self.count <= given[-1]:
            raise GraphError(
                f"expected a count of 1 to the last dimension of {given}, got {self.count}"
            )
        return (*given[:-1], self.count)

    def ranked(self, array: Array) -> NDArray[np.int32]:
        """Where the largest are."""
        wide = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
        order = np.argsort(-wide, axis=-1, kind="stable")
        return np.ascontiguousarray(order[..., : self.count].astype(np.int32))

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By row, and of a row its first results; rows are read whole."""
        del outputs
        first, last = box.ranges[-1]
        if first:
            return None
        depth = checks.present(inputs, 0, "input").shape[-1]
        read = box.with_range(len(box.ranges) - 1, 0, depth)
        return Restriction(replace(self, count=last), (read,))


@dataclass(frozen=True)
class TopK(Ranking):
    """Of each row of the last axis the `count` largest elements, the largest first: (..., N) -> (..., count).

    Of equal ones the first comes first, NaN behind all others. float32, int32, or int8 and int16 with the input's
    quantization. `TopKIndices` says where they are.
    """

    mnemonic: ClassVar[str] = "top_k"

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """`count` elements of each row, quantized as the input."""
        return (checks.present(inputs, 0, "input").with_shape(self.shape(inputs)),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, int32, or int8/int16 quantized per tensor, as the result is."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_numbers(input_, "input", plain=(DType.INT32,))
        checks.check_same_quantization(input_, outputs[0], "input and result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row."""
        array = required(arrays, 0)
        return (np.take_along_axis(array, self.ranked(array).astype(np.int64), axis=-1),)


@dataclass(frozen=True)
class TopKIndices(Ranking):
    """Of each row of the last axis where the `count` largest elements are, the largest first: (..., N) -> (..., count).

    int32, counted from 0 in the row; in the order of `TopK`, and of what that takes.
    """

    mnemonic: ClassVar[str] = "top_k_indices"

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """`count` int32 of each row."""
        return (TensorType(self.shape(inputs), DType.INT32),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, int32, or int8/int16 quantized per tensor; the result has no quantization."""
        checks.check_numbers(checks.present(inputs, 0, "input"), "input", plain=(DType.INT32,))
        if outputs[0].quantization is not None:
            raise GraphError("expected indices without quantization")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row."""
        return (self.ranked(required(arrays, 0)),)
