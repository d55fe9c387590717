"""The ways to compute neighbouring steps of a Program together, with the bytes and the cost of each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from tinsmith_ir.lifetimes import lifetimes
from tinsmith_ir.overlaps import most_shared, overlap_of_buffers
from tinsmith_ir.program import Call, Copy, Program, SimpleStep, simple_steps
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_splitting.patches import PatchedCalls, patched
from tinsmith_splitting.rows import COPY_COST, Parts, RowCall, result_of, row_axis, row_call
from tinsmith_splitting.search import Candidate, Way, least_budget
from tinsmith_splitting.segment import Price, Segment, Sizes, parts_of
from tinsmith_splitting.slim import Slim, Stages
from tinsmith_splitting.stream import Stream, stream
from tinsmith_splitting.sums import SummedCall, summed_call
from tinsmith_splitting.trimmed import Trimmed, scratch_of, trimmed

_MOST_ROWS = 16
"""That each call makes at a time."""

_MOST_ELEMENTS = 1024
"""That each call makes at a time, of a vector."""

_PATCHES = (1, 2, 3, 4, 6)
"""To a row, of calls that are computed in patches."""

_NO_CALLS: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Streamed:
    """Calls whose rows stream. calls: by name of their stage. chunk: how many rows each makes at a time.

    patches: how many there are to a row of those that are computed in patches; 0 if none is.
    """

    calls: Mapping[str, RowCall | PatchedCalls | SummedCall]
    segment: Segment
    chunk: int
    patches: int = 0


Choice = Streamed | Trimmed | None
"""None: a step as it is."""


@dataclass(frozen=True, eq=False)
class RowRange:
    """Steps first to last, which could stream together.

    inner: buffers that nobody needs outside of them. outer: others that are needed meanwhile, without the scratch of
    whole calls. exits: views of the results that are needed outside -> bytes. middles: calls that patches are for, see
    `_middles`. lines: bytes of the windows that are there all the time, at least; middle_lines: of those of them that
    patches replace. around: bytes that whole tensors take at least, whatever lies over what.
    """

    first: int
    last: int
    calls: Sequence[RowCall | SummedCall]
    inner: frozenset[str]
    outer: frozenset[str]
    exits: Mapping[str, int]
    middles: Sequence[tuple[int, int]]
    lines: int
    middle_lines: int
    around: int

    @property
    def whole_bytes(self) -> int:
        """Live bytes that it has at least, without patches."""
        return self.lines + self.around

    @property
    def least_bytes(self) -> int:
        """Live bytes that it has at least."""
        return self.lines - self.middle_lines + self.around


class Ways:
    """All ways of a program, its constants as the graph has them."""

    def __init__(self, program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
        self.program = program
        self.parts = Parts(program, target, kernels)
        self.slim = Slim(self.parts)
        self._steps = tuple(simple_steps(program.steps))
        self.sizes = Sizes(max(memory.alignment for memory in program.memories))
        self._spans = lifetimes(program)
        self._rows: dict[tuple[int, int, bool], RowCall | SummedCall | None] = {}
        self._known_ranges: dict[tuple[int, int], RowRange | None] = {}
        self._known: dict[tuple[int, int, int, int, frozenset[str]], Way[Choice] | None] = {}
        self._streams: dict[tuple[int, int, int, int], Stream | None] = {}
        self._prices: dict[tuple[type, str, int, int, int, int, bool], Price | None] = {}
        self._patched: dict[tuple[int, int, int, int], PatchedCalls | None] = {}
        self._known_less: dict[tuple[int, bool], Sequence[Way[Choice]]] = {}
        self._known_least: dict[bool, int] = {}
        self._known_middles: dict[int, Sequence[tuple[int, int]]] = {}
        self._views_of = Counter(view.buffer for view in program.views)

    @property
    def steps(self) -> tuple[SimpleStep, ...]:
        """The steps of the program, in order."""
        return self._steps

    def within(
        self, budget: int, aim: int | None = None, *, slim: bool = True
    ) -> list[Way[Choice]]:
        """The ways with at most so many live bytes; of neighbouring calls that stream the one with most rows at a time,
        and only where one of them does not fit as it is.

        aim: those with at most so many live bytes are asked for in the same way, and the least that exceed it. slim:
        also those in which calls that stream have less scratch, or others have at a high price.
        """
        wanted = budget if aim is None else min(aim, budget)
        found = [way for way in self.as_they_are if way.live_bytes <= budget]
        found += (
            way
            for at in range(len(self._steps))
            for way in self._less(at, wanted, budget, slim=slim)
        )
        for range_ in self._ranges(budget):
            alone = self.as_they_are[range_.first : range_.last + 1]
            if all(way.live_bytes <= wanted for way in alone):
                continue
            ways = [self._first_within(range_, wanted)]
            if slim:
                ways.append(self._slim_within(range_, wanted))
            if not any(ways):
                ways = [self._least(range_, slim=slim)]
            found += (way for way in ways if way is not None and way.live_bytes <= budget)
        return found

    def least(self, *, slim: bool) -> int:
        """The fewest live bytes that a path of ways has. slim: as of `within`."""
        if slim not in self._known_least:
            self._known_least[slim] = self._found_least(slim=slim)
        return self._known_least[slim]

    def _found_least(self, *, slim: bool) -> int:
        budget = max(way.live_bytes for way in self.as_they_are)
        candidates = [
            *(
                Candidate(way.first, way.last, way.live_bytes, partial(_live_bytes, way))
                for way in self.as_they_are
            ),
            *(
                Candidate(way.first, way.last, way.live_bytes, partial(_live_bytes, way))
                for at in range(len(self._steps))
                for way in self._with_less_scratch(at, slim=slim)[-1:]
            ),
            *(
                Candidate(
                    it.first, it.last, it.least_bytes, partial(self._least_bytes, it, slim=slim)
                )
                for it in self._ranges(budget)
            ),
        ]
        least = least_budget(candidates, len(self._steps))
        assert least is not None  # each step as it is
        return least

    def _least_bytes(self, range_: "RowRange", *, slim: bool) -> int | None:
        way = self._least(range_, slim=slim)
        return None if way is None else way.live_bytes

    def _less(self, at: int, wanted: int, budget: int, *, slim: bool) -> Iterator[Way[Choice]]:
        """Of a step that takes more than is wanted, the way with less scratch that takes as much as it may; if none
        takes as little, that which takes least.
        """
        if self.as_they_are[at].live_bytes <= wanted:
            return
        ways = self._with_less_scratch(at, slim=slim)
        way = next((way for way in ways if way.live_bytes <= wanted), ways[-1] if ways else None)
        if way is not None and way.live_bytes <= budget:
            yield way

    def _with_less_scratch(self, at: int, *, slim: bool) -> Sequence[Way[Choice]]:
        """A step with other options, the most scratch first; unless slim, no dear ones."""
        if (at, slim) not in self._known_less:
            step = self._steps[at]
            found = trimmed(self.parts, step) if isinstance(step, Call) else ()
            self._known_less[at, slim] = [
                self._trimmed_way(at, it) for it in found if slim or not it.is_dear
            ]
        return self._known_less[at, slim]

    def _trimmed_way(self, at: int, made: Trimmed) -> Way[Choice]:
        scratch = self._buffer(scratch_of(self.parts, made.call).name)
        live = sum(self.size(name) for name in self._live(at, at) if name != scratch)
        live += self.sizes.rounded(made.scratch)
        if made.call.over:
            live -= self._shared(made.call, at)
        return Way(at, at, live, made.extra, made)

    def _first_within(self, range_: "RowRange", budget: int) -> Way[Choice] | None:
        """The way of a range that keeps within a budget, the first in the order of what they cost as a rule."""
        # What does not fit one row at a time does not fit with more.
        if range_.whole_bytes <= budget:
            least = self._way(range_, 1)
            if least is not None and least.live_bytes <= budget:
                ways = (self._way(range_, chunk) for chunk in _chunks(range_.calls))
                return next(way for way in ways if way and way.live_bytes <= budget)
        for count in _PATCHES if range_.middles else ():
            if range_.least_bytes + self._patch_bytes(range_, count) > budget:
                continue
            way = self._way(range_, 1, count)
            if way is not None and way.live_bytes <= budget:
                return way
        return None

    def _slim_within(self, range_: "RowRange", budget: int) -> Way[Choice] | None:
        """The way of a range that keeps within a budget where as few of its calls as it takes have less scratch; None
        where none does, or where rows keep within it without that.
        """
        for count in (0, *(_PATCHES if range_.middles else ())):
            least = range_.least_bytes + self._patch_bytes(range_, count)
            if (least if count else range_.whole_bytes) > budget:
                continue
            usual = self._way(range_, 1, count)
            if usual is None:
                continue
            if usual.live_bytes <= budget:
                return None
            calls = self._with_patches(range_, count)
            way = self.slim.fewest(calls, budget, partial(self._way, range_, 1, count))
            if way is not None:
                return way
        return None

    def _least(self, range_: "RowRange", *, slim: bool) -> Way[Choice] | None:
        """The way of a range with the fewest live bytes, one row at a time; None if it does not stream."""
        counts = [0]
        if range_.middles:
            counts.append(min(_PATCHES, key=lambda count: self._patch_bytes(range_, count)))
        ways: list[Way[Choice] | None] = []
        for count in counts:
            calls = self._with_patches(range_, count)
            ways.append(self._way(range_, 1, count))
            if slim:
                ways.append(self._way(range_, 1, count, self.slim.names(calls)))
        return min((way for way in ways if way), key=lambda way: way.live_bytes, default=None)

    @cached_property
    def as_they_are(self) -> list[Way[Choice]]:
        """Each step by itself, whole."""
        return [self._as_it_is(at) for at in range(len(self._steps))]

    def _as_it_is(self, at: int) -> Way[Choice]:
        step = self._steps[at]
        live = sum(self.size(name) for name in self._live(at, at))
        if isinstance(step, Call) and step.over:
            live -= self._shared(step, at)
        return Way(at, at, live, 0.0, None)

    def _shared(self, call: Call, at: int) -> int:
        """Bytes of its result that lie over an operand which ends with the call."""
        output = self.program.buffer_of(call.outputs[0])
        if self._spans[output.name][0] != at:
            return 0
        best = 0
        for name in {
            self._buffer(name) for name in filter(None, call.inputs) if name in self.program.view
        }:
            source = self.program.buffer[name]
            if source is output or self._spans[name][1] != at or source.memory != output.memory:
                continue
            overlap = overlap_of_buffers(self.program, call, name)
            if overlap is not None:
                sizes = (output.size_bytes, source.size_bytes)
                leave = (overlap.at_most, overlap.at_least, overlap.exactly)
                best = max(best, most_shared(sizes, *leave, self.sizes.unit))
        return best

    def _ranges(self, budget: int) -> Iterator["RowRange"]:
        """Neighbouring steps that could stream together, and might do with so many bytes."""
        return (found for found in self.ranges_of_lines(budget) if found.least_bytes <= budget)

    def ranges_of_lines(self, budget: int) -> Iterator["RowRange"]:
        """The same where whole tensors may lie elsewhere: those whose windows take no more than so many bytes."""
        for first in range(len(self._steps)):
            for last in range(first, len(self._steps)):
                if (first, last) not in self._known_ranges:
                    self._known_ranges[first, last] = self._range(first, last)
                found = self._known_ranges[first, last]
                if found is None or found.lines - found.middle_lines > budget:
                    break
                yield found

    def _range(self, first: int, last: int) -> "RowRange | None":
        calls = self._row_calls(first, last)
        if calls is None:
            return None
        inner = self._inner(first, last)
        middles = self._middles(calls[0].axis)
        scratch = (call.call.scratch for call in calls if isinstance(call.call, Call))
        apart = inner | {self._buffer(name) for name in scratch if name is not None}
        outer = frozenset(name for name in self._live(first, last) if name not in apart)
        exits = {
            call.result.name: self.size(call.result.buffer)
            for call in calls
            if call.result.buffer not in inner and isinstance(call, RowCall)
        }
        lines = [
            self._lasting_bytes(call, calls) if call.result.buffer in inner else 0 for call in calls
        ]
        here = [span for span in middles if first <= span[0] and span[1] <= last]
        return RowRange(
            first,
            last,
            calls,
            inner,
            outer,
            exits,
            here,
            sum(lines),
            sum(lines[at - first] for begin, end in here for at in range(begin, end)),
            around=sum(map(self.size, outer)) - max(exits.values(), default=0),
        )

    def _lasting_bytes(
        self, call: RowCall | SummedCall, calls: Sequence[RowCall | SummedCall]
    ) -> int:
        """Of the window of a result, at least: 0 where each of its rows may be gone before the next is made."""
        name = call.result.name
        rows = max(
            (
                end - begin
                for reader in calls
                for read in reader.stage.reads
                if read.tensor == name
                for begin, end in zip(read.begins, read.ends, strict=True)
            ),
            default=0,
        )
        return self.sizes.rounded(rows * call.row_bytes) if rows > 1 else 0

    def _row_calls(self, first: int, last: int) -> list[RowCall | SummedCall] | None:
        """The calls as stages, if they can stream along one axis and share the rows of what lies between."""
        steps = self._steps[first : last + 1]
        results = [result_of(self.program, step) for step in steps]
        axis = row_axis([view.type.shape for view in results if view is not None])
        if axis is None or None in results:
            return None
        found: list[RowCall | SummedCall] = []
        made: dict[str, str] = {}
        for at in range(first, last + 1):
            stage = self._row_call(at, axis, adds=self._reads_any(at, made))
            if stage is None:
                return None
            found.append(stage)
            made[stage.result.buffer] = stage.result.name
        summed = {call.result.buffer for call in found if isinstance(call, SummedCall)}
        for call in found:
            for read in call.stage.reads:
                buffer = self._buffer(read.tensor)
                if made.get(buffer, read.tensor) != read.tensor or buffer in summed:
                    return None  # another shape of it, or no rows
        return found

    def _reads_any(self, at: int, made: Mapping[str, str]) -> bool:
        """Whether the first operand of a step lies in one of these buffers."""
        step = self._steps[at]
        name = step.inputs[0] if isinstance(step, Call) and step.inputs else None
        return name is not None and name in self.program.view and self._buffer(name) in made

    def _row_call(self, at: int, axis: int, *, adds: bool = False) -> RowCall | SummedCall | None:
        """A step as a stage. adds: rows of its first operand, if it can, which saves that one's place alone."""
        if (at, axis, adds) not in self._rows:
            step = self._steps[at]
            found = None
            if adds and isinstance(step, Call) and result_of(self.program, step) is not None:
                found = summed_call(self.parts, step, axis)
            self._rows[at, axis, adds] = found or row_call(self.parts, step, axis)
        return self._rows[at, axis, adds]

    def _way(
        self,
        range_: "RowRange",
        chunk: int,
        patches: int = 0,
        slim: frozenset[str] = _NO_CALLS,
    ) -> Way[Choice] | None:
        """The calls of a range with so many rows at a time, its middles in so many patches to a row; None if they do
        not stream.

        slim: names of the stages that take less scratch.
        """
        key = range_.first, range_.last, chunk, patches, slim
        if key not in self._known:
            self._known[key] = self._streamed(range_, chunk, patches, slim)
        return self._known[key]

    def _stream(self, range_: "RowRange", chunk: int, patches: int, calls: Stages) -> Stream | None:
        key = range_.first, range_.last, chunk, patches
        if key not in self._streams:
            stages = [call.stage_of(chunk) for call in calls]
            windows = frozenset(
                call.result.name for call in calls if call.result.buffer in range_.inner
            )
            read = {read.tensor for stage in stages for read in stage.reads}
            # Else nobody reads one, or nothing is cut.
            is_one = windows <= read and any(stage.rows > chunk for stage in stages)
            rows = {stage.name: chunk for stage in stages}
            self._streams[key] = stream(stages, windows, rows) if is_one else None
        return self._streams[key]

    def _streamed(
        self, range_: "RowRange", chunk: int, patches: int, slim: frozenset[str]
    ) -> Way[Choice] | None:
        calls, last = self._with_patches(range_, patches), range_.last
        stages = [call.stage_of(chunk) for call in calls]
        plan = self._stream(range_, chunk, patches, calls)
        if plan is None:
            return None
        calls = [self.slim.of(call) if call.stage.name in slim else call for call in calls]
        by_name = {call.stage.name: call for call in calls}
        prices: dict[tuple[str, int, int], Price] = {}
        for part in parts_of(plan.actions):
            price = self.price(by_name[part[0]], *part[1:], patches, is_slim=part[0] in slim)
            if price is None:
                return None
            prices[part] = price
        entries = self.entries(calls)
        rows = {call.result.name: call.row_bytes for call in calls}
        for call in calls:
            for name in (read.tensor for read in call.stage.reads):
                view = self.program.view[name]
                rows[name] = view.type.size_bytes // view.type.shape[call.axis]
        segment = Segment(
            stages,
            plan,
            self.sizes,
            rows,
            entries,
            range_.exits,
            frozenset(name for name in entries if self._ends(name, last)),
            prices,
            COPY_COST,
            max((call.patch_bytes for call in calls if isinstance(call, PatchedCalls)), default=0),
            sum(map(self.sum_bytes, calls)),
        )
        used = {self._buffer(name) for name in (*entries, *range_.exits)}
        others = sum(map(self.size, range_.outer - used))
        extra = max(0.0, segment.cost - sum(map(self.whole_cost, range_.calls)))
        live = others + segment.bytes_at_once
        return Way(range_.first, last, live, extra, Streamed(by_name, segment, chunk, patches))

    def sum_bytes(self, call: RowCall | PatchedCalls | SummedCall) -> int:
        """What a call adds rows to."""
        is_summed = isinstance(call, SummedCall)
        return self.sizes.rounded(call.sums.sums.size_bytes) if is_summed else 0

    def entries(self, calls: Stages) -> dict[str, int]:
        """Views that are read and made before, each buffer once."""
        made = {call.result.buffer for call in calls}
        found: dict[str, int] = {}
        buffers: set[str] = set()
        for call in calls:
            for read in call.stage.reads:
                buffer = self._buffer(read.tensor)
                if buffer not in made and buffer not in buffers:
                    buffers.add(buffer)
                    found[read.tensor] = self.size(buffer)
        return found

    def _inner(self, first: int, last: int) -> frozenset[str]:
        """Buffers that nobody needs outside of these steps."""
        found: set[str] = set()
        for step in self._steps[first : last + 1]:
            view = result_of(self.program, step)
            assert view is not None
            begin, end = self._spans[view.buffer]
            if first <= begin and end <= last and self._views_of[view.buffer] == 1:
                found.add(view.buffer)
        return frozenset(found)

    def _ends(self, name: str, last: int) -> bool:
        """Whether a view's buffer is read by nobody behind `last`, and is all that lies there."""
        view = self.program.view[name]
        buffer = self.program.buffer[view.buffer]
        return (
            self._spans[buffer.name][1] <= last
            and view.start.is_constant
            and view.start.base == 0
            and view.type.size_bytes == buffer.size_bytes
            and buffer.name not in self._states
        )

    @cached_property
    def _states(self) -> frozenset[str]:
        return frozenset(self._buffer(state.view) for state in self.program.states)

    def price(
        self,
        call: RowCall | PatchedCalls | SummedCall,
        begin: int,
        end: int,
        patches: int = 0,
        *,
        is_slim: bool = False,
    ) -> Price | None:
        """Of rows begin to end - 1. is_slim: whether the call has less scratch."""
        # One call may make rows in one range, and add rows in another.
        key = type(call), call.stage.name, call.axis, begin, end, patches, is_slim
        if key not in self._prices:
            self._prices[key] = call.price(self.parts, begin, end)
        return self._prices[key]

    def whole_cost(self, call: RowCall | SummedCall) -> float:
        key = type(call), call.stage.name, call.axis, -1, -1, 0, False
        if key not in self._prices:
            self._prices[key] = call.whole_price(self.parts)
        price = self._prices[key]
        return 0.0 if price is None else price.cost

    def _with_patches(self, range_: "RowRange", count: int) -> Stages:
        """The calls of a range, its middles as one stage each if they have patches."""
        found: list[RowCall | PatchedCalls | SummedCall] = []
        axis, at = range_.calls[0].axis, range_.first
        ends = dict(range_.middles) if count else {}
        while at <= range_.last:
            end = ends.get(at)
            made = None if end is None else self._patches(at, end, axis, count)
            found.append(made or range_.calls[at - range_.first])
            at += len(made.calls) if made else 1
        return found

    def _patches(self, first: int, last: int, axis: int, count: int) -> PatchedCalls | None:
        """Calls in so many patches to a row; None if they cannot have so many."""
        key = first, last, axis, count
        if key not in self._patched:
            rows = (self._row_call(at, axis) for at in range(first, last + 1))
            calls = [call for call in rows if isinstance(call, RowCall)]
            self._patched[key] = patched(self.parts, calls, count, self.sizes)
        return self._patched[key]

    def _patch_bytes(self, range_: "RowRange", count: int) -> int:
        """Of the patches of its middles."""
        calls = self._with_patches(range_, count)
        return max(
            (call.patch_bytes for call in calls if isinstance(call, PatchedCalls)), default=0
        )

    def _middles(self, axis: int) -> Sequence[tuple[int, int]]:
        """Neighbouring calls, first and last, that can be computed in patches: one that reads several rows of what the
        one before makes, and around it calls that read a row for each row, as far as tensors get smaller.
        """
        if axis not in self._known_middles:
            self._known_middles[axis] = [*self._found_middles(axis)]
        return self._known_middles[axis]

    def _found_middles(self, axis: int) -> Iterator[tuple[int, int]]:
        found = (self._row_call(at, axis) for at in range(len(self._steps)))
        rows = [call if isinstance(call, RowCall) else None for call in found]
        begin_from = 0
        for at in range(1, len(rows)):
            if _is_row_for_row(rows[at]) is not False or not self._is_handed_on(at - 1, rows):
                continue
            first = at - 1
            if first < begin_from or not _is_row_for_row(rows[first]):
                continue
            while (
                first > begin_from
                and _is_row_for_row(rows[first - 1])
                and self._is_handed_on(first - 1, rows)
                and _read_bytes(self.parts, rows[first - 1]) < _read_bytes(self.parts, rows[first])
            ):
                first -= 1
            last = at
            while (
                last + 1 < len(rows)
                and _is_row_for_row(rows[last + 1])
                and self._is_handed_on(last, rows)
                and _made_bytes(rows[last + 1]) <= _made_bytes(rows[last])
            ):
                last += 1
            if self._patches(first, last, axis, 2) is not None:
                yield first, last
            begin_from = last + 1

    def _is_handed_on(self, at: int, rows: Sequence[RowCall | None]) -> bool:
        """Whether what a step makes is read by the next one alone."""
        call, reader = rows[at], rows[at + 1]
        if call is None or reader is None:
            return False
        buffer = call.result.buffer
        return (
            self._spans[buffer] == (at, at + 1)
            and self._views_of[buffer] == 1
            and any(read.tensor == call.result.name for read in reader.stage.reads)
        )

    def _buffer(self, name: str) -> str:
        return self.program.view[name].buffer

    def size(self, buffer: str) -> int:
        """What it takes of the arena."""
        found = self.program.buffer[buffer]
        is_elsewhere = found.name in self._states or self.program.memory[found.memory].is_caller
        return 0 if is_elsewhere else self.sizes.rounded(found.size_bytes)

    def _live(self, first: int, last: int) -> list[str]:
        """Buffers that are needed while some of these steps run."""
        return [
            name for name, (begin, end) in self._spans.items() if begin <= last and end >= first
        ]


def _live_bytes(way: Way[Choice]) -> int:
    return way.live_bytes


def _chunks(calls: Sequence[RowCall | SummedCall]) -> Iterator[int]:
    """Rows at a time by which the tallest result has one part less than by fewer, the most first; more than a few only
    of vectors, in halves.
    """
    rows = max(call.stage.rows for call in calls)
    parts = {-(-rows // count) for count in range(2, rows + 1)}
    chunks = [chunk for chunk in parts if chunk <= _MOST_ROWS]
    if all(call.row_bytes <= call.result.type.dtype.size_bytes for call in calls):
        halves = (-(-rows // (1 << times)) for times in range(1, rows.bit_length()))
        chunks += (chunk for chunk in halves if _MOST_ROWS < chunk <= _MOST_ELEMENTS)
    return iter(sorted(chunks, reverse=True))


def _is_row_for_row(call: RowCall | None) -> bool | None:
    """Whether each row of the result is computed of at most one of each operand; None of a call without rows."""
    if call is None or isinstance(call.call, Copy):
        return None
    return all(
        end - begin <= 1
        for read in call.stage.reads
        for begin, end in zip(read.begins, read.ends, strict=True)
    )


def _read_bytes(parts: Parts, call: RowCall | None) -> int:
    """Of all tensors whose rows a call reads."""
    assert call is not None
    return sum(parts.program.view[read.tensor].type.size_bytes for read in call.stage.reads)


def _made_bytes(call: RowCall | None) -> int:
    assert call is not None
    return call.result.type.size_bytes
