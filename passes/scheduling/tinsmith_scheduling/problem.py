"""The problem, free of any IR: tasks that read and write stores, in an order to be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tinsmith_scheduling.foundation import Checked, TinsmithError


class ProblemError(TinsmithError):
    """Tasks and stores that break a rule: a defect of whoever formulates the problem."""


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

    Raises ProblemError for tasks that share a name or stand before those that they stay behind, for unknown stores, for
    a task that reads what none that it stays behind fills, for negative bytes, and for a result that may lie over more
    than there is.
    """

    tasks: tuple[Task, ...]
    store_bytes: Mapping[str, int]
    first: frozenset[str]
    kept: frozenset[str]

    def __post_init__(self) -> None:
        """Check the rules."""
        super().__post_init__()
        for name, size in self.store_bytes.items():
            if size < 0:
                raise ProblemError(f"store {name}: expected 0 bytes or more, got {size}")
        for name in sorted(self.first | self.kept):
            if name not in self.store_bytes:
                raise ProblemError(f"store {name}: it has no size")
        behind: dict[str, int] = {}
        fillers: dict[str, int] = {}
        for task in self.tasks:
            self._check(task, behind)
            bit = 1 << len(behind)
            before = 0
            for name in task.after:
                before |= behind[name]
            for name in sorted(task.reads - task.writes):
                if not fillers.get(name, 0) & before and name not in self.first:
                    raise ProblemError(
                        f"task {task.name}: it reads store {name}, which no task that it stays behind fills"
                    )
            for name in task.writes:
                fillers[name] = fillers.get(name, 0) | bit
            behind[task.name] = before | bit

    def _check(self, task: Task, before: Mapping[str, int]) -> None:
        where = f"task {task.name}"
        if task.name in before:
            raise ProblemError(f"{where}: another task has the same name")
        for name in sorted(task.after - before.keys()):
            raise ProblemError(f"{where}: it stays behind {name}, which is no task before it")
        for name in sorted(task.uses):
            if name not in self.store_bytes:
                raise ProblemError(f"{where}: store {name} has no size")
        if task.scratch_bytes < 0:
            raise ProblemError(
                f"{where}: expected 0 bytes of scratch or more, got {task.scratch_bytes}"
            )
        for name, over in task.over.items():
            if name not in task.reads:
                raise ProblemError(f"{where}: it may lie over {name}, which it does not read")
            if not 0 <= over <= self.store_bytes[name]:
                raise ProblemError(
                    f"{where}: expected to lie over 0 to {self.store_bytes[name]} bytes of {name}, got {over}"
                )

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
