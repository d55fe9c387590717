"""Sets of finished tasks, as bit sets of their positions: what is live behind each, and what a task needs.

The bytes that are live behind a set depend on nothing but the set, and they are submodular: a task that runs later
lets them grow by less or shrink by more. On that rest the cuts and the commitments of the exact search.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tinsmith_scheduling.problem import Problem


@dataclass(frozen=True)
class Store:
    """One store: who fills it, who needs it (fillers, too), as bit sets."""

    size_bytes: int
    writers: int
    users: int
    is_first: bool
    is_kept: bool

    def is_live(self, finished: int) -> bool:
        """Whether its bytes are needed between tasks."""
        return (self.is_first or self.writers & finished != 0) and (
            self.is_kept or self.users & ~finished != 0
        )


class Lattice:
    """The sets of tasks that can be finished, of one problem."""

    def __init__(self, problem: Problem) -> None:
        index = {task.name: position for position, task in enumerate(problem.tasks)}
        self.problem = problem
        self.count = len(problem.tasks)
        self.all = (1 << self.count) - 1
        self.after = [bits(index[name] for name in task.after) for task in problem.tasks]
        followers: list[list[int]] = [[] for _ in problem.tasks]
        for position, task in enumerate(problem.tasks):
            for name in task.after:
                followers[index[name]].append(position)
        self.following = [bits(found) for found in followers]
        self.stores = [
            Store(
                size,
                bits(problem.writers[name]),
                bits(problem.users[name]),
                name in problem.first,
                name in problem.kept,
            )
            for name, size in problem.store_bytes.items()
        ]
        self._scratch = [task.scratch_bytes for task in problem.tasks]
        self._alone, self._together = _beginnings(self.stores, self.count)
        by_name = dict(zip(problem.store_bytes, self.stores, strict=True))
        number = {name: at for at, name in enumerate(problem.store_bytes)}
        self._used = [[number[name] for name in task.uses] for task in problem.tasks]
        # Of each task the stores that may end with it: who else needs them, their bytes, and how many of those it may
        # write over.
        self._endings = [
            [
                (
                    by_name[name].users & ~(1 << position),
                    by_name[name].size_bytes,
                    task.over.get(name, 0),
                )
                for name in sorted(task.uses - problem.kept)
            ]
            for position, task in enumerate(problem.tasks)
        ]

    def live_bytes(self, finished: int) -> int:
        """Between tasks, when these have run."""
        return sum(store.size_bytes for store in self.stores if store.is_live(finished))

    def growth(self, low: int, high: int) -> int:
        """By how many bytes more are live when `high` has run than when `low`, a part of it, has."""
        total = 0
        for position in positions(high & ~low):
            total += self.step(low, position)[1]
            low |= 1 << position
        return total

    def stores_of(self, tasks: int) -> list[Store]:
        """The stores that these tasks use, each once."""
        numbers = {number for position in positions(tasks) for number in self._used[position]}
        return [self.stores[number] for number in sorted(numbers)]

    def step(self, finished: int, position: int) -> tuple[int, int]:
        """Of a task that runs behind `finished`: the bytes it needs beyond those live, and by how many those grow."""
        beginning = self._alone[position]
        for writers, size in self._together[position]:
            if not writers & finished:
                beginning += size
        ending = shared = 0
        for others, size, over in self._endings[position]:
            if others & finished == others:
                ending += size
                shared += over
        need = self._scratch[position] + (beginning - shared if shared < beginning else 0)
        return need, beginning - ending

    def peak_bytes(self, finished: int, live: int, order: Iterable[int]) -> int:
        """The most that is live while tasks run in this order behind `finished`, when `live` bytes are live."""
        peak = 0
        for position in order:
            need, growth = self.step(finished, position)
            peak = max(peak, live + need)
            live += growth
            finished |= 1 << position
        return peak

    def own_need(self, position: int) -> int:
        """Bytes that are live while a task runs in every order: its own."""
        return self._least_need(position, 0, 0, self.stores_of(1 << position))

    def least_need(self) -> int:
        """Bytes that are live in every order while some task runs: what those before it leave for those behind it,
        and its own.
        """
        before, behind = [0] * self.count, [0] * self.count
        for position in range(self.count):
            for other in positions(self.after[position]):
                before[position] |= before[other] | 1 << other
        for position in reversed(range(self.count)):
            for other in positions(self.following[position]):
                behind[position] |= behind[other] | 1 << other
        needs = (
            self._least_need(position, before[position], behind[position], self.stores)
            for position in range(self.count)
        )
        return max(needs, default=0)

    def _least_need(self, position: int, before: int, behind: int, stores: Iterable[Store]) -> int:
        bit = 1 << position
        held = beginning = 0
        for store in stores:
            is_begun = store.is_first or store.writers & (before | bit)
            if is_begun and (store.is_kept or store.users & (behind | bit)):
                held += store.size_bytes
                if store.writers & bit and not store.is_first and not store.writers & before:
                    beginning += store.size_bytes
        shared = sum(over for others, _, over in self._endings[position] if not others & behind)
        return held + self._scratch[position] - min(shared, beginning)


def _beginnings(
    stores: Sequence[Store], count: int
) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """Of each task the bytes of the stores that it alone writes; and of the other stores that it writes, who does, and
    their bytes. Without stores that are filled before.
    """
    alone = [0] * count
    together: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for store in stores:
        if store.is_first or not store.size_bytes:
            continue
        if store.writers.bit_count() == 1:
            alone[store.writers.bit_length() - 1] += store.size_bytes
        else:
            for position in positions(store.writers):
                together[position].append((store.writers, store.size_bytes))
    return alone, together


def bits(numbers: Iterable[int]) -> int:
    """The set of some positions."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def positions(found: int) -> Iterator[int]:
    """The positions in a set, from the lowest."""
    while found:
        bit = found & -found
        found ^= bit
        yield bit.bit_length() - 1
