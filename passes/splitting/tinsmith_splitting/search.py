"""Which calls stream together, and how many rows at a time: a shortest path from the first call to behind the last.

A *way* is a range of neighbouring steps computed together, with the bytes that are live meanwhile and what it costs
more than whole tensors. All plans are paths of ways; of those whose ways keep within a budget the cheapest one is
found, and the least budget that some path keeps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

Of = TypeVar("Of")


@dataclass(frozen=True)
class Way(Generic[Of]):
    """Steps first to last, computed together. extra: what it costs more than each step whole; never negative.

    live_bytes: of everything, while it runs. of: what it is.
    """

    first: int
    last: int
    live_bytes: int
    extra: float
    of: Of


@dataclass(frozen=True)
class Path(Generic[Of]):
    """ways: one after the other, all steps. live_bytes: the most of one of them. extra: of all."""

    ways: tuple[Way[Of], ...]

    @property
    def live_bytes(self) -> int:
        """The most of any way."""
        return max((way.live_bytes for way in self.ways), default=0)

    @property
    def extra(self) -> float:
        """Of all ways."""
        return sum(way.extra for way in self.ways)


@dataclass(frozen=True)
class Candidate:
    """Steps first to last, which may have a way.

    at_least: live bytes that it has at least. find: how many it has; None if there is no such way.
    """

    first: int
    last: int
    at_least: int
    find: Callable[[], int | None]


def least_budget(candidates: Sequence[Candidate], steps: int) -> int | None:
    """The fewest live bytes that a path needs; None without a path.

    Only of those candidates it is found out how many bytes they have for which no other path is known to need fewer.
    """
    left = list(candidates)
    while True:
        path = _least_path(left, steps)
        if path is None:
            return None
        unknown = [at for at in path if left[at].find is not _known]
        if not unknown:
            return max((left[at].at_least for at in path), default=0)
        for at in unknown:
            found = left[at].find()
            left[at] = replace(left[at], at_least=_NEVER if found is None else found, find=_known)


_NEVER = 1 << 62


def _known() -> int | None:
    raise AssertionError("what is known is not asked for again")


def _least_path(candidates: Sequence[Candidate], steps: int) -> list[int] | None:
    """Numbers of the candidates of a path, as if each had as many bytes as it has at least."""
    by_last: list[list[int]] = [[] for _ in range(steps)]
    for at, candidate in enumerate(candidates):
        by_last[candidate.last].append(at)
    best = [0, *([_NEVER] * steps)]
    came = [-1] * (steps + 1)
    for end in range(1, steps + 1):
        for at in by_last[end - 1]:
            candidate = candidates[at]
            value = max(best[candidate.first], candidate.at_least)
            if value < best[end]:
                best[end], came[end] = value, at
    if best[steps] == _NEVER:
        return None
    path: list[int] = []
    end = steps
    while end:
        path.append(came[end])
        end = candidates[came[end]].first
    return path


def _by_last(ways: Sequence[Way[Of]], steps: int) -> list[list[Way[Of]]]:
    found: list[list[Way[Of]]] = [[] for _ in range(steps)]
    for way in ways:
        found[way.last].append(way)
    return found


def cheapest(
    ways: Sequence[Way[Of]], steps: int, budget: int, aim: int | None = None
) -> Path[Of] | None:
    """The path that costs least of those whose ways have no more live bytes than `budget`; of equal ones, the one whose
    ways have fewer live bytes in sum. None if there is none.

    aim: before cost, the bytes count by which each way exceeds it, in sum.
    """
    best: list[tuple[int, float, int] | None] = [(0, 0.0, 0), *([None] * steps)]
    came: list[Way[Of] | None] = [None] * (steps + 1)
    for end, ending in enumerate(_by_last(ways, steps), 1):
        for way in ending:
            before = best[way.first]
            if before is None or way.live_bytes > budget:
                continue
            excess = 0 if aim is None else max(0, way.live_bytes - aim)
            value = before[0] + excess, before[1] + way.extra, before[2] + way.live_bytes
            known = best[end]
            if known is None or value < known:
                best[end], came[end] = value, way
    if best[steps] is None:
        return None
    path: list[Way[Of]] = []
    at = steps
    while at:
        way = came[at]
        assert way is not None
        path.append(way)
        at = way.first
    return Path(tuple(reversed(path)))
