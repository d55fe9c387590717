"""`solve` against all plans of tiny problems, against `solve_greedy`, and against itself."""

from dataclasses import replace

import pytest
from brute_force import fewest_cycles
from tinsmith_ir import DoesNotFitError
from tinsmith_tiling import (
    Layer,
    Memory,
    Plan,
    Problem,
    Staging,
    Status,
    Tensor,
    TilingError,
    Way,
    check,
    exact,
    solve,
    solve_greedy,
)
from tinsmith_tiling.facts import Block

from examples import chain, random_problem

# Name, bytes, first and last of 6 layers: at most 6 bytes are live at once, yet 7 are needed for all.
SEVEN_FOR_SIX = (
    ("a", 3, 0, 0),
    ("b", 3, 0, 1),
    ("c", 1, 1, 3),
    ("d", 2, 2, 3),
    ("e", 2, 1, 4),
    ("f", 1, 2, 4),
    ("g", 3, 4, 5),
    ("h", 3, 5, 5),
)


def seven_for_six(near_bytes: int) -> Problem:
    """Every tensor may be staged instead, a byte at a time, each at another price."""
    tensors = tuple(Tensor(name, size, (0, 1)) for name, size, _, _ in SEVEN_FOR_SIX)
    layers: list[Layer] = []
    for index in range(6):
        reads = tuple(name for name, _, _, last in SEVEN_FOR_SIX if last == index and name != "h")
        writes = tuple(name for name, _, first, _ in SEVEN_FOR_SIX if first == index and index)
        way = Way(
            "w",
            10,
            operands=tuple(Staging(name, 1, 1, 20 + ord(name)) for name in reads),
            results=tuple(Staging(name, 1, 1, 20 + ord(name)) for name in writes),
        )
        layers.append(Layer(f"l{index}", reads, writes, (way,)))
    return Problem((Memory("L1", near_bytes, 1), Memory("L2", None)), tensors, tuple(layers))


def solved(problem: Problem) -> Plan | None:
    try:
        return solve(problem)
    except DoesNotFitError:
        return None


@pytest.mark.parametrize("near_bytes", [64, 96])
def test_it_finds_what_trying_all_plans_finds(near_bytes: int) -> None:
    fits = 0
    for seed in range(40):
        problem = random_problem(seed, layers=3, ways=2, near_bytes=near_bytes)
        plan = solved(problem)
        assert (None if plan is None else plan.cycles) == fewest_cycles(problem), seed
        assert plan is None or plan.status is Status.OPTIMAL
        fits += plan is not None
    assert 10 < fits < 40


def test_it_is_never_worse_than_the_greedy_plan() -> None:
    better = 0
    for seed in range(60):
        problem = random_problem(seed, layers=8, ways=5, near_bytes=112)
        try:
            greedy = solve_greedy(problem)
        except DoesNotFitError:
            continue
        plan = solve(problem)
        check(problem, greedy)
        check(problem, plan)
        assert greedy.bound <= plan.bound <= plan.cycles <= greedy.cycles
        better += plan.cycles < greedy.cycles
    assert better > 20


def test_bytes_are_enough_yet_no_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Problem] = []
    add_addresses = exact.Model.add_addresses

    def noted(model: exact.Model) -> None:
        searched.append(problem)
        add_addresses(model)

    monkeypatch.setattr(exact.Model, "add_addresses", noted)
    plans: dict[int, Plan] = {}
    for near_bytes in (6, 7):
        problem = seven_for_six(near_bytes)
        plans[near_bytes] = solve(problem)
        assert plans[near_bytes].status is Status.OPTIMAL
        assert plans[near_bytes].cycles == fewest_cycles(problem)
    assert plans[7].cycles == 6 * 10
    assert plans[6].cycles > 6 * 10
    assert searched == [seven_for_six(6)]


def test_without_time_the_greedy_plan_comes_back_with_its_bound() -> None:
    problem = chain(20, near_bytes=32768)
    greedy, plan = solve_greedy(problem), solve(problem, time_limit=0.0)
    assert plan.cycles == greedy.cycles
    assert plan.status is Status.FEASIBLE
    assert 0 < plan.gap < 0.1


def test_the_solver_finds_addresses_where_first_fit_finds_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def nothing(blocks: list[Block], *_: object) -> None:
        asked.append(len(blocks))

    problem = chain(10, near_bytes=32768)
    expected = solve(problem)
    monkeypatch.setattr(exact, "first_fit", nothing)
    plan = solve(problem)
    assert asked
    assert asked[0] > 10
    assert (plan.cycles, plan.bound) == (expected.cycles, expected.bound)


@pytest.mark.parametrize("time_limit", [-1.0, float("nan")])
def test_a_time_limit_below_zero_is_refused(time_limit: float) -> None:
    with pytest.raises(TilingError, match="expected a time limit of 0 or more"):
        solve(chain(4), time_limit=time_limit)


def test_the_same_problem_has_the_same_plan() -> None:
    problem = chain(16, seed=2, near_bytes=32768)
    assert solve(problem) == solve(problem)
    assert solve_greedy(problem) == solve_greedy(problem)


@pytest.mark.parametrize("near_bytes", [16384, 32768, 65536])
def test_a_network_of_31_layers_is_proven(near_bytes: int) -> None:
    plan = solve(chain(31, near_bytes=near_bytes))
    assert plan.status is Status.OPTIMAL
    assert plan.gap == 0.0


def test_windows_of_a_long_chain_come_near_the_bound() -> None:
    problem = chain(130, seed=3, near_bytes=32768)
    greedy, plan = solve_greedy(problem), solve(problem)
    check(problem, greedy)
    assert plan.cycles < greedy.cycles
    assert greedy.bound < plan.bound
    assert plan.gap < 0.005


def test_many_tensors_of_one_layer_are_not_all_combined() -> None:
    names = [f"t{index}" for index in range(9)]
    tensors = (*(Tensor(name, 16, (0, 1)) for name in names), Tensor("y", 16, (1,)))
    way = Way(
        "w",
        10,
        operands=tuple(Staging(name, 4, 1, 8) for name in names),
        results=(Staging("y", 4, 1, 8),),
    )
    problem = Problem(
        (Memory("L1", 112), Memory("L2", None)),
        tensors,
        (Layer("concatenation", tuple(names), ("y",), (way,)),),
    )
    plan = solve(problem)
    assert sum(home == 0 for home in plan.homes.values()) == 6
    # What is left out might be better, so the bound is that of each layer by itself.
    assert (plan.cycles, plan.bound) == (10 + 8 + 3 * 8, 10 + 8)


def test_a_memory_of_any_size_needs_no_offsets() -> None:
    problem = chain(6)
    unbounded = replace(problem, memories=(Memory("L1", None), Memory("L2", None)))
    plan = solve(unbounded)
    assert plan.offsets == {}
    assert plan.cycles <= solve(problem).cycles


def test_no_layers_take_no_cycles() -> None:
    problem = Problem((Memory("L1", 64),), (), ())
    assert solve(problem) == solve_greedy(problem)
    assert solve(problem).gap == 0.0


def test_what_does_not_fit_says_the_layer_and_the_least_memory() -> None:
    refused = 0
    for seed in range(12):
        problem = random_problem(seed, layers=4, ways=2, near_bytes=24)
        if solved(problem) is not None:
            continue
        with pytest.raises(
            DoesNotFitError, match=r"layer l\d does not fit into the 24 B"
        ) as caught:
            solve_greedy(problem)
        text = str(caught.value)
        if "all layers would fit into" not in text:
            continue
        least = int(text.split("would fit into ")[1].split()[0])
        near = problem.memories[0]
        rest = problem.memories[1:]
        assert solve(replace(problem, memories=(replace(near, size_bytes=least), *rest)))
        one_less = replace(near, size_bytes=least - near.alignment)
        assert solved(replace(problem, memories=(one_less, *rest))) is None, seed
        refused += 1
    assert refused > 5


def test_the_layer_that_does_not_fit_is_named_with_the_largest_tensors() -> None:
    problem = chain(10, near_bytes=4096)
    with pytest.raises(
        DoesNotFitError,
        match=r"layer conv\d .* 4096 B of L1: all layers would fit into \d+ B; .*x\d",
    ):
        solve(problem)


def test_a_far_memory_that_is_full_is_named() -> None:
    problem = replace(chain(4), memories=(Memory("L1", 65536), Memory("L2", 8192)))
    with pytest.raises(DoesNotFitError, match="does not fit into the 8192 B of L2"):
        solve(problem)


def test_ways_that_contradict_each_other_are_told() -> None:
    tensors = (Tensor("x", 8, (1,)), Tensor("y", 8, (0, 1)), Tensor("z", 8, (1,)))
    first = Way(
        "w",
        1,
        operands=(Staging("x", 8, 1, 1),),
        results=(Staging("y", 8, 1, 1),),
        needs_far=frozenset({"y"}),
    )
    second = Way("w", 1, results=(Staging("z", 8, 1, 1),))
    layers = (Layer("a", ("x",), ("y",), (first,)), Layer("b", ("y",), ("z",), (second,)))
    with pytest.raises(TilingError, match="tensor y: expected a home"):
        solve(Problem((Memory("L1", 64), Memory("L2", None)), tensors, layers))


def test_needs_that_the_greedy_planner_does_not_untangle_are_solved() -> None:
    """Of p and q one must be near, of q and r one, and r must not: so q is, but the planner begins with p."""
    tensors = (Tensor("x", 8, (1,)), *(Tensor(name, 8, (0, 1)) for name in "pqr"))

    def layer(name: str, reads: str, writes: str, *needs: tuple[str, str]) -> Layer:
        ways = tuple(
            Way(
                f"near {near}",
                1,
                operands=tuple(Staging(operand, 4, 1, 1) for operand in reads),
                results=tuple(Staging(result, 4, 1, 1) for result in writes),
                needs_near=frozenset(near),
                needs_far=frozenset(far),
            )
            for near, far in needs
        )
        return Layer(name, tuple(reads), tuple(writes), ways)

    layers = (
        layer("a", "x", "pq", ("p", "q"), ("q", "p")),
        layer("b", "q", "r", ("q", "r"), ("r", "q")),
        layer("c", "pr", "", ("", "r")),
    )
    problem = Problem((Memory("L1", 64), Memory("L2", None)), tensors, layers)
    with pytest.raises(DoesNotFitError, match=r"layer b does not fit .* in different memories"):
        solve_greedy(problem)
    plan = solve(problem)
    assert plan.homes == {"x": 1, "p": 1, "q": 0, "r": 1}
    assert plan.status is Status.OPTIMAL
