"""The exact search: best first over sets of finished tasks, by the peak on the way to them.

The way to a set with the lowest peak is found as Dijkstra finds shortest paths, with the maximum in place of the sum:
sets are taken up in the order of their peaks, so the first way that arrives has the lowest one, and each peak that a
set is taken up with is a lower bound of the whole. Two things keep the sets few, and neither loses the optimum, since
live bytes are submodular:

- Commitment. If tasks can run behind a set without a higher peak than the bound, and leave no more bytes live than
  before, and no fewer in between, then they may as well run at once: whatever runs later needs no more bytes behind
  them. (For trees, Liu, "An application of generalized tree pebbling to sparse matrix factorization", 1987.)
- Parts that do not know of each other, where the way leads to the fewest live bytes: nothing is gained by leaving one
  of them half way for another.
"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from tinsmith_scheduling.cuts import least_live
from tinsmith_scheduling.lattice import positions
from tinsmith_scheduling.walk import Walk


@dataclass(frozen=True)
class Found:
    """What a search gave. path: tasks as they are walked, with a peak below the ceiling; None without one.

    lower_bytes: no way has a lower peak. is_proven: there is no better path, or, without a path, none below the
    ceiling. looks: how many steps it looked at.
    """

    path: tuple[int, ...] | None
    peak_bytes: int
    lower_bytes: int
    is_proven: bool
    looks: int


_LOOKS_BEFORE_PARTS = 200
"""As long as commitments are near it does not matter what else there is."""

_State = tuple[int, int, int, int, tuple[int, ...]]
"""Peak on the way and live bytes, both beyond those live at the root; what is ready, the set before, tasks since."""


class Search:
    """From one end of a walk to the other.

    live: bytes that are live where it starts.
    floor: the least peak that counts; lower ones are as good. ceiling: peaks from it on are of no use.
    is_to_least: no set on the walk has fewer live bytes than its end.
    """

    def __init__(
        self, walk: Walk, live: int, floor: int, ceiling: int, *, is_to_least: bool
    ) -> None:
        self._walk = walk
        self._bound = floor
        self._ceiling = ceiling
        self._is_to_least = is_to_least
        self._live = live
        self._path: list[int] = []
        self._parts: list[_Part] = []
        self._looks = 0

    def run(self, most_looks: int) -> Found:
        """Search until nothing better is left, or after about so many looks."""
        walk = self._walk
        self._begin(0, walk.inside, walk.ready(0, walk.inside))
        while self._parts:
            part = min(self._parts, key=lambda part: part.next_peak)
            looks = self._looks + sum(part.looks for part in self._parts)
            self._bound = max(self._bound, self._live + part.next_peak)
            if self._bound >= self._ceiling:
                return Found(None, self._ceiling, self._ceiling, True, looks)
            if looks >= most_looks:
                return Found(None, self._ceiling, self._bound, False, looks)
            commitment = part.advance(self._bound - self._live)
            if commitment is not None:
                self._end(part)
                self._path += commitment.path
                self._live += commitment.growth
                self._begin(commitment.root, part.inside & ~commitment.root, commitment.ready)
            elif part.looks > _LOOKS_BEFORE_PARTS and part.may_fall_apart:
                self._take_apart(part)
        return Found(tuple(self._path), self._bound, self._bound, True, self._looks)

    def _begin(self, root: int, inside: int, ready: int) -> None:
        if inside:
            self._parts.append(_Part(self._walk, root, inside, ready, self._is_to_least))

    def _end(self, part: "_Part") -> None:
        self._looks += part.looks
        self._parts.remove(part)

    def _take_apart(self, part: "_Part") -> None:
        """Go on in each of the parts of a part, if there are any: nothing is gained by mixing them."""
        part.may_fall_apart = False
        self._looks += part.inside.bit_count()
        groups = _groups(self._walk, part.root, part.inside)
        if len(groups) > 1:
            self._end(part)
            for group in groups:
                self._begin(part.root, group, part.ready & group)


@dataclass(frozen=True)
class _Commitment:
    """What may as well be walked at once: up to `root`, by which the live bytes grow by `growth`, and behind which
    tasks of the part are ready.
    """

    root: int
    growth: int
    path: list[int]
    ready: int


class _Part:
    """The search in tasks that know nothing of those in other parts, from where it has last committed itself to.

    root: what has been walked. inside: the tasks. ready: those that may be walked first. looks: how many steps it has
    looked at. may_fall_apart: it has not been seen whether it consists of several parts.
    """

    def __init__(
        self, walk: Walk, root: int, inside: int, ready: int, may_fall_apart: bool
    ) -> None:
        self.root = root
        self.inside = inside
        self.ready = ready
        self.looks = 0
        self.may_fall_apart = may_fall_apart
        self._walk = walk
        self._end = root | inside
        self._states: dict[int, _State] = {root: (0, 0, ready, root, ())}
        self._done: set[int] = set()
        self._heap = [(0, 0, 0, root)]

    @property
    def next_peak(self) -> int:
        """Bytes beyond those live at the root without which nothing more can be walked."""
        return self._heap[0][0]

    def advance(self, bound: int) -> _Commitment | None:
        """Take up the next set. bound: bytes beyond those at the root that count as nothing."""
        _, _, live, walked = heapq.heappop(self._heap)
        if walked in self._done:
            return None
        self._done.add(walked)
        if walked == self._end:
            return _Commitment(walked, live, self._way(walked), 0)
        if live <= 0 and walked != self.root:
            return self._least(walked)
        self._expand(walked, bound)
        return None

    def _way(self, walked: int) -> list[int]:
        """The tasks from the root on."""
        found: list[int] = []
        while walked != self.root:
            *_, before, tasks = self._states[walked]
            found += reversed(tasks)
            walked = before
        return found[::-1]

    def _least(self, walked: int) -> _Commitment:
        """To the fewest live bytes between the root and `walked`, which are no more than at the root; the way there is
        part of the way to `walked`.
        """
        walk = self._walk
        start = walk.finished(self.root)
        ends = sorted((start, walk.finished(walked)), key=int.bit_count)
        least = least_live(walk.lattice, *ends)
        finished = least[0] if walk.is_backward else least[-1]
        root = walk.finished(0) ^ finished
        growth = walk.lattice.growth(min(start, finished), max(start, finished))
        growth = -growth if walk.is_backward else growth
        path = [task for task in self._way(walked) if root >> task & 1]
        return _Commitment(root, growth, path, self._ready_behind(self.root, path))

    def _ready_behind(self, walked: int, path: Iterable[int]) -> int:
        ready = self._states[walked][2]
        for task in path:
            walked |= 1 << task
            ready = ready & ~(1 << task) | self._walk.opened(walked, task)
        return ready

    def _expand(self, walked: int, bound: int) -> None:
        peak, live, ready, _, _ = self._states[walked]
        steps: list[tuple[int, int, int]] = []
        for task in positions(ready):
            self.looks += 1
            need, growth = self._walk.step(walked, task)
            if growth <= 0 and live + need <= bound:
                self._push(walked, (task,), max(peak, live + need), live + growth, bound)
                return
            steps.append((task, live + need, live + growth))
        for task, during, behind in steps:
            if during <= bound:
                chain = self._descent(walked, task, live, behind, bound)
                if chain:
                    self._push(walked, *chain, bound)
                    return
        for task, during, behind in steps:
            self._push(walked, (task,), max(peak, during), behind, bound)

    def _descent(
        self, walked: int, task: int, live: int, behind: int, bound: int
    ) -> tuple[tuple[int, ...], int, int] | None:
        """Tasks from `task` on, each of which lets only the next run, within the bound, until no more bytes are live
        than before; with the bound as their peak, and the bytes behind them.
        """
        chain = [task]
        while True:
            walked |= 1 << task
            opened = self._walk.opened(walked, task)
            if opened.bit_count() != 1:
                return None
            task = opened.bit_length() - 1
            self.looks += 1
            need, growth = self._walk.step(walked, task)
            if behind + need > bound:
                return None
            chain.append(task)
            behind += growth
            if behind <= live:
                return tuple(chain), bound, behind

    def _push(self, walked: int, tasks: tuple[int, ...], peak: int, live: int, bound: int) -> None:
        target = walked
        for task in tasks:
            target |= 1 << task
        known = self._states.get(target)
        if known is None or peak < known[0]:
            ready = self._ready_behind(walked, tasks)
            self._states[target] = peak, live, ready, walked, tasks
            heapq.heappush(self._heap, (max(peak, bound), -target.bit_count(), live, target))


def _groups(walk: Walk, root: int, left: int) -> list[int]:
    """What is still to walk, in sets of tasks that share no store and do not wait for each other."""
    lattice = walk.lattice
    links = [
        store.users & left for store in lattice.stores_of(left) if not walk.is_settled(store, root)
    ]
    links += [
        ((lattice.after[task] | lattice.following[task]) & left) | 1 << task
        for task in positions(left)
    ]
    groups: list[int] = []
    for link in links:
        apart: list[int] = []
        joined = link
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return sorted(groups)
