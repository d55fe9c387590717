"""Layers of the digital array that give pixels at once, where a further job alone reads their rows, to turn them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir.hazards import step_names, without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Buffer, Call, Loop, Program, View
from tinsmith_lowering import Kernel, Layer, find_kernel, layer_of_call
from tinsmith_lowering.lower import ARENA, scratch_type
from tinsmith_target import Target

from tinsmith_diana import pixels
from tinsmith_diana.layouts import DianaPixels, DianaRows
from tinsmith_diana.rules import IN_ROWS


@dataclass(frozen=True)
class _Pair:
    """A layer and the turning of its rows, by their indices among the steps, and who computes both together."""

    layer: int
    turning: int
    kernel: Kernel


def giving_pixels(program: Program, target: Target, kernels: Sequence[Kernel]) -> Program:
    """The program whose layers do so where that takes less cycles; the same object if there are none.

    program: without loops.
    """
    pairs = [*_pairs(program, target, kernels)]
    if not pairs:
        return program
    fresh = FreshNames({*program.buffer, *program.view, *program.constant})
    steps = [*program.steps]
    buffers, views = [*program.buffers], [*program.views]
    for pair in pairs:
        call, turning = steps[pair.layer], steps[pair.turning]
        assert isinstance(call, Call)
        assert isinstance(turning, Call)
        layer = layer_of_call(program, call, target)
        scratch = fresh.name(f"{call.name}.scratch")
        size_bytes = pair.kernel.scratch_bytes(layer)
        buffers.append(Buffer(scratch, size_bytes, ARENA))
        views.append(View(scratch, scratch_type(size_bytes), scratch))
        steps[pair.layer] = replace(
            call,
            kernel=called(pair.kernel, layer, kernels),
            outputs=turning.outputs,
            scratch=scratch,
        )
    gone = {pair.turning for pair in pairs}
    left = tuple(step for index, step in enumerate(steps) if index not in gone)
    return without_unused(replace(program, steps=left, buffers=tuple(buffers), views=tuple(views)))


def called(kernel: Kernel, layer: Layer, kernels: Sequence[Kernel]) -> str:
    """What a call of the layer says of that kernel: its name if that is enough, else its key."""
    found = [other for other in kernels if other.name == kernel.name and other.takes(layer.kind)]
    return kernel.name if len(found) == 1 else kernel.key


def named(name: str, layer: Layer, kernels: Sequence[Kernel]) -> Kernel | None:
    """The kernel of that name that takes a layer; None if there is none, or its rules refuse the layer."""
    found = (kernel for kernel in kernels if kernel.name == name and kernel.takes(layer.kind))
    return next((kernel for kernel in found if kernel.broken_rule(layer) is None), None)


def _pairs(program: Program, target: Target, kernels: Sequence[Kernel]) -> Iterator[_Pair]:
    """The layer comes before what turns its rows, which is all that reads them."""
    touching = _touching(program)
    for index, turning in enumerate(program.steps):
        if not isinstance(turning, Call) or not _turns_rows(program, turning):
            continue
        buffer = program.view[str(turning.inputs[0])].buffer
        others = [other for other in touching.get(buffer, []) if other != index]
        call = program.steps[others[0]] if len(others) == 1 else None
        if isinstance(call, Call) and call.outputs == turning.inputs:
            kernel = _together(program, call, turning, target, kernels)
            if kernel is not None:
                yield _Pair(others[0], index, kernel)


def _turns_rows(program: Program, call: Call) -> bool:
    """From rows to pixels."""
    if not isinstance(call.operator, Reshape) or call.inputs[0] not in program.view:
        return False
    views = program.view[str(call.inputs[0])], program.view[call.outputs[0]]
    return [view.layout for view in views] == [DianaRows.name, DianaPixels.name]


def _together(
    program: Program, call: Call, turning: Call, target: Target, kernels: Sequence[Kernel]
) -> Kernel | None:
    """The kernel of the layer that gives pixels, if that is faster than both."""
    layers = [layer_of_call(program, each, target) for each in (call, turning)]
    both = [
        find_kernel(each.kernel, layer, kernels)
        for each, layer in zip((call, turning), layers, strict=True)
    ]
    kernel = named(pixels.NAME, layers[0], kernels) if both[0].name == IN_ROWS else None
    if kernel is None:
        return None
    costs = [one.cost(layer) for one, layer in zip(both, layers, strict=True)]
    cost = kernel.cost(layers[0])
    if cost is None or None in costs:
        return None
    return kernel if cost.cycles < sum(each.cycles for each in costs if each) else None


def _touching(program: Program) -> dict[str, list[int]]:
    """Steps by the buffers that they read or write, in order, each once."""
    found: dict[str, list[int]] = {}
    for index, step in enumerate(program.steps):
        if isinstance(step, Loop):
            raise TypeError("expected a program without loops")
        names = {name for each in step_names(step) for name in each if name in program.view}
        for buffer in sorted({program.view[name].buffer for name in names}):
            found.setdefault(buffer, []).append(index)
    return found
