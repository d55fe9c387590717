"""The Program that follows a schedule: fetches, waits, and the views in which steps find what was fetched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.expressions import Counter, Expression, Table, Term
from tinsmith_ir.hazards import step_names, without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Engine,
    Guard,
    Held,
    Loop,
    Memory,
    Program,
    SimpleStep,
    Step,
    View,
    Wait,
    changed_steps,
    simple_steps,
)
from tinsmith_ir.types import TensorType

from tinsmith_staging.fetches import Fetch
from tinsmith_staging.moments import Moment, moments
from tinsmith_staging.schedule import Placed
from tinsmith_staging.uses import Unit, Use

FIRST_TOKEN = 32
"""Tokens of fetches: behind those of tiles and of parts on cores."""


@dataclass(frozen=True)
class Event:
    """The start of a fetch, by number, or the wait for it."""

    number: int
    is_start: bool


@dataclass(frozen=True, eq=False)
class Staging:
    """Fetches in their order, each with its place and start.

    far: the remote memory. engine: the name of what fetches, and depth: how many fetches it holds.
    """

    fetches: Sequence[Fetch]
    placed: Sequence[Placed]
    far: Memory
    engine: str
    depth: int

    @property
    def used_bytes(self) -> int:
        """Of the room, up to the end of the highest block."""
        pairs = zip(self.fetches, self.placed, strict=True)
        return max(placed.offset + fetch.block.size_bytes for fetch, placed in pairs)

    @cached_property
    def events(self) -> Mapping[int, Sequence[Event]]:
        """By moment, in order: starts as early as the depth of the engine allows, else waits."""
        found: dict[int, list[Event]] = {}
        started = 0
        for number, fetch in enumerate(self.fetches):
            until = fetch.block.first
            last = min(number + self.depth, len(self.placed))
            while started < last and self.placed[started].start <= until:
                moment = self.placed[started].start
                found.setdefault(moment, []).append(Event(started, is_start=True))
                started += 1
            found.setdefault(until, []).append(Event(number, is_start=False))
        return found

    @property
    def most_under_way(self) -> int:
        """How many fetches are started and not waited for, at most."""
        most = under_way = 0
        for moment in sorted(self.events):
            for event in self.events[moment]:
                under_way += 1 if event.is_start else -1
                most = max(most, under_way)
        return most


def staged(program: Program, staging: Staging) -> Program:
    """The program whose constants come from the remote memory."""
    return _Rewriting(program, staging).result()


@dataclass
class _Rewriting:
    program: Program
    staging: Staging
    views: list[View] = field(default_factory=list[View])
    constants: dict[tuple[Unit, ...], ConstantBuffer] = field(
        default_factory=dict[tuple[Unit, ...], ConstantBuffer]
    )

    def __post_init__(self) -> None:
        program = self.program
        taken = {*program.buffer, *program.view, *program.constant, *program.table}
        self._fresh = FreshNames(taken)
        self._buffer = self._fresh.name("staged")
        self._sources = self._views_of_uses()

    def result(self) -> Program:
        program, staging = self.program, self.staging
        steps = self._with_fetches(changed_steps(program.steps, self._changed))
        near = program.memories[0].name
        reaches = staging.far.name, near
        engine = Engine(staging.engine, reaches, depth=staging.depth, alignment=4)
        changed = replace(
            program,
            memories=(*program.memories, staging.far),
            engines=(*program.engines, engine),
            buffers=(*program.buffers, Buffer(self._buffer, staging.used_bytes, near)),
            views=(*program.views, *self.views),
            constants=(*program.constants, *self.constants.values()),
            steps=steps,
        )
        named = {name for step in simple_steps(steps) for name in _named(step)}
        tables = tuple(table for table in changed.tables if table.name in named)
        return without_unused(replace(changed, tables=tables))

    def _views_of_uses(self) -> Mapping[tuple[int, str], str]:
        """Step and what it reads -> the view in which that is found."""
        found: dict[tuple[int, str], list[tuple[Use, int]]] = {}
        for fetch, placed in zip(self.staging.fetches, self.staging.placed, strict=True):
            for life, offset in zip(fetch.lives, fetch.offsets, strict=True):
                for use in life.uses:
                    key = id(use.step), use.source
                    found.setdefault(key, []).append((use, placed.offset + offset))
        return {key: self._view(uses) for key, uses in found.items()}

    def _view(self, uses: Sequence[tuple[Use, int]]) -> str:
        """The view of what one step reads; the uses are all of its moments."""
        use = uses[0][0]
        places = {one.moment.iteration: place for one, place in uses}
        loop = use.moment.loop
        start = Expression(uses[0][1]) if loop is None else _place(loop, places)
        constant = self.program.written_constant(use.source)
        assert constant is not None
        if len(use.unit) > 1:
            index = self.program.table[use.source].index
            start = _sum(start, index, constant.type.size_bytes)
        name = self._fresh.name(f"{use.source}.staged")
        self.views.append(View(name, constant.type, self._buffer, start))
        return name

    def _changed(self, step: SimpleStep) -> tuple[SimpleStep]:
        if isinstance(step, Copy):
            source = self._sources.get((id(step), step.source), step.source)
            return (replace(step, source=source),)
        if not isinstance(step, Call):
            return (step,)
        views = {each.constant: each.view for each in step.held}
        views |= {
            name: self._sources[id(step), name]
            for name in step.reads
            if (id(step), name) in self._sources
        }
        held = tuple(Held(name, views[name]) for name in dict.fromkeys(step.reads) if name in views)
        return (replace(step, held=held),)

    def _with_fetches(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        before: dict[int, list[Step]] = {}
        within: dict[int, list[Step]] = {}
        for moment in moments(self.program):
            own = [*map(self._step_of, self.staging.events.get(moment.number, ()))]
            if moment.iteration == 0:
                before.setdefault(moment.index, []).extend(own)
            else:
                guarded = (replace(step, guard=_guard(moment)) for step in own)
                within.setdefault(moment.index, []).extend(guarded)
        found: list[Step] = []
        for index, step in enumerate(steps):
            found += before.get(index, ())
            inner = within.get(index)
            if inner:
                assert isinstance(step, Loop)
                found.append(replace(step, body=(*inner, *step.body)))
            else:
                found.append(step)
        return tuple(found)

    def _step_of(self, event: Event) -> Copy | Wait:
        staging = self.staging
        token = Expression(FIRST_TOKEN + event.number % staging.most_under_way)
        if not event.is_start:
            return Wait(token)
        return self._fetch(staging.fetches[event.number], staging.placed[event.number], token)

    def _fetch(self, fetch: Fetch, placed: Placed, token: Expression) -> Copy:
        far = self._far(fetch)
        view = View(
            self._fresh.name(f"{far.name}.near"), far.type, self._buffer, Expression(placed.offset)
        )
        self.views.append(view)
        return Copy(far.name, view.name, self.staging.engine, token)

    def _far(self, fetch: Fetch) -> ConstantBuffer:
        """Bytes in the remote memory, once for all fetches of the same units."""
        if fetch.units not in self.constants:
            data = np.zeros(fetch.size_bytes, np.int8)
            for unit, offset in zip(fetch.units, fetch.offsets, strict=True):
                content = self._bytes(unit)
                data[offset : offset + content.size] = content
            name = self._fresh.name(f"{fetch.units[0][0]}.far")
            type_ = TensorType((fetch.size_bytes,), DType.INT8)
            self.constants[fetch.units] = ConstantBuffer(
                name, type_, data, memory=self.staging.far.name
            )
        return self.constants[fetch.units]

    def _bytes(self, unit: Unit) -> NDArray[np.int8]:
        arrays = (np.ascontiguousarray(self.program.constant[name].data) for name in unit)
        return np.concatenate([array.reshape(-1).view(np.int8) for array in arrays])


def _named(step: SimpleStep) -> Sequence[str]:
    reads, _ = step_names(step)
    return (*reads, *step.reads) if isinstance(step, Call) else reads


def _guard(moment: Moment) -> Guard:
    assert moment.loop is not None
    return Guard(moment.loop.counter, moment.iteration, moment.iteration + 1)


def _place(loop: Loop, places: Mapping[int, int]) -> Expression:
    """Where a loop finds something, by iteration; where it needs nothing, anywhere."""
    first = min(places)
    numbers = sorted(places)
    steps = {(places[other] - places[one]) / (other - one) for one, other in pairwise(numbers)}
    if not steps or steps == {0}:
        return Expression(places[first])
    if len(steps) == 1 and (step := steps.pop()).is_integer():
        return Expression(
            places[first] - first * int(step), (Term(int(step), Counter(loop.counter)),)
        )
    values: list[int] = []
    for iteration in range(loop.count):
        values.append(places.get(iteration, values[-1] if values else places[first]))
    return Expression(0, (Term(1, Table(loop.counter, tuple(values))),))


def _sum(start: Expression, index: Expression, size: int) -> Expression:
    """start + size * index."""
    terms = (Term(size * term.times, term.factor) for term in index.terms)
    return Expression(start.base + size * index.base, (*start.terms, *terms))
