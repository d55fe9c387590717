"""Rules of operators that compute element by element: arithmetic, comparisons, logic, functions of one number."""

from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np
from onnx import TensorProto
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    Erf,
    Exp,
    Floor,
    Log,
    Neg,
    Operator,
    Relation,
    Round,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)
from tinsmith_tensors import Composer, Tensor, narrowing
from tinsmith_tensors import elementwise as ew

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.elements import graph_dtype, numpy_dtype
from tinsmith_onnx.rules import Rule

_LARGEST_EXPONENT = 64
"""Beyond it a power of integers is 0, 1 or -1, or too large for any type."""
_Binary = Callable[[Composer, Tensor, Tensor], Tensor]


def _two(function: _Binary) -> Rule:
    return Rule(lambda context: function(context.c, *context.broadcasting(0, 1)))


def _any_number(function: _Binary) -> Rule:
    """Of one operand and more, from the first on."""

    def convert(context: OperatorContext) -> Tensor:
        operands = context.broadcasting(*range(len(context.operands)))
        return reduce(lambda lhs, rhs: function(context.c, lhs, rhs), operands)

    return Rule(convert)


def _relation(relation: Relation, *, is_exchanged: bool = False) -> Rule:
    def convert(context: OperatorContext) -> Tensor:
        lhs, rhs = context.broadcasting(0, 1)
        lhs, rhs = (rhs, lhs) if is_exchanged else (lhs, rhs)
        return ew.binary_bool(context.c, relation, lhs, rhs)

    return Rule(convert)


def function(operator: Operator) -> Rule:
    """An operator of the graph of one operand."""
    return Rule(lambda context: context.c.emit(operator, context.tensor(0)))


def mean(context: OperatorContext) -> Tensor:
    """The sum of all operands by their number."""
    c, parts = context.c, context.broadcasting(*range(len(context.operands)))
    summed = reduce(lambda lhs, rhs: ew.add(c, lhs, rhs), parts)
    return ew.mul(c, summed, c.number(1.0 / len(parts), summed))


def mod(context: OperatorContext) -> Tensor:
    """Mod: of the divisor's sign, or with fmod of the dividend's."""
    apply = ew.truncated_mod if context.integer("fmod") else ew.floor_mod
    return apply(context.c, *context.broadcasting(0, 1))


def power(context: OperatorContext) -> Tensor:
    """Pow; the exponent may be of another type. Integers are exact if the exponent is one known integer."""
    c, (base, exponent) = context.c, context.broadcasting(0, 1)
    if base.is_known and exponent.is_known:
        return ew.binary(c, Neg(), lambda x, y: np.power(x, y).astype(x.dtype), base, exponent)
    if base.is_float:
        return ew.power(c, base, ew.cast(c, exponent, np.dtype("<f4")))
    number = ew.exponent_of(base, exponent)
    if number is not None and number in range(1, _LARGEST_EXPONENT + 1):
        return ew.integer_power(c, base, int(number))
    wide = ew.power(c, ew.cast(c, base, np.dtype("<f4")), ew.cast(c, exponent, np.dtype("<f4")))
    return ew.cast(c, wide, base.dtype)


def cast(context: OperatorContext) -> Tensor:
    """Cast: computed elements become what a graph has of the type."""
    return cast_to(context, context.tensor(0), context.integer("to"))


def cast_like(context: OperatorContext) -> Tensor:
    """CastLike: to the type of the second operand; if the file does not say it, to what a graph has of it."""
    x, like = context.tensor(0), context.tensor(1)
    if not like.is_known and context.element_type(1):
        return cast_to(context, x, context.element_type(1))
    if narrowing.is_narrow(like.dtype):
        return _narrowed(context, x, like.dtype)
    return ew.cast(context.c, x, like.dtype)


def cast_to(context: OperatorContext, x: Tensor, element_type: int) -> Tensor:
    """x as elements of a type of the format."""
    dtype = numpy_dtype(element_type)
    if element_type == TensorProto.FLOAT8E8M0:
        raise context.unsupported(
            "expected elements that are not powers of two alone, got float8e8m0"
        )
    if narrowing.is_narrow(dtype):
        return _narrowed(context, x, dtype)
    return ew.cast(context.c, x, dtype if x.is_known else graph_dtype(element_type).numpy)


def _narrowed(context: OperatorContext, x: Tensor, dtype: np.dtype[np.generic]) -> Tensor:
    saturate = bool(context.integer("saturate", 1))
    return narrowing.narrow(context.c, x, dtype, saturate=saturate)


def negate(context: OperatorContext) -> Tensor:
    """Neg."""
    c, x = context.c, context.tensor(0)
    if x.is_float or x.dtype == DType.INT32.numpy:
        return c.emit(Neg(), x)
    return ew.sub(c, c.number(0, x), x)


def where(context: OperatorContext) -> Tensor:
    """Where."""
    return ew.where(context.c, *context.broadcasting(0, 1, 2))


def reciprocal(context: OperatorContext) -> Tensor:
    """1 / x."""
    c, x = context.c, context.tensor(0)
    return ew.div(c, c.number(1.0, x), x)


def affine(context: OperatorContext) -> Tensor:
    """Affine, which the main domain had for trials before its version 10: alpha * x + beta."""
    c, x = context.c, context.tensor(0)
    scaled = ew.mul(c, c.number(context.real("alpha", 1.0), x), x)
    return ew.add(c, scaled, c.number(context.real("beta", 0.0), x))


RULES: Mapping[str, Rule] = {
    "Abs": Rule(lambda context: ew.absolute(context.c, context.tensor(0))),
    "Acos": function(Acos()),
    "Acosh": function(Acosh()),
    "Add": _two(ew.add),
    "Affine": Rule(affine),
    "And": _two(ew.minimum),
    "Asin": function(Asin()),
    "Asinh": function(Asinh()),
    "Atan": function(Atan()),
    "Atanh": function(Atanh()),
    "Cast": Rule(cast),
    "CastLike": Rule(cast_like),
    "Ceil": function(Ceil()),
    "Cos": function(Cos()),
    "Cosh": function(Cosh()),
    "Div": _two(ew.div),
    "Equal": _relation(Relation.EQUAL),
    "Erf": function(Erf()),
    "Exp": function(Exp()),
    "Floor": function(Floor()),
    "Greater": _relation(Relation.LESS, is_exchanged=True),
    "GreaterOrEqual": _relation(Relation.LESS_EQUAL, is_exchanged=True),
    "Less": _relation(Relation.LESS),
    "LessOrEqual": _relation(Relation.LESS_EQUAL),
    "Log": function(Log()),
    "Max": _any_number(ew.maximum),
    "Mean": Rule(mean),
    "Min": _any_number(ew.minimum),
    "Mod": Rule(mod),
    "Mul": _two(ew.mul),
    "Neg": Rule(negate),
    "Not": Rule(lambda context: ew.logical_not(context.c, context.tensor(0))),
    "Or": _two(ew.maximum),
    "Pow": Rule(power, remark="integers by exponents that differ or are computed: as float32"),
    "Reciprocal": Rule(reciprocal),
    "Round": function(Round()),
    "Sign": Rule(lambda context: ew.sign(context.c, context.tensor(0))),
    "Sin": function(Sin()),
    "Sinh": function(Sinh()),
    "Sqrt": function(Sqrt()),
    "Sub": _two(ew.sub),
    "Sum": _any_number(ew.add),
    "Tan": function(Tan()),
    "Tanh": function(Tanh()),
    "Where": Rule(where),
    "Xor": _relation(Relation.NOT_EQUAL),
}
