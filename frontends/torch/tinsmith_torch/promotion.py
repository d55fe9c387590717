"""PyTorch's promotion of element types: tensors with axes before scalars, scalars before Python's numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_KINDS = "bifc"
"""Categories, each above those before it; unsigned integers are integers."""


@dataclass(frozen=True)
class Operand:
    """Elements, axes, and whether it is a number of Python's."""

    dtype: np.dtype[np.generic]
    rank: int
    is_number: bool = False

    @property
    def kind(self) -> int:
        """Its category."""
        return _KINDS.index("i" if self.dtype.kind == "u" else self.dtype.kind)

    @property
    def rung(self) -> int:
        """How much its width counts: 0 most."""
        return 2 if self.is_number else int(self.rank == 0)


def promoted(operands: Sequence[Operand]) -> np.dtype[np.generic]:
    """The type that all become: of the highest category, as wide as the first rung that has it.

    As "torch.result_type" documents it. Python's numbers of a higher category are float32 or int64.
    """
    kind = max(operand.kind for operand in operands)
    rung = min(operand.rung for operand in operands if operand.kind == kind)
    return np.result_type(
        *(operand.dtype for operand in operands if (operand.kind, operand.rung) == (kind, rung))
    )
