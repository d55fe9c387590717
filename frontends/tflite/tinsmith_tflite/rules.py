"""What the table of operators says of each: versions, operands, options and a converter."""

from collections.abc import Callable
from dataclasses import dataclass

from tinsmith_ir.dtypes import COMPUTED_DTYPES, DType
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.operators import Operator

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.model_file import FileOperator

FLOATS = (DType.FLOAT32,)
SMALL = (DType.FLOAT32, DType.INT8)
NUMBERS = (*SMALL, DType.INT16)
INTEGERS = (*NUMBERS, DType.INT32)
WIDE = (*INTEGERS, DType.INT64)
PLAIN = (DType.FLOAT32, DType.INT32)
MOVED = (*INTEGERS, DType.BOOL)
"""Of results that only move."""
ALL = COMPUTED_DTYPES
INDICES = (DType.INT32, DType.INT64)
BOOL = (DType.BOOL,)
SEVERAL = (1, 1024)
"""Operands, or results."""


@dataclass(frozen=True)
class Rule:
    """How one kind of operator is imported.

    versions: the highest version whose meaning is known (TFLite 2.18's highest; what a newer version
    of an operator adds, mostly dtypes, is refused by its own check).
    inputs: (fewest, most) operands. options: name of the options table, "" if it has none; a table
    of another kind is not read. makes: what it may become.
    dtypes: of the results. outputs: (fewest, most) results; `convert` is asked for each of them.
    """

    versions: int
    inputs: tuple[int, int]
    options: str
    makes: tuple[type[Operator], ...]
    convert: Callable[[OperatorContext], Conversion]
    dtypes: tuple[DType, ...] = NUMBERS
    outputs: tuple[int, int] = (1, 1)


def plain(
    versions: int, options: str, kind: type[Operator], dtypes: tuple[DType, ...] = NUMBERS
) -> Rule:
    """The rule of an operator that has the same operands here and there, and no attributes."""
    count = len(kind.operands)

    def convert(context: OperatorContext) -> Conversion:
        return kind(), [context.value(position) for position in range(count)]

    return Rule(versions, (count, count), options, (kind,), convert, dtypes)


def check_rule(rule: Rule, operator: FileOperator, model: str) -> None:
    """Check an operator's version and counts of operands against its rule.

    Raises UnsupportedError for a version that is not known, ModelError for operands that do not belong to it.
    """
    where = f"{model}: {operator}"
    if not 1 <= operator.version <= rule.versions:
        raise UnsupportedError(
            f"{where}: expected version 1 to {rule.versions}, got {operator.version}"
        )
    fewest, most = rule.inputs
    if not fewest <= len(operator.inputs) <= most:
        raise ModelError(f"{where}: expected {fewest} to {most} inputs, got {len(operator.inputs)}")
    fewest, most = rule.outputs
    if not fewest <= len(operator.outputs) <= most:
        wanted = "1 output" if most == 1 else f"{fewest} to {most} outputs"
        raise ModelError(f"{where}: expected {wanted}, got {len(operator.outputs)}")
