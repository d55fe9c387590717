"""Random problems of a few tasks, and the least peak of all their orders."""

import random
from collections.abc import Sequence
from dataclasses import replace

from tinsmith_scheduling import Problem, Task


def random_problem(seed: int, count: int) -> Problem:
    """Each task reads up to two earlier stores; all sizes from 1 to 9."""
    source = random.Random(seed)
    stores = ["x"]
    tasks: list[Task] = []
    for index in range(count):
        reads = frozenset(source.choices(stores, k=source.randrange(3)))
        name = f"t{index}"
        tasks.append(Task(name, reads - {"x"}, reads, frozenset([name])))
        stores.append(name)
    sizes = {store: source.randrange(1, 10) for store in stores}
    return Problem(tuple(tasks), sizes, frozenset(["x"]), frozenset(stores[-1:]))


def busy_problem(seed: int, count: int) -> Problem:
    """The same with scratch, with stores that several tasks write, some of them the first, and with results that may
    lie over what their tasks read.
    """
    source = random.Random(seed)
    problem = random_problem(seed, count)
    tasks: list[Task] = []
    for task in problem.tasks:
        over = {
            store: source.randrange(problem.store_bytes[store] + 1) for store in sorted(task.reads)
        }
        busy = replace(task, scratch_bytes=source.choice([0, 0, 5]), over=over)
        if tasks and source.random() < 0.3:
            busy = replace(busy, writes=busy.writes | source.choice(tasks).writes)
        tasks.append(busy)
    return replace(problem, tasks=tuple(tasks), first=problem.first | source.choice(tasks).writes)


def is_allowed(order: Sequence[Task]) -> bool:
    return all(
        task.after <= {before.name for before in order[:step]} for step, task in enumerate(order)
    )


def least_peak(problem: Problem) -> int:
    """Of all orders, set of finished tasks by set, as `Problem.live_bytes` counts."""
    best: dict[frozenset[int], int] = {frozenset(): 0}
    for _ in problem.tasks:
        longer: dict[frozenset[int], int] = {}
        for finished, peak in best.items():
            begun = [problem.tasks[position] for position in sorted(finished)]
            for position, task in enumerate(problem.tasks):
                if position in finished or not is_allowed((*begun, task)):
                    continue
                left = [t for t in problem.tasks if t not in begun and t is not task]
                during = problem.live_bytes([*begun, task, *left])[len(begun)]
                behind = finished | {position}
                reached = max(peak, during)
                longer[behind] = min(longer.get(behind, reached), reached)
        best = longer
    (least,) = best.values()
    return least
