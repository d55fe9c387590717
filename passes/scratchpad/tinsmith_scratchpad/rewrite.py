"""The Program whose tensors lie where those who touch them reach them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tinsmith_ir.expressions import Expression
from tinsmith_ir.first_fit import needed_bytes
from tinsmith_ir.hazards import step_names, without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.program import (
    Call,
    Copy,
    Engine,
    Loop,
    Memory,
    Program,
    SimpleStep,
    Step,
    Wait,
    simple_steps,
)
from tinsmith_lowering import Beside
from tinsmith_target import Scratchpad

from tinsmith_scratchpad.contents import Contents, Move, Side

COPIES = "dma"
"""The engine that copies, as other passes call it."""

_JOB, _COPY = Expression(0), Expression(1)
"""Tokens: one step is under way at a time."""


@dataclass
class Jobs:
    """Calls of accelerators, none in a loop. beside: the engine of each by name. cut: those that another pass cuts;
    each has the scratchpad for itself. sizes: by the names of buffers, bytes of their twins in the scratchpad, where
    these are smaller: calls that are cut write there behind the results of their tiles, and behind no whole one.
    """

    beside: dict[str, Beside] = field(default_factory=dict[str, Beside])
    cut: set[str] = field(default_factory=set[str])
    sizes: dict[str, int] = field(default_factory=dict[str, int])


def rewritten(
    program: Program,
    jobs: Jobs,
    scratchpad: Scratchpad,
    size_bytes: int,
    *,
    round_trips: bool = False,
) -> Program:
    """The program with the scratchpad.

    jobs: at least one. size_bytes: of the scratchpad. round_trips: nothing stays there from call to call.
    """
    kept = _rewritten(program, jobs, scratchpad, size_bytes, size_bytes, round_trips)
    if needed_bytes(kept)[scratchpad.memory] <= size_bytes:
        return kept
    return _rewritten(program, jobs, scratchpad, size_bytes, 0, round_trips)


def _rewritten(
    program: Program,
    jobs: Jobs,
    scratchpad: Scratchpad,
    size_bytes: int,
    room_bytes: int,
    round_trips: bool,
) -> Program:
    """room_bytes: what may lie there while a call copies by itself, its scratch included; the rest goes."""
    far, *others = program.memories
    far = replace(far, alignment=max(far.alignment, scratchpad.alignment))
    near = Memory(scratchpad.memory, size_bytes, scratchpad.alignment, is_remote=True)
    steps = _Steps(program, jobs, room_bytes, round_trips=round_trips)
    twins = steps.twins
    made = replace(
        program,
        memories=(far, *others, near),
        engines=(*program.engines, *_engines(program, jobs.beside, scratchpad, far.name)),
        steps=steps.all(),
        buffers=(
            *program.buffers,
            *(
                replace(
                    program.buffer[old],
                    name=new,
                    memory=near.name,
                    size_bytes=jobs.sizes.get(old, program.buffer[old].size_bytes),
                )
                for new, old in twins.buffers.items()
            ),
        ),
        views=(
            *program.views,
            *(
                replace(program.view[old], name=new, buffer=buffer)
                for new, (old, buffer) in twins.views.items()
            ),
        ),
    )
    return without_unused(made)


def _engines(
    program: Program, beside: Mapping[str, Beside], scratchpad: Scratchpad, far: str
) -> Iterator[Engine]:
    """Those of the calls, which reach the scratchpad and constants where these lie, and the one of copies. Kernels of
    one engine may differ in what they copy by themselves.
    """
    engines = {each.name: each for each in beside.values()}
    for each in engines.values():
        mine = [call for call in program.calls if _runs_on(each.name, beside.get(call.name))]
        read = (program.written_constant(name) for call in mine for name in call.reads)
        memories = [found.memory for found in read if found is not None and found.memory]
        is_copying = any(beside[call.name].copies for call in mine)
        own = (scratchpad.memory, far) if is_copying else (scratchpad.memory,)
        yield Engine(each.name, tuple(dict.fromkeys((*own, *memories))), each.is_fifo, each.depth)
    addresses = scratchpad.address_alignment or scratchpad.alignment
    lengths = 1 if addresses == scratchpad.alignment else scratchpad.alignment
    yield Engine(
        COPIES, (far, scratchpad.memory), is_fifo=False, alignment=addresses, lengths=lengths
    )


def _runs_on(engine: str, beside: Beside | None) -> bool:
    return beside is not None and beside.name == engine


class _Twins:
    """Views and buffers in the scratchpad. buffers: by name, what each is a twin of; views: that, and their buffer."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._fresh = FreshNames(
            {*program.buffer, *program.view, *program.constant, *program.table}
        )
        self._views: dict[str, str] = {}
        self._buffers: dict[str, str] = {}
        self.buffers: dict[str, str] = {}
        self.views: dict[str, tuple[str, str]] = {}

    def view(self, name: str) -> str:
        """The twin of a view; of a constant, the constant."""
        if name not in self._program.view:
            return name
        if name not in self._views:
            found = self._views[name] = self._fresh.name(f"{name}.near")
            buffer = self._program.view[name].buffer
            if buffer not in self._buffers:
                twin = found if buffer == name else self._fresh.name(f"{buffer}.near")
                self._buffers[buffer] = twin
                self.buffers[twin] = buffer
            self.views[found] = name, self._buffers[buffer]
        return self._views[name]

    def renew(self) -> None:
        """Twins from now on are others than before: a buffer that is left for a while would keep its place."""
        self._views.clear()
        self._buffers.clear()

    def of(self, name: str, side: Side) -> str:
        """The view on that side."""
        return self.view(name) if side is Side.NEAR else name


@dataclass(frozen=True)
class _Pending:
    """A step that was started and not waited for, and the views that it touches."""

    token: Expression
    touched: Collection[str]


class _Steps:
    """The steps anew: copies in front of who reads on the other side, waits as late as they may be."""

    def __init__(self, program: Program, jobs: Jobs, room_bytes: int, *, round_trips: bool) -> None:
        self._program = program
        self._jobs = jobs
        self._room_bytes = room_bytes
        self._round_trips = round_trips
        self._contents = Contents(program)
        self._pending: _Pending | None = None
        self._made: list[Step] = []
        self.twins = _Twins(program)

    def all(self) -> tuple[Step, ...]:
        for index, step in enumerate(self._program.steps):
            beside = self._jobs.beside.get(step.name) if isinstance(step, Call) else None
            reads, writes = _names(step)
            source, result = _sides(beside)
            if isinstance(step, Call) and step.name in self._jobs.cut:
                self._leave(index, ())
                self.twins.renew()
            elif isinstance(step, Call) and step.scratch and beside is not None and beside.copies:
                self._leave(index, self._staying(index, step, () if source is Side.FAR else reads))
            self._move(self._contents.before(reads, (), source))
            self._move(self._contents.before((), writes, result))
            self._contents.written(writes, result)
            if isinstance(step, Call) and beside is not None:
                self._start(self._given(step, beside), _JOB)
                if self._round_trips:
                    self._move(self._contents.leave(Side.NEAR))
            else:
                self._of_core(step, {*reads, *writes})
        self._move(self._contents.before(self._ends(), (), Side.FAR))
        self._wait()
        return tuple(self._made)

    def _staying(self, index: int, call: Call, operands: Sequence[str]) -> Collection[str]:
        """Buffers that stay in the scratchpad beside a call that copies by itself: of what somebody reads later, what
        is read first, as far as there is room. operands: that it reads there.
        """
        own = {self._buffer(name) for name in operands} - {""}
        taken = {*own, *map(self._buffer, filter(None, (call.scratch, *self._near_results(call))))}
        left = self._room_bytes - sum(map(self._size_bytes, taken))
        held = self._contents.held(Side.NEAR)
        for buffer in self._read_from(index + 1):
            if buffer in held and buffer not in own and self._size_bytes(buffer) <= left:
                own.add(buffer)
                left -= self._size_bytes(buffer)
        return own

    def _leave(self, index: int, stay: Collection[str]) -> None:
        """Copy from the scratchpad what is there alone, and is read from this step on. stay: buffers that are left."""
        wanted = self._read_from(index)
        moves = self._contents.leave(Side.NEAR, stay)
        self._move([move for move in moves if self._buffer(move.view) in wanted])

    def _near_results(self, call: Call) -> Sequence[str]:
        """Of a call on an engine, what it writes to the scratchpad itself."""
        return () if self._jobs.beside[call.name].copies_results else call.outputs

    def _size_bytes(self, buffer: str) -> int:
        return self._jobs.sizes.get(buffer, self._program.buffer[buffer].size_bytes)

    def _read_from(self, index: int) -> Sequence[str]:
        """Buffers of which the steps from that one on, or the end, read something, what is read first in front."""
        names = [name for step in self._program.steps[index:] for name in _names(step)[0]]
        buffers = (self._buffer(name) for name in (*names, *self._ends()))
        return [*dict.fromkeys(filter(None, buffers))]

    def _ends(self) -> Sequence[str]:
        """What is read behind the last step."""
        return (*self._program.outputs, *(state.view for state in self._program.states))

    def _move(self, moves: Sequence[Move]) -> None:
        for move in moves:
            source, destination = (
                self.twins.of(move.view, side) for side in (move.side.other, move.side)
            )
            self._start(Copy(source, destination, COPIES, _COPY), _COPY)

    def _given(self, call: Call, beside: Beside) -> Call:
        """The call on its engine, of twins but where it copies by itself. None lies over another: when it reads which
        byte is not known.
        """
        source, result = _sides(beside)
        return replace(
            call,
            engine=beside.name,
            token=_JOB,
            inputs=tuple(name and self.twins.of(name, source) for name in call.inputs),
            outputs=tuple(self.twins.of(name, result) for name in call.outputs),
            scratch=call.scratch and self.twins.view(call.scratch),
            over=(),
        )

    def _start(self, step: Call | Copy, token: Expression) -> None:
        self._wait()
        self._made.append(step)
        reads, writes = step_names(step)
        self._pending = _Pending(token, {*reads, *writes})

    def _of_core(self, step: Step, touched: Collection[str]) -> None:
        if self._pending is not None and self._shares_buffer(touched, self._pending.touched):
            self._wait()
        self._made.append(step)

    def _shares_buffer(self, names: Collection[str], others: Collection[str]) -> bool:
        buffers = ({self._buffer(name) for name in each} for each in (names, others))
        one, other = buffers
        return bool(one & other - {""})

    def _buffer(self, name: str) -> str:
        """Of a view on the side of the cores; "" for others, and for constants."""
        view = self._program.view.get(name)
        return "" if view is None else view.buffer

    def _wait(self) -> None:
        if self._pending is not None:
            self._made.append(Wait(self._pending.token))
            self._pending = None


def _sides(beside: Beside | None) -> tuple[Side, Side]:
    """Where who computes a step, the core if it is None, has its operands and its results."""
    if beside is None:
        return Side.FAR, Side.FAR
    source = Side.FAR if beside.copies_operands else Side.NEAR
    result = Side.FAR if beside.copies_results else Side.NEAR
    return source, result


def _names(step: Step) -> tuple[Sequence[str], Sequence[str]]:
    """What a step, or all steps of a loop, read and write; not scratch, which holds nothing behind its call."""
    simple: Sequence[SimpleStep] = [*simple_steps((step,))] if isinstance(step, Loop) else [step]
    scratch = {each.scratch for each in simple if isinstance(each, Call)}
    pairs = [step_names(each) for each in simple]
    reads = dict.fromkeys(name for names, _ in pairs for name in names)
    writes = dict.fromkeys(name for _, names in pairs for name in names)
    return [*reads], [name for name in writes if name not in scratch]
