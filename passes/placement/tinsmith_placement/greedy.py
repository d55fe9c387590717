"""A plan in little time: of each layer the option that makes the whole shortest, until none does."""

from collections.abc import Callable, Sequence

from tinsmith_placement.model import Option, PlacementError, Plan, Problem, keeps_limit
from tinsmith_placement.times import in_order

_MOST_TRIES = 200_000
"""Layers that are timed anew, in all tries together: beyond, what was found so far is taken."""


def solve_greedy(problem: Problem) -> Plan:
    """A plan that keeps the limits; raises PlacementError where it finds none."""
    first = [0] * len(problem.layers)
    starts = [_fastest(problem), _least_loss(problem), _of_one_engine(problem), first]
    plans = [plan for plan in (_kept(problem, chosen) for chosen in starts) if plan is not None]
    if not plans:
        raise PlacementError(
            "found no options that keep the limit of losses, and whose tensors can be turned to the forms that are "
            "read; allow more loss, or give more options and turns"
        )
    return _improved(problem, min(plans, key=lambda plan: plan.cycles))


def _fastest(problem: Problem) -> list[int]:
    return [_least(layer.options, lambda option: (option.cycles,)) for layer in problem.layers]


def _least_loss(problem: Problem) -> list[int]:
    return [
        _least(layer.options, lambda option: (option.loss, option.cycles))
        for layer in problem.layers
    ]


def _of_one_engine(problem: Problem) -> list[int]:
    """The first option of each layer on the engine that has one for most of them."""
    counts = {
        engine: sum(
            any(option.engine == engine for option in layer.options) for layer in problem.layers
        )
        for engine in problem.engines
    }
    most = max(counts, key=lambda engine: counts[engine])
    return [
        next((at for at, option in enumerate(layer.options) if option.engine == most), 0)
        for layer in problem.layers
    ]


def _least(options: Sequence[Option], cost: Callable[[Option], tuple[float, ...]]) -> int:
    return min(range(len(options)), key=lambda at: cost(options[at]))


def _kept(problem: Problem, chosen: Sequence[int]) -> Plan | None:
    return in_order(problem, chosen) if keeps_limit(problem, chosen) else None


def _improved(problem: Problem, plan: Plan) -> Plan:
    """Changes of one layer each, as long as they help."""
    tries = 0
    is_better = True
    while is_better:
        is_better = False
        for at, layer in enumerate(problem.layers):
            for index in range(len(layer.options)):
                if index == plan.chosen[at]:
                    continue
                if tries > _MOST_TRIES:
                    return plan
                tries += len(problem.layers)
                found = _kept(problem, (*plan.chosen[:at], index, *plan.chosen[at + 1 :]))
                if found is not None and found.cycles < plan.cycles:
                    plan, is_better = found, True
    return plan
