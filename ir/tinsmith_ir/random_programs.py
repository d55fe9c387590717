"""Random programs with loops, views, rings, fills, tables of constants and engines, for property tests: right ones, and
mutants of them.

Each computes rows of an input one after another: rows come into a few lines of a small memory, beside the core or by
it, go through elementwise calls, perhaps in place or beside the core, perhaps through a ring of lines or a layout that
no strides say, perhaps plus a row of constants that was copied near for it, and back to the output. DMAs end copies in
order or in any.
"""

import enum
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.expressions import ZERO, Counter, Expression, Modulo, Table, Term
from tinsmith_ir.layouts import ElementLayout, layout_bytes
from tinsmith_ir.operators import Add, Chain, Link, Operator, Relu
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    ConstantTable,
    Copy,
    Engine,
    Fill,
    Guard,
    Held,
    Loop,
    Memory,
    Overlap,
    Program,
    Ring,
    SimpleStep,
    Step,
    View,
    Wait,
    changed_steps,
    simple_steps,
)
from tinsmith_ir.types import Quantization, TensorType

_Change = Callable[[SimpleStep], tuple[SimpleStep, ...]]

ARRANGED = "row"
"""The layout of constants that a call reads where they were copied to (`Call.held`); their bytes are the operand's."""

_TYPES = (
    (DType.INT8, Quantization.per_tensor(0.5, 3)),
    (DType.INT16, Quantization.per_tensor(0.25, 0)),
    (DType.FLOAT32, None),
)


@checked
def random_program(seed: int) -> Program:
    """A placed program that the verifier accepts. Input `x`, output `y`, of as many rows; kernels are called `k`.

    Calls with `held` already name what they read: a constant operand, or its bytes in the layout `ARRANGED`.
    """
    return _Maker(random.Random(seed)).program()


@checked
def mutant(program: Program, seed: int) -> Program:
    """The program with one thing wrong, or at least other: a wait dropped, a place moved, a loop or guard changed."""
    generator = random.Random(seed)
    for _ in range(20):
        changed = generator.choice(_MUTATIONS)(program, generator)
        if changed is not None:
            return changed
    return program


class _Backwards(ElementLayout):
    """The last element first, in pairs with as much padding behind each."""

    name: ClassVar[str] = "backwards"

    def size_bytes(self, type_: TensorType) -> int:
        return -(-type_.elements // 2) * 4 * type_.dtype.size_bytes

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        index = np.arange(type_.elements)[::-1]
        return ((index // 2 * 4 + index % 2) * type_.dtype.size_bytes).reshape(type_.shape)


class _Caller(enum.Enum):
    """What calls do beside the core: nothing; each is waited for at once, or an iteration later."""

    NONE = enum.auto()
    AT_ONCE = enum.auto()
    BEHIND = enum.auto()


class _Constants(enum.Enum):
    """What becomes of a row of constants that was copied near: none is; it is an operand; a call holds it, as it is or
    arranged.
    """

    NONE = enum.auto()
    OPERAND = enum.auto()
    HELD = enum.auto()
    ARRANGED = enum.auto()


class _Maker:
    """What has been decided, in the order in which it is needed."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator
        dtype, quantization = generator.choice(_TYPES)
        self._columns = generator.choice([1, 3, 4, 8])
        self._type = TensorType((1, self._columns), dtype, quantization)
        self._row_bytes = self._type.size_bytes
        self._rows = generator.randint(2, 7)
        self._slots = generator.randint(2, 3)
        self._has_dma = generator.random() < 0.7
        self._has_ring = generator.random() < 0.5
        self._has_far_memory = generator.random() < 0.6
        self._is_in_place = generator.random() < 0.3
        self._caller = _Caller.NONE
        if not self._is_in_place and generator.random() < 0.6:
            self._caller = generator.choice([_Caller.AT_ONCE, _Caller.BEHIND])
        is_one_engine = self._has_dma and generator.random() < 0.3
        self._npu = "dma" if is_one_engine else "npu"
        self._is_scattered = generator.random() < 0.3
        self._is_ordered = generator.random() < 0.5
        self._added = generator.choice([*_Constants])
        self._is_added_ahead = generator.random() < 0.5
        self._constants: list[ConstantBuffer] = []
        self._tables: list[ConstantTable] = []
        self._views: list[View] = []
        self._buffers: list[Buffer] = []
        self._ends = {"near": 0, "far": 0}

    def program(self) -> Program:
        rows = self._rows
        whole = replace(self._type, shape=(rows, self._columns))
        far = "far" if self._has_far_memory else "near"
        for name in ("x", "y"):
            self._buffer(name, whole.size_bytes, far)
            self._views.append(View(name, whole, name))
        self._buffer("slots", self._slots * self._row_bytes, "near")
        is_behind = self._caller is _Caller.BEHIND
        self._buffer("out", self._row_bytes * (2 if is_behind else 1), "near")
        self._buffer("sum", self._row_bytes, "near")
        self._view("total", "sum")
        self._view("slot", "slots", self._cycle(0))
        if self._is_in_place:
            self._view("done", "slots", self._cycle(0))
        else:
            self._view("done", "out", self._modulo(0, 2) if is_behind else ZERO)
        self._view("to", "y", self._along(-1 if is_behind else 0))
        if self._is_scattered:
            self._buffer("scattered", layout_bytes(_Backwards.name, self._type), "near")
            self._views.append(View("backwards", self._type, "scattered", layout=_Backwards.name))
        # While a call beside the core still reads a slot, no other row comes into it.
        most = self._slots - (2 if is_behind else 1)
        ahead = self._generator.randint(0, most) if self._has_dma else 0
        self._view("from", "x", self._along(ahead))
        self._view("next", "slots", self._cycle(ahead))
        if self._added is not _Constants.NONE:
            self._add_constants()
        body = self._behind(ahead) if is_behind else self._body(ahead)
        steps = [*self._prologue(ahead), Loop("i", rows, (*self._constants_come(), *body))]
        if is_behind:
            steps += self._epilogue()
        memories = [Memory("near", None, 4)] + ([Memory("far", None, 8)] if far == "far" else [])
        reaches = tuple(memory.name for memory in memories)
        return Program(
            name="random",
            target="host",
            memories=tuple(memories),
            buffers=tuple(self._buffers),
            views=tuple(self._views),
            constants=tuple(self._constants),
            steps=tuple(steps),
            inputs=("x",),
            outputs=("y",),
            engines=self._engines(reaches),
            tables=tuple(self._tables),
        )

    def _engines(self, reaches: tuple[str, ...]) -> tuple[Engine, ...]:
        """That of the calls may end them in any order, since each is waited for."""
        engines = [Engine("dma", reaches, self._is_ordered)] if self._has_dma else []
        if self._caller is not _Caller.NONE and self._npu == "npu":
            is_fifo = self._generator.random() < 0.5
            depth = self._generator.choice([None, 2])
            engines.insert(
                self._generator.randint(0, len(engines)), Engine("npu", ("near",), is_fifo, depth)
            )
        return tuple(engines)

    def _add_constants(self) -> None:
        """A table of rows, one for each iteration or for each second or third; places for one or two near."""
        count = self._generator.choice([2, 3, self._rows])
        now, later = (
            Expression(0, (Term(1, Modulo(Expression(at, (Term(1, Counter("i")),)), count)),))
            for at in (0, 1)
        )
        if count == self._rows and self._generator.random() < 0.5:
            now, later = (Expression(at, (Term(1, Counter("i")),)) for at in (0, 1))
        rows = [self._constant_row() for _ in range(count)]
        is_arranged = self._added is _Constants.ARRANGED
        self._add_table("added", now, rows, "")
        if is_arranged:
            self._add_table("arranged", now, rows, ARRANGED)
        if self._is_added_ahead:
            copied = self._tables[-1].members
            self._tables.append(ConstantTable("added_later", later, copied))
        slots = 2 if self._is_added_ahead else 1
        self._buffer("added_near", slots * self._row_bytes, "near")
        self._buffer("tinted", self._row_bytes, "near")
        self._view("tint", "tinted")
        type_ = self._constant_type(ARRANGED if is_arranged else "")
        for name, further in (("added_here", 0), ("added_next", 1)):
            self._views.append(View(name, type_, "added_near", self._modulo(further, slots)))
        self._views.append(View("added_first", type_, "added_near"))

    def _add_table(
        self, name: str, index: Expression, rows: Sequence[NDArray[np.generic]], layout: str
    ) -> None:
        members = tuple(f"{name}_{number}" for number in range(len(rows)))
        type_ = self._constant_type(layout)
        for member, data in zip(members, rows, strict=True):
            self._constants.append(ConstantBuffer(member, type_, data, layout))
        self._tables.append(ConstantTable(name, index, members))

    def _constant_type(self, layout: str) -> TensorType:
        """Arranged bytes are no longer numbers of the graph."""
        return replace(self._type, quantization=None) if layout else self._type

    def _constant_row(self) -> NDArray[np.generic]:
        values = [self._generator.randint(-50, 50) for _ in range(self._columns)]
        return np.array([values]).astype(self._type.dtype.numpy)

    def _constants_first(self) -> list[SimpleStep]:
        """The constants of the first iteration, where those of each come an iteration ahead."""
        if self._added is _Constants.NONE or not self._is_added_ahead:
            return []
        name = next(table.members[0] for table in self._tables if table.name == "added_later")
        return [self._copy(name, "added_first", Expression(self._slots + 3))]

    def _constants_come(self) -> list[SimpleStep]:
        """Those of an iteration, or of the next one."""
        if self._added is _Constants.NONE:
            return []
        waits: list[SimpleStep] = [Wait(self._added_token(0))] if self._has_dma else []
        if not self._is_added_ahead:
            source = self._tables[-1].name
            return [self._copy(source, "added_here", self._added_token(0)), *waits]
        later = self._copy("added_later", "added_next", self._added_token(1))
        steps: list[SimpleStep] = [replace(later, guard=Guard("i", 0, self._rows - 1)), *waits]
        return steps if self._generator.random() < 0.5 else steps[::-1]

    def _added_token(self, further: int) -> Expression:
        """Behind those of rows and calls."""
        slots = 2 if self._is_added_ahead else 1
        value = Expression(further, (Term(1, Counter("i")),))
        return Expression(self._slots + 3, (Term(1, Modulo(value, slots)),))

    def _tinted(self, source: str) -> Call:
        """A row plus the constants of the iteration."""
        if self._added is _Constants.OPERAND:
            return self._call("tint", Add(), (source, "added_here"), "tint")
        is_arranged = self._added is _Constants.ARRANGED
        held = Held("arranged" if is_arranged else "added", "added_here")
        call = self._call("tint", Add(), (source, "added"), "tint")
        return replace(call, reads=(held.constant,), held=(held,))

    def _prologue(self, ahead: int) -> list[Step]:
        """The rows and constants that come before the loop begins, and zeros in the lines of the ring."""
        steps: list[Step] = [*self._constants_first()]
        for index in range(min(ahead, self._rows)):
            source, slot = f"first_{index}", f"first_slot_{index}"
            self._view(source, "x", Expression(index * self._row_bytes))
            self._view(slot, "slots", Expression(index % self._slots * self._row_bytes))
            steps.append(self._copy(source, slot, Expression(index % self._slots)))
        if self._has_ring:
            lines = self._generator.randint(2, 4)
            self._buffer("lines", lines * self._row_bytes, "near")
            self._buffer("window", 2 * self._row_bytes, "near")
            pair = replace(self._type, shape=(2, self._columns))
            stride = (self._row_bytes, self._type.dtype.size_bytes)
            at = Expression(lines - 1, (Term(1, Counter("i")),))
            self._views += [
                View("ring", pair, "lines", strides=stride, ring=Ring(0, lines, at)),
                View("pair", pair, "window"),
                View("all", replace(pair, shape=(lines, self._columns)), "lines"),
            ]
            self._view("line", "lines", self._modulo(0, lines))
            self._view("old", "window")
            self._view("new", "window", Expression(self._row_bytes))
            steps.append(Fill("all", self._generator.choice([0, 0, 1])))
            if self._type.dtype is DType.FLOAT32:
                steps[-1] = Fill("all", 0)
        return steps

    def _body(self, ahead: int) -> list[SimpleStep]:
        """Row i comes, is computed and goes."""
        relu = self._call("relu", Relu(), ("slot",), "done")
        if self._is_in_place:
            relu = replace(relu, over=(Overlap(0, 0),))
        if self._caller is _Caller.NONE:
            return [*self._arrival(ahead), relu, *self._departure()]
        # Tokens beside those of copies.
        relu = replace(relu, engine=self._npu, token=Expression(self._slots))
        return [*self._arrival(ahead), relu, Wait(Expression(self._slots)), *self._departure()]

    def _behind(self, ahead: int) -> list[SimpleStep]:
        """Row i comes and is begun; row i - 1 ends and goes."""
        relu = self._call("relu", Relu(), ("slot",), "done")
        relu = replace(relu, engine=self._npu, token=self._turns(0))
        self._view("ready", "out", self._modulo(1, 2))
        guard = Guard("i", 1, self._rows)
        later = [Wait(self._turns(1)), *self._departure("ready")]
        return [*self._arrival(ahead), relu, *(replace(step, guard=guard) for step in later)]

    def _epilogue(self) -> list[SimpleStep]:
        """The last row ends and goes."""
        last = self._rows - 1
        self._view("last", "out", Expression(last % 2 * self._row_bytes))
        self._view("last_to", "y", Expression(last * self._row_bytes))
        return [Wait(Expression(self._slots + last % 2)), Copy("last", "last_to")]

    def _arrival(self, ahead: int) -> list[SimpleStep]:
        steps: list[SimpleStep] = []
        guard = Guard("i", 0, self._rows - ahead) if ahead else None
        if guard is None or guard.end > 0:
            token = self._tokens(ahead)
            steps.append(replace(self._copy("from", "next", token), guard=guard))
        if self._has_dma:
            steps.append(Wait(self._tokens(0)))
        return steps

    def _departure(self, done: str = "done") -> list[SimpleStep]:
        if not self._has_ring:
            return self._leave(done)
        add = self._call("add", self._sum(), ("old", "new"), "total")
        before, behind = (Copy(done, "line"), Copy("ring", "pair")), self._leave("total")
        if self._caller is _Caller.NONE or self._generator.random() < 0.5:
            return [*before, add, *behind]
        token = Expression(self._slots + 2)
        return [*before, replace(add, engine=self._npu, token=token), Wait(token), *behind]

    def _leave(self, source: str) -> list[SimpleStep]:
        steps: list[SimpleStep] = []
        if self._added is not _Constants.NONE:
            steps.append(self._tinted(source))
            source = "tint"
        if not self._is_scattered:
            return [*steps, Copy(source, "to")]
        return [*steps, Copy(source, "backwards"), Copy("backwards", "to")]

    def _sum(self) -> Operator:
        """By itself, or of integers ended by a rectifier in one call."""
        if self._type.quantization is None or self._generator.random() < 0.5:
            return Add()
        return Chain(Add(), 2, (Link(Relu(), self._type),))

    def _turns(self, ahead: int) -> Expression:
        """One of two tokens behind those of copies."""
        value = Expression(ahead, (Term(1, Counter("i")),))
        return Expression(self._slots, (Term(1, Modulo(value, 2)),))

    def _copy(self, source: str, destination: str, token: Expression) -> Copy:
        if not self._has_dma:
            return Copy(source, destination)
        return Copy(source, destination, "dma", token)

    def _call(self, name: str, operator: Operator, inputs: tuple[str, ...], output: str) -> Call:
        return Call(name, "k", operator, inputs, (output,))

    def _buffer(self, name: str, size: int, memory: str) -> None:
        offset = -(-self._ends[memory] // 8) * 8 + 8 * self._generator.randint(0, 1)
        self._buffers.append(Buffer(name, size, memory, offset))
        self._ends[memory] = offset + size

    def _view(self, name: str, buffer: str, start: Expression = ZERO) -> None:
        self._views.append(View(name, self._type, buffer, start))

    def _along(self, ahead: int) -> Expression:
        return Expression(ahead * self._row_bytes, (Term(self._row_bytes, Counter("i")),))

    def _cycle(self, ahead: int) -> Expression:
        """The slot of row i + ahead: modulo, or a table that says the same."""
        if self._generator.random() < 0.3:
            places = [
                (index + ahead) % self._slots * self._row_bytes for index in range(self._rows)
            ]
            return Expression(0, (Term(1, Table("i", tuple(places))),))
        return self._modulo(ahead, self._slots)

    def _modulo(self, ahead: int, modulus: int) -> Expression:
        value = Expression(ahead, (Term(1, Counter("i")),))
        return Expression(0, (Term(self._row_bytes, Modulo(value, modulus)),))

    def _tokens(self, ahead: int) -> Expression:
        value = Expression(ahead, (Term(1, Counter("i")),))
        return Expression(0, (Term(1, Modulo(value, self._slots)),))


def _drop_a_wait(program: Program, generator: random.Random) -> Program | None:
    waits = [step for step in simple_steps(program.steps) if isinstance(step, Wait)]
    if not waits:
        return None
    dropped = generator.choice(waits)
    return _with_steps(program, lambda step: () if step is dropped else (step,))


def _move_a_buffer(program: Program, generator: random.Random) -> Program | None:
    buffer = generator.choice(program.buffers)
    offset = max(0, (buffer.offset or 0) + generator.choice([-16, -8, 8, 16]))
    return program.with_buffers(
        tuple(replace(b, offset=offset) if b is buffer else b for b in program.buffers)
    )


def _move_a_view(program: Program, generator: random.Random) -> Program | None:
    view = generator.choice(program.views)
    moved = view.start.base + generator.choice([-1, 1]) * view.type.dtype.size_bytes
    start = replace(view.start, base=moved)
    views = tuple(replace(v, start=start) if v is view else v for v in program.views)
    return replace(program, views=views)


def _change_a_loop(program: Program, generator: random.Random) -> Program | None:
    change = generator.choice([-1, 1])
    steps = tuple(
        replace(step, count=step.count + change) if isinstance(step, Loop) else step
        for step in program.steps
    )
    return replace(program, steps=steps)


def _change_a_table(program: Program, generator: random.Random) -> Program | None:
    change = generator.choice([-1, 1])
    tables = tuple(
        replace(table, index=replace(table.index, base=table.index.base + change))
        for table in program.tables
    )
    return replace(program, tables=tables) if tables else None


def _change_a_guard(program: Program, generator: random.Random) -> Program | None:
    change = generator.choice([-1, 1])

    def changed(step: SimpleStep) -> tuple[SimpleStep, ...]:
        if step.guard is None:
            return (step,)
        return (replace(step, guard=replace(step.guard, end=step.guard.end + change)),)

    return _with_steps(program, changed)


def _drop_a_step(program: Program, generator: random.Random) -> Program | None:
    dropped = generator.choice([*simple_steps(program.steps)])
    return _with_steps(program, lambda step: () if step is dropped else (step,))


def _with_steps(program: Program, change: _Change) -> Program:
    return replace(program, steps=changed_steps(program.steps, change))


def _exchange_two_steps(program: Program, generator: random.Random) -> Program | None:
    """Neighbours in a loop."""
    loops = [step for step in program.steps if isinstance(step, Loop) and len(step.body) > 1]
    if not loops:
        return None
    loop = generator.choice(loops)
    body = [*loop.body]
    index = generator.randrange(len(body) - 1)
    body[index], body[index + 1] = body[index + 1], body[index]
    changed = replace(loop, body=tuple(body))
    return replace(program, steps=tuple(changed if s is loop else s for s in program.steps))


def _change_an_engine(program: Program, generator: random.Random) -> Program | None:
    """A step that runs on one runs on another."""
    steps = [*simple_steps(program.steps)]
    beside = [step for step in steps if isinstance(step, Call | Copy) and step.engine is not None]
    if not beside or len(program.engines) < 2:
        return None
    chosen = generator.choice(beside)
    engine = generator.choice([e.name for e in program.engines if e.name != chosen.engine])
    return _with_steps(
        program, lambda step: (replace(chosen, engine=engine) if step is chosen else step,)
    )


_MUTATIONS = (
    _drop_a_wait,
    _move_a_buffer,
    _move_a_view,
    _change_a_loop,
    _change_a_guard,
    _change_a_table,
    _drop_a_step,
    _exchange_two_steps,
    _change_an_engine,
)
