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
from tinsmith_splitting.stream import Stage, stream

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


class Ways:
    """All ways of a program, its constants as the graph has them."""

    def __init__(self, program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
        self.program = program
        self.parts = Parts(program, target, kernels)
        self._steps = tuple(simple_steps(program.steps))
        self._sizes = Sizes(max(memory.alignment for memory in program.memories))
        self._spans = lifetimes(program)
        self._rows: dict[tuple[int, int], RowCall | None] = {}
        self._known: dict[tuple[int, int, int], Way[Choice] | None] = {}
        self._prices: dict[tuple[str, int, int, int], Price | None] = {}
        self._views_of = Counter(view.buffer for view in program.views)

    @property
    def steps(self) -> tuple[SimpleStep, ...]:
        """The steps of the program, in order."""
        return self._steps

    def within(self, budget: int) -> list[Way[Choice]]:
        """The ways with at most so many live bytes; of neighbouring calls that stream the one with most rows at a time,
        and only where one of them does not fit as it is.
        """
        alone = self.as_they_are
        found = [way for way in alone if way.live_bytes <= budget]
        for first in range(len(self._steps)):
            is_needed = False
            for last in range(first, len(self._steps)):
                calls = self._row_calls(first, last)
                if calls is None or self._lines_alone(first, last, calls) > budget:
                    break
                is_needed = is_needed or alone[last].live_bytes > budget
                if is_needed and self._around(first, last, calls) <= budget:
                    fitting = (self._way(first, last, calls, chunk) for chunk in _chunks(calls))
                    way = next((way for way in fitting if way and way.live_bytes <= budget), None)
                    found += [] if way is None else [way]
        return found

    def smallest(self) -> list[Way[Choice]]:
        """Each step as it is, and all neighbouring calls that stream, one row at a time."""
        found = [*self.as_they_are]
        budget = max(way.live_bytes for way in found)
        for first in range(len(self._steps)):
            for last in range(first, len(self._steps)):
                calls = self._row_calls(first, last)
                if calls is None or self._lines_alone(first, last, calls) > budget:
                    break
                if self._around(first, last, calls) <= budget:
                    way = self._way(first, last, calls, 1)
                    found += [] if way is None else [way]
        return found

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

    def _way(
        self, first: int, last: int, calls: Sequence[RowCall], chunk: int
    ) -> Way[Choice] | None:
        key = first, last, chunk
        if key not in self._known:
            chunks = {call.stage.name: chunk for call in calls}
            self._known[key] = self._streamed(first, last, calls, chunks, chunk)
        return self._known[key]

    def _lines_alone(self, first: int, last: int, calls: Sequence[RowCall]) -> int:
        """One line of each window: what calls from `first` to behind `last` take at least."""
        inner = self._inner(first, last)
        return sum(call.row_bytes for call in calls if call.result.buffer in inner)

    def _around(self, first: int, last: int, calls: Sequence[RowCall]) -> int:
        """What whole tensors take at least, whatever lies over what."""
        inner = self._inner(first, last)
        scratch = self._scratch_of(calls)
        apart = inner | scratch
        live = [self._size(name) for name in self._live(first, last) if name not in apart]
        exits = [
            self._size(call.result.buffer) for call in calls if call.result.buffer not in inner
        ]
        return sum(live) - max(exits, default=0)

    def _scratch_of(self, calls: Sequence[RowCall]) -> set[str]:
        found = (call.call.scratch for call in calls if isinstance(call.call, Call))
        return {self._buffer(name) for name in found if name is not None}

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

    def _streamed(
        self,
        first: int,
        last: int,
        calls: Sequence[RowCall],
        chunks: Mapping[str, int],
        chunk: int,
    ) -> Way[Choice] | None:
        stages = [call.stage_of(chunks[call.stage.name]) for call in calls]
        inner = self._inner(first, last)
        windows = frozenset(call.result.name for call in calls if call.result.buffer in inner)
        if any(not self._is_read(name, stages) for name in windows):
            return None
        if all(call.stage.rows <= chunks[call.stage.name] for call in calls):
            return None  # nothing is cut
        plan = stream(stages, windows, chunks)
        by_name = {call.stage.name: call for call in calls}
        prices: dict[tuple[str, int, int], Price] = {}
        for part in parts_of(plan.actions):
            price = self._price(by_name[part[0]], *part[1:])
            if price is None:
                return None
            prices[part] = price
        entries = self._entries(first, last, calls)
        exits = {
            call.result.name: self._size(call.result.buffer)
            for call in calls
            if call.result.buffer not in inner
        }
        rows = {call.result.name: call.row_bytes for call in calls}
        for call in calls:
            for read in call.stage.reads:
                view = self.program.view[read.tensor]
                rows[read.tensor] = view.type.size_bytes // view.type.shape[call.axis]
        segment = Segment(
            stages,
            plan,
            self._sizes,
            rows,
            entries,
            exits,
            frozenset(name for name in entries if self._ends(name, last)),
            prices,
            _COPY_COST,
        )
        used = {self._buffer(name) for name in (*entries, *exits)} | inner
        scratch = self._scratch_of(calls)
        others = sum(
            self._size(name) for name in self._live(first, last) if name not in used | scratch
        )
        whole = sum(self._whole_cost(call) for call in calls)
        extra = max(0.0, segment.cost - whole)
        live = others + segment.bytes_at_once
        return Way(first, last, live, extra, Streamed(by_name, segment, chunk))

    def _entries(self, first: int, last: int, calls: Sequence[RowCall]) -> dict[str, int]:
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

    def _is_read(self, name: str, stages: Sequence[Stage]) -> bool:
        return any(read.tensor == name for stage in stages for read in stage.reads)

    def _inner(self, first: int, last: int) -> set[str]:
        """Buffers that nobody needs outside of these steps."""
        found: set[str] = set()
        for step in self._steps[first : last + 1]:
            view = result_of(self.program, step)
            assert view is not None
            begin, end = self._spans[view.buffer]
            if first <= begin and end <= last and self._views_of[view.buffer] == 1:
                found.add(view.buffer)
        return found

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
