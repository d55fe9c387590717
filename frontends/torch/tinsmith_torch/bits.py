"""Rules of operators on the bits of integers, and on truth values in their stead."""

from collections.abc import Callable, Mapping

import numpy as np
from tinsmith_ir.operators import Relation
from tinsmith_tensors import Composer, Tensor, bits
from tinsmith_tensors import elementwise as ew

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_BOOL = np.dtype("?")
_Binary = Callable[[Composer, Tensor, Tensor], Tensor]


def _bitwise(of_bool: _Binary, of_integers: _Binary) -> Rule:
    """Of two tensors, or of one and a number."""

    def convert(t: OperatorContext) -> Tensor:
        lhs, rhs = t.as_result("self", "other")
        return (of_bool if lhs.dtype == _BOOL else of_integers)(t.c, lhs, rhs)

    return Rule(convert)


def _shift(function: _Binary) -> Rule:
    """By distances from 0 to the width of the elements; PyTorch leaves others open."""

    def convert(t: OperatorContext) -> Tensor:
        x, distance = t.as_result("self", "other")
        if x.is_float:
            raise t.unsupported("expected integers to shift, got floats")
        return function(t.c, x, distance)

    return Rule(convert)


def differ(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Whether elements are not equal, as bool."""
    return ew.binary_bool(c, Relation.NOT_EQUAL, lhs, rhs)


def bitwise_not(t: OperatorContext) -> Tensor:
    """Of bool the other one; of integers all bits the other way round."""
    c, x = t.c, t.tensor("self")
    return ew.logical_not(c, x) if x.dtype == _BOOL else bits.bitwise_not(c, x)


_AND = _bitwise(ew.minimum, bits.bitwise_and)
_OR = _bitwise(ew.maximum, bits.bitwise_or)
_XOR = _bitwise(differ, bits.bitwise_xor)
_LEFT = _shift(bits.shift_left)
_RIGHT = _shift(bits.shift_right)

RULES: Mapping[str, Rule] = {
    "aten.__and__": _AND,
    "aten.__lshift__": _LEFT,
    "aten.__or__": _OR,
    "aten.__rshift__": _RIGHT,
    "aten.__xor__": _XOR,
    "aten.bitwise_and": _AND,
    "aten.bitwise_left_shift": _LEFT,
    "aten.bitwise_not": Rule(bitwise_not),
    "aten.bitwise_or": _OR,
    "aten.bitwise_right_shift": _RIGHT,
    "aten.bitwise_xor": _XOR,
}
