"""The bytes that no plan of the same lives and leaves can go below: derived, and compared with what is claimed.

Buffers that live in a common step lie apart, but for what a leave lets two of them share. All offsets are multiples of
the memory's alignment, so a buffer takes its size rounded up, but for the one that lies highest.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.lives import Lives
from tinsmith_plan_check.plan import Buffer, Leave, Memory
from tinsmith_plan_check.structure import Layout


class _Share(NamedTuple):
    """At most so many bytes that a buffer shares with another, which are among its first `head` or last `tail` ones."""

    most: int
    head: int
    tail: int


_Shares = dict[tuple[str, str], _Share]
"""What a buffer shares with another, by their names."""


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
            distances = _distances(leave, output, source, unit)
            wide, other = (_rounded(buffer.bytes, unit) for buffer in (output, source))
            low, high = leave.at_most, leave.at_least
            above = {it for it in distances if high is not None and it >= high}
            below = {-it for it in distances if low is not None and it <= low}
            shares[source.name, output.name] = _shared(distances, above, other, wide)
            shares[output.name, source.name] = _shared(
                [-it for it in distances], below, wide, other
            )
            bound = max(bound, _least(distances, output.bytes, source.bytes))
    for alive in _alive(buffers, lives):
        bound = max(bound, _needed(alive, shares, unit))
    return bound


def _distances(leave: Leave, output: Buffer, source: Buffer, unit: int) -> list[int]:
    """Allowed ones, among them those at which most bytes are shared and least are taken.

    Both change with the distance evenly between the places where an end of one meets an end of the other, so that the
    distances next to those, and next to the limits of the leave, decide.
    """
    mine, theirs = output.bytes, source.bytes
    wide, other = _rounded(mine, unit), _rounded(theirs, unit)
    turns = {0, theirs - mine, other - wide, -mine, theirs, -wide, other}
    turns |= {limit for limit in (leave.at_most, leave.at_least) if limit is not None}
    tried = {turn // unit * unit + step for turn in turns for step in (-unit, 0, unit)}
    tried |= {distance for distance in leave.exactly if distance % unit == 0}
    return [
        distance
        for distance in tried
        if distance <= -mine
        or distance >= theirs
        or (leave.at_most is not None and distance <= leave.at_most)
        or (leave.at_least is not None and distance >= leave.at_least)
        or distance in leave.exactly
    ]


def _shared(distances: list[int], above: set[int], size: int, other: int) -> _Share:
    """Of a buffer with another one that begins at one of these distances behind it.

    above: those of which all greater ones are allowed, too, so that bytes from where the other begins may be shared.
    """
    most = head = tail = 0
    for distance in distances:
        begin, end = max(0, distance), min(size, distance + other)
        most = max(most, end - begin)
        if begin < end and distance in above:
            tail = max(tail, size - begin)
        elif begin < end:
            head = max(head, end)
    return _Share(most, head, tail)


def _least(distances: list[int], mine: int, theirs: int) -> int:
    """How many bytes two buffers need at least together."""
    return min(max(theirs, distance + mine) - min(0, distance) for distance in distances)


def _alive(buffers: list[Buffer], lives: Lives) -> Iterable[list[Buffer]]:
    """What lives in each step in which something begins to or has ended, in the order in which it began.

    Behind the end of a buffer, those that shared bytes with it may need more.
    """
    begins: dict[int, list[tuple[Buffer, int]]] = {}
    for buffer in buffers:
        for first, last in lives[buffer.name]:
            begins.setdefault(first, []).append((buffer, last))
            begins.setdefault(last + 1, [])
    alive: list[tuple[Buffer, int]] = []
    for step in sorted(begins):
        alive = [(buffer, last) for buffer, last in alive if last >= step] + begins[step]
        if alive:
            yield [buffer for buffer, _ in alive]


def _needed(alive: list[Buffer], shares: _Shares, unit: int) -> int:
    """Taken one after the other, each adds what it cannot share with those before; so in either order."""
    sizes = [_rounded(buffer.bytes, unit) for buffer in alive]
    padding = max(size - buffer.bytes for size, buffer in zip(sizes, alive, strict=True))
    total = sum(sizes) - padding
    if not shares:
        return total
    earlier = [_saved(buffer, alive[:at], shares) for at, buffer in enumerate(alive)]
    later = [_saved(buffer, alive[at + 1 :], shares) for at, buffer in enumerate(alive)]
    return total - min(sum(map(min, sizes, saved)) for saved in (earlier, later))


def _saved(buffer: Buffer, others: list[Buffer], shares: _Shares) -> int:
    """At most how many of its bytes it shares with others, of which no two lie in the same ones."""
    pairs = ((buffer.name, other.name) for other in others)
    found = [shares[pair] for pair in pairs if pair in shares]
    if not found:
        return 0
    ends = max(share.head for share in found) + max(share.tail for share in found)
    return min(ends, sum(share.most for share in found))


def _rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
