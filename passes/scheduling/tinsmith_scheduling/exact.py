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
from collections.abc import Iterator
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


import os
KK=int(os.environ.get("KK","0")); ORD=int(os.environ.get("ORD","1"))
_State = tuple[int, int, int, int, tuple[int, ...]]
"""Peak on the way, live bytes, what is ready, the set before, tasks since."""


class Search:
    """From one end of a walk to the other.

    floor: the least peak that counts; lower ones are as good. ceiling: peaks from it on are of no use. is_to_least: no
    set on the walk has fewer live bytes than its end.
    """

    def __init__(self, walk: Walk, floor: int, ceiling: int, *, is_to_least: bool) -> None:
        self._walk = walk
        self._bound = floor
        self._ceiling = ceiling
        self._is_to_least = is_to_least
        self._looks = 0
        self._path: list[int] = []

    def run(self, most_looks: int) -> Found:
        """Search until nothing better is left, or after about so many looks."""
        walk = self._walk
        self._begin(0, walk.start_bytes, walk.ready(0))
        while self._heap:
            if self._looks >= most_looks:
                return Found(
                    None, self._ceiling, min(self._bound, self._ceiling), False, self._looks
                )
            peak, _, live, walked = heapq.heappop(self._heap)
            if walked in self._done:
                continue
            self._done.add(walked)
            self._bound = max(self._bound, peak)
            if walked == walk.inside:
                path = (*self._path, *self._since_root(walked))
                return Found(path, self._bound, self._bound, True, self._looks)
            if live <= self._root_live and walked != self._root:
                self._commit(walked)
            else:
                self._expand(walked)
        return Found(None, self._ceiling, self._ceiling, True, self._looks)

    def _begin(self, root: int, live: int, ready: int) -> None:
        self._root, self._root_live = root, live
        self._states: dict[int, _State] = {root: (self._bound, live, ready, root, ())}
        self._done: set[int] = set()
        self._heap = [(self._bound, 0, live, root)]
        self._parts: list[int] | None = None

    def _since_root(self, walked: int) -> list[int]:
        found: list[int] = []
        while walked != self._root:
            *_, before, tasks = self._states[walked]
            found += reversed(tasks)
            walked = before
        return found[::-1]

    def _commit(self, walked: int) -> None:
        """Start anew behind the fewest live bytes between the root and `walked`, which are no more than at the root.
        The way there is part of the way to `walked`.
        """
        walk = self._walk
        ends = sorted((walk.finished(self._root), walk.finished(walked)), key=int.bit_count)
        least = least_live(walk.lattice, *ends)
        finished = least[0] if walk.is_backward else least[-1]
        target = walk.finished(0) ^ finished
        path = [task for task in self._since_root(walked) if target >> task & 1]
        self._path += path
        self._begin(target, walk.lattice.live_bytes(finished), walk.ready(target))

    def _expand(self, walked: int) -> None:
        peak, live, ready, _, _ = self._states[walked]
        steps: list[tuple[int, int, int]] = []
        for task in positions(ready & self._part(walked)):
            self._looks += 1
            need, growth = self._walk.step(walked, task)
            if growth <= 0 and live + need <= self._bound:
                self._push(walked, (task,), max(peak, live + need), live + growth)
                return
            steps.append((task, live + need, live + growth))
        for task, during, behind in steps:
            if during <= self._bound:
                chain = self._descent(walked, task, live, behind)
                if chain:
                    self._push(walked, *chain)
                    return
        if walked != self._root:
            settled = self._settled(walked, live, ready)
            if settled:
                self._push(walked, settled[0], self._bound, settled[1])
                return
        for task, during, behind in steps:
            self._push(walked, (task,), max(peak, during), behind)

    def _settled(self, start: int, live: int, ready: int) -> tuple[tuple[int, ...], int] | None:
        """Tasks behind `start`, within the bound, to a set with no more live bytes than there, and with no set in
        between that has fewer; and its bytes. None if no such way is short.
        """
        part = self._part(start)
        before: dict[int, tuple[int, int]] = {start: (start, -1)}
        heap = [(0, live, start, ready)]
        looks = 0
        while heap and looks < KK:
            _, here, walked, ready = heapq.heappop(heap)
            for task in positions(ready & part):
                looks += 1
                self._looks += 1
                need, growth = self._walk.step(walked, task)
                target = walked | 1 << task
                if here + need > self._bound or target in before:
                    continue
                before[target] = walked, task
                behind = here + growth
                if behind <= live:
                    path: list[int] = []
                    while target != start:
                        target, task = before[target]
                        path.append(task)
                    path.reverse()
                    return self._shortened(start, path)
                heapq.heappush(heap, (ORD and behind, behind, target, ready & ~(1 << task) | self._walk.opened(target, task)))
        return None

    def _shortened(self, start: int, path: list[int]) -> tuple[tuple[int, ...], int]:
        walk = self._walk
        end = start
        for t in path: end |= 1 << t
        ends = sorted((walk.finished(start), walk.finished(end)), key=int.bit_count)
        least = least_live(walk.lattice, *ends)
        finished = least[0] if walk.is_backward else least[-1]
        target = walk.finished(0) ^ finished
        return tuple(t for t in path if target >> t & 1), walk.lattice.live_bytes(finished)

    def _descent(
        self, walked: int, task: int, live: int, behind: int
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
            self._looks += 1
            need, growth = self._walk.step(walked, task)
            if behind + need > self._bound:
                return None
            chain.append(task)
            behind += growth
            if behind <= live:
                return tuple(chain), self._bound, behind

    def _push(self, walked: int, tasks: tuple[int, ...], peak: int, live: int) -> None:
        if peak >= self._ceiling:
            return
        target, ready = walked, self._states[walked][2]
        for task in tasks:
            target |= 1 << task
            ready = ready & ~(1 << task) | self._walk.opened(target, task)
        known = self._states.get(target)
        if known is None or peak < known[0]:
            self._states[target] = peak, live, ready, walked, tasks
            heapq.heappush(self._heap, (max(peak, self._bound), -target.bit_count(), live, target))

    def _part(self, walked: int) -> int:
        """What may follow `walked`: the part that it is half way in, all at a root."""
        if not self._is_to_least or walked == self._root:
            return self._walk.inside
        if self._parts is None:
            self._parts = list(_parts(self._walk, self._root))
        begun = walked & ~self._root
        for part in self._parts:
            if begun & part:
                return part if part & ~walked else self._walk.inside
        return self._walk.inside


def _parts(walk: Walk, root: int) -> Iterator[int]:
    """What is still to walk, in sets of tasks that share no store and do not wait for each other."""
    left = walk.inside & ~root
    lattice = walk.lattice
    links = [
        store.users & left
        for store in lattice.stores
        if not store.is_kept or not store.is_first
        if store.users & left
    ]
    links += [
        ((lattice.after[task] | lattice.following[task]) & left) | 1 << task
        for task in positions(left)
    ]
    groups: list[int] = []
    for link in links:
        apart: list[int] = []
        for group in groups:
            if group & link:
                link |= group
            else:
                apart.append(group)
        groups = [*apart, link]
    yield from groups
