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

    order: the only one, of a piece that has no choice; else empty. starts_least, ends_least: no set in between has
    fewer live bytes than are live before the piece, or behind it.
    """

    low: int
    high: int
    order: tuple[int, ...] = ()
    starts_least: bool = False
    ends_least: bool = False


def pieces(lattice: Lattice, low: int, high: int) -> Iterator[Piece]:
    """Of all that runs from `low` to `high`, in their order: cut where the fewest bytes are live, and again between
    tasks that have no choice.
    """
    waiting: list[Piece | tuple[int, int]] = [(low, high)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Piece):
            yield part
        else:
            waiting += reversed(list(_parts(lattice, *part)))


def _parts(lattice: Lattice, low: int, high: int) -> Iterator[Piece | tuple[int, int]]:
    """Pieces, and the ends of what is to be cut again."""
    chain = least_live(lattice, low, high)
    for begin, end in pairwise(dict.fromkeys((low, *chain, high))):
        head = _only_way(Walk(lattice, begin, end))
        inner = begin | bits(head)
        tail = _only_way(Walk(lattice, inner, end, is_backward=True))[::-1]
        outer = end & ~bits(tail)
        if head:
            yield Piece(begin, inner, tuple(head))
        if inner != outer and not head and not tail:
            yield Piece(begin, end, (), begin in chain, end in chain)
        elif inner != outer:
            yield inner, outer
        if tail:
            yield Piece(outer, end, tuple(tail))


def _only_way(walk: Walk) -> list[int]:
    """Tasks from the start on as long as only one may be walked."""
    found: list[int] = []
    walked, ready = 0, walk.ready(0)
    while ready.bit_count() == 1:
        task = ready.bit_length() - 1
        found.append(task)
        walked |= ready
        ready = walk.opened(walked, task)
    return found
