"""Rules of operators that compute element by element: arithmetic, comparisons, logic, functions of one number."""

import math
from collections.abc import Callable, Mapping

import numpy as np
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
    Rsqrt,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Square,
    Tan,
    Tanh,
)
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.movement import broadcast_to

from tinsmith_torch.bits import differ
from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_INT32 = np.dtype("<i4")
_BOOL = np.dtype("?")
_TINY = 1e-38
"""Nearly the smallest normal float32."""
_HUGE = float(np.finfo(np.float32).max)
_Binary = Callable[[Composer, Tensor, Tensor], Tensor]


def _two(function: _Binary) -> Rule:
    """Of operands that become what the result is."""

    def convert(t: OperatorContext) -> Tensor:
        lhs, rhs = t.as_result("self", "other")
        return function(t.c, lhs, rhs)

    return Rule(convert)


def _relation(relation: Relation, *, is_exchanged: bool = False) -> Rule:
    def convert(t: OperatorContext) -> Tensor:
        lhs, rhs = t.alike("self", "other")
        lhs, rhs = (rhs, lhs) if is_exchanged else (lhs, rhs)
        return ew.binary_bool(t.c, relation, lhs, rhs)

    return Rule(convert)


def _function(function: Operator, *, keeps_integers: bool = False) -> Rule:
    """An operator of the graph of one float. keeps_integers: that integers are as they are already."""

    def convert(t: OperatorContext) -> Tensor:
        (x,) = t.as_result("self")
        return x if keeps_integers and not x.is_float else t.c.emit(function, x)

    return Rule(convert)


def add(t: OperatorContext) -> Tensor:
    """self + alpha * other; of bool whether one holds."""
    lhs, rhs = t.as_result("self", "other")
    if lhs.dtype == _BOOL:
        return ew.maximum(t.c, lhs, rhs)
    return ew.add(t.c, lhs, _scaled(t, rhs, "alpha"))


def subtract(t: OperatorContext) -> Tensor:
    """self - alpha * other."""
    lhs, rhs = t.as_result("self", "other")
    return ew.sub(t.c, lhs, _scaled(t, rhs, "alpha"))


def subtract_from(t: OperatorContext) -> Tensor:
    """other - alpha * self."""
    lhs, rhs = t.as_result("self", "other")
    return ew.sub(t.c, rhs, _scaled(t, lhs, "alpha"))


def multiply(t: OperatorContext) -> Tensor:
    """self * other; of bool whether both hold."""
    lhs, rhs = t.as_result("self", "other")
    return ew.minimum(t.c, lhs, rhs) if lhs.dtype == _BOOL else ew.mul(t.c, lhs, rhs)


def divide(t: OperatorContext) -> Tensor:
    """self / other, cut off towards zero or down, if it says so."""
    lhs, rhs = t.as_result("self", "other")
    mode = t.text("rounding_mode") if t.has("rounding_mode") else ""
    if mode == "floor":
        return ew.floor_div(t.c, lhs, rhs)
    quotient = ew.div(t.c, lhs, rhs)
    return truncated(t.c, quotient) if mode == "trunc" and quotient.is_float else quotient


def truncated(c: Composer, x: Tensor) -> Tensor:
    """x without its fraction: the floor above zero, the ceiling below."""
    is_below = ew.less(c, x, c.number(0.0, x))
    return ew.where(c, is_below, c.emit(Ceil(), x), c.emit(Floor(), x))


def power(t: OperatorContext) -> Tensor:
    """self ** exponent; roots where the exponent is a half."""
    base, exponent = t.as_result("self", "exponent")
    number = ew.exponent_of(base, exponent)
    if base.is_float and number == 0.5:
        return t.c.emit(Sqrt(), base)
    if base.is_float and number == -0.5:
        return t.c.emit(Rsqrt(), base)
    if base.is_float:
        return ew.power(t.c, base, exponent)
    return _integer_power(t, base, exponent)


def _integer_power(t: OperatorContext, base: Tensor, exponent: Tensor) -> Tensor:
    """Products, of a known exponent from 0 on."""
    if base.array is not None and exponent.array is not None:
        return t.c.known(np.asarray(np.power(base.array, exponent.array)))
    number = ew.exponent_of(base, exponent)
    if number is None or not 1 <= number <= 16:
        raise t.unsupported("expected one known exponent from 1 to 16 for integers")
    return ew.integer_power(t.c, base, int(number))


def negate(t: OperatorContext) -> Tensor:
    """-self."""
    c, x = t.c, t.tensor("self")
    return c.emit(Neg(), x) if x.is_float else ew.sub(c, c.number(0, x), x)


def reciprocal(t: OperatorContext) -> Tensor:
    """1 / self."""
    (x,) = t.as_result("self")
    return ew.div(t.c, t.c.number(1.0, x), x)


def reciprocal_root(t: OperatorContext) -> Tensor:
    """1 / sqrt(self)."""
    (x,) = t.as_result("self")
    return t.c.emit(Rsqrt(), x)


def square(t: OperatorContext) -> Tensor:
    """self * self."""
    x = t.tensor("self")
    return ew.power(t.c, x, t.c.number(2.0, x)) if x.is_float else ew.mul(t.c, x, x)


def sign(t: OperatorContext) -> Tensor:
    """-1, 0 or 1."""
    c, x = t.c, t.tensor("self")
    if x.is_float or x.dtype == _INT32:
        return c.emit(Sign(), x)
    low = ew.maximum(c, x, c.number(-1, x))
    return ew.minimum(c, low, c.number(1, x))


def _logarithm(base: float) -> Rule:
    def convert(t: OperatorContext) -> Tensor:
        (x,) = t.as_result("self")
        return ew.mul(t.c, t.c.emit(Log(), x), t.c.number(1.0 / math.log(base), x))

    return Rule(convert)


def exp2(t: OperatorContext) -> Tensor:
    """2 ** self."""
    (x,) = t.as_result("self")
    return t.c.emit(Exp(), ew.mul(t.c, x, t.c.number(math.log(2.0), x)))


def expm1(t: OperatorContext) -> Tensor:
    """exp(self) - 1: 2 * tanh(x / 2) / (1 - tanh(x / 2)) near zero, where the difference would lose all digits."""
    c, (x,) = t.c, t.as_result("self")
    one = c.number(1.0, x)
    half = c.emit(Tanh(), ew.mul(c, x, c.number(0.5, x)))
    near = ew.div(c, ew.add(c, half, half), ew.sub(c, one, half))
    is_near = ew.less(c, ew.absolute(c, x), one)
    return ew.where(c, is_near, near, ew.sub(c, c.emit(Exp(), x), one))


def log1p(t: OperatorContext) -> Tensor:
    """log(1 + self): 2 * atanh(x / (x + 2)) near zero, where the sum would lose digits."""
    c, (x,) = t.c, t.as_result("self")
    one, two = c.number(1.0, x), c.number(2.0, x)
    inner = c.emit(Atanh(), ew.div(c, x, ew.add(c, x, two)))
    is_near = ew.less(c, ew.absolute(c, x), c.number(0.5, x))
    return ew.where(c, is_near, ew.add(c, inner, inner), c.emit(Log(), ew.add(c, x, one)))


def erfc(t: OperatorContext) -> Tensor:
    """1 - erf(self)."""
    (x,) = t.as_result("self")
    return ew.sub(t.c, t.c.number(1.0, x), t.c.emit(Erf(), x))


def truncate(t: OperatorContext) -> Tensor:
    """Without the fraction."""
    x = t.tensor("self")
    return truncated(t.c, x) if x.is_float else x


def fraction(t: OperatorContext) -> Tensor:
    """What truncation leaves, of the sign of self."""
    x = t.tensor("self")
    return ew.sub(t.c, x, truncated(t.c, x))


def round_(t: OperatorContext) -> Tensor:
    """To the nearest integer, halves to even; or to decimals."""
    x = t.tensor("self")
    if not x.is_float:
        return x
    scale = 10.0 ** (t.integer("decimals") if t.has("decimals") else 0)
    if scale == 1.0:
        return t.c.emit(Round(), x)
    factor = t.c.number(scale, x)
    return ew.div(t.c, t.c.emit(Round(), ew.mul(t.c, x, factor)), factor)


def clamp(t: OperatorContext) -> Tensor:
    """self within [min, max], which may be tensors, or beyond one that is left out. NaN stays."""
    c, (x,) = t.c, t.as_result("self")
    if t.has("min"):
        x = ew.maximum(c, t.as_result("min")[0], x)
    return ew.minimum(c, t.as_result("max")[0], x) if t.has("max") else x


def cast(t: OperatorContext) -> Tensor:
    """The result's elements, whatever else of it (device, layout in memory) is said."""
    return t.as_result("self")[0]


def same(t: OperatorContext) -> Tensor:
    """What changes nothing here: copies, layouts in memory, gradients."""
    return t.tensor("self")


def copy(t: OperatorContext) -> Tensor:
    """src, as elements and in the shape of self."""
    (x,) = t.as_result("src")
    return broadcast_to(t.c, x, t.result.shape)


def where(t: OperatorContext) -> Tensor:
    """self where the condition holds, else other."""
    yes, no = t.as_result("self", "other")
    return ew.where(t.c, as_bool(t.c, t.tensor("condition")), yes, no)


def masked_fill(t: OperatorContext) -> Tensor:
    """A number where the mask holds, else self."""
    yes, no = t.as_result("value", "self")
    return ew.where(t.c, as_bool(t.c, t.tensor("mask")), yes, no)


def as_bool(c: Composer, x: Tensor) -> Tensor:
    """Whether elements differ from zero."""
    return x if x.dtype == _BOOL else ew.binary_bool(c, Relation.NOT_EQUAL, x, c.number(0, x))


def _logic(function: _Binary) -> Rule:
    """Of what holds where it is not zero."""

    def convert(t: OperatorContext) -> Tensor:
        return function(t.c, as_bool(t.c, t.tensor("self")), as_bool(t.c, t.tensor("other")))

    return Rule(convert)


def logical_not(t: OperatorContext) -> Tensor:
    """Whether self is zero."""
    return ew.logical_not(t.c, as_bool(t.c, t.tensor("self")))


def is_nan(t: OperatorContext) -> Tensor:
    """Whether self is no number: alone that differs from itself."""
    x = t.tensor("self")
    return ew.binary_bool(t.c, Relation.NOT_EQUAL, x, x)


def is_infinite(t: OperatorContext) -> Tensor:
    """Whether self is infinite, with either sign: beyond the largest number."""
    x = t.tensor("self")
    return ew.less(t.c, t.c.number(_HUGE, x), ew.absolute(t.c, x))


def is_above(t: OperatorContext) -> Tensor:
    """Whether self is infinite and positive."""
    x = t.tensor("self")
    return ew.less(t.c, t.c.number(_HUGE, x), x)


def is_below(t: OperatorContext) -> Tensor:
    """Whether self is infinite and negative."""
    x = t.tensor("self")
    return ew.less(t.c, x, t.c.number(-_HUGE, x))


def numbers(t: OperatorContext) -> Tensor:
    """nan_to_num: numbers in place of what is none or infinite."""
    c, x = t.c, t.tensor("self")
    if not x.is_float:
        return x
    above = t.real("posinf") if t.has("posinf") else _HUGE
    below = t.real("neginf") if t.has("neginf") else -_HUGE
    high = ew.where(c, is_above(t), c.number(above, x), x)
    within = ew.where(c, is_below(t), c.number(below, x), high)
    return ew.where(c, is_nan(t), c.number(t.real("nan") if t.has("nan") else 0.0, x), within)


def with_sign(t: OperatorContext) -> Tensor:
    """copysign: the magnitude of self with the sign of other, of zeros, too."""
    c, (x, other) = t.c, t.as_result("self", "other")
    zero, magnitude = c.number(0.0, other), ew.absolute(c, x)
    inverse = ew.div(c, c.number(1.0, other), other)  # of -0.0 it is less than 0
    smaller = ew.minimum(c, inverse, other)
    return ew.where(c, ew.less(c, smaller, zero), c.emit(Neg(), magnitude), magnitude)


def hypotenuse(t: OperatorContext) -> Tensor:
    """sqrt(self ** 2 + other ** 2): of the larger magnitude and their quotient, so that no square overflows."""
    c, (lhs, rhs) = t.c, t.as_result("self", "other")
    first, second = ew.absolute(c, lhs), ew.absolute(c, rhs)
    large, small = ew.maximum(c, first, second), ew.minimum(c, first, second)
    share = ew.div(c, small, ew.maximum(c, large, c.number(_TINY, large)))
    one = c.number(1.0, large)
    return ew.mul(c, large, c.emit(Sqrt(), ew.add(c, c.emit(Square(), share), one)))


def angle(t: OperatorContext) -> Tensor:
    """atan2: of the point (other, self), above -pi, up to pi; the sign of a zero does not count."""
    y, x = t.as_result("self", "other")
    return direction(t.c, y, x)


def direction(c: Composer, y: Tensor, x: Tensor) -> Tensor:
    """The angle of the point (x, y)."""
    zero, half = c.number(0.0, x), c.number(math.pi / 2, x)
    is_upright = ew.equal(c, x, zero)
    slope = ew.div(c, y, ew.where(c, is_upright, c.number(1.0, x), x))
    turned = c.emit(Atan(), slope)
    is_below = ew.less(c, y, zero)
    turn = ew.where(c, is_below, c.number(-math.pi, x), c.number(math.pi, x))
    around = ew.where(c, ew.less(c, x, zero), ew.add(c, turned, turn), turned)
    return ew.where(c, is_upright, ew.mul(c, half, c.emit(Sign(), y)), around)


def interpolate(t: OperatorContext) -> Tensor:
    """self + weight * (end - self)."""
    c, (start, end, weight) = t.c, t.as_result("self", "end", "weight")
    return ew.add(c, start, ew.mul(c, weight, ew.sub(c, end, start)))


def add_product(t: OperatorContext) -> Tensor:
    """self + value * tensor1 * tensor2."""
    c, (x, lhs, rhs) = t.c, t.as_result("self", "tensor1", "tensor2")
    return ew.add(c, x, _scaled(t, ew.mul(c, lhs, rhs), "value"))


def add_quotient(t: OperatorContext) -> Tensor:
    """self + value * tensor1 / tensor2."""
    c, (x, lhs, rhs) = t.c, t.as_result("self", "tensor1", "tensor2")
    return ew.add(c, x, ew.div(c, _scaled(t, lhs, "value"), rhs))


def _scaled(t: OperatorContext, x: Tensor, name: str) -> Tensor:
    factor = t.real(name) if t.has(name) else 1.0
    return x if factor == 1.0 else ew.mul(t.c, x, t.c.number(factor, x))


RULES: Mapping[str, Rule] = {
    "aten._to_copy": Rule(cast),
    "aten.abs": Rule(lambda t: ew.absolute(t.c, t.tensor("self"))),
    "aten.acos": _function(Acos()),
    "aten.acosh": _function(Acosh()),
    "aten.add": Rule(add),
    "aten.addcdiv": Rule(add_quotient),
    "aten.addcmul": Rule(add_product),
    "aten.alias": Rule(same),
    "aten.asin": _function(Asin()),
    "aten.asinh": _function(Asinh()),
    "aten.atan": _function(Atan()),
    "aten.atan2": Rule(angle, remark="the sign of zeros"),
    "aten.atanh": _function(Atanh()),
    "aten.ceil": _function(Ceil(), keeps_integers=True),
    "aten.clamp": Rule(clamp),
    "aten.clamp_max": Rule(clamp),
    "aten.clamp_min": Rule(clamp),
    "aten.clone": Rule(same),
    "aten.contiguous": Rule(same),
    "aten.copy": Rule(copy),
    "aten.copysign": Rule(with_sign),
    "aten.cos": _function(Cos()),
    "aten.cosh": _function(Cosh()),
    "aten.detach": Rule(same),
    "aten.div": Rule(divide),
    "aten.eq": _relation(Relation.EQUAL),
    "aten.erf": _function(Erf()),
    "aten.erfc": Rule(erfc),
    "aten.exp": _function(Exp()),
    "aten.exp2": Rule(exp2),
    "aten.expm1": Rule(expm1),
    "aten.floor": _function(Floor(), keeps_integers=True),
    "aten.floor_divide": _two(ew.floor_div),
    "aten.fmod": _two(ew.truncated_mod),
    "aten.frac": Rule(fraction),
    "aten.ge": _relation(Relation.LESS_EQUAL, is_exchanged=True),
    "aten.gt": _relation(Relation.LESS, is_exchanged=True),
    "aten.hypot": Rule(hypotenuse),
    "aten.isinf": Rule(is_infinite),
    "aten.isnan": Rule(is_nan),
    "aten.isneginf": Rule(is_below),
    "aten.isposinf": Rule(is_above),
    "aten.le": _relation(Relation.LESS_EQUAL),
    "aten.lerp": Rule(interpolate),
    "aten.lift_fresh_copy": Rule(same),
    "aten.log": _function(Log()),
    "aten.log10": _logarithm(10.0),
    "aten.log1p": Rule(log1p),
    "aten.log2": _logarithm(2.0),
    "aten.logical_and": _logic(ew.minimum),
    "aten.logical_not": Rule(logical_not),
    "aten.logical_or": _logic(ew.maximum),
    "aten.logical_xor": _logic(differ),
    "aten.lt": _relation(Relation.LESS),
    "aten.masked_fill": Rule(masked_fill),
    "aten.maximum": _two(ew.maximum),
    "aten.minimum": _two(ew.minimum),
    "aten.mul": Rule(multiply),
    "aten.nan_to_num": Rule(numbers),
    "aten.ne": _relation(Relation.NOT_EQUAL),
    "aten.neg": Rule(negate),
    "aten.pow": Rule(power, remark="computed integers but by a known exponent from 1 to 16"),
    "aten.reciprocal": Rule(reciprocal),
    "aten.remainder": _two(ew.floor_mod),
    "aten.round": Rule(round_),
    "aten.rsqrt": Rule(reciprocal_root),
    "aten.rsub": Rule(subtract_from),
    "aten.sign": Rule(sign),
    "aten.sin": _function(Sin()),
    "aten.sinh": _function(Sinh()),
    "aten.sqrt": _function(Sqrt()),
    "aten.square": Rule(square),
    "aten.sub": Rule(subtract),
    "aten.tan": _function(Tan()),
    "aten.tanh": _function(Tanh()),
    "aten.trunc": Rule(truncate),
    "aten.where": Rule(where),
}
