"""Search for an order with a low peak: breadth first over sets of finished tasks, with a beam.

Two orders of the same tasks leave the same stores live, and what a task needs while it runs depends on which
have run before it, not on their order. So of all ways to finish a set only the one with the lowest peak
matters. That makes the search a dynamic programme over the sets that can be finished, and exact while no
level has more of them than the beam is wide.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tinsmith_ir.checked import Checked, checked

from tinsmith_scheduling.heuristics import heuristic_orders
from tinsmith_scheduling.problem import Problem, Task

_ALL_LOOKS_TASKS = 1000
_FEW_TASKS = 250


@dataclass(frozen=True)
class Schedule(Checked):
    """An order of all tasks, its peak, and whether no order has a lower one.

    gave_up: too many tasks may run at a time, so that no beam came to an end.
    found_by: what gave the order: "given" is the order of the problem, which nothing beats that was tried;
    "search"; or "heuristic".
    """

    order: tuple[Task, ...]
    peak_bytes: int
    is_optimal: bool
    gave_up: bool = False
    found_by: Literal["given", "search", "heuristic"] = "given"


@dataclass(frozen=True)
class _State:
    """Some tasks have run. `finished` and `ready` are bit sets of task indices, `live` the bytes that
    the finished ones leave behind.

    order: indices in the order of running; it breaks ties, so that the given order wins them.
    """

    peak: int
    live: int
    order: tuple[int, ...]
    finished: int
    ready: int

    @property
    def rank(self) -> tuple[int, int, tuple[int, ...]]:
        return self.peak, self.live, self.order


@checked
def find_schedule(
    problem: Problem, *, beam_width: int = 256, max_expansions: int = 50_000
) -> Schedule:
    """An order with a lower peak than the given one, or the given one when none is found.

    beam_width: how many sets of finished tasks are followed at a time, at most. Beams of a
    sixteenth of it go first: each has to beat the best so far, which makes the wider ones quicker.
    max_expansions: about how many times each beam may look at a task that may run next; it is
    narrowed to get by, and gives up after twice as many. Of more than 1,000 tasks fewer, by the square
    of their number, as a look then takes longer, but once for each task.
    Where the search proves nothing, the orders of heuristics are tried too, at any size.
    """
    given = Schedule(problem.tasks, problem.peak_bytes(problem.tasks), is_optimal=False)
    count = max(len(problem.tasks), 1)
    looks = max(count, int(max_expansions * min(1.0, _ALL_LOOKS_TASKS / count) ** 2))
    # Where a search takes long, an order that is known to be good makes it short.
    known = _with_heuristics(problem, given) if count > _FEW_TASKS else given
    best: Schedule | None = None
    for width in _widths(beam_width):
        found = _search(problem, best or known, width, looks)
        best = found or best
        if found is None or found.is_optimal:
            break
    if best is not None and (best.is_optimal or count > _FEW_TASKS):
        return best
    found = best or replace(known, gave_up=True)
    return found if count > _FEW_TASKS else _with_heuristics(problem, found)


def _with_heuristics(problem: Problem, known: Schedule) -> Schedule:
    """The best of the heuristics' orders if it is better than the known one."""
    best = known
    for order in heuristic_orders(problem):
        peak = problem.peak_bytes(order)
        if peak < best.peak_bytes:
            best = replace(best, order=tuple(order), peak_bytes=peak, found_by="heuristic")
    return best


def _widths(widest: int) -> list[int]:
    """1, ..., widest / 16, widest."""
    return [*([] if widest == 1 else _widths(max(1, widest // 16))), widest]


def _search(
    problem: Problem, known: Schedule, beam_width: int, max_expansions: int
) -> Schedule | None:
    """One beam: an order below the known peak, or the known one; optimal if the beam held all.

    None if the expansions were not enough.
    """
    expansion = _Expansion(problem)
    states = [expansion.start()]
    complete = True
    for step in range(len(problem.tasks)):
        best = _best_of_level(expansion, states, known.peak_bytes)
        if expansion.count + _least_looks(best.values()) > 2 * max_expansions:
            return None
        levels = len(problem.tasks) - step
        width = _affordable(best.values(), levels, max_expansions - expansion.count)
        width = min(beam_width, width)
        complete = complete and len(best) <= width
        states = sorted(best.values(), key=lambda state: state.rank)[:width]
    if not states or not problem.tasks:
        return replace(known, is_optimal=complete)
    order = tuple(problem.tasks[index] for index in states[0].order)
    return Schedule(order, states[0].peak, complete, found_by="search")


def _best_of_level(
    expansion: "_Expansion", states: list[_State], given_peak: int
) -> dict[int, _State]:
    """Of all states one task later that beat the given peak, the best for each set of tasks."""
    best: dict[int, _State] = {}
    for state in states:
        for following in expansion.following(state):
            known = best.get(following.finished)
            is_better = known is None or following.rank < known.rank
            if following.peak < given_peak and is_better:
                best[following.finished] = following
    return best


def _affordable(states: Collection[_State], levels: int, expansions: int) -> int:
    """How many states can be followed over `levels` levels with that many expansions; at least 1."""
    ready = sum(state.ready.bit_count() for state in states)
    return max(1, expansions * len(states) // max(1, ready * levels))


def _least_looks(states: Collection[_State]) -> int:
    """Looks that even a single state costs from here on: what may run falls by one a level at most."""
    ready = min((state.ready.bit_count() for state in states), default=0)
    return ready * (ready + 1) // 2


class _Expansion:
    """From a state to the states one task later; sets of tasks as bit sets.

    count: how many states it has made.
    """

    def __init__(self, problem: Problem) -> None:
        index = {task.name: position for position, task in enumerate(problem.tasks)}
        self.count = 0
        self._problem = problem
        self._after = [_bits(index[name] for name in task.after) for task in problem.tasks]
        self._next: list[list[int]] = [[] for _ in problem.tasks]
        for position, task in enumerate(problem.tasks):
            for name in task.after:
                self._next[index[name]].append(position)
        users = {store: _bits(positions) for store, positions in problem.users.items()}
        self._alone, self._together = _beginnings(problem)
        self._scratch = [task.scratch_bytes for task in problem.tasks]
        # Of each task the stores that may end with it: who needs them, their bytes, and how many of those it may
        # write over.
        self._endings = [
            [
                (users[store], problem.store_bytes[store], task.over.get(store, 0))
                for store in task.uses - problem.kept
            ]
            for task in problem.tasks
        ]

    def start(self) -> _State:
        """Nothing has run; the stores filled before are live, but for those that nobody wants."""
        problem = self._problem
        live = sum(
            problem.store_bytes[store]
            for store in problem.first
            if problem.users[store] or store in problem.kept
        )
        ready = _bits(index for index, after in enumerate(self._after) if after == 0)
        return _State(0, live, (), 0, ready)

    def following(self, state: _State) -> Iterator[_State]:
        """One state for each task that may run now, in the given order of tasks."""
        waiting = state.ready
        while waiting:
            bit = waiting & -waiting
            waiting ^= bit
            self.count += 1
            yield self._after_running(state, bit.bit_length() - 1)

    def _after_running(self, state: _State, index: int) -> _State:
        bit = 1 << index
        finished = state.finished | bit
        unfinished = ~finished
        beginning = self._alone[index]
        for writers, size in self._together[index]:
            if not writers & state.finished:
                beginning += size
        ending = shared = 0
        for users, size, over in self._endings[index]:
            if not users & unfinished:
                ending += size
                shared += over
        live = state.live + beginning
        during = live + self._scratch[index] - min(shared, beginning)
        ready = state.ready ^ bit
        for other in self._next[index]:
            if not self._after[other] & unfinished:
                ready |= 1 << other
        return _State(
            max(state.peak, during),
            live - ending,
            (*state.order, index),
            finished,
            ready,
        )


def _beginnings(problem: Problem) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """Of each task the bytes of the stores that it alone writes; and of the other stores that it writes, who does, and
    their bytes. Without stores that are filled before.
    """
    alone = [0] * len(problem.tasks)
    together: list[list[tuple[int, int]]] = [[] for _ in problem.tasks]
    for store, positions in problem.writers.items():
        if store in problem.first:
            continue
        size = problem.store_bytes[store]
        if len(positions) == 1:
            alone[positions[0]] += size
        else:
            for position in positions:
                together[position].append((_bits(positions), size))
    return alone, together


def _bits(positions: Iterable[int]) -> int:
    return sum(1 << position for position in positions)
