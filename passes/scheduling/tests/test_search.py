"""The search on tasks and stores: by hand, and against all orders."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from random_problems import busy_problem, is_allowed, least_peak, random_problem
from tinsmith_scheduling import Problem, Task, find_schedule
from tinsmith_scheduling.heuristics import heuristic_orders


def task(name: str, reads: str, after: str = "") -> Task:
    """A task that fills the store of its name; reads and after as blank-separated names."""
    return Task(name, frozenset(after.split()), frozenset(reads.split()), frozenset([name]))


# Two branches from x, each with a large middle and a small end. The given order has both middles
# live at once.
BRANCHES = Problem(
    (
        task("a", "x"),
        task("b", "x"),
        task("a_end", "a", "a"),
        task("b_end", "b", "b"),
        task("y", "a_end b_end", "a_end b_end"),
    ),
    {"x": 10, "a": 100, "b": 100, "a_end": 1, "b_end": 1, "y": 2},
    first=frozenset(["x"]),
    kept=frozenset(["y"]),
)


def test_live_bytes_of_the_given_order() -> None:
    assert BRANCHES.live_bytes(BRANCHES.tasks) == (110, 210, 201, 102, 4)


def test_branches_run_one_after_the_other() -> None:
    schedule = find_schedule(BRANCHES)
    assert [task.name for task in schedule.order] == ["a", "a_end", "b", "b_end", "y"]
    assert schedule.peak_bytes == 111
    assert (schedule.lower_bound, schedule.status, schedule.gap) == (111, "optimal", 0.0)


def test_an_order_that_cannot_be_improved_stays() -> None:
    chain = Problem(
        (task("a", "x"), task("b", "a", "a"), task("c", "b", "b")),
        {"x": 1, "a": 2, "b": 3, "c": 4},
        first=frozenset(["x"]),
        kept=frozenset(["c"]),
    )
    schedule = find_schedule(chain)
    assert schedule.order is chain.tasks
    assert (schedule.peak_bytes, schedule.is_optimal) == (7, True)


def test_stores_that_are_kept_or_read_by_nobody() -> None:
    problem = Problem(
        (task("kept", ""), task("unread", ""), task("last", "")),
        {"x": 64, "kept": 1, "unread": 2, "last": 4},
        first=frozenset(["x"]),
        kept=frozenset(["kept", "last"]),
    )
    assert problem.live_bytes(problem.tasks) == (1, 3, 5)
    assert find_schedule(problem).peak_bytes == 5


def test_scratch_is_live_while_its_task_runs() -> None:
    busy = replace(BRANCHES.tasks[2], scratch_bytes=50)
    problem = replace(BRANCHES, tasks=(*BRANCHES.tasks[:2], busy, *BRANCHES.tasks[3:]))
    assert problem.live_bytes(problem.tasks) == (110, 210, 251, 102, 4)


@pytest.mark.parametrize(
    ("over", "reads_later", "during"),
    [
        ({"x": 8}, "", 10 + 30 - 8),
        ({"x": 8, "z": 7}, "", 10 + 20 + 30 - 15),
        ({"x": 10, "z": 20}, "", 10 + 20 + 30 - 30),
        # No more than what begins, and nothing of what another task needs.
        ({"x": 10, "z": 20}, "x", 10 + 20 + 30 - 20),
    ],
)
def test_what_a_task_may_write_over_counts_once(
    over: dict[str, int], reads_later: str, during: int
) -> None:
    first = Task("y", frozenset(), frozenset(over), frozenset(["y"]), over=over)
    later = task("end", f"y {reads_later}", "y")
    problem = Problem(
        (first, later),
        {"x": 10, "z": 20, "y": 30, "end": 1},
        first=frozenset(over),
        kept=frozenset(["end"]),
    )
    assert problem.live_bytes(problem.tasks)[0] == during
    assert find_schedule(problem).peak_bytes == problem.peak_bytes(problem.tasks)


def test_a_store_of_several_writers_begins_with_the_first_of_them() -> None:
    parts = [replace(task(name, "x"), writes=frozenset(["whole"])) for name in ("low", "high")]
    parts = [replace(part, over={"x": 4}) for part in parts]
    problem = Problem(
        (*parts, task("y", "whole", "low high")),
        {"x": 4, "whole": 20, "y": 1},
        first=frozenset(["x"]),
        kept=frozenset(["y"]),
    )
    # What begins with the first cannot lie over x, which the second reads.
    assert problem.live_bytes(problem.tasks) == (24, 24, 21)
    assert find_schedule(problem).peak_bytes == 24


def test_nothing_to_do() -> None:
    schedule = find_schedule(Problem((), {}, frozenset(), frozenset()))
    assert (schedule.order, schedule.peak_bytes, schedule.is_optimal) == ((), 0, True)


def test_sets_of_tasks_say_the_same_as_all_orders() -> None:
    problem = busy_problem(3, 6)
    orders = [order for order in itertools.permutations(problem.tasks) if is_allowed(order)]
    assert least_peak(problem) == min(map(problem.peak_bytes, orders))


@pytest.mark.parametrize("make", [random_problem, busy_problem])
@pytest.mark.parametrize("seed", range(60))
def test_search_equals_the_best_of_all_orders(
    seed: int, make: Callable[[int, int], Problem]
) -> None:
    problem = make(seed, 4 + seed % 6)
    schedule = find_schedule(problem)
    assert is_allowed(schedule.order)
    assert schedule.status == "optimal"
    assert schedule.peak_bytes == problem.peak_bytes(schedule.order) == least_peak(problem)


@pytest.mark.parametrize("make", [random_problem, busy_problem])
@pytest.mark.parametrize("seed", range(20))
def test_the_bound_of_a_search_that_does_not_end_holds(
    seed: int, make: Callable[[int, int], Problem]
) -> None:
    problem = make(seed, 9)
    least = least_peak(problem)
    for looks in (0, 1, 5, 20):
        schedule = find_schedule(problem, beam_width=1, max_expansions=looks)
        assert schedule.lower_bound <= least <= schedule.peak_bytes
        assert schedule.gap == 1 - schedule.lower_bound / schedule.peak_bytes


@pytest.mark.parametrize("make", [random_problem, busy_problem])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("beam_width", [1, 4, 64])
def test_any_beam_gives_an_allowed_order_no_worse_than_given(
    seed: int, beam_width: int, make: Callable[[int, int], Problem]
) -> None:
    problem = make(seed, 24)
    schedule = find_schedule(problem, beam_width=beam_width)
    assert is_allowed(schedule.order)
    assert sorted(t.name for t in schedule.order) == sorted(t.name for t in problem.tasks)
    assert schedule.peak_bytes == problem.peak_bytes(schedule.order)
    assert schedule.peak_bytes <= problem.peak_bytes(problem.tasks)
    assert schedule.order == find_schedule(problem, beam_width=beam_width).order


def parallel_problem(width: int) -> Problem:
    """Many independent chains of a large and a small task, all large ones first."""
    large = [task(f"large{index}", "x") for index in range(width)]
    small = [task(f"small{index}", f"large{index}", f"large{index}") for index in range(width)]
    sizes = {"x": 1} | {t.name: 100 for t in large} | {t.name: 1 for t in small}
    kept = frozenset(t.name for t in small)
    return Problem((*large, *small), sizes, frozenset(["x"]), kept)


def test_many_parallel_tasks_are_solved() -> None:
    schedule = find_schedule(parallel_problem(150))
    assert (schedule.peak_bytes, schedule.is_optimal) == (100 + 150, True)


@pytest.mark.parametrize("make", [random_problem, busy_problem])
@pytest.mark.parametrize("seed", range(20))
def test_heuristic_orders_are_allowed_and_whole(
    seed: int, make: Callable[[int, int], Problem]
) -> None:
    problem = make(seed, 40)
    orders = [tuple(order) for order in heuristic_orders(problem)]
    assert len(orders) == 4
    for order in orders:
        assert is_allowed(order)
        assert sorted(t.name for t in order) == sorted(t.name for t in problem.tasks)
    assert orders == [tuple(order) for order in heuristic_orders(problem)]


def tree_problem(depth: int) -> Problem:
    """Sums of pairs, level by level: a whole level is live in the given order, and in the best order two
    stores and one for each level.
    """
    level = [task(f"leaf{index}", "x") for index in range(2**depth)]
    tasks = list(level)
    while len(level) > 1:
        pairs = [f"{one.name} {two.name}" for one, two in zip(level[::2], level[1::2], strict=True)]
        level = [task(f"sum{len(level)}_{index}", pair, pair) for index, pair in enumerate(pairs)]
        tasks += level
    sizes = {"x": 0} | {t.name: 1 for t in tasks}
    return Problem(tuple(tasks), sizes, frozenset(["x"]), frozenset([tasks[-1].name]))


def test_a_tree_of_thousands_of_tasks_is_walked_from_its_end() -> None:
    problem = tree_problem(11)
    assert problem.peak_bytes(problem.tasks) == 2**11 + 1
    schedule = find_schedule(problem)
    assert (schedule.peak_bytes, schedule.found_by) == (11 + 2, "heuristic")
