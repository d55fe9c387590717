"""Search for an order with a low peak: breadth first over sets of finished tasks, with a beam.

Two orders of the same tasks leave the same stores live, so of all ways to finish a set only the one
with the lowest peak matters. That makes the search a dynamic programme over the sets that can be
finished, and exact while no level has more of them than the beam is wide.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tinsmith_scheduling.problem import Problem, Task


@dataclass(frozen=True)
class Schedule:
    """An order of all tasks, its peak, and whether no order has a lower one."""

    order: tuple[Task, ...]
    peak_bytes: int
    is_optimal: bool


@dataclass(frozen=True)
class _State:
    """Some tasks have run. `finished` is a bit set of task indices, `live` the bytes left behind.

    order: indices in the order of running; it breaks ties, so that the given order wins them.
    """

    peak: int
    live: int
    order: tuple[int, ...]
    finished: int

    @property
    def rank(self) -> tuple[int, int, tuple[int, ...]]:
        return self.peak, self.live, self.order


def find_schedule(problem: Problem, *, beam_width: int = 256) -> Schedule:
    """An order with a lower peak than the given one, or the given one when none is found.

    beam_width: how many sets of finished tasks are followed at a time; the time it takes grows with
    it, and with it the chance to find the optimum.
    """
    given_peak = problem.peak_bytes(problem.tasks)
    expand = _Expansion(problem)
    states = [expand.start()]
    complete = True
    for _ in problem.tasks:
        best: dict[int, _State] = {}
        for state in states:
            for following in expand.following(state):
                known = best.get(following.finished)
                is_better = known is None or following.rank < known.rank
                if following.peak < given_peak and is_better:
                    best[following.finished] = following
        complete = complete and len(best) <= beam_width
        states = sorted(best.values(), key=lambda state: state.rank)[:beam_width]
    if not states or not problem.tasks:
        return Schedule(problem.tasks, given_peak, complete)
    order = tuple(problem.tasks[index] for index in states[0].order)
    return Schedule(order, states[0].peak, complete)


class _Expansion:
    """From a state to the states one task later; stores and tasks as indices and bit sets."""

    def __init__(self, problem: Problem) -> None:
        index = {task.name: position for position, task in enumerate(problem.tasks)}
        self._problem = problem
        self._after = [sum(1 << index[name] for name in task.after) for task in problem.tasks]
        self._written = [
            sum(problem.store_bytes[store] for store in task.writes) for task in problem.tasks
        ]
        self._readers = {
            store: sum(1 << index[name] for name in readers)
            for store, readers in problem.readers.items()
        }

    def start(self) -> _State:
        """Nothing has run; the stores filled before are live, but for those that nobody wants."""
        problem = self._problem
        live = sum(
            problem.store_bytes[store]
            for store in problem.first
            if self._readers[store] or store in problem.kept
        )
        return _State(0, live, (), 0)

    def following(self, state: _State) -> Iterator[_State]:
        """One state for each task that may run now, in the given order of tasks."""
        for index, after in enumerate(self._after):
            bit = 1 << index
            if state.finished & bit or after & ~state.finished:
                continue
            during = state.live + self._written[index]
            finished = state.finished | bit
            yield _State(
                max(state.peak, during),
                during - self._freed(index, finished),
                (*state.order, index),
                finished,
            )

    def _freed(self, index: int, finished: int) -> int:
        """Bytes of the stores that task `index` was the last to need."""
        problem, task = self._problem, self._problem.tasks[index]
        return sum(
            problem.store_bytes[store]
            for store in task.reads | task.writes
            if store not in problem.kept and not self._readers[store] & ~finished
        )
