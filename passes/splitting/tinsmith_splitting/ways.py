"""The ways to compute neighbouring steps of a Program together, with the bytes and the cost of each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.lifetimes import lifetimes
from tinsmith_ir.overlaps import most_shared, overlap_of_buffers
from tinsmith_ir.program import Call, Copy, Program, SimpleStep, simple_steps
from tinsmith_lowering import Kernel, Layer
from tinsmith_target import Target

from tinsmith_splitting.rows import Parts, RowCall, result_of, row_axis, row_call
from tinsmith_splitting.search import Way
from tinsmith_splitting.segment import Price, Segment, Sizes, parts_of
from tinsmith_splitting.stream import stream

_MOST_ROWS = 16
"""That each call makes at a time."""

_CALL_COST = 250.0
"""Instructions of a call beside what it computes, where nobody has measured its kernel."""

_COPY_COST = (30.0, 0.15)
"""Instructions of one copy, and of one of its bytes."""


@dataclass(frozen=True, eq=False)
class Streamed:
    """Calls whose rows stream. calls: by name. chunk: how many rows each makes at a time."""

    calls: Mapping[str, RowCall]
    segment: Segment
    chunk: int


Choice = Streamed | None
"""None: a step as it is."""


@dataclass(frozen=True, eq=False)
class _Range:
    """Steps first to last, which could stream together.

    inner: buffers that nobody needs outside of them; outer: others that are needed meanwhile, without the scratch of
    whole calls. exits: views of the results that are needed outside -> bytes. lines: bytes of a line of each inner
    buffer, which calls from `first` to behind `last` take at least. around: bytes that whole tensors take at least,
    whatever lies over what.
    """

    first: int
    last: int
    calls: Sequence[RowCall]
    inner: frozenset[str]
    outer: frozenset[str]
    exits: Mapping[str, int]
    lines: int
    around: int


class Ways:
    """All ways of a program, its constants as the graph has them."""

    def __init__(self, program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
        self.program = program
        self.parts = Parts(program, target, kernels)
        self._steps = tuple(simple_steps(program.steps))
        self._sizes = Sizes(max(memory.alignment for memory in program.memories))
        self._spans = lifetimes(program)
        self._rows: dict[tuple[int, int], RowCall | None] = {}
        self._known_ranges: dict[tuple[int, int], _Range | None] = {}
        self._known: dict[tuple[int, int, int], Way[Choice] | None] = {}
        self._prices: dict[tuple[str, int, int, int], Price | None] = {}
        self._views_of = Counter(view.buffer for view in program.views)

    @property
    def steps(self) -> tuple[SimpleStep, ...]:
        """The steps of the program, in order."""
        return self._steps

    def within(self, budget: int, aim: int | None = None) -> list[Way[Choice]]:
        """The ways with at most so many live bytes; of neighbouring calls that stream the one with most rows at a time,
        and only where one of them does not fit as it is.

        aim: those with at most so many live bytes are asked for in the same way, and the least that exceed it.
        """
        found = [way for way in self.as_they_are if way.live_bytes <= budget]
        wanted = budget if aim is None else min(aim, budget)
        for range_ in self._ranges(budget):
            alone = self.as_they_are[range_.first : range_.last + 1]
            if all(way.live_bytes <= wanted for way in alone):
                continue
            # What does not fit one row at a time does not fit with more.
            least = self._way(range_, 1)
            if least is None or least.live_bytes > budget:
                continue
            if least.live_bytes > wanted:
                found.append(least)
                continue
            ways = (self._way(range_, chunk) for chunk in _chunks(range_.calls))
            found.append(next(way for way in ways if way and way.live_bytes <= wanted))
        return found

    def smallest(self) -> list[Way[Choice]]:
        """Each step as it is, and all neighbouring calls that stream, one row at a time."""
        budget = max(way.live_bytes for way in self.as_they_are)
        streams = (self._way(range_, 1) for range_ in self._ranges(budget))
        return [*self.as_they_are, *(way for way in streams if way is not None)]

    @cached_property
    def as_they_are(self) -> list[Way[Choice]]:
        """Each step by itself, whole."""
        return [self._as_it_is(at) for at in range(len(self._steps))]

    def _as_it_is(self, at: int) -> Way[Choice]:
        step = self._steps[at]
        live = sum(self._size(name) for name in self._live(at, at))
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
                best = max(best, most_shared(sizes, *leave, self._sizes.unit))
        return best

    def _ranges(self, budget: int) -> Iterator["_Range"]:
        """Neighbouring steps that could stream together, and might do with so many bytes."""
        for first in range(len(self._steps)):
            for last in range(first, len(self._steps)):
                if (first, last) not in self._known_ranges:
                    self._known_ranges[first, last] = self._range(first, last)
                found = self._known_ranges[first, last]
                if found is None or found.lines > budget:
                    break
                if found.around <= budget:
                    yield found

    def _range(self, first: int, last: int) -> "_Range | None":
        calls = self._row_calls(first, last)
        if calls is None:
            return None
        inner = self._inner(first, last)
        scratch = (call.call.scratch for call in calls if isinstance(call.call, Call))
        apart = inner | {self._buffer(name) for name in scratch if name is not None}
        outer = frozenset(name for name in self._live(first, last) if name not in apart)
        exits = {
            call.result.name: self._size(call.result.buffer)
            for call in calls
            if call.result.buffer not in inner
        }
        return _Range(
            first,
            last,
            calls,
            inner,
            outer,
            exits,
            lines=sum(call.row_bytes for call in calls if call.result.buffer in inner),
            around=sum(map(self._size, outer)) - max(exits.values(), default=0),
        )

    def _row_calls(self, first: int, last: int) -> list[RowCall] | None:
        """The calls as stages, if they can stream along one axis and share the rows of what lies between."""
        steps = self._steps[first : last + 1]
        results = [result_of(self.program, step) for step in steps]
        axis = row_axis([view.type.shape for view in results if view is not None])
        if axis is None or None in results:
            return None
        found: list[RowCall] = []
        for at, step in enumerate(steps, first):
            if (at, axis) not in self._rows:
                self._rows[at, axis] = row_call(self.parts, step, axis)
            stage = self._rows[at, axis]
            if stage is None:
                return None
            found.append(stage)
        made = {call.result.buffer: call.result.name for call in found}
        for call in found:
            for read in call.stage.reads:
                buffer = self._buffer(read.tensor)
                if made.get(buffer, read.tensor) != read.tensor:
                    return None  # another shape of it
        return found

    def _way(self, range_: "_Range", chunk: int) -> Way[Choice] | None:
        """The calls of a range with so many rows at a time; None if they do not stream."""
        key = range_.first, range_.last, chunk
        if key not in self._known:
            self._known[key] = self._streamed(range_, chunk)
        return self._known[key]

    def _streamed(self, range_: "_Range", chunk: int) -> Way[Choice] | None:
        calls, last = range_.calls, range_.last
        stages = [call.stage_of(chunk) for call in calls]
        windows = frozenset(
            call.result.name for call in calls if call.result.buffer in range_.inner
        )
        read = {read.tensor for stage in stages for read in stage.reads}
        if not windows <= read or all(stage.rows <= chunk for stage in stages):
            return None  # nobody reads one, or nothing is cut
        plan = stream(stages, windows, {stage.name: chunk for stage in stages})
        by_name = {call.stage.name: call for call in calls}
        prices: dict[tuple[str, int, int], Price] = {}
        for part in parts_of(plan.actions):
            price = self._price(by_name[part[0]], *part[1:])
            if price is None:
                return None
            prices[part] = price
        entries = self._entries(calls)
        rows = {call.result.name: call.row_bytes for call in calls}
        for call in calls:
            for name in (read.tensor for read in call.stage.reads):
                view = self.program.view[name]
                rows[name] = view.type.size_bytes // view.type.shape[call.axis]
        segment = Segment(
            stages,
            plan,
            self._sizes,
            rows,
            entries,
            range_.exits,
            frozenset(name for name in entries if self._ends(name, last)),
            prices,
            _COPY_COST,
        )
        used = {self._buffer(name) for name in (*entries, *range_.exits)}
        others = sum(map(self._size, range_.outer - used))
        extra = max(0.0, segment.cost - sum(map(self._whole_cost, calls)))
        live = others + segment.bytes_at_once
        return Way(range_.first, last, live, extra, Streamed(by_name, segment, chunk))

    def _entries(self, calls: Sequence[RowCall]) -> dict[str, int]:
        """Views that are read and made before, each buffer once."""
        made = {call.result.buffer for call in calls}
        found: dict[str, int] = {}
        buffers: set[str] = set()
        for call in calls:
            for read in call.stage.reads:
                buffer = self._buffer(read.tensor)
                if buffer not in made and buffer not in buffers:
                    buffers.add(buffer)
                    found[read.tensor] = self._size(buffer)
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

    def _price(self, call: RowCall, begin: int, end: int) -> Price | None:
        key = call.stage.name, call.axis, begin, end
        if key not in self._prices:
            self._prices[key] = self._found_price(call, begin, end)
        return self._prices[key]

    def _found_price(self, call: RowCall, begin: int, end: int) -> Price | None:
        if isinstance(call.call, Copy):
            once, each = _COPY_COST
            return Price(0, once + each * (end - begin) * call.row_bytes)
        choice = self.parts.choice(call.call, call.axis, begin, end)
        return choice and Price(
            choice.kernel.scratch_bytes(choice.layer), cost_of(choice.kernel, choice.layer)
        )

    def _whole_cost(self, call: RowCall) -> float:
        price = self._price(call, 0, call.stage.rows)
        return 0.0 if price is None else price.cost

    def _buffer(self, name: str) -> str:
        return self.program.view[name].buffer

    def _size(self, buffer: str) -> int:
        """What it takes of the arena."""
        found = self.program.buffer[buffer]
        is_elsewhere = found.name in self._states or self.program.memory[found.memory].is_caller
        return 0 if is_elsewhere else self._sizes.rounded(found.size_bytes)

    def _live(self, first: int, last: int) -> list[str]:
        """Buffers that are needed while some of these steps run."""
        return [
            name for name, (begin, end) in self._spans.items() if begin <= last and end >= first
        ]


def _chunks(calls: Sequence[RowCall]) -> Iterator[int]:
    """Rows at a time by which the tallest result has one part less than by fewer, the most first."""
    rows = max(call.stage.rows for call in calls)
    parts = {-(-rows // count) for count in range(2, rows + 1)}
    return iter(sorted((chunk for chunk in parts if chunk <= _MOST_ROWS), reverse=True))


def cost_of(kernel: Kernel, layer: Layer) -> float:
    """Instructions of a call, about."""
    cost = kernel.cost(layer)
    if cost is not None:
        return float(cost.cycles)
    macs = layer.operator.macs(layer.inputs, layer.outputs)
    return _CALL_COST + macs + layer.output.elements
