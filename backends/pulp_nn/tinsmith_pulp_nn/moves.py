"""Elements that only move: Concat, Pad, Slice, Transpose, Broadcast, and a Reshape that is a copy."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.boxes import Box as Part
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Broadcast, Concat, Pad, Reshape, Slice, Transpose
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.strides import broadcast_strides, dense_strides, merged
from tinsmith_lowering import AsGiven, Cost, Emission, Kernel, Layer, Prepared, Scope, Signature

from tinsmith_pulp_nn import cost
from tinsmith_pulp_nn.common import (
    BACKEND,
    LAYOUT,
    TENSOR_HEADERS,
    chosen_cores,
    core_options,
    elements_are_counted,
    fork,
    near_bytes,
)
from tinsmith_pulp_nn.geometry import Box

_AXES = 4
_BOX_WORDS = 3 + 3 * _AXES
_LARGEST_INPUT = 1 << 28
_MOST_BOXES = 16
_Axis = tuple[int, int, int]
"""Size, and elements from one to the next on both sides."""


@dataclass(frozen=True)
class Moved:
    """A box: which operand it comes from, and its first bytes. input: None of elements that are filled in."""

    input: int | None
    first: int
    to: int
    box: Box


def boxes_exist(layer: Layer) -> str | None:
    """Elements move as they are, in up to 16 boxes of four axes."""
    return None if moved(layer) is not None else "they do not"


def inputs_are_computed(layer: Layer) -> str | None:
    """All operands are computed at run time."""
    known = any(data is not None for data in layer.constants)
    return "one is a constant" if known else None


def inputs_are_counted(layer: Layer) -> str | None:
    """No operand has 2**28 elements."""
    largest = max(type_.elements for type_ in layer.inputs if type_ is not None)
    return None if largest < _LARGEST_INPUT else f"one has {largest:,}"


def moved(layer: Layer) -> tuple[Moved, ...] | None:
    """What a call moves; None where that is more than some boxes of four axes."""
    found: list[Moved] = []
    for walk in _walks(layer.operator, layer):
        boxes = _boxes(walk.input, walk.first, walk.to, _merged(walk))
        if boxes is None:
            return None
        found += boxes
    return tuple(found) if 0 < len(found) <= _MOST_BOXES else None


@dataclass(frozen=True)
class _Walk:
    """A box of the result, and elements from one to the next along each of its axes, on both sides."""

    input: int | None
    first: int
    to: int
    sizes: tuple[int, ...]
    from_steps: tuple[int, ...]
    to_steps: tuple[int, ...]


def _walks(operator: Operator, layer: Layer) -> Iterator[_Walk]:
    output = layer.output.shape
    steps = dense_strides(output)
    match operator:
        case Transpose():
            given = dense_strides(layer.input(0).shape)
            yield _Walk(0, 0, 0, output, tuple(given[at] for at in operator.permutation), steps)
        case Broadcast():
            given = broadcast_strides(layer.input(0).shape, output)
            yield _Walk(0, 0, 0, output, given, steps)
        case Slice():
            given = dense_strides(layer.input(0).shape)
            first = sum(at * step for at, step in zip(operator.begin, given, strict=True))
            moved_by = tuple(
                step * every for step, every in zip(given, operator.steps, strict=True)
            )
            if all(every > 0 for every in operator.steps):
                yield _Walk(0, first, 0, output, moved_by, steps)
        case Reshape():
            yield _Walk(0, 0, 0, (layer.output.elements,), (1,), (1,))
        case _:
            yield from _placed(layer)


def _placed(layer: Layer) -> Iterator[_Walk]:
    """Of an operator that says where its elements lie."""
    placement = layer.operator.placement(layer.inputs, layer.outputs)
    if placement is None:
        return
    output = layer.output.shape
    for part in placement.parts:
        shape = layer.input(part.operand).shape
        yield _Walk(
            part.operand,
            _first(part.source, shape),
            _first(part.destination, output),
            part.destination.shape,
            dense_strides(shape),
            dense_strides(output),
        )
    for box in placement.filled:
        to = _first(box, output)
        yield _Walk(None, 0, to, box.shape, (0,) * len(output), dense_strides(output))


def _first(box: Part, shape: Sequence[int]) -> int:
    pairs = zip(box.ranges, dense_strides(shape), strict=True)
    return sum(begin * step for (begin, _), step in pairs)


def _merged(walk: _Walk) -> list[_Axis]:
    """As few axes as there can be."""
    if math.prod(walk.sizes) == 1:
        return [(1, 1, 1)]
    sizes, (from_steps, to_steps) = merged(walk.sizes, [walk.from_steps, walk.to_steps])
    return [*zip(sizes, from_steps, to_steps, strict=True)]


def _boxes(source: int | None, first: int, to: int, axes: Sequence[_Axis]) -> list[Moved] | None:
    """Axes that are too many are boxes of their own, the shortest ones; None where these are too many."""
    if len(axes) <= _AXES:
        padded = [(1, 0, 0)] * (_AXES - len(axes)) + list(axes)
        sizes, from_steps, to_steps = zip(*padded, strict=True)
        return [Moved(source, first, to, Box(_four(sizes), _four(from_steps), _four(to_steps)))]
    size, from_step, to_step = shortest = min(axes[:-1])
    if size > _MOST_BOXES:
        return None
    at = axes.index(shortest)
    found: list[Moved] = []
    for index in range(size):
        rest = [*axes[:at], *axes[at + 1 :]]
        boxes = _boxes(source, first + index * from_step, to + index * to_step, rest)
        if boxes is None:
            return None
        found += boxes
    return found


def _four(numbers: Sequence[int]) -> tuple[int, int, int, int]:
    first, second, third, fourth = numbers
    return first, second, third, fourth


def prepare_boxes(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """A tinsmith_pulp_box_t for each box, and the element that is filled in."""
    return (Prepared(LAYOUT, _words(layer)),)


def _words(layer: Layer) -> NDArray[np.int32]:
    found = moved(layer)
    assert found is not None  # a rule
    words: list[int] = []
    for one in found:
        # What is filled in lies behind the boxes.
        is_filled = one.input is None
        source = len(layer.inputs) if one.input is None else one.input
        words += [source, 4 * _BOX_WORDS * len(found) if is_filled else one.first, one.to]
        words += [*one.box.sizes, *one.box.from_steps, *one.box.to_steps]
    return np.array([*words, _filled_word(layer)], np.int32)


def _filled_word(layer: Layer) -> int:
    placement = layer.operator.placement(layer.inputs, layer.outputs)
    value = 0 if placement is None else int(placement.value)
    return int.from_bytes(
        np.array([value] * 4, layer.output.dtype.numpy).tobytes(), "little", signed=True
    )


def emit_move(layer: Layer, scope: Scope) -> Emission:
    """All boxes in one call."""
    found = moved(layer)
    assert found is not None  # a rule
    boxes = scope.prepared(LAYOUT, f"{scope.layer}: boxes of elements that move")
    sources = [scope.input(index) for index in range(len(layer.inputs))]
    if any(one.input is None for one in found):
        sources.append(boxes)
    array = f"  const void *const sources[] = {{{', '.join(sources)}}};"
    fields = {
        "inputs": "sources",
        "output": scope.output,
        "boxes": f"(const tinsmith_pulp_box_t *){boxes}",
        "count": len(found),
    }
    call = fork(layer, scope, "move", "tinsmith_pulp_move_t", fields)
    return Emission((array, *call.statements))


def move_cost(layer: Layer) -> Cost | None:
    """Cycles of a move, all in first-level memory; None of one that cannot be cut to fit there: it stays afar."""
    if not _fits_in_parts(layer):
        return None
    found = moved(layer)
    assert found is not None  # a rule
    boxes = tuple(one.box for one in found)
    return Cost(cost.move_cycles(boxes, chosen_cores(layer)), cost.cold_cycles("move"))


def _fits_in_parts(layer: Layer) -> bool:
    """A reshape is not cut, and a concatenation where its operands begin together: along its first axis of several
    indices, if that is not its own.
    """
    operator, shape = layer.operator, layer.output.shape
    if isinstance(operator, Reshape):
        return False
    if not isinstance(operator, Concat):
        return True
    rows = next((axis for axis, size in enumerate(shape) if size > 1), 0)
    is_cut = rows != operator.axis
    smallest = layer.output.elements // (shape[rows] if is_cut else 1)
    # A row of the operands and of the result, each.
    return 2 * smallest + _boxes_bytes(layer) <= near_bytes(layer.target)


def _boxes_bytes(layer: Layer) -> int:
    return 4 * _BOX_WORDS * (len(layer.inputs) + 1)


def kernels() -> tuple[Kernel, ...]:
    """Of int8 and uint8."""
    kernel = partial(
        Kernel,
        name="tinsmith_pulp_move",
        backend=BACKEND,
        headers=TENSOR_HEADERS,
        engine="cluster",
        options=core_options,
        emit=emit_move,
        prepare=prepare_boxes,
        rules=(inputs_are_computed, elements_are_counted, inputs_are_counted, boxes_exist),
        cost=move_cost,
    )
    return tuple(
        kernel(
            operator=operator,
            signature=Signature((dtype,), dtype),
            roundings=tuple(Rounding) if operator is Concat else (Rounding.TFLITE,),
        )
        for operator in (Broadcast, Concat, Pad, Reshape, Slice, Transpose)
        for dtype in (DType.INT8, DType.UINT8)
        if not (operator is Concat and dtype is DType.UINT8)
    )
