"""Loops over tiles whose job is waited for an iteration later, so that the next one is started before.

`tile` writes a loop as: fetch for the next tile, wait for this tile's operands and for room for its result, compute,
bring the result away. Here, iteration t starts job t, then waits for job t - 1, brings its result away, and fetches for
tile t + 1; one more iteration waits for the last job.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tinsmith_ir.expressions import Counter, Expression, Modulo, Table, Term
from tinsmith_ir.hazards import step_names
from tinsmith_ir.names import FreshNames
from tinsmith_ir.program import (
    Call,
    Copy,
    Guard,
    Loop,
    Program,
    SimpleStep,
    Step,
    View,
    Wait,
    instances,
    simple_steps,
    unrolled,
)

from tinsmith_overlap.touches import Touch, touch_of

TOKENS_OF_LOOP = 2
"""Jobs of a loop that are under way at once."""


@dataclass(frozen=True)
class _Body:
    """A loop's steps as `tile` writes them. The waits in front of the calls are for what these read and where they
    write; of the calls, one runs in each iteration.
    """

    fetches: tuple[Copy, ...]
    waits: tuple[Wait, ...]
    calls: tuple[Call, ...]
    behind: tuple[Copy, ...]


def with_turned_loops(
    program: Program, engine_of: Callable[[Call], str | None], token: int
) -> Program:
    """The program whose loops are turned, where that means the same.

    engine_of: what may compute a call, an engine that ends steps in order and holds two; None for none. token: the
    first of `TOKENS_OF_LOOP`, which nothing else has.
    """
    turning = _Turning(program, engine_of, token)
    steps = tuple(map(turning.step, program.steps))
    return replace(program, views=(*program.views, *turning.views), steps=steps)


class _Turning:
    """views: those of results, an iteration later."""

    def __init__(
        self, program: Program, engine_of: Callable[[Call], str | None], token: int
    ) -> None:
        self.views: list[View] = []
        self._program = program
        self._engine_of = engine_of
        self._token = token
        self._fresh = FreshNames(program.view)
        self._meant = unrolled(program)

    def step(self, step: Step) -> Step:
        if not isinstance(step, Loop):
            return step
        body = _body_of(step)
        engines = {self._engine_of(call) for call in body.calls} if body else set[str | None]()
        if body is None or len(engines) != 1 or None in engines or not self._may_turn(step, body):
            return replace(step, body=tuple(map(self.step, step.body)))
        return self._turned(step, body, engines.pop())

    def _turned(self, loop: Loop, body: _Body, engine: str | None) -> Loop:
        counter, count = loop.counter, loop.count
        parity = (Term(1, Modulo(Expression(0, (Term(1, Counter(counter)),)), TOKENS_OF_LOOP)),)
        token = Expression(self._token, parity)
        every, later = Guard(counter, 0, count), Guard(counter, 1, count + 1)
        steps: list[SimpleStep] = [
            *(replace(step, guard=step.guard or every) for step in body.waits),
            *(
                replace(call, engine=engine, token=token, guard=call.guard or every)
                for call in body.calls
            ),
            Wait(earlier(token, counter), later),
            *(self._later(copy, counter, later) for copy in body.behind),
            *(replace(step, guard=step.guard or every) for step in body.fetches),
        ]
        return Loop(counter, count + 1, tuple(steps))

    def _later(self, copy: Copy, counter: str, guard: Guard) -> Copy:
        """What an iteration did, done in the next one."""
        own = copy.guard
        return replace(
            copy,
            source=self._view(copy.source, counter),
            destination=self._view(copy.destination, counter),
            token=copy.token and earlier(copy.token, counter),
            guard=guard if own is None else Guard(counter, own.begin + 1, own.end + 1),
        )

    def _view(self, name: str, counter: str) -> str:
        view = self._program.view[name]
        if counter not in view.counters:
            return name
        ring = view.ring and replace(view.ring, at=earlier(view.ring.at, counter))
        named = replace(view, name=self._fresh.name(name), start=earlier(view.start, counter))
        self.views.append(replace(named, ring=ring))
        return named.name

    def _may_turn(self, loop: Loop, body: _Body) -> bool:
        """Whether no two steps that touch the same bytes change places: fetches come behind the call of their turn,
        what brings a result away behind the call of the next one, and two calls are under way at once.
        """
        if any(name not in self._program.view for copy in body.behind for name in _names(copy)):
            return False
        turns = self._turns(loop)
        of = {
            part: {id(step) for step in getattr(body, part)}
            for part in ("fetches", "calls", "behind")
        }
        for key, turn in turns.items():
            outer, number = key
            following = turns.get((outer, number + 1), {})
            calls = _some(turn, of["calls"])
            next_calls = _some(following, of["calls"])
            pairs = (
                (_some(turn, of["fetches"]), calls),
                (_some(turn, of["behind"]), next_calls),
                (calls, next_calls),
            )
            if len(calls) != 1 or any(
                one.races_with(other) for some, others in pairs for one in some for other in others
            ):
                return False
        return bool(turns)

    def _turns(self, loop: Loop) -> Mapping[tuple[tuple[int, ...], int], Mapping[int, Touch]]:
        """Of each iteration, by the counters around the loop and its own, what its steps touch."""
        mine = {id(step) for step in loop.body}
        found: dict[tuple[tuple[int, ...], int], dict[int, Touch]] = {}
        pairs = zip(instances(self._program.steps), simple_steps(self._meant.steps), strict=True)
        for (written, counters), meant in pairs:
            if id(written) in mine and not isinstance(meant, Wait):
                outer = tuple(value for name, value in counters.items() if name != loop.counter)
                turn = found.setdefault((outer, counters[loop.counter]), {})
                turn[id(written)] = touch_of(self._meant, meant)
        return found


def _some(turn: Mapping[int, Touch], wanted: set[int]) -> list[Touch]:
    return [touch for step, touch in turn.items() if step in wanted]


def _names(copy: Copy) -> Iterator[str]:
    return (name for both in step_names(copy) for name in both)


def _body_of(loop: Loop) -> _Body | None:
    """Its parts; None if it has others, or conditions of other loops."""
    steps = [*simple_steps(loop.body)]
    calls = [number for number, step in enumerate(steps) if isinstance(step, Call)]
    guards = [step.guard for step in steps if step.guard is not None]
    if (
        len(steps) < len(loop.body)
        or any(isinstance(step, Loop) for step in loop.body)
        or not calls
        or any(guard.counter != loop.counter for guard in guards)
    ):
        return None
    first, last = calls[0], calls[-1]
    before, between, behind = steps[:first], steps[first : last + 1], steps[last + 1 :]
    body = _Body(
        _of_kind(before, Copy),
        _of_kind(before, Wait),
        _of_kind(between, Call),
        _of_kind(behind, Copy),
    )
    parts = (body.fetches, body.waits, body.calls, body.behind)
    is_all = sum(map(len, parts)) == len(steps)
    is_beside = all(copy.engine is not None for copy in (*body.fetches, *body.behind))
    return body if is_all and is_beside else None


_Kind = TypeVar("_Kind", Call, Copy, Wait)


def _of_kind(steps: Sequence[SimpleStep], kind: type[_Kind]) -> tuple[_Kind, ...]:
    return tuple(step for step in steps if isinstance(step, kind))


def earlier(expression: Expression, counter: str) -> Expression:
    """What it was an iteration before; of iteration 0, which has none before, any."""
    base = expression.base
    terms: list[Term] = []
    for term in expression.terms:
        match term.factor:
            case Counter(name) if name == counter:
                base -= term.times
                terms.append(term)
            case Modulo(value, modulus):
                terms.append(Term(term.times, Modulo(earlier(value, counter), modulus)))
            case Table(name, values) if name == counter:
                terms.append(Term(term.times, Table(name, (values[0], *values))))
            case _:
                terms.append(term)
    return Expression(base, tuple(terms))
