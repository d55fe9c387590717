"""Places in the memory nearest to the cores, for the lives that buffers have in a new order of the steps."""

from collections.abc import Collection
from dataclasses import replace

from tinsmith_ir.hazards import without_unused
from tinsmith_ir.lifetimes import written_lives
from tinsmith_ir.names import FreshNames
from tinsmith_ir.program import Buffer, Call, Program, Step, View


def loosened(program: Program, memory: str) -> Program:
    """The program whose buffers in a memory have no places."""
    return program.with_buffers(
        tuple(
            replace(buffer, offset=None) if buffer.memory == memory else buffer
            for buffer in program.buffers
        )
    )


def with_own_scratch(program: Program, calls: Collection[str]) -> Program:
    """The program in which these calls, by name and outside of loops, have each its scratch in a buffer of its own."""
    fresh = FreshNames({*program.buffer, *program.view})
    buffers: list[Buffer] = []
    views: list[View] = []
    steps: list[Step] = []
    for step in program.steps:
        if not isinstance(step, Call) or step.name not in calls or step.scratch is None:
            steps.append(step)
            continue
        view = program.view[step.scratch]
        name = fresh.name(view.buffer)
        buffers.append(replace(program.buffer[view.buffer], name=name))
        views.append(replace(view, name=name, buffer=name))
        steps.append(replace(step, scratch=name))
    return without_unused(
        replace(
            program,
            buffers=(*program.buffers, *buffers),
            views=(*program.views, *views),
            steps=tuple(steps),
        )
    )


def placed(program: Program, memory: str) -> Program | None:
    """The program whose buffers in a memory have places, the largest first at the lowest place that is free for all
    of its life; None if the memory is too small for that. Places that there are stay as they are.
    """
    if all(buffer.offset is not None for buffer in program.buffers if buffer.memory == memory):
        return program
    program = without_unused(program)
    room = program.memory[memory]
    spans = written_lives(program).spans
    mine = [buffer for buffer in program.buffers if buffer.memory == memory]
    found: dict[str, Buffer] = {}
    for buffer in sorted(mine, key=lambda buffer: (-buffer.size_bytes, buffer.name)):
        first, last = spans[buffer.name]
        beside = [
            other
            for other in found.values()
            if spans[other.name][0] <= last and first <= spans[other.name][1]
        ]
        offset = _lowest(buffer, beside, room.alignment)
        if room.size_bytes is not None and offset + buffer.size_bytes > room.size_bytes:
            return None
        found[buffer.name] = replace(buffer, offset=offset)
    return program.with_buffers(tuple(found.get(buffer.name, buffer) for buffer in program.buffers))


def _lowest(buffer: Buffer, beside: list[Buffer], alignment: int) -> int:
    offset = 0
    for other in sorted(beside, key=lambda other: other.offset or 0):
        begin = other.offset or 0
        if offset + buffer.size_bytes <= begin:
            break
        offset = max(offset, -(-(begin + other.size_bytes) // alignment) * alignment)
    return offset
