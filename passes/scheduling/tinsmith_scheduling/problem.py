"""The problem, free of any IR: tasks that read and write stores, in an order to be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class Task(Checked):
    """One step of work.

    after: names of the tasks that must have run before.
    reads: names of the stores it needs until it has ended.
    writes: names of the stores it fills, at least in part; they come into being when the first task that
    writes them starts.
    scratch_bytes: what it needs besides, while it runs.
    over: of stores that it reads, how many of their bytes what it writes may lie over if no other task needs
    the store any more: at most as many in all as come into being with it.
    """

    name: str
    after: frozenset[str]
    reads: frozenset[str]
    writes: frozenset[str]
    scratch_bytes: int = 0
    over: Mapping[str, int] = field(default_factory=dict[str, int])

    @cached_property
    def uses(self) -> frozenset[str]:
        """Names of the stores it reads or writes."""
        return self.reads | self.writes


@dataclass(frozen=True, eq=False)
class Problem(Checked):
    """Tasks in an order that is allowed, and the stores between them.

    store_bytes: size of each store by name.
    first: stores that are filled before the first task; kept: those needed after the last.
    """

    tasks: tuple[Task, ...]
    store_bytes: Mapping[str, int]
    first: frozenset[str]
    kept: frozenset[str]

    @cached_property
    def users(self) -> Mapping[str, tuple[int, ...]]:
        """Name of a store -> positions of the tasks that read or write it."""
        return self._positions([task.uses for task in self.tasks])

    @cached_property
    def writers(self) -> Mapping[str, tuple[int, ...]]:
        """Name of a store -> positions of the tasks that write it."""
        return self._positions([task.writes for task in self.tasks])

    def _positions(self, names: Sequence[frozenset[str]]) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {store: [] for store in self.store_bytes}
        for position, stores in enumerate(names):
            for store in stores:
                found[store].append(position)
        return {store: tuple(positions) for store, positions in found.items()}

    def live_bytes(self, order: Sequence[Task]) -> tuple[int, ...]:
        """Bytes that are live while each task of `order` runs, its own reads, writes and scratch included; what
        it may write over counts once.
        """
        last_use: dict[str, int] = {}
        for step, task in enumerate(order):
            for store in task.uses:
                last_use[store] = step
        dying: list[list[str]] = [[] for _ in order]
        for store, step in last_use.items():
            if store not in self.kept:
                dying[step].append(store)
        live = sum(
            self.store_bytes[store]
            for store in self.first
            if store in last_use or store in self.kept
        )
        begun = set(self.first)
        sums: list[int] = []
        for task, ending in zip(order, dying, strict=True):
            beginning = shared = ended = 0
            for store in task.writes:
                if store not in begun:
                    begun.add(store)
                    beginning += self.store_bytes[store]
            for store in ending:
                ended += self.store_bytes[store]
                shared += task.over.get(store, 0)
            live += beginning
            sums.append(live + task.scratch_bytes - min(shared, beginning))
            live -= ended
        return tuple(sums)

    def peak_bytes(self, order: Sequence[Task]) -> int:
        """The largest of `live_bytes`; 0 without tasks."""
        return max(self.live_bytes(order), default=0)
