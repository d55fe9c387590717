"""Functions of one element, of which int8 has a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Trait, Types, required
from tinsmith_ir.types import TensorType

ALL_INT8 = np.arange(-128, 128)
"""What a table has the results of, in its order."""


@dataclass(frozen=True)
class Tabulated(Operator):
    """A function of one element. Where it takes int8 at all, back ends hold the results of all 256."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape and dtype."""
        input_ = checks.present(inputs, 0, "input")
        return (TensorType(input_.shape, input_.dtype),)

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results of int8, that of -128 first. Raises GraphError for scales that have none."""
        raise NotImplementedError

    def looked_up(self, array: Array, inputs: Types, output: TensorType) -> Array:
        """Int8 by its table."""
        return self.table(inputs, output)[array.astype(np.int64) + 128]


@dataclass(frozen=True)
class Lookup(Tabulated):
    """Whatever function of int8: `values` are the results of -128, -127, ..., 127."""

    mnemonic: ClassVar[str] = "lookup"

    values: tuple[int, ...] = ()

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8 quantized per tensor on both sides, and a result of int8 for each."""
        for type_, name in ((checks.present(inputs, 0, "input"), "input"), (outputs[0], "result")):
            checks.check_dtype(type_, (DType.INT8,), name)
            checks.check_quantized(type_, name)
        low, high = DType.INT8.integer_range
        if len(self.values) != ALL_INT8.size:
            raise GraphError(f"expected {ALL_INT8.size} values, got {len(self.values)}")
        if min(self.values) < low or max(self.values) > high:
            raise GraphError(
                f"expected values of i8, got some from {min(self.values)} to {max(self.values)}"
            )

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """`values`."""
        del inputs, output
        return np.array(self.values, np.int8)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        return (self.looked_up(required(arrays, 0), inputs, outputs[0]),)
