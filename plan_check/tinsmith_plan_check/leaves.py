"""Which buffers may share bytes while both hold something, and that no others do.

A leave is true if no byte of the output is touched, at any distance that it allows, before the byte of the source in
its place has been touched for the last time. Both are taken from the steps; within one step, from the kernel's walk.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.intervals import IntervalMap
from tinsmith_plan_check.lives import Lives, shared_steps, touches
from tinsmith_plan_check.plan import Access, Buffer, Leave
from tinsmith_plan_check.structure import Layout
from tinsmith_plan_check.walks import timed

_Time = tuple[int, int]
"""A step of the plan, and a step within its kernel."""

_Timed = tuple[int, int, _Time]
"""Begin and end of bytes of a buffer that are touched alike, and when."""

_BEFORE, _BEHIND = -(1 << 62), 1 << 62
"""Within a step whose order is not known: what comes is there from its beginning, what dies is read to its end."""


def check_leaves(layout: Layout, lives: Lives) -> None:
    """Raise PlanRefusedError for a leave that is not true, and for buffers that share bytes without one."""
    touched = _touched(layout)
    for leave in layout.plan.leaves:
        _check_leave(layout, lives, touched, leave)
    _check_apart(layout, lives)


@dataclass(frozen=True)
class _Touch:
    """A step touches bytes of a buffer. operand, is_result: how a call does, None and False for any other way."""

    step: int
    access: Access
    operand: int | None = None
    is_result: bool = False


_Touches = dict[str, list[_Touch]]
"""By buffer, in the order of the steps."""


def _touched(layout: Layout) -> _Touches:
    found: _Touches = {buffer.name: [] for buffer in layout.plan.buffers}
    for index, reads, writes in touches(layout.plan):
        inside = 0 <= index < len(layout.plan.steps)
        step = layout.plan.steps[index] if inside else None
        for at, access in enumerate(reads):
            operand = at if step is not None and at < len(step.reads) else None
            found[access.buffer].append(_Touch(index, access, operand))
        for access in writes:
            is_result = step is not None and access in step.writes
            found[access.buffer].append(_Touch(index, access, None, is_result))
    return found


def _check_leave(layout: Layout, lives: Lives, touched: _Touches, leave: Leave) -> None:
    where = f"{leave.output} over {leave.source}"
    for name in (leave.output, leave.source):
        if name not in layout.buffer:
            raise PlanRefusedError("leaves", where, "buffers of the plan", name)
    if layout.buffer[leave.output].memory != layout.buffer[leave.source].memory:
        raise PlanRefusedError("leaves", where, "buffers of one memory", "two memories")
    met = False
    for mine, theirs in shared_steps(lives[leave.output], lives[leave.source]):
        met = True
        output = [touch for touch in touched[leave.output] if mine[0] <= touch.step <= mine[1]]
        source = [touch for touch in touched[leave.source] if theirs[0] <= touch.step <= theirs[1]]
        _check_distances(leave, where, *_times(layout, output, source))
    if not met:
        raise PlanRefusedError("leaves", where, "buffers that live in a common step", "none")


def _check_distances(leave: Leave, where: str, comes: list[_Timed], dies: list[_Timed]) -> None:
    if leave.at_most is not None:
        limit = _at_most(comes, dies)
        if limit is not None and leave.at_most > limit:
            raise PlanRefusedError("leaves", where, f"up to {limit} at most", leave.at_most)
    if leave.at_least is not None:
        limit = _at_least(comes, dies)
        if limit is not None and leave.at_least < limit:
            raise PlanRefusedError("leaves", where, f"from {limit} on at least", leave.at_least)
    for distance in leave.exactly:
        if _spoils(comes, dies, distance):
            raise PlanRefusedError("leaves", where, "a distance at which none is spoilt", distance)


def _times(
    layout: Layout, output: list[_Touch], source: list[_Touch]
) -> tuple[list[_Timed], list[_Timed]]:
    """When each byte of the output is touched first, and each of the source last."""
    readers: dict[int, list[_Touch]] = {}
    for touch in source:
        readers.setdefault(touch.step, []).append(touch)
    first = IntervalMap[_Time]()
    for touch in reversed(output):
        for begin, end, time in _output_times(layout, touch, readers.get(touch.step, [])):
            _keep(first, begin, end, time, earliest=True)
    writers: dict[int, list[_Touch]] = {}
    for touch in output:
        writers.setdefault(touch.step, []).append(touch)
    last = IntervalMap[_Time]()
    for touch in source:
        for begin, end, time in _source_times(layout, touch, writers.get(touch.step, [])):
            _keep(last, begin, end, time, earliest=False)
    return [*first.known()], [*last.known()]


def _keep(times: IntervalMap[_Time], begin: int, end: int, time: _Time, *, earliest: bool) -> None:
    """The earlier or the later of two times that bytes have."""
    for first, behind, known in [*times.runs(begin, end)]:
        if known is None or (time < known if earliest else time > known):
            times.set(first, behind, time)


def _output_times(layout: Layout, touch: _Touch, readers: list[_Touch]) -> Iterator[_Timed]:
    """As a call's walk says if all that it does with the source has one; the walks of one call write alike."""
    orders = [_order(layout, touch, reader) for reader in readers]
    if orders and all(order is not None for order in orders):
        merged: IntervalMap[_Time] = IntervalMap()
        for order in orders:
            if order is not None:
                walk = layout.plan.walks[order]
                for begin, end, at in timed(walk.written, touch.access.size, touch.access.view):
                    _keep(merged, begin, end, (touch.step, at), earliest=True)
        start = touch.access.runs[0].start
        yield from ((start + begin, start + end, time) for begin, end, time in merged.known())
        return
    for begin, end in touch.access.spans():
        yield begin, end, (touch.step, _BEFORE)


def _source_times(layout: Layout, touch: _Touch, writers: list[_Touch]) -> Iterator[_Timed]:
    orders = [_order(layout, writer, touch) for writer in writers]
    if len(orders) == 1 and orders[0] is not None:
        walk = layout.plan.walks[orders[0]]
        start = touch.access.runs[0].start
        for begin, end, at in timed(walk.read, touch.access.size, touch.access.view):
            yield start + begin, start + end, (touch.step, at)
        return
    for begin, end in touch.access.spans():
        yield begin, end, (touch.step, _BEHIND)


def _order(layout: Layout, writer: _Touch, reader: _Touch) -> int | None:
    """The walk that says in which order a call writes its result and reads an operand; None if none does."""
    dense = writer.access.is_dense and reader.access.is_dense
    if not (writer.is_result and dense) or reader.operand is None:
        return None
    return dict(layout.plan.steps[writer.step].order).get(reader.operand)


def _at_most(comes: list[_Timed], dies: list[_Timed]) -> int | None:
    """The greatest distance up to which no byte comes before one at its place or at one before it has died; None for
    any.
    """
    limit: int | None = None
    latest: list[tuple[_Time, int]] = []
    for begin, _, time in dies:
        if not latest or time > latest[-1][0]:
            latest.append((time, begin))
    for _, end, time in comes:
        # The first byte that dies later must begin where this one ends, or behind it.
        at = bisect_right(latest, time, key=itemgetter(0))
        if at < len(latest):
            begin = latest[at][1]
            limit = begin - end if limit is None else min(limit, begin - end)
    return limit


def _at_least(comes: list[_Timed], dies: list[_Timed]) -> int | None:
    """The least distance from which on no byte comes before one at its place or at one behind it has died."""
    limit: int | None = None
    latest: list[tuple[_Time, int]] = []
    for _, end, time in reversed(dies):
        if not latest or time > latest[-1][0]:
            latest.append((time, end))
    for begin, _, time in comes:
        at = bisect_right(latest, time, key=itemgetter(0))
        if at < len(latest):
            end = latest[at][1]
            limit = end - begin if limit is None else max(limit, end - begin)
    return limit


def _spoils(comes: list[_Timed], dies: list[_Timed], distance: int) -> bool:
    """True if at that distance a byte comes before the one at its place has died."""
    at = 0
    for begin, end, time in dies:
        while at < len(comes) and comes[at][1] + distance <= begin:
            at += 1
        ahead = at
        while ahead < len(comes) and comes[ahead][0] + distance < end:
            if comes[ahead][2] < time:
                return True
            ahead += 1
    return False


def _check_apart(layout: Layout, lives: Lives) -> None:
    """Buffers that share a byte and a step have a leave for the distance at which they lie."""
    leaves = {(leave.output, leave.source): leave for leave in layout.plan.leaves}
    if len(leaves) < len(layout.plan.leaves):
        raise PlanRefusedError("leaves", "the plan", "one for two buffers", "several")
    by_offset = sorted(layout.plan.buffers, key=lambda buffer: (buffer.memory, buffer.offset))
    near: list[Buffer] = []
    for buffer in by_offset:
        near = [
            other
            for other in near
            if other.memory == buffer.memory and other.offset + other.bytes > buffer.offset
        ]
        for other in near:
            shared = next(shared_steps(lives[buffer.name], lives[other.name]), None)
            if shared is not None and not (
                _bears(leaves, buffer, other) or _bears(leaves, other, buffer)
            ):
                step = max(shared[0][0], shared[1][0])
                raise PlanRefusedError(
                    "overlap",
                    f"step {step}, byte {buffer.offset} of {buffer.memory}",
                    f"{other.name} and {buffer.name} apart, or a leave",
                    f"offsets {other.offset} and {buffer.offset}",
                )
        near.append(buffer)


def _bears(leaves: dict[tuple[str, str], Leave], output: Buffer, source: Buffer) -> bool:
    leave = leaves.get((output.name, source.name))
    return leave is not None and allows(leave, output.offset - source.offset)


def allows(leave: Leave, distance: int) -> bool:
    """True if the leave says that distance."""
    return (
        (leave.at_most is not None and distance <= leave.at_most)
        or (leave.at_least is not None and distance >= leave.at_least)
        or distance in leave.exactly
    )
