"""A problem cut into pieces, one behind the other, whose best orders make a best order of the whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tinsmith_scheduling.cuts import least_live
from tinsmith_scheduling.lattice import Lattice, bits
from tinsmith_scheduling.walk import Walk


@dataclass(frozen=True)
class Piece:
    """The tasks that run from one set of finished tasks to another.

    low_bytes, high_bytes: live before the piece and behind it. order: the only one, of a piece that has no choice; else
    empty. starts_least, ends_least: no set in between has fewer live bytes than low_bytes, or than high_bytes.
    """

    low: int
    high: int
    low_bytes: int
    high_bytes: int
    order: tuple[int, ...] = ()
    starts_least: bool = False
    ends_least: bool = False


@dataclass(frozen=True)
class _Part:
    """As a piece; is_whole: nothing cuts it further."""

    low: int
    high: int
    order: tuple[int, ...] = ()
    is_whole: bool = True
    starts_least: bool = False
    ends_least: bool = False


def pieces(lattice: Lattice) -> Iterator[Piece]:
    """Of all tasks, in their order: cut where the fewest bytes are live, and again between tasks without a choice."""
    live = lattice.live_bytes(0)
    waiting = [_Part(0, lattice.all, is_whole=False)]
    while waiting:
        part = waiting.pop()
        if part.is_whole:
            behind = live + lattice.growth(part.low, part.high)
            least = part.starts_least, part.ends_least
            yield Piece(part.low, part.high, live, behind, part.order, *least)
            live = behind
        else:
            waiting += reversed(list(_parts(lattice, part.low, part.high)))


def _parts(lattice: Lattice, low: int, high: int) -> Iterator[_Part]:
    """What is cut off, in its order."""
    chain = least_live(lattice, low, high)
    for begin, end in pairwise(dict.fromkeys((low, *chain, high))):
        head = _only_way(Walk(lattice, begin, end))
        inner = begin | bits(head)
        tail = _only_way(Walk(lattice, inner, end, is_backward=True))[::-1]
        outer = end & ~bits(tail)
        if head:
            yield _Part(begin, inner, tuple(head))
        if inner != outer and not head and not tail:
            yield _Part(begin, end, (), True, begin in chain, end in chain)
        elif inner != outer:
            yield _Part(inner, outer, is_whole=False)
        if tail:
            yield _Part(outer, end, tuple(tail))


def _only_way(walk: Walk) -> list[int]:
    """Tasks from the start on as long as only one may be walked."""
    found: list[int] = []
    walked, ready = 0, walk.ready(0, walk.inside)
    while ready.bit_count() == 1:
        task = ready.bit_length() - 1
        found.append(task)
        walked |= ready
        ready = walk.opened(walked, task)
    return found
