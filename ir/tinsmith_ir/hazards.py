"""Steps that run beside one another and touch the same bytes.

Happens-before is: the order of the core's own steps; the start of a step after all that the core did before; on a
FIFO engine, the order of starts; the end of a step before the Wait for its token. Two steps between which it does not
hold may both read a byte, but neither may write one that the other touches.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from tinsmith_ir.byte_places import Places, places
from tinsmith_ir.program import Call, Copy, Fill, Program, SimpleStep, Wait, simple_steps
from tinsmith_ir.program_printer import print_step

Region = tuple[str, Places]


@dataclass
class _Flight:
    """A step that was started and not waited for.

    number: how many were started before. is_done: it has certainly ended.
    """

    step: Call | Copy
    reads: list[Region]
    writes: list[Region]
    number: int
    is_done: bool = False


def find_hazards(program: Program) -> Iterator[str]:
    """A sentence for each pair of steps that race, each token that is taken, missing or left, and each full queue.

    program: without loops (`unrolled`), its names and types being right.
    """
    flights: dict[int, _Flight] = {}
    places_of = _PlacesOf(program)
    for step in program.steps:
        if isinstance(step, Wait):
            yield from _wait(program, step, flights)
            continue
        assert isinstance(step, Call | Copy | Fill)  # unrolled
        if not flights and (
            isinstance(step, Fill) or (isinstance(step, Call) and step.token is None)
        ):
            continue  # the core's own, beside nothing
        reads, writes = places_of.regions(step)
        if isinstance(step, Copy) and any(_meet(one, other) for one in reads for other in writes):
            yield f"source and destination share bytes in\n  {print_step(step)}\n"
        engine = None if isinstance(step, Fill) else step.engine
        for flight in flights.values():
            if flight.is_done or (
                engine is not None
                and flight.step.engine == engine
                and program.engine[engine].is_fifo
            ):
                continue
            yield from _races(flight, step, reads, writes)
        if not isinstance(step, Fill) and step.engine is not None and step.token is not None:
            yield from _start(program, step, flights, reads, writes)
    for flight in flights.values():
        yield f"no wait for token {_token(flight.step)} after\n  {print_step(flight.step)}\n"


def step_names(step: SimpleStep) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a step reads (views or constants), and what it writes (views, scratch among them)."""
    match step:
        case Call():
            scratch = () if step.scratch is None else (step.scratch,)
            operands = (name for name in step.inputs if name is not None)
            return (*operands, *(held.view for held in step.held)), (*step.outputs, *scratch)
        case Copy():
            return (step.source,), (step.destination,)
        case Fill():
            return (), (step.destination,)
        case Wait():
            return (), ()


def without_unused(program: Program) -> Program:
    """The program without views that no step names, buffers without views, and constants that nobody reads.

    What the run begins and ends with stays.
    """
    used: set[str] = {*program.ends}
    for step in simple_steps(program.steps):
        reads, writes = step_names(step)
        used |= {*reads, *writes}
        if isinstance(step, Call):
            used |= {*step.reads}
    used |= {name for table in program.tables if table.name in used for name in table.members}
    views = tuple(view for view in program.views if view.name in used)
    buffers = {view.buffer for view in views}
    return replace(
        program,
        views=views,
        buffers=tuple(buffer for buffer in program.buffers if buffer.name in buffers),
        constants=tuple(found for found in program.constants if found.name in used),
    )


class _PlacesOf:
    """Where the views of a program lie; of a buffer that has no offset yet, in a memory of its own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._region = cache(self._find)

    def regions(self, step: SimpleStep) -> tuple[list[Region], list[Region]]:
        reads, writes = step_names(step)
        views = self._program.view
        return (
            [self._region(name) for name in reads if name in views],
            [self._region(name) for name in writes],
        )

    def _find(self, name: str) -> Region:
        buffer = self._program.buffer_of(name)
        found = places(self._program.view[name])
        if buffer.offset is None:
            return f"buffer {buffer.name}", found
        return f"memory {buffer.memory}", found.moved(buffer.offset)


def _start(
    program: Program,
    step: Call | Copy,
    flights: dict[int, _Flight],
    reads: list[Region],
    writes: list[Region],
) -> Iterator[str]:
    token = _token(step)
    if token in flights:
        yield (
            f"token {token} is not waited for between\n  {print_step(flights[token].step)}\n"
            f"and\n  {print_step(step)}\n"
        )
    depth = program.engine[str(step.engine)].depth
    held = [
        flight
        for flight in flights.values()
        if flight.step.engine == step.engine and not flight.is_done
    ]
    if depth is not None and len(held) >= depth:
        yield (
            f"engine {step.engine!r} holds {depth} unfinished step(s), the oldest of them\n"
            f"  {print_step(held[0].step)}\nwhen it is given\n  {print_step(step)}\n"
        )
    last = max((flight.number for flight in flights.values()), default=0)
    flights[token] = _Flight(step, reads, writes, last + 1)


def _wait(program: Program, step: Wait, flights: dict[int, _Flight]) -> Iterator[str]:
    """On a FIFO engine, what was started before has ended, too."""
    token = step.token.value({})
    ended = flights.pop(token, None)
    if ended is None:
        yield f"nothing was started with the token of\n  {print_step(step)}\n"
        return
    engine = program.engine[str(ended.step.engine)]
    if not engine.is_fifo:
        return
    for flight in flights.values():
        if flight.step.engine == engine.name and flight.number < ended.number:
            flight.is_done = True


def _races(
    flight: _Flight, step: SimpleStep, reads: list[Region], writes: list[Region]
) -> Iterator[str]:
    pairs = (
        ("reads what is still being written", reads, flight.writes),
        ("writes what is still being written", writes, flight.writes),
        ("writes what is still being read", writes, flight.reads),
    )
    for what, mine, theirs in pairs:
        if any(_meet(one, other) for one in mine for other in theirs):
            yield (
                f"\n  {print_step(step)}\n{what} by\n  {print_step(flight.step)}\n"
                f"which is not waited for (token {_token(flight.step)})"
            )


def _meet(one: Region, other: Region) -> bool:
    return one[0] == other[0] and one[1].overlaps(other[1])


def _token(step: Call | Copy) -> int:
    return 0 if step.token is None else step.token.value({})
