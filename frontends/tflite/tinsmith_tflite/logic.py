"""Converters of comparisons, of operators of bool, and of choices."""

from collections.abc import Callable, Mapping

import numpy as np
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Compare,
    Maximum,
    Minimum,
    Relation,
    Reshape,
    Select,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import BOOL, MOVED, Rule


def compare(
    relation: Relation, *, is_exchanged: bool = False
) -> Callable[[OperatorContext], Conversion]:
    """The converter of a comparison. is_exchanged: of GREATER and GREATER_EQUAL."""

    def convert(context: OperatorContext) -> Conversion:
        lhs, rhs = context.value(0), context.value(1)
        return Compare(relation=relation), (rhs, lhs) if is_exchanged else (lhs, rhs)

    return convert


def logical_and(context: OperatorContext) -> Conversion:
    """LOGICAL_AND: the smaller of two bool."""
    return Minimum(), (context.value(0), context.value(1))


def logical_or(context: OperatorContext) -> Conversion:
    """LOGICAL_OR: the larger of two bool."""
    return Maximum(), (context.value(0), context.value(1))


def logical_not(context: OperatorContext) -> Conversion:
    """LOGICAL_NOT: whether it equals false."""
    return Compare(relation=Relation.EQUAL), (
        context.value(0),
        context.constant("false", np.zeros((), np.bool_)),
    )


def select(context: OperatorContext) -> Conversion:
    """SELECT; a condition of one dimension chooses between rows."""
    condition, on_true = context.value(0), context.value(1)
    rank = len(on_true.type.shape)
    if len(condition.type.shape) == 1 and rank > 1:
        shape = (*condition.type.shape, *(1,) * (rank - 1))
        condition: Value = context.step(Reshape(shape=shape), [condition])
    return Select(), (condition, on_true, context.value(2))


def select_v2(context: OperatorContext) -> Conversion:
    """SELECT_V2, which broadcasts."""
    return Select(), (context.value(0), context.value(1), context.value(2))


def _comparison(options: str, relation: Relation, *, is_exchanged: bool = False) -> Rule:
    convert = compare(relation, is_exchanged=is_exchanged)
    return Rule(4, (2, 2), options, (Compare,), convert, BOOL)


RULES: Mapping[str, Rule] = {
    "EQUAL": _comparison("EqualOptions", Relation.EQUAL),
    "GREATER": _comparison("GreaterOptions", Relation.LESS, is_exchanged=True),
    "GREATER_EQUAL": _comparison("GreaterEqualOptions", Relation.LESS_EQUAL, is_exchanged=True),
    "LESS": _comparison("LessOptions", Relation.LESS),
    "LESS_EQUAL": _comparison("LessEqualOptions", Relation.LESS_EQUAL),
    "LOGICAL_AND": Rule(1, (2, 2), "LogicalAndOptions", (Minimum,), logical_and, BOOL),
    "LOGICAL_NOT": Rule(1, (1, 1), "LogicalNotOptions", (Compare,), logical_not, BOOL),
    "LOGICAL_OR": Rule(1, (2, 2), "LogicalOrOptions", (Maximum,), logical_or, BOOL),
    "NOT_EQUAL": _comparison("NotEqualOptions", Relation.NOT_EQUAL),
    "SELECT": Rule(4, (3, 3), "SelectOptions", (Select,), select, MOVED),
    "SELECT_V2": Rule(2, (3, 3), "SelectV2Options", (Select,), select_v2, MOVED),
}
