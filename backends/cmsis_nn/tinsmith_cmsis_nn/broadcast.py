"""Add and Mul of tensors whose elements repeat (`tinsmith_nn.h`), of one in each call."""

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

LEAST_ELEMENTS = 8
"""Of a call in a loop: one takes as long as the reference kernel for a few elements."""


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


@dataclass(frozen=True)
class Loop:
    """Around calls. steps: elements from one call to the next, of both operands and of the result."""

    size: int
    steps: tuple[int, int, int]


@dataclass(frozen=True)
class Plan:
    """Calls for a layer: loops, the outermost first, around one that repeats one operand in one way."""

    loops: tuple[Loop, ...]
    repetition: Repetition


def plan(layer: Layer) -> Plan:
    """As few loops as possible: none unless both operands repeat, or one along axes with others between them."""
    shapes = merged_shapes(layer.input(0).shape, layer.input(1).shape, layer.output.shape)
    loops: list[Loop] = []
    for axis, size in enumerate(shapes[2]):
        lhs, rhs, result = (shape[axis:] for shape in shapes)
        found = _one_way(lhs, rhs, result)
        if found:
            return Plan(tuple(loops), found)
        first, second, both = (math.prod(shape[axis + 1 :]) for shape in shapes)
        steps = (first if lhs[0] > 1 else 0, second if rhs[0] > 1 else 0, both)
        loops.append(Loop(size, steps))
    raise AssertionError("of one axis at most one operand repeats")


def _one_way(lhs: Shape, rhs: Shape, result: Shape) -> Repetition | None:
    for smaller, (own, other) in ((1, (rhs, lhs)), (0, (lhs, rhs))):
        if math.prod(other) == math.prod(result):
            return _repeated(smaller, own, result)
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


def calls_are_long(layer: Layer) -> str | None:
    """Where both operands repeat, or one along axes with others between them, one call spans at least 8 elements."""
    found = plan(layer)
    elements = found.repetition.outer * found.repetition.count * found.repetition.inner
    is_long = not found.loops or elements >= LEAST_ELEMENTS
    return None if is_long else f"it spans {elements}"


def scratch_bytes(layer: Layer) -> int:
    """tinsmith_broadcast_s8_get_buffer_size: what is written out of the smaller operand at once."""
    found = plan(layer).repetition
    if found.inner == 1 and found.count > PIECE_ELEMENTS:
        return 0
    return min(found.outer * found.count * found.inner, PIECE_ELEMENTS)


def emit_add(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_add_broadcast_s8."""
    p = elementwise_add_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    scales = (
        (p.input1_offset, p.input1_multiplier, p.input1_shift),
        (p.input2_offset, p.input2_multiplier, p.input2_shift),
    )
    fields: dict[str, FieldValue] = {}
    smaller = plan(layer).repetition.smaller
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
    return repeating_call(
        layer,
        scope,
        "tinsmith_add_broadcast_s8",
        initializer("tinsmith_add_params", "kParameters", fields),
    )


def emit_mul(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_mul_broadcast_s8."""
    p = mul_parameters(layer.operator_as(Mul), layer.inputs, layer.output)
    offsets = (p.input1_offset, p.input2_offset)
    smaller = plan(layer).repetition.smaller
    fields: dict[str, FieldValue] = {
        "larger_offset": offsets[1 - smaller],
        "smaller_offset": offsets[smaller],
        "output_offset": p.output_offset,
        "output_multiplier": p.output_multiplier,
        "output_shift": p.output_shift,
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return repeating_call(
        layer,
        scope,
        "tinsmith_mul_broadcast_s8",
        initializer("tinsmith_mul_params", "kParameters", fields),
    )


def repeating_call(layer: Layer, scope: Scope, function: str, parameters: str) -> Emission:
    """Calls of a broadcasting function. parameters: the definition of `kParameters`."""
    planned = plan(layer)
    found = planned.repetition
    repeated = {"outer": found.outer, "count": found.count, "inner": found.inner}
    names = (scope.input(0), scope.input(1), scope.output)
    lhs, rhs, result = (
        " + ".join([name, *_moved(planned.loops, index)]) for index, name in enumerate(names)
    )
    operands = (lhs, rhs) if found.smaller == 1 else (rhs, lhs)
    one = expression(function, ["&context", "&kParameters", "&kRepetition", *operands, result])
    definitions = (
        parameters,
        initializer("tinsmith_repetition", "kRepetition", repeated),
        context(scope),
    )
    if not planned.loops:
        return Emission(definitions, one)
    return Emission((*definitions, "  int refused = 0;", _loops(planned.loops, one)), "refused")


def _moved(loops: tuple[Loop, ...], operand: int) -> list[str]:
    """What loops add to an address."""
    steps = [(number, loop.steps[operand]) for number, loop in enumerate(loops)]
    return [f"i{number} * {step}" for number, step in steps if step]


def _loops(loops: tuple[Loop, ...], one: str) -> str:
    heads = [
        f"{'  ' * number}  for (int32_t i{number} = 0; i{number} < {loop.size}; ++i{number}) {{"
        for number, loop in enumerate(loops)
    ]
    inside = "  " * len(loops)
    body = f"{inside}  refused |= {one};".replace("\n", f"\n{inside}")
    ends = [f"{'  ' * number}  }}" for number in reversed(range(len(loops)))]
    return "\n".join([*heads, body, *ends])


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Sums and products that broadcast."""
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
        rules=(calls_are_long, *((shifts_are_right,) if is_sum else ())),
        scratch_bytes=scratch_bytes,
        walk=elementwise_walk,
        engine=engine(target),
        checks=PACKED_CHECKS,
    )
