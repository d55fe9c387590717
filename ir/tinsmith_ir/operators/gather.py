"""Operators that take elements more than once, or in any order: Gather, Broadcast."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinsmith_ir.boxes import Box, broadcast_box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import (
    Array,
    Operand,
    Operator,
    Restriction,
    Trait,
    Types,
    required,
)
from tinsmith_ir.operators.layout import Move
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Gather(Operator):
    """Along `axis` of the input the elements that `indices` name, in its shape.

    An index below 0 takes the first element, one behind the last the last: TFLite ends the run with an
    error there, and firmware needs a meaning for whatever it computes.
    """

    mnemonic: ClassVar[str] = "gather"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"), Operand("indices"))
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.MOVES})

    axis: int = 0

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape with that of the indices instead of `axis`."""
        input_, indices = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "indices")
        shape = input_.shape
        if not 0 <= self.axis < len(shape):
            raise GraphError(f"expected an axis within rank {len(shape)}, got {self.axis}")
        return (input_.with_shape((*shape[: self.axis], *indices.shape, *shape[self.axis + 1 :])),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int32 indices; the result is quantized as the input, and not per axis."""
        input_, indices = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "indices")
        checks.check_dtype(indices, (DType.INT32,), "indices")
        checks.check_moved(input_, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """A copy of the elements in row-major order."""
        indices = required(arrays, 1).astype(np.int64)
        return (np.take(required(arrays, 0), indices, axis=self.axis, mode="clip"),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere; the axis is read whole, since nobody knows where."""
        del outputs
        input_, indices = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "indices")
        end = self.axis + len(indices.shape)
        ranges = box.ranges
        whole = (0, input_.shape[self.axis])
        return Restriction(
            self,
            (Box((*ranges[: self.axis], whole, *ranges[end:])), Box(ranges[self.axis : end])),
        )


@dataclass(frozen=True)
class Broadcast(Move):
    """The input repeated to fill `shape`, as numpy broadcasts."""

    mnemonic: ClassVar[str] = "broadcast"

    shape: tuple[int, ...] = ()

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """`shape`, to which the input's must broadcast."""
        input_ = checks.present(inputs, 0, "input")
        last = self.shape[max(0, len(self.shape) - len(input_.shape)) :]
        fits = len(last) == len(input_.shape) and all(
            size in (1, wanted) for size, wanted in zip(input_.shape, last, strict=True)
        )
        if not fits or min(self.shape, default=1) < 1:
            raise GraphError(f"expected a shape that {input_.shape} fills, got {self.shape}")
        return (input_.with_shape(self.shape),)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """A copy of the elements in row-major order."""
        return (np.array(np.broadcast_to(required(arrays, 0), self.shape), order="C"),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere."""
        del outputs
        read = broadcast_box(box, checks.present(inputs, 0, "input").shape)
        return Restriction(Broadcast(shape=box.shape), (read,))
