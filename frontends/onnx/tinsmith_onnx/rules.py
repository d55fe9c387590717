"""What the table of operators says of each: how it is composed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinsmith_onnx.context import Item, OperatorContext

Results = Item | Sequence[Item | None]
"""All results of an operator in order; those behind, or None, if nothing reads them."""


@dataclass(frozen=True)
class Rule:
    """How one kind of operator is imported.

    convert: from its context to its results. How many operands and which attributes there are, and of what default,
    is said by the definitions of the `onnx` package; of operators of other domains by the converter.
    remark: what of it is left out, for the documentation; "" if nothing is.
    """

    convert: Callable[[OperatorContext], Results]
    remark: str = ""
