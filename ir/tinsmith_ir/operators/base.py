"""What every operator declares.

An operator is a frozen dataclass: its fields are its attributes (int, float, bool, str, an Enum, or
a tuple of ints), its class says which operands it takes, and it has few methods. Printing, parsing,
hashing and documentation come from the declaration.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import EvaluationError
from tinsmith_ir.types import TensorType

Array = NDArray[np.generic]
Types = Sequence[TensorType | None]


@dataclass(frozen=True)
class Operand(Checked):
    """A named operand of an operator. `variadic` may only be the last."""

    name: str
    optional: bool = False
    variadic: bool = False


@dataclass(frozen=True)
class Operator(Checked):
    """Base of all operators."""

    mnemonic: ClassVar[str]
    operands: ClassVar[tuple[Operand, ...]]

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """Shape and dtype of the results; their quantization is the graph's choice, so None here
        unless the operator keeps that of its operand.

        Raises GraphError when the operands do not fit together.
        """
        raise NotImplementedError

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Check dtypes, ranks and quantization beyond what `infer` already demands.

        Raises GraphError saying what was expected and what came.
        """
        raise NotImplementedError

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The results as numpy arrays: exact for integers (TFLite's reference arithmetic), and for
        float32 in the order of accumulation that the reference kernels use.
        """
        raise NotImplementedError

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Multiply-accumulates of one evaluation; 0 for operators that do not multiply matrices."""
        return 0

    def work(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Elements that one evaluation reads, multiplies or writes, by which its time and memory grow."""
        elements = sum(type_.elements for type_ in (*inputs, *outputs) if type_ is not None)
        return max(elements, self.macs(inputs, outputs))


def required(arrays: Sequence[Array | None], index: int) -> Array:
    """The array of an operand that must be there; raises EvaluationError if it is not."""
    array = arrays[index] if index < len(arrays) else None
    if array is None:
        raise EvaluationError(f"expected an array for operand {index}, got none")
    return array
