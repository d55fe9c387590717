"""How large buffers afar have to be once calls run in tiles, whose kernels write behind results in the scratchpad."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from tinsmith_ir.places import byte_range
from tinsmith_ir.program import Buffer, Program
from tinsmith_lowering import Kernel, find_kernel, layer_of_call
from tinsmith_target import Target


def with_room(
    program: Program, far_ends: Mapping[str, int], target: Target, kernels: Sequence[Kernel]
) -> Program:
    """The program, whose buffers that copies of tiles touch end where nothing touches them any more: behind tensors,
    these copies, and what other calls write behind their results (`Layouts.behind`).

    program: of all its steps, and of no view that none of them names. far_ends: by buffer, one behind the last byte
    that copies of tiles touch. Buffers with a view that a loop moves are made no smaller.
    """
    moved = {view.buffer for view in program.views if view.counters}
    ends = dict(far_ends)
    for name in ends.keys() & moved:
        ends[name] = max(ends[name], program.buffer[name].size_bytes)
    for buffer, end in _ends(program, ends.keys() - moved, target, kernels):
        ends[buffer] = max(ends[buffer], end)
    return replace(program, buffers=tuple(_sized(each, ends) for each in program.buffers))


def _ends(
    program: Program, buffers: Collection[str], target: Target, kernels: Sequence[Kernel]
) -> Iterator[tuple[str, int]]:
    """Of tensors of these buffers, and of what lies behind those that a call gives."""
    ends = {view.name: byte_range(view)[1] for view in program.views if view.buffer in buffers}
    for name, end in ends.items():
        yield program.view[name].buffer, end
    for call in program.calls:
        if not ends.keys() & {*call.outputs}:
            continue
        layer = layer_of_call(program, call, target)
        layouts = find_kernel(call.kernel, layer, kernels).layouts(layer)
        for index, name in enumerate(call.outputs):
            if name in ends:
                yield program.view[name].buffer, ends[name] + layouts.behind_output(index)


def _sized(buffer: Buffer, ends: Mapping[str, int]) -> Buffer:
    return replace(buffer, size_bytes=ends.get(buffer.name, buffer.size_bytes))
