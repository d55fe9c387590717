"""Steps beside the core: what drives each, and which of them each wait ends."""

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.errors import GraphError
from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import (
    Call,
    Copy,
    Program,
    Wait,
    instances,
    simple_steps,
)
from tinsmith_ir.program_printer import print_step

TOKENS = 32
"""Tokens are below it: a DMA's runtime keeps a place for each, and so does the run function. Those of fetches may be
any from 0 on: the run function keeps a ticket for each.
"""


class Drive(enum.Enum):
    """DMA: tinsmith/dma.h. FETCH: tinsmith/fetch.h. JOB: tinsmith/engine.h. KERNEL: the kernel's own start and wait."""

    DMA = enum.auto()
    FETCH = enum.auto()
    JOB = enum.auto()
    KERNEL = enum.auto()


def steps_beside_the_core(program: Program) -> list[Call | Copy]:
    """Those as written that some iteration runs."""
    if not program.engines:
        return []
    running = {id(step) for step, _ in instances(program.steps)}
    return [
        step
        for step in simple_steps(program.steps)
        if isinstance(step, Call | Copy) and step.engine is not None and id(step) in running
    ]


@dataclass(frozen=True, eq=False)
class Started:
    """A step beside the core as written. number: its place among them."""

    number: int
    step: Call | Copy
    drive: Drive

    @property
    def engine(self) -> str:
        """Its name."""
        return str(self.step.engine)

    @property
    def ending(self) -> tuple[Drive, str | int]:
        """The same of steps that a wait ends in the same way."""
        if self.drive in _COPYING:
            return self.drive, ""
        return self.drive, self.engine if isinstance(self.step, Copy) else self.number

    @property
    def token(self) -> Expression:
        """What a wait names."""
        assert self.step.token is not None  # verified
        return self.step.token


_COPYING = (Drive.DMA, Drive.FETCH)
"""What keeps account of its copies itself."""


@dataclass(frozen=True, eq=False)
class Engines:
    """What a program does beside the core.

    An engine that copies and does nothing else is a DMA, or fetches if it copies constants of a remote memory; of any
    other, copies are jobs, too, so that one queue holds all that it is given. own: the calls whose kernels start and
    wait by themselves.
    """

    program: Program
    own: Collection[str]

    @cached_property
    def started(self) -> tuple[Started, ...]:
        """Those that run. Raises GraphError for an engine that would be driven in two ways, though it promises an
        order, and for one that fetches and does something else.
        """
        steps = steps_beside_the_core(self.program)
        computing = {step.engine for step in steps if isinstance(step, Call)}
        fetching = {step.engine for step in steps if self.program.is_fetch(step)}
        for step in steps:
            if step.engine in fetching and not self.program.is_fetch(step):
                raise GraphError(
                    f"engine {step.engine!r} copies constants of a remote memory; expected nothing else of it, got\n"
                    f"  {print_step(step)}\n"
                )
        found = tuple(
            Started(number, step, self._drive(step, is_dma=step.engine not in computing))
            for number, step in enumerate(steps)
        )
        for engine in self.program.engines:
            mine = {one.drive: one for one in found if one.engine == engine.name}
            if engine.is_fifo and len(mine) > 1:
                job, own = mine[Drive.JOB].step, mine[Drive.KERNEL].step
                raise GraphError(
                    f"engine {engine.name!r} ends steps in the order of their starts, but the kernel of\n"
                    f"  {print_step(own)}\ndrives it, and does not know of\n  {print_step(job)}\n"
                    "which is a job: give them two engines, or say that it is `unordered`"
                )
        return found

    def of(self, step: Call | Copy) -> Started | None:
        """What is known of a step that has an engine; None if no iteration runs it."""
        return self._by_step.get(id(step))

    def ended_by(self, wait: Wait) -> tuple[Started, ...]:
        """All that it ends in one iteration or another; nothing if it never runs."""
        return tuple(self._ended.get(id(wait), {}).values())

    @cached_property
    def marked(self) -> frozenset[Started]:
        """Those of which the program notes what was started, since a wait ends one or another."""
        return frozenset(
            started
            for group in self._ended.values()
            if len({started.ending for started in group.values()}) > 1
            for started in group.values()
        )

    @cached_property
    def kept(self) -> tuple[Started, ...]:
        """Those of which something is kept until they are waited for, in a place for each token."""
        return tuple(
            started
            for started in self.started
            if started.drive not in _COPYING or started in self.marked
        )

    @cached_property
    def tokens(self) -> range:
        """From the least to the greatest of those."""
        return self._tokens_of(self.kept)

    @cached_property
    def tickets(self) -> range:
        """The same of fetches."""
        return self._tokens_of([one for one in self.started if one.drive is Drive.FETCH])

    def _tokens_of(self, found: Collection[Started]) -> range:
        places = {id(started.step) for started in found}
        tokens = {
            self._by_step[id(step)].token.value(counters)
            for step, counters in instances(self.program.steps)
            if id(step) in places
        }
        return range(min(tokens), max(tokens) + 1) if tokens else range(0)

    def drives(self, drive: Drive) -> bool:
        """Whether a step is driven so."""
        return any(started.drive is drive for started in self.started)

    @cached_property
    def job_engines(self) -> Mapping[str, int]:
        """Engines that are given jobs, and their numbers."""
        names = {started.engine for started in self.started if started.drive is Drive.JOB}
        engines = enumerate(self.program.engines)
        return {engine.name: number for number, engine in engines if engine.name in names}

    def _drive(self, step: Call | Copy, *, is_dma: bool) -> Drive:
        if isinstance(step, Call) and step.name in self.own:
            return Drive.KERNEL
        if self.program.is_fetch(step):
            return Drive.FETCH
        return Drive.DMA if is_dma else Drive.JOB

    @cached_property
    def _by_step(self) -> Mapping[int, Started]:
        return {id(started.step): started for started in self.started}

    @cached_property
    def _ended(self) -> Mapping[int, Mapping[int, Started]]:
        """Wait -> what it ends, by number. Raises GraphError for a token beyond TOKENS that is no fetch's."""
        ended: dict[int, dict[int, Started]] = {}
        flights: dict[int, Started] = {}
        for step, counters in instances(self.program.steps):
            if isinstance(step, Wait):
                started = flights.pop(step.token.value(counters), None)
                if started is None:
                    raise GraphError(
                        f"nothing was started with the token of\n  {print_step(step)}\n"
                    )
                ended.setdefault(id(step), {})[started.number] = started
            elif isinstance(step, Call | Copy) and step.token is not None:
                token = step.token.value(counters)
                if token < 0 or (token >= TOKENS and not self.program.is_fetch(step)):
                    raise GraphError(
                        f"expected tokens from 0 to {TOKENS - 1}, got {token} in\n  {print_step(step)}\n"
                    )
                flights[token] = self._by_step[id(step)]
        return ended
