"""Orders that are good as a rule and found in a time that grows with the number of tasks alone.

None of them proves anything; `find_schedule` takes the best one where its search cannot do better.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence

from tinsmith_scheduling.problem import Problem, Task

_Key = Callable[[int, int], tuple[int, int]]


def heuristic_orders(problem: Problem) -> Iterator[Sequence[Task]]:
    """The orders of all heuristics, the same for the same problem."""
    yield _along_branches(problem)
    yield _from_the_ends(problem)
    for key in (_least_growth, _newest_unless_shrinking):
        yield _Greedy(problem, key).order()


def _along_branches(problem: Problem) -> list[Task]:
    """After each task those that it made ready, so that branches end before others begin."""
    following = _following(problem)
    awaited = [len(task.after) for task in problem.tasks]
    ready = [position for position, count in enumerate(awaited) if count == 0][::-1]
    order: list[Task] = []
    while ready:
        position = ready.pop()
        order.append(problem.tasks[position])
        for other in reversed(following[position]):
            awaited[other] -= 1
            if awaited[other] == 0:
                ready.append(other)
    return order


def _from_the_ends(problem: Problem) -> list[Task]:
    """Before each task what it waits for: first what needs the most bytes beyond what it leaves behind,
    as Sethi and Ullman number the registers of an expression. Each store counts as if one task read it.
    """
    index = {task.name: position for position, task in enumerate(problem.tasks)}
    left = [sum(problem.store_bytes[s] for s in task.writes) for task in problem.tasks]
    needs: list[int] = []
    before: list[list[int]] = []
    for position, task in enumerate(problem.tasks):
        awaited = [index[name] for name in task.after]
        awaited.sort(key=lambda other: (left[other] - needs[other], other))
        before.append(awaited)
        held, need = 0, 0
        for other in awaited:
            need = max(need, held + needs[other])
            held += left[other]
        shared = min(sum(task.over.values()), left[position])
        needs.append(max(need, held + left[position] + task.scratch_bytes - shared))
    is_awaited = {name for task in problem.tasks for name in task.after}
    ends = [position for position, task in enumerate(problem.tasks) if task.name not in is_awaited]
    return [problem.tasks[position] for position in _post_order(ends, before)]


def _post_order(ends: Sequence[int], before: Sequence[Sequence[int]]) -> Iterator[int]:
    """Each position after those in its list, depth first."""
    entered: set[int] = set()
    stack = [(end, False) for end in reversed(ends)]
    while stack:
        position, is_done = stack.pop()
        if is_done:
            yield position
        elif position not in entered:
            entered.add(position)
            stack.append((position, True))
            stack += [(other, False) for other in reversed(before[position])]


def _least_growth(growth: int, age: int) -> tuple[int, int]:
    """Whatever lets the live bytes grow the least or shrink the most, the newest first."""
    return growth, age


def _newest_unless_shrinking(growth: int, age: int) -> tuple[int, int]:
    """What does not let the live bytes grow, else what has become ready last."""
    return int(growth > 0), age


class _Greedy:
    """One task after the other, each the best by a key of what is ready.

    key: of the bytes by which a task changes what is live behind it, and of a number that falls with each
    task that becomes ready.
    """

    def __init__(self, problem: Problem, key: _Key) -> None:
        self._problem = problem
        self._key = key
        self._following = _following(problem)
        self._awaited = [len(task.after) for task in problem.tasks]
        self._begun = set(problem.first)
        self._growth = [
            sum(problem.store_bytes[s] for s in task.writes - problem.first)
            for task in problem.tasks
        ]
        # Of each store how many unfinished tasks need it, and the sum of their positions: of one, its own.
        self._users = {store: len(users) for store, users in problem.users.items()}
        self._user_sums = {store: sum(users) for store, users in problem.users.items()}
        self._serial = 0
        self._ages: dict[int, int] = {}
        self._ready: list[tuple[tuple[int, int], int, int]] = []
        for store, count in self._users.items():
            if count == 1:
                self._last_user(store)

    def order(self) -> list[Task]:
        """All tasks."""
        for position in reversed(range(len(self._awaited))):
            if self._awaited[position] == 0:
                self._make_ready(position)
        order: list[Task] = []
        while self._ready:
            _, growth, position = heapq.heappop(self._ready)
            if position in self._ages and growth == self._growth[position]:
                del self._ages[position]
                order.append(self._problem.tasks[position])
                self._finish(position)
        return order

    def _finish(self, position: int) -> None:
        task = self._problem.tasks[position]
        for store in task.writes - self._begun:
            self._begin(store, position)
        for store in task.uses:
            self._users[store] -= 1
            self._user_sums[store] -= position
            if self._users[store] == 1:
                self._last_user(store)
        for other in reversed(self._following[position]):
            self._awaited[other] -= 1
            if self._awaited[other] == 0:
                self._make_ready(other)

    def _begin(self, store: str, position: int) -> None:
        """The other tasks that write `store` find it there."""
        self._begun.add(store)
        for other in self._problem.writers[store]:
            if other != position:
                self._grow(other, -self._problem.store_bytes[store])

    def _last_user(self, store: str) -> None:
        """Only one task still needs `store`: running it frees the bytes."""
        if store in self._problem.kept:
            return
        self._grow(self._user_sums[store], -self._problem.store_bytes[store])

    def _grow(self, position: int, change: int) -> None:
        self._growth[position] += change
        if position in self._ages:
            self._push(position)

    def _make_ready(self, position: int) -> None:
        self._serial -= 1
        self._ages[position] = self._serial
        self._push(position)

    def _push(self, position: int) -> None:
        growth = self._growth[position]
        entry = (self._key(growth, self._ages[position]), growth, position)
        heapq.heappush(self._ready, entry)


def _following(problem: Problem) -> list[list[int]]:
    """For each task the positions of those that wait for it."""
    index = {task.name: position for position, task in enumerate(problem.tasks)}
    following: list[list[int]] = [[] for _ in problem.tasks]
    for position, task in enumerate(problem.tasks):
        for name in sorted(task.after, key=index.__getitem__):
            following[index[name]].append(position)
    return following
