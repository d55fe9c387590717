"""When everything starts, once each layer's option is known: as soon as it can, in the order of the layers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tinsmith_placement.model import Plan, Problem, Status, Turned, options_of


@dataclass
class _Clock:
    """free: when each engine has ended what it was given. there: when a tensor is there in a form."""

    free: dict[str, int]
    there: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    form: dict[str, str] = field(default_factory=dict[str, str])
    turned: list[Turned] = field(default_factory=list[Turned])


def in_order(problem: Problem, chosen: Sequence[int]) -> Plan | None:
    """The plan of these options; None where a tensor would have to get a form that no turn gives. Its bound is 0, as
    nothing is proven.
    """
    clock = _Clock(dict.fromkeys(problem.engines, 0))
    starts: list[int] = []
    fetched: list[int | None] = []
    end = before = 0
    for at, (layer, option) in enumerate(
        zip(problem.layers, options_of(problem, chosen), strict=True)
    ):
        start = max(before, *(clock.free[name] for name in option.engines))
        fetch = None
        if option.fetch_cycles:
            earliest = starts[at - problem.ahead] if at >= problem.ahead else 0
            fetch = max(clock.free[problem.fetcher], earliest)
            clock.free[problem.fetcher] = fetch + option.fetch_cycles
            start = max(start, clock.free[problem.fetcher])
        for name, form in layer.forms_read(option).items():
            ready = _ready(problem, clock, name, form)
            if ready is None:
                return None
            start = max(start, ready)
        # A turn may have taken an engine that the layer needs, too.
        start = max(start, *(clock.free[name] for name in option.engines))
        for name in option.engines:
            clock.free[name] = start + option.cycles
        for name, form in layer.forms_written(option).items():
            clock.form[name] = form
            clock.there[name, form] = start + option.cycles
        starts.append(start)
        fetched.append(fetch)
        before, end = start, max(end, start + option.cycles)
    for name, form in problem.wanted.items():
        ready = _ready(problem, clock, name, form)
        if ready is None:
            return None
        end = max(end, ready)
    turned = tuple(sorted(clock.turned, key=lambda each: each.start))
    return Plan(tuple(chosen), tuple(starts), tuple(fetched), turned, end, 0, Status.FEASIBLE)


def _ready(problem: Problem, clock: _Clock, name: str, form: str) -> int | None:
    """When a tensor is there in a form, turned if it has to be; None if it cannot be."""
    own = clock.form.setdefault(name, problem.given.get(name, ""))
    written = clock.there.setdefault((name, own), 0)
    if (name, form) not in clock.there:
        turn = problem.turn.get((name, own, form))
        if turn is None:
            return None
        start = max(written, clock.free[turn.engine])
        clock.free[turn.engine] = clock.there[name, form] = start + turn.cycles
        clock.turned.append(Turned(turn, start))
    return clock.there[name, form]
