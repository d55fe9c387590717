"""The problem, free of any IR: tasks that read and write stores, in an order to be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class Task(Checked):
    """One step of work.

    after: names of the tasks that must have run before.
    reads: names of the stores it needs until it has ended.
    writes: names of the stores it fills; they come into being when it starts.
    """

    name: str
    after: frozenset[str]
    reads: frozenset[str]
    writes: frozenset[str]


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
    def readers(self) -> Mapping[str, frozenset[str]]:
        """Name of a store -> names of the tasks that read it."""
        readers: dict[str, set[str]] = {store: set() for store in self.store_bytes}
        for task in self.tasks:
            for store in task.reads:
                readers[store].add(task.name)
        return {store: frozenset(names) for store, names in readers.items()}

    def live_bytes(self, order: Sequence[Task]) -> tuple[int, ...]:
        """Bytes that are live while each task of `order` runs, its own reads and writes included."""
        last_use: dict[str, int] = {}
        for step, task in enumerate(order):
            for store in task.reads | task.writes:
                last_use[store] = step
        dying: dict[int, set[str]] = {}
        for store, step in last_use.items():
            dying.setdefault(step, set()).add(store)
        live = sum(
            self.store_bytes[store]
            for store in self.first
            if store in last_use or store in self.kept
        )
        sums: list[int] = []
        for step, task in enumerate(order):
            live += sum(self.store_bytes[store] for store in task.writes)
            sums.append(live)
            live -= sum(self.store_bytes[store] for store in dying.get(step, set()) - self.kept)
        return tuple(sums)

    def peak_bytes(self, order: Sequence[Task]) -> int:
        """The largest of `live_bytes`; 0 without tasks."""
        return max(self.live_bytes(order), default=0)
