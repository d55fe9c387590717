"""Ways to compute neighbouring steps where whole tensors may lie in slow memory: rows come from there by a copy, each
once, through a window, and results go there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

from tinsmith_ir.names import FreshNames
from tinsmith_ir.program import Buffer, Call, Copy, Memory, Program, View
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_splitting.rows import COPY_COST, RowCall
from tinsmith_splitting.search import Path, Way
from tinsmith_splitting.segment import Price, Segment, parts_of
from tinsmith_splitting.stream import Read, Stage, stream
from tinsmith_splitting.sums import SummedCall
from tinsmith_splitting.ways import Choice, RowRange, Streamed, Ways

_BYTES = 1_000_000.0
"""A byte moved counts as so many instructions: these decide between equal traffic."""


class Direct(Enum):
    """Which calls read rows of tensors in slow memory where they lie, without a window."""

    NONE = "none"
    ONCE = "those that read each row once"
    ALL = "all"


@dataclass(frozen=True, eq=False)
class _Here:
    """The program with a view for what each tensor is copied to. here: view -> that."""

    program: Program
    here: Mapping[str, str]


class SpillingWays:
    """Ways of a program within a budget of fast memory."""

    def __init__(self, program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
        self._here = _with_places(program)
        self.ways = Ways(self._here.program, target, kernels)
        self._known: dict[tuple[int, int, Direct, frozenset[str]], Way[Choice] | None] = {}
        self._instructions: dict[Segment, float] = {}

    @property
    def program(self) -> Program:
        """What the ways are of."""
        return self._here.program

    def within(self, fast_bytes: int) -> list[Way[Choice]]:
        """The ways with at most so many live bytes in fast memory.

        Ways of `Ways` have all in fast memory. Others have there what nobody needs behind them alone, and their extra
        cost is foremost the bytes that they read and write elsewhere.
        """
        fast = [way for way in self.ways.within(fast_bytes) if way.live_bytes <= fast_bytes]
        alone = [self._alone(at) for at in range(len(self.ways.steps))]
        streams = [
            self._within(found, direct, fast_bytes)
            for found in self.ways.ranges_of_lines(fast_bytes)
            for direct in Direct
        ]
        found = [*fast, *alone, *(way for way in streams if way is not None)]
        return [way for way in found if way.live_bytes <= fast_bytes]

    def in_instructions(self, path: Path[Choice]) -> Path[Choice]:
        """The same path; extra costs are instructions more than whole tensors take, without what is moved."""
        return Path(
            tuple(
                way if self._is_fast(way) else replace(way, extra=self._extra(way))
                for way in path.ways
            )
        )

    def _is_fast(self, way: Way[Choice]) -> bool:
        """Whether it has all in fast memory, so that its extra cost is one of instructions."""
        if isinstance(way.of, Streamed):
            return way.of.segment not in self._instructions
        return way.of is not None or way.extra < _BYTES

    def _extra(self, way: Way[Choice]) -> float:
        return self._instructions[way.of.segment] if isinstance(way.of, Streamed) else 0.0

    def copied(self, path: Path[Choice]) -> frozenset[str]:
        """The buffers that rows are copied from."""
        views = self.program.view
        return frozenset(
            views[call.call.source].buffer
            for way in path.ways
            if isinstance(way.of, Streamed)
            for call in way.of.calls.values()
            if isinstance(call, RowCall)
            and isinstance(call.call, Copy)
            and call.call.destination in self._here.here.values()
        )

    def _alone(self, at: int) -> Way[Choice]:
        """A step whose operands and results lie in slow memory."""
        step = self.ways.steps[at]
        scratch = step.scratch if isinstance(step, Call) else None
        live = 0 if scratch is None else self.ways.size(self.program.view[scratch].buffer)
        names = (*step.inputs, *step.outputs) if isinstance(step, Call) else ()
        moved = sum(
            self.program.view[name].type.size_bytes
            for name in dict.fromkeys(names)
            if name is not None and name in self.program.view
        )
        return Way(at, at, live, moved * _BYTES, None)

    def _within(self, found: RowRange, direct: Direct, fast_bytes: int) -> Way[Choice] | None:
        """With less scratch where that fits alone."""
        way = self._streamed(found, direct)
        if way is None or way.live_bytes <= fast_bytes:
            return way
        way_of = partial(self._streamed, found, direct)
        return self.ways.slim.fewest(found.calls, fast_bytes, way_of)

    def _streamed(
        self, found: RowRange, direct: Direct, slim: frozenset[str] = frozenset()
    ) -> Way[Choice] | None:
        key = found.first, found.last, direct, slim
        if key not in self._known:
            self._known[key] = self._stream(found, direct, slim)
        return self._known[key]

    def _stream(self, found: RowRange, direct: Direct, slim: frozenset[str]) -> Way[Choice] | None:
        """slim: names of the stages that have less scratch."""
        entries = [*self.ways.entries(found.calls)]
        reads = [
            (call, read)
            for call in found.calls
            for read in call.stage.reads
            if read.tensor in entries
        ]
        where_it_lies = {
            (call.stage.name, read.tensor): _read_bytes(self.program, call, read)
            for call, read in reads
            if direct is Direct.ALL or (direct is Direct.ONCE and _reads_once(call, read))
        }
        if direct is Direct.ONCE and len(where_it_lies) in (0, len(reads)):
            return None  # as another way
        copied = {
            read.tensor
            for call, read in reads
            if (call.stage.name, read.tensor) not in where_it_lies
        }
        entries = [name for name in entries if name in copied]
        here = self._here.here
        if any(name not in here for name in entries):
            return None
        renamed = {name: here[name] for name in entries}
        copies = [self._copy(name, found.calls[0].axis) for name in entries]
        calls: list[RowCall | SummedCall] = [
            *copies,
            *(
                _renamed(
                    call,
                    {
                        name: other
                        for name, other in renamed.items()
                        if (call.stage.name, name) not in where_it_lies
                    },
                    self.program,
                )
                for call in found.calls
            ),
        ]
        stages = [call.stage for call in calls]
        windows = frozenset(
            call.result.name
            for call in calls
            if call.result.buffer in found.inner or call.result.name in renamed.values()
        )
        read = {read.tensor for stage in stages for read in stage.reads}
        if not windows <= read or all(stage.rows == 1 for stage in stages):
            return None
        plan = stream(stages, windows, {stage.name: 1 for stage in stages})
        by_name = {
            call.stage.name: self.ways.slim.of(call) if call.stage.name in slim else call
            for call in calls
        }
        prices: dict[tuple[str, int, int], Price] = {}
        for part in parts_of(plan.actions):
            price = self.ways.price(by_name[part[0]], *part[1:], is_slim=part[0] in slim)
            if price is None:
                return None
            prices[part] = price
        rows = {call.result.name: call.row_bytes for call in calls}
        segment = Segment(
            stages,
            plan,
            self.ways.sizes,
            rows,
            {},
            {},
            frozenset(),
            prices,
            COPY_COST,
            sum_bytes=sum(map(self.ways.sum_bytes, calls)),
        )
        moved = sum(self.program.view[name].type.size_bytes for name in entries)
        moved += sum(where_it_lies.values())
        moved += sum(found.exits.values()) + self._read_again(found)
        moved += sum(
            call.result.type.size_bytes for call in found.calls if isinstance(call, SummedCall)
        )
        extra = moved * _BYTES + segment.cost
        whole = sum(map(self.ways.whole_cost, found.calls))
        self._instructions[segment] = max(0.0, segment.cost - whole)
        of = Streamed(by_name, segment, 1)
        return Way(found.first, found.last, segment.bytes_at_once, extra, of)

    def _read_again(self, found: RowRange) -> int:
        """Bytes that calls read of results that others need, too, and that lie as a whole elsewhere."""
        rows = {call.result.name: call.row_bytes for call in found.calls}
        return sum(
            rows[read.tensor]
            * sum(end - begin for begin, end in zip(read.begins, read.ends, strict=True))
            for call in found.calls
            for read in call.stage.reads
            if read.tensor in found.exits
        )

    def _copy(self, name: str, axis: int) -> RowCall:
        """Rows of a tensor, to where calls read them."""
        here = self.program.view[self._here.here[name]]
        rows = here.type.shape[axis]
        return RowCall(Copy(name, here.name), axis, here, Stage(here.name, here.name, rows, ()), ())


def _read_bytes(program: Program, call: RowCall | SummedCall, read: Read) -> int:
    """Of a tensor by a call that makes one row at a time; of each operand that it is."""
    type_ = program.view[read.tensor].type
    rows = sum(end - begin for begin, end in zip(read.begins, read.ends, strict=True))
    times = call.call.inputs.count(read.tensor) if isinstance(call.call, Call) else 1
    return times * rows * type_.size_bytes // type_.shape[call.axis]


def in_slow_memory(program: Program, buffers: frozenset[str], name: str) -> Program:
    """The program with these buffers in a memory of that name behind the first one."""
    if not buffers & {*program.buffer}:
        return program
    first, *others = program.memories
    moved = tuple(
        replace(found, memory=name) if found.name in buffers else found for found in program.buffers
    )
    slow = Memory(name, None, first.alignment)
    return replace(program, memories=(first, slow, *others), buffers=moved)


def _with_places(program: Program) -> _Here:
    fresh = FreshNames({*program.view, *program.buffer, *program.constant}).name
    arena = program.memories[0].name
    buffers: list[Buffer] = []
    views: list[View] = []
    here: dict[str, str] = {}
    for view in program.views:
        if not view.is_dense or program.buffer[view.buffer].memory != arena:
            continue
        name = fresh(f"{view.name}.here")
        here[view.name] = name
        buffers.append(Buffer(name, view.type.size_bytes, arena))
        views.append(View(name, view.type, name))
    made = replace(program, buffers=(*program.buffers, *buffers), views=(*program.views, *views))
    return _Here(made, here)


def _reads_once(call: RowCall | SummedCall, read: Read) -> bool:
    """Whether no row is read for two rows of the result, or as two operands."""
    step = call.call
    is_one = isinstance(step, Call) and step.inputs.count(read.tensor) == 1
    return is_one and all(
        end <= begin for end, begin in zip(read.ends, read.begins[1:], strict=False)
    )


def _renamed(
    call: RowCall | SummedCall, names: Mapping[str, str], program: Program
) -> RowCall | SummedCall:
    """A call that reads copies."""
    reads = tuple(
        replace(read, tensor=names.get(read.tensor, read.tensor)) for read in call.stage.reads
    )
    step = call.call
    if isinstance(call, SummedCall):
        name = call.operand.name
        operand = program.view[names.get(name, name)]
        return replace(call, operand=operand, stage=replace(call.stage, reads=reads))
    if isinstance(step, Call):
        step = replace(step, inputs=tuple(name and names.get(name, name) for name in step.inputs))
    return replace(call, call=step, stage=replace(call.stage, reads=reads))
