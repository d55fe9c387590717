"""Checks plans by other means than those that find them: it compares all pairs of what an engine does."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tinsmith_ir.checked import checked

from tinsmith_placement.model import PlacementError, Plan, Problem, loss_of, options_of

_ROUNDING = 2.0**-29
"""Of sums of losses, as a part of their limit."""


@dataclass(frozen=True)
class _Span:
    what: str
    engine: str
    start: int
    cycles: int

    @property
    def end(self) -> int:
        return self.start + self.cycles


@checked
def check(problem: Problem, plan: Plan) -> None:
    """Raise PlacementError at the first choice, time or number of the plan that is not as the problem asks."""
    _check_choices(problem, plan)
    _check_engines(problem, plan)
    _check_fetches(problem, plan)
    _check_operands(problem, plan)
    end = max((span.end for span in _spans(problem, plan)), default=0)
    if plan.cycles != end:
        raise PlacementError(f"expected {end} cycles, got {plan.cycles}")
    if not 0 <= plan.bound <= plan.cycles:
        raise PlacementError(
            f"{plan.cycles} cycles are below the bound of {plan.bound}: it is wrong"
        )


def _check_choices(problem: Problem, plan: Plan) -> None:
    count = len(problem.layers)
    if not len(plan.chosen) == len(plan.starts) == len(plan.fetched) == count:
        raise PlacementError(
            f"expected options, starts and fetches of {count} layers, got {len(plan.chosen)}, {len(plan.starts)} and "
            f"{len(plan.fetched)}"
        )
    for layer, index in zip(problem.layers, plan.chosen, strict=True):
        if not 0 <= index < len(layer.options):
            raise PlacementError(
                f"layer {layer.name}: expected an option below {len(layer.options)}, got {index}"
            )
    most, loss = problem.most_loss, loss_of(problem, plan.chosen)
    if most is not None and loss > most * (1 + _ROUNDING):
        raise PlacementError(f"expected a loss of {most:g} at most, got {loss:g}")


def _spans(problem: Problem, plan: Plan) -> list[_Span]:
    return [*_layer_spans(problem, plan), *_other_spans(problem, plan)]


def _layer_spans(problem: Problem, plan: Plan) -> Iterator[_Span]:
    options = options_of(problem, plan.chosen)
    for layer, option, start in zip(problem.layers, options, plan.starts, strict=True):
        for engine in option.engines:
            yield _Span(layer.name, engine, start, option.cycles)


def _other_spans(problem: Problem, plan: Plan) -> Iterator[_Span]:
    options = options_of(problem, plan.chosen)
    for layer, option, begin in zip(problem.layers, options, plan.fetched, strict=True):
        if begin is not None:
            yield _Span(f"fetch of {layer.name}", problem.fetcher, begin, option.fetch_cycles)
    for each in plan.turned:
        what = f"turn of {each.turn.tensor}"
        yield _Span(what, each.turn.engine, each.start, each.turn.cycles)


def _check_engines(problem: Problem, plan: Plan) -> None:
    for one, other in combinations(_spans(problem, plan), 2):
        is_apart = one.end <= other.start or other.end <= one.start
        if one.engine == other.engine and not is_apart:
            raise PlacementError(
                f"{one.what} ({one.start} to {one.end}) and {other.what} ({other.start} to {other.end}) are on "
                f"{one.engine} at the same time"
            )


def _check_fetches(problem: Problem, plan: Plan) -> None:
    options = options_of(problem, plan.chosen)
    for at, (layer, option) in enumerate(zip(problem.layers, options, strict=True)):
        begin, start = plan.fetched[at], plan.starts[at]
        if start < 0 or (at and start < plan.starts[at - 1]):
            raise PlacementError(f"layer {layer.name} starts at {start}, before the one before it")
        if (begin is None) != (option.fetch_cycles == 0):
            raise PlacementError(f"layer {layer.name}: expected a fetch just where it takes cycles")
        earliest = plan.starts[at - problem.ahead] if at >= problem.ahead else 0
        if begin is not None and not earliest <= begin <= start - option.fetch_cycles:
            raise PlacementError(
                f"layer {layer.name}, which starts at {start}: expected a fetch of {option.fetch_cycles} cycles "
                f"from {earliest} on, got one at {begin}"
            )


def _check_operands(problem: Problem, plan: Plan) -> None:
    """Each operand is there when it is read, in its form; what is turned is there, too."""
    options = options_of(problem, plan.chosen)
    there = dict.fromkeys(problem.given.items(), 0)
    forms = dict(problem.given)
    for layer, option, start in zip(problem.layers, options, plan.starts, strict=True):
        for name, form in layer.forms_written(option).items():
            there[name, form] = start + option.cycles
            forms[name] = form
    for each in plan.turned:
        turn = each.turn
        before = there.get((turn.tensor, turn.before), _given(problem, turn.tensor, turn.before))
        if problem.turn.get((turn.tensor, turn.before, turn.after)) != turn:
            raise PlacementError(f"{turn.tensor}: there is no turn to {turn.after!r} like that")
        if before is None or forms.get(turn.tensor, "") != turn.before or each.start < before:
            raise PlacementError(f"{turn.tensor} is turned before it is there")
        there[turn.tensor, turn.after] = each.start + turn.cycles
    reads = [
        (layer.name, name, form, start)
        for layer, option, start in zip(problem.layers, options, plan.starts, strict=True)
        for name, form in layer.forms_read(option).items()
    ]
    reads += [("the end", name, form, plan.cycles) for name, form in problem.wanted.items()]
    for reader, name, form, start in reads:
        ready = there.get((name, form), _given(problem, name, form))
        if ready is None or ready > start:
            raise PlacementError(
                f"{reader} reads {name} as {form!r} at {start}, before it is there"
            )


def _given(problem: Problem, name: str, form: str) -> int | None:
    """When a tensor that no layer writes is there: from the start."""
    is_given = name not in problem.writer and problem.given.get(name, "") == form
    return 0 if is_given else None
