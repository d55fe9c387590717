"""Places in the memory nearest to the cores, for the lives that buffers have in a new order of the steps."""

from dataclasses import replace

from tinsmith_ir.lifetimes import written_lives
from tinsmith_ir.program import Buffer, Program


def loosened(program: Program, memory: str) -> Program:
    """The program whose buffers in a memory have no places."""
    return program.with_buffers(
        tuple(
            replace(buffer, offset=None) if buffer.memory == memory else buffer
            for buffer in program.buffers
        )
    )


def placed(program: Program, memory: str) -> Program | None:
    """The program whose buffers in a memory have places, the largest first at the lowest place that is free for all
    of its life; None if the memory is too small for that.
    """
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
    return program.with_buffers(
        tuple(found.get(buffer.name, buffer) for buffer in program.buffers)
    )


def _lowest(buffer: Buffer, beside: list[Buffer], alignment: int) -> int:
    offset = 0
    for other in sorted(beside, key=lambda other: other.offset or 0):
        begin = other.offset or 0
        if offset + buffer.size_bytes <= begin:
            break
        offset = max(offset, -(-(begin + other.size_bytes) // alignment) * alignment)
    return offset
