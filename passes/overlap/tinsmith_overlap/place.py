"""Places in the memory nearest to the cores, for the lives that buffers have in a new order of the steps."""

from collections.abc import Collection
from dataclasses import replace

from tinsmith_ir.first_fit import first_fit
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
    mine = [buffer for buffer in program.buffers if buffer.memory == memory]
    mine.sort(key=lambda buffer: (-buffer.size_bytes, buffer.name))
    offsets = first_fit(mine, written_lives(program).spans, room.alignment)
    end = max((offsets[buffer.name] + buffer.size_bytes for buffer in mine), default=0)
    if room.size_bytes is not None and end > room.size_bytes:
        return None
    return program.with_buffers(
        tuple(
            replace(buffer, offset=offsets[buffer.name]) if buffer.name in offsets else buffer
            for buffer in program.buffers
        )
    )
