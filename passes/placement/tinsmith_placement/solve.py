"""The way from a problem to a plan."""

from tinsmith_ir.checked import checked

from tinsmith_placement.exact import Effort, solve_exact
from tinsmith_placement.greedy import solve_greedy
from tinsmith_placement.model import Plan, Problem

_MOST_EXACT = 400
"""Layers: of more, the solver does not get further than the greedy planner in its time."""


@checked
def solve(problem: Problem, effort: Effort | None = None) -> Plan:
    """A plan never worse than the greedy one, with the bound that is proven.

    Raises PlacementError where no plan keeps the limits, as far as the greedy planner sees.
    """
    known = solve_greedy(problem)
    if not problem.layers or len(problem.layers) > _MOST_EXACT:
        return known
    return solve_exact(problem, known, effort or Effort())
