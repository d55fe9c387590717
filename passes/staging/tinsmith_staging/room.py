"""How much of a memory the buffers of a program need beside what is staged."""

from collections.abc import Sequence

from tinsmith_ir.lifetimes import written_lives
from tinsmith_ir.program import Buffer, Program


def needed_bytes(program: Program, memory: str) -> int:
    """Bytes with which the buffers of a memory surely find places: first fit, the largest first, as planners do who may
    find a better one.
    """
    spans = written_lives(program).spans
    alignment = program.memory[memory].alignment
    buffers = [it for it in program.buffers if it.memory == memory and it.name in spans]
    placed: list[tuple[Buffer, int]] = []
    for buffer in sorted(buffers, key=lambda it: (-it.size_bytes, spans[it.name], it.name)):
        first, last = spans[buffer.name]
        beside = [
            (offset, offset + other.size_bytes)
            for other, offset in placed
            if spans[other.name][0] <= last and first <= spans[other.name][1]
        ]
        placed.append((buffer, _first_gap(beside, buffer.size_bytes, alignment)))
    return max((offset + buffer.size_bytes for buffer, offset in placed), default=0)


def _first_gap(taken: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    """The lowest aligned offset with so many free bytes. taken: begin and end of what is not free."""
    offset = 0
    for begin, end in sorted(taken):
        if offset + size <= begin:
            break
        offset = max(offset, -(-end // alignment) * alignment)
    return offset
