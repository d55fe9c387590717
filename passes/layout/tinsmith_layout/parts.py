"""Axes taken apart: an operator along axes as the same along their digits, which can then change places."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import Concat, Operator, Pad, Reduction, Slice

from tinsmith_layout.axes import digits_of
from tinsmith_layout.rearrangement import MOST_AXES, Rearrangement, Shape
from tinsmith_layout.variants import RESULT, Case, Rule, Variant, as_it_is

Digits = Sequence[Shape]
"""For each axis of a tensor sizes that it is the product of, outermost first."""


def or_in_parts(rule: Rule) -> Rule:
    """A rule of whole axes, asked of their digits where a label takes axes apart."""

    def ask(case: Case) -> Variant | None:
        return rule(case) or _in_parts(case, rule)

    return ask


def _in_parts(case: Case, rule: Rule) -> Variant | None:
    digits = digits_of(case.label)
    if max(map(len, digits), default=0) <= 1 or sum(map(len, digits)) > MOST_AXES:
        return None
    node = _apart(case.node, case.port, digits)
    if node is None:
        return None
    shape = (node.outputs[0] if case.port == RESULT else node.present_inputs[case.port]).type.shape
    label = case.label.between(shape, case.label.after)
    found = rule(replace(case, node=node, label=label, current=as_it_is(node)))
    return found and _together(case.node, found)


def _together(node: Node, parted: Variant) -> Variant:
    """A variant of the digits as one of the axes."""
    operands = tuple(
        None if value is None or label is None else _from(value, label)
        for value, label in zip(node.inputs, parted.operands, strict=True)
    )
    return Variant(parted.operator, operands, _from(node.outputs[0], parted.result))


def _from(value: Value, label: Rearrangement) -> Rearrangement:
    return label.between(value.type.shape, label.after)


def _apart(node: Node, port: int, digits: Digits) -> Node | None:
    """The node with digits for axes; None if it goes along an inner one."""
    operator = _operator(node.operator, digits)
    kept = digits
    if isinstance(node.operator, Reduction):
        if port == RESULT:
            return None
        kept = _kept(node.operator, digits)
    inputs = [_value(value, digits) for value in node.present_inputs]
    result = _value(node.outputs[0], kept)
    if operator is None or result is None or None in inputs or len(inputs) != len(node.inputs):
        return None
    return replace(node, operator=operator, inputs=tuple(inputs), outputs=(result,))


def _value(value: Value, digits: Digits) -> Value | None:
    """A tensor whose axes have these inner digits, and as many of the outermost as it needs."""
    shape: list[int] = []
    for size, (_, *inner) in zip(value.type.shape, digits, strict=True):
        if size % math.prod(inner):
            return None
        shape += [size // math.prod(inner), *inner]
    return Value(value.name, value.type.with_shape(tuple(shape)))


def _operator(operator: Operator, digits: Digits) -> Operator | None:
    match operator:
        case Slice():
            return _sliced(operator, digits)
        case Pad():
            return _padded(operator, digits)
        case Concat():
            return replace(operator, axis=sum(map(len, digits[: operator.axis])))
        case Reduction():
            places = [axis for axis, sizes in enumerate(digits) for _ in sizes]
            axes = tuple(at for at, axis in enumerate(places) if axis in operator.axes)
            return replace(operator, axes=axes)
        case _:
            return None


def _kept(operator: Reduction, digits: Digits) -> Digits:
    """Of the result."""
    if operator.keep_dims:
        reduced = [(1,) * len(sizes) for sizes in digits]
        return [reduced[at] if at in operator.axes else sizes for at, sizes in enumerate(digits)]
    return [sizes for at, sizes in enumerate(digits) if at not in operator.axes]


def _sliced(operator: Slice, digits: Digits) -> Slice | None:
    begin: list[int] = []
    shape: list[int] = []
    steps: list[int] = []
    axes = zip(operator.begin, operator.shape, operator.steps, digits, strict=True)
    for first, size, step, (_, *inner) in axes:
        count = math.prod(inner)
        if inner and (step != 1 or first % count or size % count):
            return None
        begin += [first // count, *(0 for _ in inner)]
        shape += [size // count, *inner]
        steps += [step, *(1 for _ in inner)]
    return Slice(tuple(begin), tuple(shape), tuple(steps))


def _padded(operator: Pad, digits: Digits) -> Pad | None:
    pairs: list[tuple[int, int]] = []
    widths = zip(operator.padding[::2], operator.padding[1::2], digits, strict=True)
    for before, after, (_, *inner) in widths:
        count = math.prod(inner)
        if before % count or after % count:
            return None
        pairs += [(before // count, after // count), *((0, 0) for _ in inner)]
    return replace(operator, padding=tuple(chain.from_iterable(pairs)))
