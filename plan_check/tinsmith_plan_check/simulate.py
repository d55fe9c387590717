"""Runs a plan on memories that hold, for each byte, which byte of which tensor was put there.

A step finds in each byte that it reads the tensor's byte that it wants, or the plan is refused. Nothing is believed of
lifetimes, leaves and who may lie over whom.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.intervals import IntervalMap
from tinsmith_plan_check.plan import Access, Piece, Step
from tinsmith_plan_check.structure import Layout, name_of
from tinsmith_plan_check.walks import first_conflict, timed

_Tag = tuple[str, int]
"""A tensor, and which of its bytes lies at address 0 if neighbours lie side by side."""

_Region = tuple[str, list[tuple[int, int]]]
"""A memory, and runs of addresses in order."""


@dataclass(frozen=True)
class _Flight:
    """A step beside the core that has not certainly ended."""

    step: int
    engine: str
    reads: tuple[_Region, ...]
    writes: tuple[_Region, ...]


def simulate(layout: Layout) -> None:
    """Raise PlanRefusedError at the first step that finds other bytes than it wants, or spoils those of others."""
    _Run(layout).run()


class _Run:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._plan = layout.plan
        self._tags = {memory.name: IntervalMap[_Tag]() for memory in layout.plan.memories}
        self._made = {tensor.name: IntervalMap[bool]() for tensor in layout.plan.tensors}
        self._flights: dict[int, _Flight] = {}
        self._fifo = {engine.name for engine in layout.plan.engines if engine.is_fifo}

    def run(self) -> None:
        for access in self._plan.given:
            self._make(access, "the start")
            self._write(access)
        for access in self._plan.given:
            self._read(access, "the start")
        for index, step in enumerate(self._plan.steps):
            self._step(index, step)
        for flight in self._flights.values():
            raise PlanRefusedError("engines", "the end", "no step in flight", flight.step)
        for access in self._plan.taken:
            self._read(access, "the end")

    def _step(self, index: int, step: Step) -> None:
        where = name_of(self._plan, index)
        reads, writes = [*map(self._region, step.reads)], [*map(self._region, step.writes)]
        if step.scratch is not None:
            writes.append(self._region(step.scratch))
        self._check_flights(step, where, reads, writes)
        self._check_apart(step, where, reads, writes)
        for access in step.reads:
            self._read(access, where)
        if step.scratch is not None:
            self._make_scratch(step.scratch)
        for access in step.writes:
            if step.kind == "copy":
                self._check_copy(step, access, where)
            else:
                self._make(access, where)
            self._write(access)
        if step.engine is not None:
            self._flights[index] = _Flight(index, step.engine, tuple(reads), tuple(writes))
        self._end(step, where)

    def _end(self, step: Step, where: str) -> None:
        if step.ends and step.kind != "wait":
            raise PlanRefusedError("engines", where, "a wait that ends steps", step.kind)
        for index in step.ends:
            if index not in self._flights:
                raise PlanRefusedError("engines", where, "a step in flight", index)
            del self._flights[index]

    def _region(self, access: Access) -> _Region:
        return self._layout.memory_of(access), sorted(self._layout.addresses(access))

    def _check_flights(
        self, step: Step, where: str, reads: list[_Region], writes: list[_Region]
    ) -> None:
        """No byte that a step in flight writes is touched, none that it reads is written."""
        for flight in self._flights.values():
            if step.engine == flight.engine and step.engine in self._fifo:
                continue
            pairs = [(one, other) for one in (*reads, *writes) for other in flight.writes]
            pairs += [(one, other) for one in writes for other in flight.reads]
            for one, other in pairs:
                byte = _meeting(one, other)
                if byte is not None:
                    busy = name_of(self._plan, flight.step)
                    raise PlanRefusedError(
                        "engines", where, f"no byte of {busy}, in flight", f"byte {byte}"
                    )

    def _check_apart(
        self, step: Step, where: str, reads: list[_Region], writes: list[_Region]
    ) -> None:
        """What is written lies apart from what else is touched, or as the kernel's walk bears."""
        for at, one in enumerate(writes):
            for other in writes[:at]:
                byte = _meeting(one, other)
                if byte is not None:
                    raise PlanRefusedError(
                        "overlap", where, "results and scratch apart", f"both at byte {byte}"
                    )
            for operand, other in enumerate(reads):
                byte = _meeting(one, other)
                if byte is not None and (at >= len(step.writes) or not step.order):
                    raise PlanRefusedError(
                        "overlap", where, f"{step.reads[operand].view} not written", f"byte {byte}"
                    )
                if byte is not None:
                    self._check_walk(step, operand, one, other, where)

    def _check_walk(
        self, step: Step, operand: int, result: _Region, source: _Region, where: str
    ) -> None:
        walk = dict(step.order).get(operand)
        view = step.reads[operand].view
        if walk is None or len(result[1]) > 1 or len(source[1]) > 1:
            raise PlanRefusedError(
                "overlap", where, f"{view} not written", "no order that bears it"
            )
        (begin, end), (first, last) = result[1][0], source[1][0]
        found = self._plan.walks[walk]
        byte = first_conflict(
            timed(found.written, end - begin, where),
            timed(found.read, last - first, where),
            begin - first,
        )
        if byte is not None:
            raise PlanRefusedError(
                "overlap",
                where,
                f"byte {byte} of {view} read before the result is written there",
                f"the result {begin - first} bytes behind it",
            )

    def _read(self, access: Access, where: str) -> None:
        tags = self._tags[self._layout.memory_of(access)]
        for address, piece in self._places(access):
            wanted = piece.tensor, piece.start - address
            for begin, _, tag in tags.runs(address, address + piece.length):
                if tag != wanted:
                    expected = f"byte {begin + wanted[1]} of {piece.tensor} at address {begin}"
                    raise PlanRefusedError(
                        "content", f"{where}, view {access.view}", expected, _content(tag, begin)
                    )

    def _write(self, access: Access) -> None:
        tags = self._tags[self._layout.memory_of(access)]
        for address, piece in self._places(access):
            tags.set(address, address + piece.length, (piece.tensor, piece.start - address))

    def _make_scratch(self, access: Access) -> None:
        """Nobody reads what a kernel leaves there."""
        tags = self._tags[self._layout.memory_of(access)]
        for begin, end in self._layout.addresses(access):
            tags.set(begin, end, None)

    def _make(self, access: Access, where: str) -> None:
        """Each byte of a tensor is made once."""
        for piece in access.pieces:
            place = f"{where}, view {access.view}"
            if self._layout.tensor[piece.tensor].is_constant:
                raise PlanRefusedError("tensors", place, "no constant written", piece.tensor)
            made = self._made[piece.tensor]
            for begin, _, is_made in made.runs(piece.start, piece.start + piece.length):
                if is_made:
                    raise PlanRefusedError(
                        "tensors", place, f"byte {begin} of {piece.tensor} made once", "made twice"
                    )
            made.set(piece.start, piece.start + piece.length, True)

    def _check_copy(self, step: Step, access: Access, where: str) -> None:
        """The destination holds what the source does; a source that is no buffer is a constant."""
        if step.reads:
            if _joined(step.reads[0].pieces) != _joined(access.pieces):
                raise PlanRefusedError("content", where, "the source's bytes", "others")
            return
        for piece in access.pieces:
            if not self._layout.tensor[piece.tensor].is_constant:
                raise PlanRefusedError("tensors", where, "a constant copied", piece.tensor)

    def _places(self, access: Access) -> Iterator[tuple[int, Piece]]:
        """Addresses, in the order of the elements, and what lies from there on side by side."""
        spans = [*self._layout.addresses(access)]
        pieces = [*access.pieces]
        at = within = into = 0
        for piece in pieces:
            into = 0
            while into < piece.length:
                begin, end = spans[at]
                length = min(end - begin - within, piece.length - into)
                yield begin + within, Piece(piece.tensor, piece.start + into, length)
                into, within = into + length, within + length
                if begin + within == end:
                    at, within = at + 1, 0


def _meeting(one: _Region, other: _Region) -> int | None:
    """The first address that is in both."""
    if one[0] != other[0]:
        return None
    mine, theirs = one[1], other[1]
    at = 0
    for begin, end in mine:
        while at < len(theirs) and theirs[at][1] <= begin:
            at += 1
        if at < len(theirs) and theirs[at][0] < end:
            return max(begin, theirs[at][0])
    return None


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """The same with neighbours that continue one another as one."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last and last.tensor == piece.tensor and last.start + last.length == piece.start:
            found[-1] = Piece(last.tensor, last.start, last.length + piece.length)
        else:
            found.append(piece)
    return found


def _content(tag: _Tag | None, address: int) -> str:
    return "nothing" if tag is None else f"byte {address + tag[1]} of {tag[0]}"
