"""Ways, homes, prefetches and addresses chosen together: all layers at once, or some in a row after the other."""

from tinsmith_ir.checked import checked

from tinsmith_tiling.check import check
from tinsmith_tiling.cp import Effort
from tinsmith_tiling.exact import best_of, least_cycles_of
from tinsmith_tiling.facts import Facts, Placed
from tinsmith_tiling.greedy import improved
from tinsmith_tiling.model import Plan, Problem, TilingError
from tinsmith_tiling.result import least_cycles, plan_of
from tinsmith_tiling.shortage import shortage
from tinsmith_tiling.start import Stuck, start_of

_FEW = 40
_MOST_AT_ONCE = 120
_WINDOW = 25
_STRIDE = 20


@checked
def solve(problem: Problem, *, time_limit: float = 10.0, seed: int = 0) -> Plan:
    """The plan with the fewest cycles, or the best one found with the bound that is proven.

    time_limit: in the solver's deterministic time, near a second each on a desktop, so the same problem gives the same
    plan on any machine. Of more than 120 layers, 25 in a row are chosen at once, the others staying as they are.
    Never worse than `solve_greedy`, and checked.

    Raises DoesNotFitError, which names a layer and the least near memory with which the greedy planner finds a plan,
    and TilingError where the ways of two layers contradict each other, or for a time limit below 0.
    """
    if not time_limit >= 0:
        raise TilingError(f"expected a time limit of 0 or more, got {time_limit}")
    facts = Facts(problem)
    start = start_of(facts)
    effort = Effort(time_limit, seed)
    if isinstance(start, Stuck):
        if len(facts.layers) > _MOST_AT_ONCE:
            raise shortage(facts, start)
        known = None
    else:
        known = improved(facts, start)
    bound = least_cycles(facts)
    if known is None or bound < known.choice.cycles:
        known, bound = _searched(facts, known, bound, effort)
    if known is None:
        assert isinstance(start, Stuck)
        raise shortage(facts, start)
    plan = plan_of(facts, known, bound)
    check(problem, plan)
    return plan


def _searched(
    facts: Facts, known: Placed | None, bound: int, effort: Effort
) -> tuple[Placed | None, int]:
    """A plan that is not worse, and a bound that is not lower."""
    starts = range(0, len(facts.layers), _STRIDE)
    share = Effort(effort.time_limit / len(starts), effort.seed)
    if known is not None and len(facts.layers) > _FEW:
        # The better what is known, the fewer columns are left for all layers at once.
        for start in starts:
            known = best_of(facts, known, _window(facts, start, _WINDOW), share).placed
    if len(facts.layers) <= _MOST_AT_ONCE:
        outcome = best_of(facts, known, facts.layers, effort)
        return outcome.placed, max(bound, outcome.bound)
    least = 0
    for start in starts:
        apart = _window(facts, start, _STRIDE)
        alone = sum(facts.columns[layer].least_cycles() for layer in apart)
        least += max(alone, least_cycles_of(facts, apart, share))
    return known, least


def _window(facts: Facts, start: int, count: int) -> range:
    return range(start, min(start + count, len(facts.layers)))
