"""What the steps of a program touch, and which of them ends what another one started.

A loop counts as one step here, which touches what all of its iterations do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from tinsmith_ir.byte_places import Places, places
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import (
    Fill,
    Program,
    SimpleStep,
    Wait,
    instances,
    simple_steps,
    unrolled,
)


@dataclass(frozen=True, eq=False)
class Region:
    """Bytes of a buffer. where: its memory; or the buffer itself, if that has no offset yet. begin, end: of the whole
    buffer there.
    """

    where: str
    buffer: str
    places: Places
    begin: int
    end: int

    def meets(self, other: "Region") -> bool:
        """Whether they share bytes; of two buffers, whether these do, as planners know no parts of them."""
        if self.buffer == other.buffer:
            return self.places.overlaps(other.places)
        return self.where == other.where and self.begin < other.end and other.begin < self.end


@dataclass(frozen=True, eq=False)
class Flight:
    """Something that an engine was given. start, end: numbers of the steps that start it and wait for it."""

    engine: str
    token: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Touch:
    """What a step reads and writes while it is under way.

    step: its number. end: that of the one behind which it has ended: of the wait for it, of the core's own step `step`.
    engine: None of the core.
    """

    step: int
    end: int
    engine: str | None
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]

    @cached_property
    def spans(self) -> tuple[tuple[str, int, int], ...]:
        """Of each buffer where it lies, its first byte and the one behind its last."""
        regions = (*self.reads, *self.writes)
        return tuple((region.where, region.begin, region.end) for region in regions)

    def feeds(self, later: "Touch") -> bool:
        """Whether the later one reads what this one writes."""
        return _meet(self.writes, later.reads)

    def is_spoilt_by(self, later: "Touch") -> bool:
        """Whether the later one writes what this one reads or writes."""
        return _meet(later.writes, self.reads) or _meet(later.writes, self.writes)

    def races_with(self, other: "Touch") -> bool:
        """Whether one writes what the other reads or writes."""
        return self.feeds(other) or self.is_spoilt_by(other)


@dataclass(frozen=True, eq=False)
class Touches:
    """Of a whole program, in its order."""

    touches: tuple[Touch, ...]
    flights: tuple[Flight, ...]


def touches_of(program: Program) -> Touches:
    """Of a program that has been verified, so that each token started is waited for."""
    meant = unrolled(program)
    owners = [number for number, step in enumerate(program.steps) for _ in instances((step,))]
    steps = [*simple_steps(meant.steps)]
    flights = dict(_flights(steps, owners))
    region = cache(partial(_region, meant))
    found: dict[object, Touch] = {}
    for number, (step, owner) in enumerate(zip(steps, owners, strict=True)):
        if isinstance(step, Wait):
            continue
        flight = flights.get(number)
        engine, end = (None, owner) if flight is None else (flight.engine, flight.end)
        names = step_names(step)
        reads, writes = (tuple(map(region, _views(meant, some))) for some in names)
        found.setdefault((owner, end, engine, names), Touch(owner, end, engine, reads, writes))
    return Touches(tuple(found.values()), tuple(flights[number] for number in sorted(flights)))


def touch_of(program: Program, step: SimpleStep) -> Touch:
    """Of one step by itself. program: without loops."""
    reads, writes = (
        tuple(_region(program, name) for name in _views(program, some)) for some in step_names(step)
    )
    return Touch(0, 0, None, reads, writes)


def _flights(steps: Sequence[SimpleStep], owners: Sequence[int]) -> Iterator[tuple[int, Flight]]:
    """By the number of what was started, of steps once unrolled."""
    under_way: dict[int, tuple[int, str]] = {}
    for number, (step, owner) in enumerate(zip(steps, owners, strict=True)):
        if isinstance(step, Wait):
            token = step.token.value({})
            start, engine = under_way.pop(token)
            yield start, Flight(engine, token, owners[start], owner)
        elif not isinstance(step, Fill) and step.engine is not None and step.token is not None:
            under_way[step.token.value({})] = number, step.engine


def _views(program: Program, names: Sequence[str]) -> Iterator[str]:
    return (name for name in names if name in program.view)


def _region(program: Program, name: str) -> Region:
    buffer = program.buffer_of(name)
    is_placed = buffer.offset is not None
    where = f"memory {buffer.memory}" if is_placed else f"buffer {buffer.name}"
    begin = buffer.offset or 0
    found = places(program.view[name])
    return Region(where, buffer.name, found, begin, begin + buffer.size_bytes)


def _meet(some: Sequence[Region], others: Sequence[Region]) -> bool:
    return any(one.meets(other) for one in some for other in others)
