"""The Program level: how it is computed, on a given target.

Buffers are bytes in named memories; views say which tensor lies where in them; steps run in order, some of them
beside the core that started them. A Call keeps the graph operator it carries out, so its meaning stays checkable;
`kernel` names the C routine chosen for it. Addresses and order are part of the Program (and of its text), so a
person can edit a plan and have it checked again.

Loops are writing: what a Program with loops means is `unrolled(program)`, and every analysis reads that.

A Program is run on one set of inputs after another. Nothing stays in its memories from run to run but its states.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.expressions import ZERO, Expression
from tinsmith_ir.graph import Array, Location
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.strides import dense_strides as element_strides
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Memory(Checked):
    """A memory that buffers are placed in.

    size_bytes: None means as large as needed. alignment: of its start, and of every buffer in it, in bytes.
    is_remote: the core cannot load from and store to it; only copies of engines that reach it do.
    is_caller: it belongs to who calls the program, and holds inputs alone; copies of the core ask for their bytes, in
    order and each byte once, as a camera or a file gives them.
    """

    name: str
    size_bytes: int | None = None
    alignment: int = 16
    is_remote: bool = False
    is_caller: bool = False


@dataclass(frozen=True)
class Engine(Checked):
    """What runs beside the core that starts it: a DMA, an accelerator.

    reaches: the memories that it reads and writes. is_fifo: it ends steps in the order in which they were started.
    depth: how many unfinished steps it holds; None is any number. alignment: of addresses and lengths of its
    copies, in bytes. lengths: of what, too, lengths of its copies are multiples, in bytes.
    """

    name: str
    reaches: tuple[str, ...]
    is_fifo: bool = True
    depth: int | None = None
    alignment: int = 1
    lengths: int = 1


@dataclass(frozen=True)
class Buffer(Checked):
    """Bytes in a memory.

    offset: bytes from the start of the memory; None until the allocation pass has run.
    """

    name: str
    size_bytes: int
    memory: str
    offset: int | None = None


@dataclass(frozen=True)
class Ring(Checked):
    """Index `i` along `axis` is line `(at + i) mod lines` of the buffer."""

    axis: int
    lines: int
    at: Expression = ZERO


@dataclass(frozen=True)
class Within(Checked):
    """Of which larger tensor a view in a layout is a part.

    shape: of the larger one. begin: the index there of the part's first element.
    """

    shape: tuple[int, ...]
    begin: tuple[int, ...]


@dataclass(frozen=True)
class View(Checked):
    """A tensor on a buffer: where each of its elements lies.

    Element (i, j, ...) begins at byte start + i * strides[0] + j * strides[1] + ..., `start` counted from the
    buffer's first byte; with a ring, one axis counts modulo its lines. strides: bytes; None if the elements lie
    densely, row by row. layout: of an `ElementLayout` that says it all instead of strides and ring, "" for none.
    within: its elements lie where the layout has them in a larger tensor, whose first byte `start` is then; None where
    the view is all of it.
    """

    name: str
    type: TensorType
    buffer: str
    start: Expression = ZERO
    strides: tuple[int, ...] | None = None
    ring: Ring | None = None
    layout: str = ""
    within: Within | None = None

    @property
    def laid_out(self) -> TensorType:
        """What its layout is asked of: its own type, or that of the tensor of which it is a part."""
        return self.type if self.within is None else TensorType(self.within.shape, self.type.dtype)

    @property
    def is_dense(self) -> bool:
        """True if its bytes follow one another as a dense array's do."""
        return (
            not self.layout
            and self.ring is None
            and (
                self.strides is None
                or all(
                    have == want or extent == 1
                    for have, want, extent in zip(
                        self.strides, dense_strides(self.type), self.type.shape, strict=True
                    )
                )
            )
        )

    def part(self, name: str, box: Box) -> "View":
        """The view of the elements of `box`, where they are; of a view without a ring, that is no part in a layout."""
        if self.layout:
            within = Within(self.type.shape, tuple(begin for begin, _ in box.ranges))
            return replace(self, name=name, type=cut_type(self.type, box), within=within)
        strides = self.strides or dense_strides(self.type)
        first = sum(begin * step for (begin, _), step in zip(box.ranges, strides, strict=True))
        start = Expression(self.start.base + first, self.start.terms)
        part = View(name, cut_type(self.type, box), self.buffer, start, strides)
        return replace(part, strides=None) if part.is_dense else part

    @property
    def counters(self) -> frozenset[str]:
        """Counters of loops that move it."""
        counters = self.start.counters
        return counters if self.ring is None else counters | self.ring.at.counters


@dataclass(frozen=True, eq=False)
class ConstantBuffer(Checked):
    """Read-only data: an operand of the graph, or what a kernel reads besides (see Call.reads).

    layout: "" for an operand; else how a kernel wants its bytes, which the kernel's `prepare` knows. memory: where its
    bytes lie, beside all buffers there; "" for where the core and all engines read them.
    """

    name: str
    type: TensorType
    data: Array
    layout: str = ""
    memory: str = ""

    def part(self, name: str, box: Box) -> "ConstantBuffer":
        """A constant of the elements of `box`; of an operand."""
        data = np.ascontiguousarray(self.data[box.slices])
        return ConstantBuffer(name, cut_type(self.type, box), data, memory=self.memory)


@dataclass(frozen=True)
class ConstantTable(Checked):
    """A name for one constant or another, by where the loops around a step are: member number `index`, from 0 on.

    members: constants of one shape and element type, one layout and one memory; their quantizations may differ.
    """

    name: str
    index: Expression
    members: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Kept(Checked):
    """A state: a view whose bytes stay from run to run. Before the first run they are those of `initial`."""

    view: str
    initial: Array


@dataclass(frozen=True)
class Guard(Checked):
    """A step runs in iterations begin to end - 1 of the loop with that counter."""

    counter: str
    begin: int
    end: int


@dataclass(frozen=True)
class Overlap(Checked):
    """How the result of a call may lie over one of its operands: where its kernel reads every byte before it writes it.

    A distance is where the result begins less where the operand begins, in bytes; both are dense. Where the two
    share no byte, no leave is wanted.
    operand: index in Call.inputs. at_most, at_least: any distance up to, and from there on; None for none.
    exactly: others.
    """

    operand: int
    at_most: int | None = None
    at_least: int | None = None
    exactly: tuple[int, ...] = ()

    @property
    def says_any(self) -> bool:
        """True if some distance is allowed."""
        return self.at_most is not None or self.at_least is not None or bool(self.exactly)

    def allows(self, distance: int) -> bool:
        """True if the result may lie at that distance."""
        return (
            (self.at_most is not None and distance <= self.at_most)
            or (self.at_least is not None and distance >= self.at_least)
            or distance in self.exactly
        )

    def covers(self, other: "Overlap") -> bool:
        """True if all that `other` allows is allowed."""
        return (
            (other.at_most is None or (self.at_most is not None and other.at_most <= self.at_most))
            and (
                other.at_least is None
                or (self.at_least is not None and other.at_least >= self.at_least)
            )
            and all(map(self.allows, other.exactly))
        )


@dataclass(frozen=True)
class Option(Checked):
    """A choice among ways to compute the same; a word is a value, too."""

    name: str
    value: int | str


@dataclass(frozen=True)
class Held(Checked):
    """A view that holds a copy of a constant, where a call's kernel reads it."""

    constant: str
    view: str


@dataclass(frozen=True)
class Call(Checked):
    """Run `kernel`, which computes `operator`, perhaps a Chain.

    inputs: names of views or constants, None for an absent optional operand.
    outputs: names of views.
    scratch: name of a view that is live during this call only, or None.
    reason: why this kernel and not the target's best one; "" when it is the best one.
    engine, token: what runs it, and what a Wait for its end names; None if the core runs it to its end.
    reads: constants whose bytes the kernel reads, known once they are prepared. `inputs` stay what the
    call means, whether the kernel reads their bytes or an arrangement of them.
    held: of these, the ones that the kernel reads where they were copied to, in the order of `reads`; the views hold
    the very bytes then. The others it reads where constants are.
    over: operands over which the result may lie, and how; over any other it may not.
    options: what was chosen where the kernel leaves a choice that changes no bit of the result; ordered by name.
    """

    name: str
    kernel: str
    operator: Operator
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    scratch: str | None = None
    reason: str = ""
    engine: str | None = None
    token: Expression | None = None
    guard: Guard | None = None
    location: Location = field(default=Location(), compare=False)
    reads: tuple[str, ...] = ()
    over: tuple[Overlap, ...] = ()
    options: tuple[Option, ...] = ()
    held: tuple[Held, ...] = ()


@dataclass(frozen=True)
class Copy(Checked):
    """Copy a view or constant to a view of the same shape and element type, whatever their layouts.

    engine, token: as of a Call.
    """

    source: str
    destination: str
    engine: str | None = None
    token: Expression | None = None
    guard: Guard | None = None


@dataclass(frozen=True)
class Fill(Checked):
    """Write one integer (false or true as 0 or 1; for f32, 0) to every element of a view."""

    destination: str
    value: int = 0
    guard: Guard | None = None


@dataclass(frozen=True)
class Wait(Checked):
    """Wait for the end of the step that was started with that token."""

    token: Expression
    guard: Guard | None = None


@dataclass(frozen=True)
class Loop(Checked):
    """The steps of `body`, `count` times, with `counter` 0 to count - 1."""

    counter: str
    count: int
    body: "tuple[Call | Copy | Fill | Wait | Loop, ...]"


SimpleStep = Call | Copy | Fill | Wait
Step = SimpleStep | Loop


@dataclass(frozen=True, eq=False)
class Program(Checked):
    """Buffers, views, constants and steps in execution order.

    inputs, outputs: names of dense views, in the order of the graph's. states: dense views, too.
    target: name of the target it was lowered for.
    """

    name: str
    target: str
    memories: tuple[Memory, ...]
    buffers: tuple[Buffer, ...]
    views: tuple[View, ...]
    constants: tuple[ConstantBuffer, ...]
    steps: tuple[Step, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    engines: tuple[Engine, ...] = ()
    states: tuple[Kept, ...] = ()
    tables: tuple[ConstantTable, ...] = ()

    @cached_property
    def buffer(self) -> Mapping[str, Buffer]:
        """Buffers by name."""
        return {buffer.name: buffer for buffer in self.buffers}

    @cached_property
    def view(self) -> Mapping[str, View]:
        """Views by name."""
        return {view.name: view for view in self.views}

    @cached_property
    def constant(self) -> Mapping[str, ConstantBuffer]:
        """Constants by name."""
        return {constant.name: constant for constant in self.constants}

    @cached_property
    def table(self) -> Mapping[str, ConstantTable]:
        """Tables of constants by name."""
        return {table.name: table for table in self.tables}

    def written_constant(self, name: str | None) -> ConstantBuffer | None:
        """The constant of that name, of a table its first member; None for other names."""
        table = self.table.get(name or "")
        return self.constant.get((name or "") if table is None else table.members[0])

    def is_fetch(self, step: Step) -> bool:
        """Whether it copies a constant that lies where no core loads from."""
        constant = self.written_constant(step.source) if isinstance(step, Copy) else None
        if constant is None or not constant.memory:
            return False
        return self.memory[constant.memory].is_remote

    @cached_property
    def memory(self) -> Mapping[str, Memory]:
        """Memories by name."""
        return {memory.name: memory for memory in self.memories}

    @cached_property
    def planned_memories(self) -> tuple[Memory, ...]:
        """Those that buffers lie in or could: not those of constants alone, which a linker fills."""
        filled = {constant.memory for constant in self.constants}
        filled -= {buffer.memory for buffer in self.buffers}
        return tuple(memory for memory in self.memories if memory.name not in filled)

    @cached_property
    def engine(self) -> Mapping[str, Engine]:
        """Engines by name."""
        return {engine.name: engine for engine in self.engines}

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The kernel calls as written, those in loops once."""
        return tuple(step for step in simple_steps(self.steps) if isinstance(step, Call))

    def type_of(self, name: str) -> TensorType:
        """Type of a view or constant, of a table that of its first member; raises KeyError for an unknown name."""
        if name in self.table:
            name = self.table[name].members[0]
        return self.view[name].type if name in self.view else self.constant[name].type

    def types_of(self, call: Call) -> tuple[tuple[TensorType | None, ...], tuple[TensorType, ...]]:
        """Types of a call's operands, None of an absent one, and of its results; raises KeyError as `type_of`."""
        inputs = tuple(None if name is None else self.type_of(name) for name in call.inputs)
        return inputs, tuple(self.type_of(name) for name in call.outputs)

    @property
    def ends(self) -> tuple[str, ...]:
        """Inputs, states and outputs: views whose bytes others write before a run, or read after it."""
        return (*self.inputs, *(state.view for state in self.states), *self.outputs)

    def buffer_of(self, name: str) -> Buffer:
        """The buffer that a view lies on; raises KeyError for an unknown name."""
        return self.buffer[self.view[name].buffer]

    def is_remote(self, name: str) -> bool:
        """Whether a view lies where no core loads from; raises KeyError for an unknown name."""
        return self.memory[self.buffer_of(name).memory].is_remote

    def with_buffers(self, buffers: tuple[Buffer, ...]) -> "Program":
        """The same program with other buffers (placed ones, say)."""
        return replace(self, buffers=buffers)


def simple_steps(steps: tuple[Step, ...]) -> Iterator[SimpleStep]:
    """The steps as written, those in loops once."""
    for step in steps:
        if isinstance(step, Loop):
            yield from simple_steps(step.body)
        else:
            yield step


def changed_steps(
    steps: tuple[Step, ...], change: Callable[[SimpleStep], Sequence[SimpleStep]]
) -> tuple[Step, ...]:
    """The steps with each simple one replaced by those that `change` gives, in loops, too."""
    found: list[Step] = []
    for step in steps:
        if isinstance(step, Loop):
            found.append(replace(step, body=changed_steps(step.body, change)))
        else:
            found.extend(change(step))
    return tuple(found)


def dense_strides(type_: TensorType) -> tuple[int, ...]:
    """Bytes from one index to the next along each axis of a dense array."""
    return tuple(type_.dtype.size_bytes * step for step in element_strides(type_.shape))


def tensor(
    name: str, type_: TensorType, memory: str, offset: int | None = None
) -> tuple[Buffer, View]:
    """A buffer that holds one dense tensor, and the view of that tensor; both have its name."""
    return Buffer(name, type_.size_bytes, memory, offset), View(name, type_, name)


def unrolled(program: Program) -> Program:
    """The program without loops and tables of constants: what it means.

    Steps and views in loops are repeated; their names then say the iteration (`tile@i=2`).
    Raises GraphError where a step reads a counter outside of its loop, or a table has no entry.
    """
    if not program.tables and not any(isinstance(step, Loop) for step in program.steps):
        return program
    unroller = _Unroller(program)
    steps = tuple(unroller.step(*instance) for instance in instances(program.steps))
    views = tuple(view for view in program.views if not view.counters)
    return replace(program, views=(*views, *unroller.views.values()), steps=steps, tables=())


def instances(
    steps: tuple[Step, ...], counters: Mapping[str, int] | None = None
) -> Iterator[tuple[SimpleStep, Mapping[str, int]]]:
    """Each simple step as written, as often as it runs, and the counters of the loops around it then.

    Raises GraphError where a guard reads a counter outside of its loop.
    """
    counters = counters or {}
    for step in steps:
        if isinstance(step, Loop):
            for index in range(step.count):
                yield from instances(step.body, {**counters, step.counter: index})
        elif _is_due(step.guard, counters):
            yield step, counters


class _Unroller:
    """views: those that loops move, one for each place that a step asks for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.views: dict[str, View] = {}

    def step(self, step: SimpleStep, counters: Mapping[str, int]) -> SimpleStep:
        match step:
            case Call():
                return replace(
                    step,
                    name=_at(step.name, counters),
                    inputs=tuple(name and self._place(name, counters) for name in step.inputs),
                    outputs=tuple(self._place(name, counters) for name in step.outputs),
                    scratch=step.scratch and self._place(step.scratch, counters),
                    reads=tuple(self._place(name, counters) for name in step.reads),
                    held=tuple(
                        Held(self._place(held.constant, counters), self._place(held.view, counters))
                        for held in step.held
                    ),
                    token=step.token and _fixed(step.token, counters),
                    guard=None,
                )
            case Copy():
                return replace(
                    step,
                    source=self._place(step.source, counters),
                    destination=self._place(step.destination, counters),
                    token=step.token and _fixed(step.token, counters),
                    guard=None,
                )
            case Fill():
                return replace(
                    step, destination=self._place(step.destination, counters), guard=None
                )
            case Wait():
                return replace(step, token=_fixed(step.token, counters), guard=None)

    def _place(self, name: str, counters: Mapping[str, int]) -> str:
        if name in self._program.table:
            return _member(self._program.table[name], counters)
        view = self._program.view.get(name)
        if view is None or not view.counters:
            return name
        placed = _at(name, {key: counters[key] for key in counters if key in view.counters})
        if placed not in self.views:
            ring = view.ring and replace(view.ring, at=_fixed(view.ring.at, counters))
            start = _fixed(view.start, counters)
            self.views[placed] = replace(view, name=placed, start=start, ring=ring)
        return placed


def _member(table: ConstantTable, counters: Mapping[str, int]) -> str:
    index = table.index.value(counters)
    if not 0 <= index < len(table.members):
        raise GraphError(
            f"table {table.name!r} of {len(table.members)} constants is read at {index}, with {dict(counters)}"
        )
    return table.members[index]


def _fixed(expression: Expression, counters: Mapping[str, int]) -> Expression:
    return Expression(expression.value(counters))


def _is_due(guard: Guard | None, counters: Mapping[str, int]) -> bool:
    if guard is None:
        return True
    if guard.counter not in counters:
        raise GraphError(f"counter {guard.counter} is read outside of its loop")
    return guard.begin <= counters[guard.counter] < guard.end


def _at(name: str, counters: Mapping[str, int]) -> str:
    places = ",".join(f"{counter}={value}" for counter, value in counters.items())
    return f"{name}@{places}" if places else name
