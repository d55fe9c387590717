"""Operators of one and two tensors, element by element, with NumPy's broadcasting and NumPy's element types.

Integers of 8 and 16 bits that stand for themselves are computed in 32 bits and wrap, as NumPy's do.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import (
    Abs,
    Add,
    Cast,
    Compare,
    Div,
    FloorDiv,
    FloorMod,
    Maximum,
    Minimum,
    Mul,
    Operator,
    Pow,
    Relation,
    Select,
    Sign,
    Square,
    Sub,
)

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.element_types import GRAPH_DTYPES, graph_dtype

_NARROW = (np.dtype("i1"), np.dtype("u1"), np.dtype("<i2"))
_ArrayFunction = Callable[[Array, Array], Array]


def cast(c: Composer, x: Tensor, dtype: np.dtype[np.generic]) -> Tensor:
    """Elements as `dtype`, as `operators.Cast` has it; computed ones as what a graph has of it, see `graph_dtype`."""
    if x.array is not None and (dtype not in GRAPH_DTYPES or x.elements == 0):
        with np.errstate(all="ignore"):
            c.check_known_size(x.shape, dtype.itemsize)
            return c.known(x.array.astype(dtype))
    wanted = graph_dtype(dtype)
    if x.dtype == wanted.numpy:
        return x
    return c.emit(Cast(wanted), x)


def binary(
    c: Composer, operator: Operator, function: _ArrayFunction, lhs: Tensor, rhs: Tensor
) -> Tensor:
    """An operator of two tensors of one element type. function: the same of known arrays."""
    if lhs.array is not None and rhs.array is not None:
        c.check_broadcast_size(lhs.array, rhs.array)
        with np.errstate(all="ignore"):
            return c.known(np.asarray(function(lhs.array, rhs.array)))
    if lhs.dtype not in _NARROW:
        return c.emit(operator, lhs, rhs)
    wide = np.dtype("<i4")
    return cast(c, c.emit(operator, cast(c, lhs, wide), cast(c, rhs, wide)), lhs.dtype)


def add(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs + rhs."""
    return binary(c, Add(), np.add, lhs, rhs)


def sub(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs - rhs."""
    return binary(c, Sub(), np.subtract, lhs, rhs)


def mul(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs * rhs."""
    return binary(c, Mul(), np.multiply, lhs, rhs)


def div(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs / rhs: of integers cut off towards zero, and 0 by zero."""
    return binary(c, Div(), _divided, lhs, rhs)


def floor_div(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The largest integer that is not above lhs / rhs."""
    return binary(c, FloorDiv(), np.floor_divide, lhs, rhs)


def floor_mod(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """What `floor_div` leaves: of the divisor's sign."""
    return binary(c, FloorMod(), np.mod, lhs, rhs)


def truncated_mod(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """What a quotient cut off towards zero leaves: of the dividend's sign, as C's fmod."""
    if lhs.is_known and rhs.is_known:
        return binary(c, FloorMod(), np.fmod, lhs, rhs)
    # |lhs| mod |rhs| is exact; then the sign of lhs.
    rest = floor_mod(c, absolute(c, lhs), absolute(c, rhs))
    zero = c.number(0, lhs)
    return where(c, less(c, lhs, zero), sub(c, zero, rest), rest)


def absolute(c: Composer, x: Tensor) -> Tensor:
    """The magnitude: max(x, -x), which holds for every element type."""
    if x.array is not None:
        return c.known(np.abs(x.array))
    if x.is_float:
        return c.emit(Abs(), x)
    return x if x.dtype.kind == "u" else maximum(c, x, sub(c, c.number(0, x), x))


def sign(c: Composer, x: Tensor) -> Tensor:
    """-1, 0 or 1; 0 of NaN."""
    if x.dtype not in _NARROW:
        return c.emit(Sign(), x)
    return cast(c, c.emit(Sign(), cast(c, x, np.dtype("<i4"))), x.dtype)


def minimum(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The smaller one; of a NaN and a known number it is NaN, of two computed ones only if rhs is."""
    return binary(c, Minimum(), np.minimum, *_known_first(lhs, rhs))


def maximum(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The larger one; NaN as in `minimum`."""
    return binary(c, Maximum(), np.maximum, *_known_first(lhs, rhs))


def _known_first(lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """Floats such that the operator, which gives rhs where neither wins, keeps NaN of what is computed."""
    return (rhs, lhs) if rhs.is_known and rhs.is_float else (lhs, rhs)


def power(c: Composer, base: Tensor, exponent: Tensor) -> Tensor:
    """base ** exponent of float32; a square where the exponent is the number 2."""
    number = exponent_of(base, exponent)
    if number == 2.0 and base.is_float:
        return c.emit(Square(), base)
    if number == 1.0:
        return base
    return binary(c, Pow(), np.power, base, exponent)


def integer_power(c: Composer, base: Tensor, exponent: int) -> Tensor:
    """base ** exponent of integers, exact, or what is left of it in their type. exponent: from 1 on."""
    half = base if exponent < 2 else integer_power(c, base, exponent // 2)
    if exponent < 2:
        return half
    square = mul(c, half, half)
    return mul(c, square, base) if exponent % 2 else square


def exponent_of(base: Tensor, exponent: Tensor) -> float | None:
    """The number that all elements of `base` are raised to; None if there is no such, or the result is larger."""
    is_as_base = np.broadcast_shapes(base.shape, exponent.shape) == base.shape
    return only_number(exponent) if is_as_base else None


def only_number(x: Tensor) -> float | None:
    """The number that all elements of a known tensor are; None if there is no such."""
    if x.array is None or x.array.size == 0 or x.array.dtype.kind not in "fiu":
        return None
    first = x.array.flat[0]
    return float(first) if bool((x.array == first).all()) else None


def equal(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Whether elements are equal, as bool."""
    return binary_bool(c, Relation.EQUAL, lhs, rhs)


def less(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs < rhs, as bool."""
    return binary_bool(c, Relation.LESS, lhs, rhs)


def less_equal(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs <= rhs, as bool."""
    return binary_bool(c, Relation.LESS_EQUAL, lhs, rhs)


def binary_bool(c: Composer, relation: Relation, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Whether `relation` holds. The other relations are these of exchanged operands."""
    if lhs.array is not None and rhs.array is not None:
        c.check_broadcast_size(lhs.array, rhs.array)
        return c.known(np.asarray(relation.holds(lhs.array, rhs.array)))
    if lhs.dtype in _NARROW:
        lhs, rhs = cast(c, lhs, np.dtype("<i4")), cast(c, rhs, np.dtype("<i4"))
    return c.emit(Compare(relation), lhs, rhs)


def logical_not(c: Composer, x: Tensor) -> Tensor:
    """Of bool: whether it is false."""
    return equal(c, x, c.known(np.array(False)))


def where(c: Composer, condition: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
    """on_true where the condition holds, else on_false."""
    chosen, yes, no = condition.array, on_true.array, on_false.array
    if chosen is not None and yes is not None and no is not None:
        c.check_broadcast_size(chosen, yes, no)
        return c.known(np.where(chosen, yes, no))
    return c.emit(Select(), condition, on_true, on_false)


def _divided(lhs: Array, rhs: Array) -> Array:
    if lhs.dtype.kind == "f":
        return np.divide(lhs, rhs)
    wide, divisor = lhs.astype(np.int64, copy=False), rhs.astype(np.int64, copy=False)
    safe: NDArray[np.int64] = np.where(divisor == 0, np.int64(1), divisor)
    quotient = np.sign(wide) * np.sign(safe) * (np.abs(wide) // np.abs(safe))
    return np.where(divisor == 0, np.int64(0), quotient).astype(lhs.dtype)
