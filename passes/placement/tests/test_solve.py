"""Plans against all plans, and what limits and forms do."""

from dataclasses import replace
from itertools import product

import pytest
from small_placements import small_placement
from tinsmith_placement import (
    Effort,
    Layer,
    Option,
    PlacementError,
    Plan,
    Problem,
    Status,
    Turn,
    check,
    solve,
    solve_greedy,
)
from tinsmith_placement.model import keeps_limit
from tinsmith_placement.times import in_order


def _best_in_order(problem: Problem) -> int:
    """The fewest cycles of any choice."""
    plans: list[Plan] = []
    for chosen in product(*(range(len(layer.options)) for layer in problem.layers)):
        plan = in_order(problem, chosen)
        if plan is not None and keeps_limit(problem, chosen):
            plans.append(plan)
    return min(plan.cycles for plan in plans)


@pytest.mark.parametrize("seed", range(60))
def test_the_best_of_all_choices_is_found(seed: int) -> None:
    problem = small_placement(seed)
    plan = solve(problem)
    check(problem, plan)
    assert (plan.cycles, plan.status) == (_best_in_order(problem), Status.OPTIMAL)
    assert plan.bound == plan.cycles


@pytest.mark.parametrize("seed", range(40))
def test_turns_are_planned_at_least_as_well_as_in_order(seed: int) -> None:
    problem = small_placement(seed, has_forms=True)
    plan = solve(problem)
    check(problem, plan)
    assert plan.status is Status.OPTIMAL
    assert plan.cycles <= _best_in_order(problem)


@pytest.mark.parametrize("seed", range(40))
def test_greedy_plans_keep_all_rules(seed: int) -> None:
    problem = small_placement(seed, has_forms=seed % 2 == 1)
    plan = solve_greedy(problem)
    check(problem, plan)
    assert plan.status is Status.FEASIBLE
    assert solve(problem).cycles <= plan.cycles


@pytest.mark.parametrize("seed", range(20))
def test_no_change_of_one_layer_is_better(seed: int) -> None:
    problem = small_placement(seed, has_forms=seed % 2 == 1)
    plan = solve(problem)
    for at, layer in enumerate(problem.layers):
        for index in range(len(layer.options)):
            chosen = (*plan.chosen[:at], index, *plan.chosen[at + 1 :])
            other = in_order(problem, chosen)
            if other is not None and keeps_limit(problem, chosen):
                assert other.cycles >= plan.cycles


def test_the_same_problem_has_the_same_plan() -> None:
    problem = small_placement(3, has_forms=True)
    assert solve(problem) == solve(problem)


def _branches(held: tuple[str, ...]) -> Problem:
    """Two layers that do not depend on each other, and one that reads both."""
    left = Layer("left", ("x",), ("l",), (Option("cores", 100), Option("npu", 60, held)))
    right = Layer("right", ("x",), ("r",), (Option("cores", 90), Option("npu", 50, held)))
    both = Layer("both", ("l", "r"), ("y",), (Option("cores", 10),))
    return Problem((left, right, both))


def test_branches_run_at_the_same_time_where_engines_do() -> None:
    plan = solve(_branches(held=()))
    assert (plan.chosen, plan.cycles) == ((1, 0, 0), 90 + 10)
    assert plan.starts == (0, 0, 90)


def test_cores_that_wait_do_nothing_else() -> None:
    plan = solve(_branches(held=("cores",)))
    assert plan.cycles == 60 + 50 + 10
    assert plan.starts[1] == 60


def test_an_engine_that_is_faster_alone_is_not_worth_two_turns() -> None:
    fast = (Option("npu", 50, takes=("tiled",), gives=("tiled",)), Option("cores", 80))
    layers = (
        Layer("a", ("x",), ("s",), (Option("cores", 10),)),
        Layer("b", ("s",), ("t",), fast),
        Layer("c", ("t",), ("y",), (Option("cores", 10),)),
    )
    turns = tuple(
        Turn(name, before, after, "cores", 20)
        for name in ("s", "t")
        for before, after in (("", "tiled"), ("tiled", ""))
    )
    assert solve(Problem(layers, turns=turns)).cycles == 100
    cheap = tuple(replace(turn, cycles=5) for turn in turns)
    plan = solve(Problem(layers, turns=cheap))
    assert (plan.cycles, [each.turn.tensor for each in plan.turned]) == (80, ["s", "t"])


def test_what_is_lost_stays_within_the_limit() -> None:
    options = (Option("digital", 100), Option("analog", 10, loss=0.3))
    layers = tuple(
        Layer(f"l{number}", (f"t{number}",), (f"t{number + 1}",), options) for number in range(4)
    )
    for limit, analog in ((0.0, 0), (0.3, 1), (0.89, 2), (0.9, 3), (1.2, 4), (None, 4)):
        plan = solve(Problem(layers, most_loss=limit))
        assert (sum(plan.chosen), plan.status) == (analog, Status.OPTIMAL), limit
        check(Problem(layers, most_loss=limit), plan)
    lossy = Problem(tuple(replace(layer, options=options[1:]) for layer in layers), most_loss=0.5)
    with pytest.raises(PlacementError, match="allow more loss"):
        solve(lossy)


def test_weights_come_while_layers_before_compute() -> None:
    layers = tuple(
        Layer(
            f"l{number}", (f"t{number}",), (f"t{number + 1}",), (Option("a", 100, fetch_cycles=80),)
        )
        for number in range(3)
    )
    plan = solve(Problem(layers, ahead=1))
    assert (plan.cycles, plan.fetched) == (80 + 300, (0, 80, 180))


def test_forms_at_both_ends() -> None:
    layer = Layer("a", ("x",), ("y",), (Option("npu", 10, takes=("n",), gives=("n",)),))
    turns = (Turn("x", "", "n", "cores", 7), Turn("y", "n", "", "cores", 9))
    assert solve(Problem((layer,), given={"x": "n"})).cycles == 10
    assert solve(Problem((layer,), turns=turns)).cycles == 17
    assert solve(Problem((layer,), wanted={"y": ""}, turns=turns)).cycles == 26
    with pytest.raises(PlacementError, match="options and turns"):
        solve(Problem((layer,)))


def test_the_first_options_are_a_plan_where_others_need_turns_that_there_are_not() -> None:
    """The fastest options of both layers, those of least loss and those of the engine with most of them do not fit."""
    rows = Option("digital", 20, takes=("rows",), gives=("rows",), loss=0.1)
    pixels = Option("digital", 10, takes=("pixels",), gives=("pixels",))
    turned = Option("digital", 9, takes=("",), gives=("pixels",))
    layers = (
        Layer("a", ("x",), ("t",), (Option("cores", 50, gives=("rows",), loss=0.1), turned)),
        Layer("b", ("t",), ("y",), (rows, replace(pixels, takes=("narrow",)))),
    )
    plan = solve(Problem(layers))
    assert plan.chosen == (0, 0)
    assert plan.cycles == 70


def test_large_problems_are_planned_in_bounded_time() -> None:
    layers = tuple(
        Layer(
            f"l{number}",
            (f"t{number}",),
            (f"t{number + 1}",),
            (Option("cores", 50 + number % 7), Option("npu", 20 + number % 40, ("cores",))),
        )
        for number in range(1000)
    )
    plan = solve(Problem(layers), Effort(time_limit=1.0))
    check(Problem(layers), plan)
    least = sum(min(option.cycles for option in layer.options) for layer in layers)
    assert plan.cycles == least


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ((Layer("a", (), ("t",), ()),), "at least one option"),
        ((Layer("a", (), ("t",), (Option("e", 1, takes=("f",)),)),), "forms of 0 operands"),
        ((Layer("a", (), ("t",), (Option("e", 1),)),) * 2, "each name once"),
        (
            (
                Layer("a", ("u",), ("t",), (Option("e", 1),)),
                Layer("b", (), ("u",), (Option("e", 1),)),
            ),
            "before it is written",
        ),
    ],
)
def test_problems_that_contradict_themselves(layers: tuple[Layer, ...], message: str) -> None:
    with pytest.raises(PlacementError, match=message):
        Problem(layers)


def test_options_below_zero() -> None:
    with pytest.raises(PlacementError, match="from 0"):
        Option("cores", -1)


def _broken(plan: Plan) -> list[tuple[Plan, str]]:
    later = (plan.starts[0], plan.starts[0], *plan.starts[2:])
    return [
        (replace(plan, cycles=plan.cycles + 1), "cycles"),
        (replace(plan, bound=plan.cycles + 1), "bound"),
        (replace(plan, starts=later), "at the same time|before it is there"),
        (replace(plan, chosen=(9, *plan.chosen[1:])), "below"),
        (replace(plan, fetched=(5, *plan.fetched[1:])), "fetch"),
    ]


@pytest.mark.parametrize("number", range(5))
def test_wrong_plans_are_found(number: int) -> None:
    problem = _branches(held=("cores",))
    plan, message = _broken(solve(problem))[number]
    with pytest.raises(PlacementError, match=message):
        check(problem, plan)
