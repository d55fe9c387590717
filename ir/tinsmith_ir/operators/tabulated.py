"""Functions of one element, of which int8 has a table."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Trait, Types
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
