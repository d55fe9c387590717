"""Layouts of operators that know axes: which may change places, but stay whole."""

from collections.abc import Callable
from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    ArgExtremum,
    Concat,
    CumSum,
    Gather,
    Operator,
    Pad,
    Reduction,
    Slice,
)

from tinsmith_layout.axes import Axes, arranged, axes_of, without
from tinsmith_layout.variants import RESULT, Case, Rule, Variant, nothing


def pads(case: Case) -> Variant | None:
    """Each axis with its padding."""
    operator = case.node.operator
    assert isinstance(operator, Pad)
    pairs = list(zip(operator.padding[::2], operator.padding[1::2], strict=True))

    def make(axes: Axes) -> Operator:
        moved = [(0, 0) if axis is None else pairs[axis] for axis in axes]
        return replace(operator, padding=tuple(size for pair in moved for size in pair))

    return _same_axes(case, make)


def slices(case: Case) -> Variant | None:
    """Each axis with its part."""
    operator = case.node.operator
    assert isinstance(operator, Slice)

    def make(axes: Axes) -> Operator:
        begin = tuple(0 if axis is None else operator.begin[axis] for axis in axes)
        shape = tuple(1 if axis is None else operator.shape[axis] for axis in axes)
        steps = tuple(1 if axis is None else operator.steps[axis] for axis in axes)
        return Slice(begin, shape, steps)

    return _same_axes(case, make)


def goes_along_axis(case: Case) -> Variant | None:
    """The axis that the operator goes along, wherever it is."""
    operator = case.node.operator
    assert isinstance(operator, Concat | CumSum)

    def make(axes: Axes) -> Operator | None:
        is_there = operator.axis in axes
        return replace(operator, axis=axes.index(operator.axis)) if is_there else None

    return _same_axes(case, make)


def computes_rows(case: Case) -> Variant | None:
    """The last axis stays the last."""
    last = len(case.shape(RESULT)) - 1
    return _same_axes(case, lambda axes: case.node.operator if axes[-1:] == (last,) else None)


def reduces(case: Case) -> Variant | None:
    """Of float32, axes that are reduced keep their order: sums follow it, and so does the sign of an extreme 0."""
    operator, shape = case.node.operator, case.shape(0)
    assert isinstance(operator, Reduction)
    for axes in axes_of(case.label):
        places = [at for at, axis in enumerate(axes) if axis in operator.axes]
        long = [axis for axis in axes if axis in operator.axes and shape[axis] > 1]
        is_real = case.node.outputs[0].type.dtype is DType.FLOAT32
        keeps_order = long == sorted(long) or not is_real or case.may_round
        if len(places) != len(operator.axes) or not keeps_order:
            continue
        kept = axes if operator.keep_dims else without(axes, operator.axes)
        operand, result = arranged(axes, shape), arranged(kept, case.shape(RESULT))
        if operand is not None and result is not None:
            return Variant(replace(operator, axes=tuple(places)), (operand,), result)
    return None


def finds(case: Case) -> Variant | None:
    """The axis that is searched, wherever it is."""
    operator = case.node.operator
    assert isinstance(operator, ArgExtremum)
    for axes in axes_of(case.label):
        if operator.axis not in axes:
            continue
        operand = arranged(axes, case.shape(0))
        result = arranged(without(axes, [operator.axis]), case.shape(RESULT))
        if operand is not None and result is not None:
            changed = replace(operator, axis=axes.index(operator.axis))
            return Variant(changed, (operand,), result)
    return None


def gathers(case: Case) -> Variant | None:
    """The axis that is taken from, wherever it is; those of the indices stay together there."""
    operator, indices = case.node.operator, case.shape(1)
    assert isinstance(operator, Gather)
    if case.port != 0:
        return None
    for axes in axes_of(case.label):
        if operator.axis not in axes:
            continue
        operand = arranged(axes, case.shape(0))
        result = arranged(_gathered(axes, operator.axis, len(indices)), case.shape(RESULT))
        if operand is not None and result is not None:
            changed = replace(operator, axis=axes.index(operator.axis))
            return Variant(changed, (operand, nothing(indices)), result)
    return None


def _same_axes(case: Case, make: Callable[[Axes], Operator | None]) -> Variant | None:
    """Of an operator whose tensors all have the same axes: `make` gives it for others, or None."""
    for axes in axes_of(case.label):
        operator = make(axes)
        operands = [arranged(axes, value.type.shape) for value in case.node.present_inputs]
        result = arranged(axes, case.shape(RESULT))
        if operator is not None and result is not None and None not in operands:
            return Variant(operator, tuple(operands), result)
    return None


def as_wished(rule: Rule) -> Rule:
    """Asked of the result, the variant that reads operand 0 as it is stored, if the result then lies so.

    A result says too little of an operand that has more axes.
    """

    def ask(case: Case) -> Variant | None:
        if case.port != RESULT:
            return rule(case)
        wish = case.wishes[0]
        found = None if wish is None else rule(replace(case, port=0, label=wish))
        is_same = found is not None and found.result.same_order(case.label)
        return found if is_same else None

    return ask


def _gathered(axes: Axes, taken: int, count: int) -> Axes:
    """The axes of the result, where `count` ones stand for the one that is taken from."""
    found: list[int | None] = []
    for axis in axes:
        if axis == taken:
            found += range(taken, taken + count)
        elif axis is None or axis < taken:
            found.append(axis)
        else:
            found.append(axis + count - 1)
    return tuple(found)
