"""Places of buffers in one memory by first fit: a plan that is quick to make, for what needs no better one."""

from collections.abc import Iterable, Mapping, Sequence

from tinsmith_ir.lifetimes import Span, written_lives
from tinsmith_ir.program import Buffer, Program


def first_fit(
    buffers: Iterable[Buffer], spans: Mapping[str, Span], alignment: int
) -> dict[str, int]:
    """Offset in bytes of each buffer, by name: the lowest that is free in all steps in which it is needed.

    buffers: in the order in which they choose; places that they have do not count. spans: of each, its first and last
    step, as `lifetimes` and `written_lives` give them; two that share a step share no byte. alignment: of the memory,
    in bytes. Raises KeyError for a buffer without a span.
    """
    offsets: dict[str, int] = {}
    placed: list[tuple[Buffer, int]] = []
    for buffer in buffers:
        first, last = spans[buffer.name]
        taken = [
            (offset, offset + other.size_bytes)
            for other, offset in placed
            if spans[other.name][0] <= last and first <= spans[other.name][1]
        ]
        offsets[buffer.name] = _first_gap(taken, buffer.size_bytes, alignment)
        placed.append((buffer, offsets[buffer.name]))
    return offsets


def needed_bytes(program: Program) -> dict[str, int]:
    """What the buffers of each memory take by such a plan, by name of the memory, the largest choosing first; whoever
    plans with more care needs no more. Buffers that no step uses take nothing.

    Raises GraphError as `unrolled`.
    """
    spans = written_lives(program).spans
    found: dict[str, int] = {}
    for memory in program.memories:
        mine = [
            buffer
            for buffer in program.buffers
            if buffer.memory == memory.name and buffer.name in spans
        ]
        mine.sort(key=lambda buffer: (-buffer.size_bytes, buffer.name))
        offsets = first_fit(mine, spans, memory.alignment)
        ends = (offsets[buffer.name] + buffer.size_bytes for buffer in mine)
        found[memory.name] = max(ends, default=0)
    return found


def _first_gap(taken: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    """The lowest aligned offset with so many free bytes. taken: begin and end of what is not free."""
    offset = 0
    for begin, end in sorted(taken):
        if offset + size <= begin:
            break
        offset = max(offset, -(-end // alignment) * alignment)
    return offset
