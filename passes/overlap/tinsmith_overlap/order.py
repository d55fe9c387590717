"""Which steps must stay behind which, so that a program means what it did."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from tinsmith_ir.program import Call, Copy, Engine, Loop, Program, Step

from tinsmith_overlap.touches import Flight, Touch, touches_of

Pair = tuple[int, int]
"""Numbers of two steps, of which the first comes first."""


def predecessors(program: Program, sorting: Collection[str], ahead: int = 0) -> list[set[int]]:
    """Of each step, those that must stay in front of it. A loop is one step.

    program: verified. sorting: engines that may be given their steps in another order. ahead: calls that copies may be
    moved in front of, see `with_copies_behind`.
    """
    return with_copies_behind(constraints(program, sorting), program, ahead)


def constraints(program: Program, sorting: Collection[str]) -> list[set[int]]:
    """The same without what keeps copies behind calls.

    What touches the same bytes, one of the two writing them, stays in its order: the later one behind the wait for an
    earlier one, if an engine does that; behind its start, where an engine that keeps an order does both and the later
    one reads what the earlier one writes. What others than these engines are given stays in its order, too; so does
    what the caller is asked for.
    """
    found: list[set[int]] = [set() for _ in program.steps]
    touched = touches_of(program)
    fifo = {engine.name for engine in program.engines if engine.is_fifo}
    pairs = (
        _by_bytes(touched.touches, fifo),
        _by_tokens(touched.flights),
        *(
            _by_sorting_engine(_of(name, touched.flights), program.steps)
            if name in sorting
            else _by_engine(_of(name, touched.flights), program.engine[name])
            for name in program.engine
        ),
        pairwise(_copies_of_the_core(program.steps)),
    )
    for some in pairs:
        for first, second in some:
            if first != second:
                found[second].add(first)
    return found


def with_copies_behind(found: Sequence[set[int]], program: Program, ahead: int) -> list[set[int]]:
    """Predecessors, with which copies come no more than so many calls further ahead, so that what they bring does not
    fill the memory.
    """
    made = [{*before} for before in found]
    for first, second in _behind_calls(program.steps, ahead):
        made[second].add(first)
    return made


def _by_bytes(touches: Sequence[Touch], fifo: Collection[str]) -> Iterator[Pair]:
    for earlier, later in _near_one_another(touches):
        is_spoilt = earlier.is_spoilt_by(later)
        if is_spoilt or earlier.feeds(later):
            is_in_order = earlier.engine == later.engine and later.engine in fifo
            waits = (is_spoilt or not is_in_order) and earlier.end <= later.step
            yield (earlier.end if waits else earlier.step), later.step


def _near_one_another(touches: Sequence[Touch]) -> Iterator[tuple[Touch, Touch]]:
    """Pairs of different steps, the earlier one first, whose bytes may meet."""
    known: dict[str, list[tuple[int, int, int]]] = {}
    for number, later in enumerate(touches):
        found = {
            other
            for where, begin, end in later.spans
            for first, behind, other in known.get(where, ())
            if begin < behind and first < end
        }
        yield from (
            (touches[other], later) for other in sorted(found) if touches[other].step != later.step
        )
        for where, begin, end in later.spans:
            known.setdefault(where, []).append((begin, end, number))


def _by_tokens(flights: Sequence[Flight]) -> Iterator[Pair]:
    ends: dict[int, int] = {}
    for flight in flights:
        if flight.token in ends:
            yield ends[flight.token], flight.start
        ends[flight.token] = flight.end
        yield flight.start, flight.end


def _of(engine: str, flights: Sequence[Flight]) -> list[Flight]:
    return [flight for flight in flights if flight.engine == engine]


def _by_engine(flights: Sequence[Flight], engine: Engine) -> Iterator[Pair]:
    """Starts, of an engine that holds so many steps the waits between them, too."""
    numbers = {flight.start for flight in flights}
    if engine.depth is not None:
        numbers |= {flight.end for flight in flights}
    return pairwise(sorted(numbers))


def _by_sorting_engine(flights: Sequence[Flight], steps: Sequence[Step]) -> Iterator[Pair]:
    """A loop has an engine to itself, as nobody counts what it is given there."""
    loops = {flight.start for flight in flights if isinstance(steps[flight.start], Loop)}
    for loop in sorted(loops):
        yield from ((flight.end, loop) for flight in flights if flight.start < loop)
        yield from ((loop, flight.start) for flight in flights if flight.start > loop)


def _behind_calls(steps: Sequence[Step], ahead: int) -> Iterator[Pair]:
    calls: list[int] = []
    for number, step in enumerate(steps):
        if isinstance(step, Call | Loop):
            calls.append(number)
        elif isinstance(step, Copy) and len(calls) > ahead:
            yield calls[-1 - ahead], number


def _copies_of_the_core(steps: Sequence[Step]) -> Iterator[int]:
    return (
        number
        for number, step in enumerate(steps)
        if isinstance(step, Loop) or (isinstance(step, Copy) and step.engine is None)
    )
