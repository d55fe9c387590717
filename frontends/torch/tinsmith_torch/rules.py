"""What the table of operators says of each: how it is composed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinsmith_tensors import Tensor

from tinsmith_torch.context import OperatorContext

Results = Tensor | Sequence[Tensor | None]
"""All results of an operator in order; None if it is not supported, and so nothing may read it."""


@dataclass(frozen=True)
class Rule:
    """How one kind of operator is imported.

    convert: from its context to its results. Names and defaults of arguments are those of the operator's schema.
    remark: what of it is left out, for the documentation; "" if nothing is.
    """

    convert: Callable[[OperatorContext], Results]
    remark: str = ""
