"""Add and Mul of a tensor and one whose elements repeat (`tinsmith_nn.h`)."""

import math
from dataclasses import dataclass

from tinsmith_c import FieldValue, expression, initializer
from tinsmith_ir.operators import Add, Mul
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.parameters import elementwise_add_parameters, mul_parameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    activation,
    context,
    engine,
)
from tinsmith_cmsis_nn.elementwise import S8, shifts_are_right

Shape = tuple[int, ...]

PIECE_ELEMENTS = 256
"""TINSMITH_BROADCAST_PIECE."""


@dataclass(frozen=True)
class Repetition:
    """Element (a, b, c) of the result, [outer][count][inner], takes element b of the smaller operand.

    smaller: which of the two operands that is; the other has as many elements as the result.
    """

    smaller: int
    outer: int
    count: int
    inner: int


def merged_shapes(lhs: Shape, rhs: Shape, result: Shape) -> tuple[Shape, Shape, Shape]:
    """Two shapes that broadcast, and their result, with as few dimensions as possible, at least one.

    Neighbours along which the same operand repeats, or none does, become one.
    """
    found: list[tuple[int, int, int]] = []
    padded = ((1,) * (len(result) - len(shape)) + shape for shape in (lhs, rhs))
    for sizes in zip(*padded, result, strict=True):
        if sizes[2] == 1:
            continue
        if found and _repeats(found[-1]) == _repeats(sizes):
            last = found.pop()
            sizes = (last[0] * sizes[0], last[1] * sizes[1], last[2] * sizes[2])
        found.append(sizes)
    first, second, both = zip(*(found or [(1, 1, 1)]), strict=True)
    return first, second, both


def _repeats(sizes: tuple[int, int, int]) -> tuple[bool, bool]:
    lhs, rhs, result = sizes
    return lhs < result, rhs < result


def repetition(layer: Layer) -> Repetition | None:
    """How one operand repeats; None if both do, or one along several axes with others between them."""
    for smaller in (1, 0):
        if layer.input(1 - smaller).elements == layer.output.elements:
            return _repeated(smaller, layer.input(smaller).shape, layer.output.shape)
    return None


def _repeated(smaller: int, shape: tuple[int, ...], result: tuple[int, ...]) -> Repetition | None:
    padded = (1,) * (len(result) - len(shape)) + shape
    axes = [(own, all_) for own, all_ in zip(padded, result, strict=True) if all_ > 1]
    kept = [index for index, (own, _) in enumerate(axes) if own > 1]
    first, end = (kept[0], kept[-1] + 1) if kept else (0, 0)
    if end - first != len(kept):
        return None
    outer, count, inner = (
        math.prod(all_ for _, all_ in part) for part in (axes[:first], axes[first:end], axes[end:])
    )
    return Repetition(smaller, outer, count, inner)


def repeats_in_one_way(layer: Layer) -> str | None:
    """One operand is as large as the result; the other repeats along neighbouring axes in front or behind."""
    lhs, rhs, result = layer.input(0).shape, layer.input(1).shape, layer.output.shape
    return None if repetition(layer) else f"shapes are {lhs}, {rhs} and {result}"


def scratch_bytes(layer: Layer) -> int:
    """tinsmith_broadcast_s8_get_buffer_size: what is written out of the smaller operand at once."""
    found = _repetition(layer)
    if found.inner == 1 and found.count > PIECE_ELEMENTS:
        return 0
    return min(found.outer * found.count * found.inner, PIECE_ELEMENTS)


def _repetition(layer: Layer) -> Repetition:
    found = repetition(layer)
    if found is None:
        raise ValueError(f"layer {layer.name}: {repeats_in_one_way(layer)}")
    return found


def emit_add(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_add_broadcast_s8."""
    p = elementwise_add_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    scales = (
        (p.input1_offset, p.input1_multiplier, p.input1_shift),
        (p.input2_offset, p.input2_multiplier, p.input2_shift),
    )
    fields: dict[str, FieldValue] = {}
    smaller = _repetition(layer).smaller
    for name, operand in (("larger", 1 - smaller), ("smaller", smaller)):
        numbers = zip(("offset", "multiplier", "shift"), scales[operand], strict=True)
        fields |= {f"{name}_{what}": value for what, value in numbers}
    fields |= {
        "left_shift": p.left_shift,
        "output_offset": p.output_offset,
        "output_multiplier": p.output_multiplier,
        "output_shift": p.output_shift,
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return _call(layer, scope, "add", fields)


def emit_mul(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_mul_broadcast_s8."""
    p = mul_parameters(layer.operator_as(Mul), layer.inputs, layer.output)
    offsets = (p.input1_offset, p.input2_offset)
    smaller = _repetition(layer).smaller
    fields: dict[str, FieldValue] = {
        "larger_offset": offsets[1 - smaller],
        "smaller_offset": offsets[smaller],
        "output_offset": p.output_offset,
        "output_multiplier": p.output_multiplier,
        "output_shift": p.output_shift,
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return _call(layer, scope, "mul", fields)


def _call(layer: Layer, scope: Scope, operation: str, fields: dict[str, FieldValue]) -> Emission:
    found = _repetition(layer)
    repeated = {"outer": found.outer, "count": found.count, "inner": found.inner}
    arguments = [
        "&context",
        "&kParameters",
        "&kRepetition",
        scope.input(1 - found.smaller),
        scope.input(found.smaller),
        scope.output,
    ]
    return Emission(
        (
            initializer(f"tinsmith_{operation}_params", "kParameters", fields),
            initializer("tinsmith_repetition", "kRepetition", repeated),
            context(scope),
        ),
        expression(f"tinsmith_{operation}_broadcast_s8", arguments),
    )


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Sums and products that broadcast one operand."""
    add = _kernel(target, Add, "add")
    return (add, _kernel(target, Mul, "mul"))


def _kernel(target: Target, operator: type[Operator], operation: str) -> Kernel:
    is_sum = operator is Add
    return Kernel(
        name=f"tinsmith_{operation}_broadcast_s8",
        backend=BACKEND,
        operator=operator,
        signature=S8,
        headers=(PACKED_HEADER,),
        emit=emit_add if is_sum else emit_mul,
        rules=(repeats_in_one_way, *((shifts_are_right,) if is_sum else ())),
        scratch_bytes=scratch_bytes,
        walk=elementwise_walk,
        engine=engine(target),
        checks=PACKED_CHECKS,
    )
