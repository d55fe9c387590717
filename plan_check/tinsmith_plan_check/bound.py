"""The bytes that no plan of the same lives and leaves can go below: derived, and compared with what is claimed.

Buffers that live in a common step lie apart, but for what a leave lets two of them share. All offsets are multiples of
the memory's alignment, so a buffer takes its size rounded up, but for the one that lies highest.
"""

from collections.abc import Iterable

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.lives import Lives
from tinsmith_plan_check.plan import Buffer, Leave, Memory
from tinsmith_plan_check.structure import Layout

_Shares = dict[tuple[str, str], int]
"""At most how many bytes two buffers share, by their names, in either order."""


def check_bounds(layout: Layout, lives: Lives) -> None:
    """Raise PlanRefusedError for a bound that is not derived from lives and leaves, and for a status or gap that does
    not follow from the size and the bounds.
    """
    for memory in layout.plan.memories:
        where = f"memory {memory.name}"
        derived = derived_bound(layout, lives, memory)
        if memory.bound > derived:
            raise PlanRefusedError("bound", where, f"at most {derived} bytes", memory.bound)
        if memory.bytes < max(memory.bound, memory.searched_bound):
            raise PlanRefusedError(
                "bound",
                where,
                f"at most the {memory.bytes} bytes of the plan",
                max(memory.bound, memory.searched_bound),
            )
        best = max(memory.bound, memory.searched_bound)
        status = "optimal" if memory.bytes == best else "feasible"
        if memory.status != status:
            raise PlanRefusedError("status", where, status, memory.status)
        gap = round(1 - best / memory.bytes, 6) if memory.bytes else 0.0
        if memory.gap != gap:
            raise PlanRefusedError("gap", where, gap, memory.gap)


def derived_bound(layout: Layout, lives: Lives, memory: Memory) -> int:
    """The most bytes that some step needs, or two buffers with a leave."""
    unit = memory.alignment
    buffers = [buffer for buffer in layout.plan.buffers if buffer.memory == memory.name]
    names = {buffer.name for buffer in buffers}
    bound = max((buffer.bytes for buffer in buffers), default=0)
    shares: _Shares = {}
    for leave in layout.plan.leaves:
        if leave.output in names:
            output, source = layout.buffer[leave.output], layout.buffer[leave.source]
            shared, least = _together(leave, output, source, unit)
            shares[output.name, source.name] = shares[source.name, output.name] = shared
            bound = max(bound, least)
    for alive in _alive(buffers, lives):
        bound = max(bound, _needed(alive, shares, unit))
    return bound


def _together(leave: Leave, output: Buffer, source: Buffer, unit: int) -> tuple[int, int]:
    """At most how many bytes two buffers share, rounded sizes counted, and how many they need at least together.

    Both change with the distance evenly between the places where an end of one meets an end of the other, so that the
    distances next to those, and next to the limits of the leave, decide.
    """
    mine, theirs = output.bytes, source.bytes
    wide, other = _rounded(mine, unit), _rounded(theirs, unit)
    turns = {0, theirs - mine, other - wide, -mine, theirs, -wide, other}
    turns |= {limit for limit in (leave.at_most, leave.at_least) if limit is not None}
    tried = {turn // unit * unit + step for turn in turns for step in (-unit, 0, unit)}
    tried |= {distance for distance in leave.exactly if distance % unit == 0}
    allowed = [
        distance
        for distance in tried
        if distance <= -mine
        or distance >= theirs
        or (leave.at_most is not None and distance <= leave.at_most)
        or (leave.at_least is not None and distance >= leave.at_least)
        or distance in leave.exactly
    ]
    shared = max(min(other, distance + wide) - max(0, distance) for distance in allowed)
    least = min(max(theirs, distance + mine) - min(0, distance) for distance in allowed)
    return max(0, shared), least


def _alive(buffers: list[Buffer], lives: Lives) -> Iterable[list[Buffer]]:
    """What lives in each step in which something begins to, in the order in which it began."""
    begins = {first: list[tuple[Buffer, int]]() for b in buffers for first, _ in lives[b.name]}
    for buffer in buffers:
        for first, last in lives[buffer.name]:
            begins[first].append((buffer, last))
    alive: list[tuple[Buffer, int]] = []
    for step in sorted(begins):
        alive = [(buffer, last) for buffer, last in alive if last >= step] + begins[step]
        yield [buffer for buffer, _ in alive]


def _needed(alive: list[Buffer], shares: _Shares, unit: int) -> int:
    """Taken one after the other, each adds what it cannot share with those before; so in either order."""
    sizes = [_rounded(buffer.bytes, unit) for buffer in alive]
    padding = max(size - buffer.bytes for size, buffer in zip(sizes, alive, strict=True))
    total = sum(sizes) - padding
    if not shares:
        return total
    pairs = [
        (one, other, shares[alive[one].name, alive[other].name])
        for one in range(len(alive))
        for other in range(one)
        if (alive[one].name, alive[other].name) in shares
    ]
    later, earlier = [0] * len(alive), [0] * len(alive)
    for one, other, shared in pairs:
        later[one] += shared
        earlier[other] += shared
    saved = (sum(map(min, sizes, found)) for found in (later, earlier))
    return total - min(saved)


def _rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
