"""Which steps a step has to stay behind, whatever their order."""

from bisect import bisect_left

from tinsmith_ir.byte_places import places
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Program, View, simple_steps


def awaited_steps(program: Program) -> list[set[int]]:
    """For each step numbers of steps before it: those that have last written what it reads or writes, and that have
    read since what it writes. All others that it has to stay behind, they or those before them stay behind.

    program: of calls, copies and fills that the core runs; its buffers are not placed.
    """
    parts = _parts(program)
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    awaited: list[set[int]] = []
    for index, step in enumerate(simple_steps(program.steps)):
        reads, writes = step_names(step)
        read = [part for name in reads if name in parts for part in parts[name]]
        written = [part for name in writes for part in parts[name]]
        found = {writer[part] for part in read if part in writer}
        for part in written:
            if part in readers:
                found.update(readers.pop(part))
            elif part in writer:
                found.add(writer[part])
        for part in read:
            readers.setdefault(part, []).append(index)
        for part in written:
            writer[part] = index
            readers.pop(part, None)
        awaited.append(found)
    return awaited


def _parts(program: Program) -> dict[str, range]:
    """Name of a view -> numbers of its parts: buffers are cut where a view begins or ends, so that each view takes a
    part as a whole or not at all.
    """
    spans = {view.name: _span(view) for view in program.views}
    cuts: dict[str, set[int]] = {}
    for view in program.views:
        cuts.setdefault(view.buffer, set()).update(spans[view.name])
    ordered = {buffer: sorted(places) for buffer, places in cuts.items()}
    first: dict[str, int] = {}
    count = 0
    for buffer, cut in ordered.items():
        first[buffer] = count
        count += len(cut)
    parts: dict[str, range] = {}
    for view in program.views:
        cut, number = ordered[view.buffer], first[view.buffer]
        begin, end = (number + bisect_left(cut, place) for place in spans[view.name])
        parts[view.name] = range(begin, end)
    return parts


def _span(view: View) -> tuple[int, int]:
    """The first byte of a view in its buffer, and the one behind its last."""
    if view.is_dense:
        start = view.start.value({})
        return start, start + view.type.size_bytes
    found = places(view)
    return found.begin, found.end
