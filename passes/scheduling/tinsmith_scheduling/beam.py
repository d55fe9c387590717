"""A beam search, breadth first over sets of finished tasks: good orders where the exact search does not end.

Two orders of the same tasks leave the same stores live, and what a task needs while it runs depends on which have run
before it, not on their order. So of all ways to finish a set only the one with the lowest peak matters.
"""

from collections.abc import Collection
from dataclasses import dataclass

from tinsmith_scheduling.lattice import positions
from tinsmith_scheduling.walk import Walk


@dataclass(frozen=True)
class Beam:
    """What a beam of one width gave. path: tasks as they are walked, with a peak below the ceiling; None without one.

    is_complete: it held all sets, so that there is no better path.
    """

    path: tuple[int, ...] | None
    peak_bytes: int
    is_complete: bool = False


@dataclass(frozen=True)
class _State:
    """Some tasks have been walked. path: the order of it; it breaks ties, so that the given order wins them."""

    peak: int
    live: int
    path: tuple[int, ...]
    walked: int
    ready: int

    @property
    def rank(self) -> tuple[int, int, tuple[int, ...]]:
        return self.peak, self.live, self.path


def search_beam(walk: Walk, live: int, ceiling: int, width: int, most_looks: int) -> Beam:
    """A path below the ceiling, following up to `width` sets at a time.

    live: bytes that are live where the walk starts.
    most_looks: about how many steps it may look at; it is narrowed to get by, and gives up after twice as many.
    """
    states = [_State(0, live, (), 0, walk.ready(0, walk.inside))]
    count = walk.inside.bit_count()
    looks, is_complete = 0, True
    for level in range(count):
        looks += sum(state.ready.bit_count() for state in states)
        best = _next_level(walk, states, ceiling)
        if looks + _least_looks(best.values()) > 2 * most_looks:
            return Beam(None, ceiling)
        affordable = _affordable(best.values(), count - level, most_looks - looks)
        is_complete = is_complete and len(best) <= min(width, affordable)
        states = sorted(best.values(), key=lambda state: state.rank)[: min(width, affordable)]
    if not states:
        return Beam(None, ceiling, is_complete)
    return Beam(states[0].path, states[0].peak, is_complete)


def _next_level(walk: Walk, states: list[_State], ceiling: int) -> dict[int, _State]:
    """Of all states one task later that stay below the ceiling, the best for each set of tasks."""
    best: dict[int, _State] = {}
    for state in states:
        for task in positions(state.ready):
            need, growth = walk.step(state.walked, task)
            peak, live = max(state.peak, state.live + need), state.live + growth
            if peak >= ceiling:
                continue
            walked = state.walked | 1 << task
            known = best.get(walked)
            path = (*state.path, task)
            if known is None or (peak, live, path) < known.rank:
                ready = state.ready & ~(1 << task) | walk.opened(walked, task)
                best[walked] = _State(peak, live, path, walked, ready)
    return best


def _affordable(states: Collection[_State], levels: int, looks: int) -> int:
    """How many states can be followed over `levels` levels with that many looks; at least 1."""
    ready = sum(state.ready.bit_count() for state in states)
    return max(1, looks * len(states) // max(1, ready * levels))


def _least_looks(states: Collection[_State]) -> int:
    """Looks that even a single state costs from here on: what may run falls by one a level at most."""
    ready = min((state.ready.bit_count() for state in states), default=0)
    return ready * (ready + 1) // 2
