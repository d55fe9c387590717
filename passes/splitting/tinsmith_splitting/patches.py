"""Neighbouring calls as one stage, each row of whose result is computed in patches: parts of a row, from which it goes
back, call by call, to what the first of them reads. Nothing of a patch is kept for the next, so what patches share,
rows above and below and columns beside, is computed again. That costs, and saves the lines that a window would have.

It is for a wide tensor between narrow ones that is cheap to compute, as where channels are expanded, filtered each and
joined again (Sandler et al., "MobileNetV2"); patches of the first layers are the idea of MCUNetV2 (Lin et al.).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir.boxes import Box
from tinsmith_ir.program import Call, View

from tinsmith_splitting.rows import Parts, RowCall
from tinsmith_splitting.segment import Price, Sizes
from tinsmith_splitting.stream import Read, Stage


@dataclass(frozen=True)
class Piece:
    """A part of a call. box: of its result. held: of each tensor in a patch, which box the patch holds."""

    call: Call
    box: Box
    held: Mapping[str, Box]


@dataclass(frozen=True, eq=False)
class PatchedCalls:
    """Calls as one stage.

    pieces: of each row, in order. patches: where each tensor between the calls begins among the bytes for patches.
    operand_rows: as of a RowCall.
    """

    calls: Sequence[RowCall]
    pieces: Sequence[Sequence[Piece]]
    patches: Mapping[str, int]
    patch_bytes: int
    stage: Stage
    operand_rows: tuple[int, ...]

    @property
    def axis(self) -> int:
        """Of rows."""
        return self.calls[-1].axis

    @property
    def result(self) -> View:
        """Of the last call."""
        return self.calls[-1].result

    @property
    def row_bytes(self) -> int:
        """Of the result."""
        return self.calls[-1].row_bytes

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of its calls."""
        return tuple(call.stage.name for call in self.calls)

    def stage_of(self, chunk: int) -> Stage:
        """The stage where so many rows are made at a time: one."""
        assert chunk == 1
        return self.stage

    def changed(self, change: Callable[[Call], Call]) -> "PatchedCalls":
        """The same of other calls."""
        pieces = [[replace(it, call=change(it.call)) for it in row] for row in self.pieces]
        return replace(self, pieces=pieces)

    def price(self, parts: Parts, begin: int, end: int) -> Price | None:
        """Of rows begin to end - 1."""
        pieces = [piece for row in range(begin, end) for piece in self.pieces[row]]
        prices = [parts.price(piece.call, piece.box) for piece in pieces]
        known = [price for price in prices if price is not None]
        if len(known) < len(prices):
            return None
        return Price(max(price.scratch for price in known), sum(price.cost for price in known))


def patched(
    parts: Parts, calls: Sequence[RowCall], count: int, sizes: Sizes
) -> PatchedCalls | None:
    """Calls in so many patches to a row; None if what some patch reads or writes does not lie densely, or no kernel
    computes it.

    calls: one after the other; the result of each but the last is read by those behind it alone.
    """
    cutting = _Cutting(parts, calls)
    rows: list[list[Piece]] = []
    for row in range(calls[-1].stage.rows):
        pieces: list[Piece] = []
        for box in _patches(calls[-1], row, count):
            found = cutting.pieces(box)
            if found is None:
                return None
            pieces += found
        rows.append(pieces)
    places, size = _placed(parts, calls, rows, sizes)
    return PatchedCalls(calls, rows, places, size, *_stage_of(calls))


def _patches(call: RowCall, row: int, count: int) -> Iterator[Box]:
    """A row in so many parts, as wide as one another or by 1 narrower."""
    whole = call.box(row, row + 1)
    axis = call.axis + 1
    width = whole.shape[axis] if axis + 1 < len(whole.shape) else 1
    count = min(count, width)
    for at in range(count):
        yield (
            whole
            if count == 1
            else whole.with_range(axis, at * width // count, (at + 1) * width // count)
        )


class _Cutting:
    def __init__(self, parts: Parts, calls: Sequence[RowCall]) -> None:
        self._parts = parts
        self._view = parts.program.view
        self._calls = calls
        self._inner = frozenset(call.result.name for call in calls[:-1])

    def pieces(self, box: Box) -> list[Piece] | None:
        """What computes a box of the last result, from the first call to the last."""
        held: dict[str, Box] = {self._calls[-1].result.name: box}
        found: list[list[Piece]] = []
        for rows in reversed(self._calls):
            assert isinstance(rows.call, Call)
            wanted = held.get(rows.result.name)
            if wanted is None:
                return None  # nobody reads it
            pieces = self._of_call(rows, rows.call, wanted, held)
            if pieces is None:
                return None
            found.append(pieces)
        inner = {name: box for name, box in held.items() if name in self._inner}
        ordered = [piece for pieces in reversed(found) for piece in pieces]
        if not all(self._lies_densely(piece, inner) for piece in ordered):
            return None
        return [Piece(piece.call, piece.box, inner) for piece in ordered]

    def _of_call(
        self, rows: RowCall, call: Call, wanted: Box, held: dict[str, Box]
    ) -> list[Piece] | None:
        """One piece if all that it reads is in patches, else one for each row; what it reads is added to `held`."""
        views = [name for name in call.inputs if name is not None and name in self._view]
        boxes = [wanted]
        if not self._inner.issuperset(views):
            begin, end = wanted.ranges[rows.axis]
            boxes = [wanted.with_range(rows.axis, row, row + 1) for row in range(begin, end)]
        for box in boxes:
            restriction = self._parts.restriction(call, box)
            if restriction is None or self._parts.choice(call, box) is None:
                return None
            for name, read in zip(call.inputs, restriction.operands, strict=True):
                if name in self._inner and read is not None:
                    assert name is not None
                    held[name] = held[name].hull(read) if name in held else read
        return [Piece(call, box, {}) for box in boxes]

    def _lies_densely(self, piece: Piece, held: Mapping[str, Box]) -> bool:
        """Whether all that a piece reads and writes does."""
        restriction = self._parts.restriction(piece.call, piece.box)
        assert restriction is not None
        names = (*piece.call.inputs, *piece.call.outputs)
        for name, box in zip(names, (*restriction.operands, piece.box), strict=True):
            if name is None or box is None or name not in self._view:
                continue
            around = held.get(name) or Box.whole(self._view[name].type.shape)
            if not _is_dense_in(box, around):
                return False
        return True


def _is_dense_in(box: Box, around: Box) -> bool:
    """Whether the elements of one box lie one after the other where those of another do."""
    ranges = [*zip(box.ranges, around.ranges, strict=True)]
    while ranges and ranges[0][0][1] - ranges[0][0][0] == 1:
        del ranges[0]
    return all(mine == theirs for mine, theirs in ranges[1:])


def start_in(box: Box, around: Box, element_bytes: int) -> int:
    """Where the elements of one box begin, in bytes from the first of another that lies densely."""
    at = 0
    for (begin, _), (first, end) in zip(box.ranges, around.ranges, strict=True):
        at = at * (end - first) + begin - first
    return at * element_bytes


def _placed(
    parts: Parts, calls: Sequence[RowCall], rows: Sequence[Sequence[Piece]], sizes: Sizes
) -> tuple[Mapping[str, int], int]:
    """Where patches begin, and how many bytes they take: each at the lowest place that is free while it is needed."""
    size_of: dict[str, int] = {}
    for pieces in rows:
        for piece in pieces:
            for name, box in piece.held.items():
                size = box.elements * parts.program.view[name].type.dtype.size_bytes
                size_of[name] = max(size_of.get(name, 0), sizes.rounded(size))
    last_read = {
        name: at
        for at, call in enumerate(calls)
        if isinstance(call.call, Call)
        for name in call.call.inputs
        if name is not None
    }
    placed: dict[str, int] = {}
    for at, call in enumerate(calls[:-1]):
        name = call.result.name
        live = sorted(
            (placed[other], placed[other] + size_of[other])
            for other in placed
            if last_read[other] >= at
        )
        start = 0
        for begin, end in live:
            if start + size_of[name] <= begin:
                break
            start = max(start, end)
        placed[name] = start
    total = max((start + size_of[name] for name, start in placed.items()), default=0)
    return placed, total


def _stage_of(calls: Sequence[RowCall]) -> tuple[Stage, tuple[int, ...]]:
    """What the calls together read of each tensor that none of them makes, and how many rows that has."""
    last = calls[-1]
    needed: dict[str, list[tuple[int, int]]] = {
        last.result.name: [(row, row + 1) for row in range(last.stage.rows)]
    }
    extents: dict[str, int] = {}
    for call in reversed(calls):
        spans = needed.pop(call.result.name)
        for read, extent in zip(call.stage.reads, call.operand_rows, strict=True):
            extents[read.tensor] = extent
            here = [(read.begins[begin], read.ends[end - 1]) for begin, end in spans]
            others = needed.get(read.tensor, here)
            needed[read.tensor] = [
                (min(one[0], other[0]), max(one[1], other[1]))
                for one, other in zip(here, others, strict=True)
            ]
    reads = tuple(
        Read(name, tuple(begin for begin, _ in spans), tuple(end for _, end in spans))
        for name, spans in needed.items()
    )
    stage = Stage(last.stage.name, last.stage.result, last.stage.rows, reads)
    return stage, tuple(extents[name] for name in needed)
