"""The Program that follows a plan: tiles, copies that run beside them, waits, loops.

Of a call cut into tiles: while one tile is computed, a DMA fetches the operands of the next one and takes away the
result of the one before; each has two places for that. Constants of a part of the channels come in one copy.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.builder import dtype_of
from tinsmith_ir.expressions import Counter, Expression, Modulo, Term
from tinsmith_ir.hazards import without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    ConstantTable,
    Copy,
    Engine,
    Guard,
    Held,
    Loop,
    Memory,
    Program,
    SimpleStep,
    Step,
    View,
    Wait,
    simple_steps,
)
from tinsmith_ir.types import TensorType
from tinsmith_lowering import AsGiven, Layer, Prepared, scratch_type

from tinsmith_tiling.constants import NEAR_ALIGNMENT, copied
from tinsmith_tiling.formulate import Formulation, TiledCall, reads_one_box, staged_operands
from tinsmith_tiling.model import Plan, TilingError
from tinsmith_tiling.ways import Tile

DMA = "dma"
_RESULT_TOKENS = 8
_CONSTANT_TOKENS = 10
_FEWEST_IN_LOOP = 2


def rewrite(
    program: Program, formulation: Formulation, plan: Plan, near: Memory
) -> tuple[Program, Mapping[str, tuple[str, ...]]]:
    """The tiled program, whose buffers in the near memory have offsets, and of each tiled call the names of those that
    compute its tiles.
    """
    rewriting = _Rewriting(program, formulation, plan, near)
    return rewriting.result(), rewriting.tiles


@dataclass(frozen=True)
class _At:
    """Which tile a step is for.

    number: of the tile in its part, or, in a loop over tiles, how many further than the loop's counter it is. begin:
    the first tile of its run. part: how many parts further than its group's first, or, in a loop over parts, than its
    counter. before: tiles in front of the group. tiles: of a part.
    """

    number: int
    counter: str | None = None
    begin: int = 0
    part: int = 0
    part_counter: str | None = None
    before: int = 0
    tiles: int = 1

    def place(self, first: int, step: int, part_step: int) -> Expression:
        """`first` is where the run's first tile in the group's first part lies."""
        base = first + step * (self.number - self.begin) + part_step * self.part
        return Expression(base, self._terms(step, part_step))

    def slot(self, size_bytes: int, slots: int) -> Expression:
        """Where the slot of the tile begins; tiles have them in turn."""
        number = (self.before + self.part * self.tiles + self.number) % slots
        return _in_turn(number, self._terms(1, self.tiles % slots), size_bytes, slots)

    def token(self, first: int, slots: int) -> Expression:
        """That of the slot of the tile."""
        slot = self.slot(1, slots)
        return replace(slot, base=slot.base + first)

    def _terms(self, step: int, part_step: int) -> tuple[Term, ...]:
        counters = ((step, self.counter), (part_step, self.part_counter))
        return tuple(Term(times, Counter(name)) for times, name in counters if times and name)


def _in_turn(number: int, terms: tuple[Term, ...], size_bytes: int, slots: int) -> Expression:
    """size_bytes * ((number + terms) mod slots)."""
    if not terms or slots == 1:
        return Expression(size_bytes * (number % slots))
    return Expression(0, (Term(size_bytes, Modulo(Expression(number, terms), slots)),))


@dataclass(frozen=True, eq=False)
class _Run:
    """Tiles that follow one another, are alike, and lie at equal distances: numbers `begin` to `end` - 1.

    steps: how many bytes further the next tile is, of each tensor that is read or written.
    """

    begin: int
    end: int
    tile: Tile
    layer: Layer
    steps: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class _Group:
    """Parts of the channels in a row that are alike and lie at equal distances: numbers `begin` to `end` - 1.

    runs: of the first of them. steps: how many bytes further the next part is, of each tensor.
    """

    begin: int
    end: int
    runs: Sequence[_Run]
    steps: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many parts."""
        return self.end - self.begin


@dataclass
class _Parts:
    """What a tiled program is made of."""

    buffers: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    views: dict[str, View] = field(default_factory=dict[str, View])
    constants: dict[str, ConstantBuffer] = field(default_factory=dict[str, ConstantBuffer])
    tables: dict[str, ConstantTable] = field(default_factory=dict[str, ConstantTable])


class _Rewriting:
    def __init__(
        self, program: Program, formulation: Formulation, plan: Plan, near: Memory
    ) -> None:
        self.program = program
        self.formulation = formulation
        self.plan = plan
        self._near = near
        calls = {call.name for call in program.calls}
        self.fresh = FreshNames({*program.buffer, *program.view, *program.constant, *calls}).name
        self._parts = _Parts()
        self._counters = count()
        self._known: dict[object, str] = {}
        self.tiles: dict[str, tuple[str, ...]] = {}

    def result(self) -> Program:
        program = self.program
        names = [*self.formulation.calls]
        calls = {
            name: _CallRewriting(self, index, tiled)
            for index, (name, tiled) in enumerate(self.formulation.calls.items())
        }
        behind: dict[str, list[_CallRewriting]] = {}
        for index, ahead in enumerate(self.plan.prefetched):
            if ahead:
                behind.setdefault(names[index - ahead], []).append(calls[names[index]])
        steps: list[Step] = []
        for step in program.steps:
            if isinstance(step, Call) and step.name in calls:
                made = [*calls[step.name].steps(behind.get(step.name, ()))]
                found = [one.name for one in simple_steps(tuple(made)) if isinstance(one, Call)]
                self.tiles[step.name] = tuple(found)
                steps += made
            else:
                steps.append(step)
        memories = (*program.memories, self._near)
        engine = Engine(DMA, tuple(memory.name for memory in memories), is_fifo=False)
        tiled = replace(
            program,
            memories=memories,
            engines=(*program.engines, engine),
            buffers=(*map(self._homed, program.buffers), *self._parts.buffers.values()),
            views=(*program.views, *self._parts.views.values()),
            constants=(*program.constants, *self._parts.constants.values()),
            tables=(*program.tables, *self._parts.tables.values()),
            steps=tuple(steps),
        )
        return without_unused(tiled)

    def _homed(self, buffer: Buffer) -> Buffer:
        tensor = self.formulation.buffers.get(buffer.name)
        if tensor is None or self.plan.homes[tensor] != 0:
            return buffer
        return replace(buffer, memory=self._near.name, offset=self.plan.offsets[tensor])

    def is_near(self, name: str) -> bool:
        """Whether the buffer of a view lies near."""
        tensor = self.formulation.buffers.get(self.program.view[name].buffer)
        return tensor is not None and self.plan.homes[tensor] == 0

    def counter(self) -> str:
        """That of another loop."""
        return f"t{next(self._counters)}"

    def buffer(self, block: str, size_bytes: int) -> str:
        """The buffer of a block of the plan."""
        name = self.fresh(block)
        offset = self.plan.offsets[block]
        self._parts.buffers[name] = Buffer(name, size_bytes, self._near.name, offset)
        return name

    def view(self, view: View) -> str:
        """Keep a view under a name of its own."""
        named = replace(view, name=self.fresh(view.name))
        self._parts.views[named.name] = replace(named, strides=None) if named.is_dense else named
        return named.name

    def constant(self, name: str, box: Box) -> str:
        """The part of an operand that is constant."""
        given = self.program.constant[name]
        if box.is_whole(given.type.shape):
            return name
        part = f"{name}{box}".replace(" ", "")
        if part not in self._parts.constants:
            data = np.ascontiguousarray(given.data[box.slices])
            self._parts.constants[part] = ConstantBuffer(part, cut_type(given.type, box), data)
        return part

    def type_of(self, name: str) -> TensorType:
        """Of a view or constant, old or new."""
        if name in self._parts.tables:
            name = self._parts.tables[name].members[0]
        for found in (self._parts.views, self._parts.constants):
            if name in found:
                return found[name].type
        return self.program.type_of(name)

    def buffer_bytes(self, name: str) -> int:
        """Of a buffer of the plan."""
        return self._parts.buffers[name].size_bytes

    def prepared(self, call: str, prepared: Prepared) -> str:
        """A constant as a kernel reads it; one that is known already if its bytes are the same."""
        data = np.ascontiguousarray(prepared.data)
        key = (prepared.layout, prepared.memory, data.dtype.str, data.shape, data.tobytes())
        if key not in self._known:
            name = self.fresh(f"{call}.{prepared.layout}")
            type_ = TensorType(data.shape, dtype_of(data))
            self._parts.constants[name] = ConstantBuffer(
                name, type_, data, prepared.layout, prepared.memory
            )
            self._known[key] = name
        return self._known[key]

    def far_constant(self, wish: str, data: NDArray[np.int8]) -> str:
        """Bytes that are copied near."""
        name = self.fresh(wish)
        self._parts.constants[name] = ConstantBuffer(
            name, TensorType(data.shape, dtype_of(data)), data
        )
        return name

    def table(self, members: Sequence[str], further: int, counter: str) -> str:
        """A name for one constant of each iteration of a loop, `further` iterations ahead."""
        key = (tuple(members), further, counter)
        if key not in self._known:
            name = self.fresh(f"{members[0]}.table")
            index = Expression(further, (Term(1, Counter(counter)),))
            self._parts.tables[name] = ConstantTable(name, index, tuple(members))
            self._known[key] = name
        return self._known[key]


class _CallRewriting:
    """One call: its buffers in the near memory, and the steps of its tiles."""

    def __init__(self, whole: _Rewriting, index: int, tiled: TiledCall) -> None:
        self._whole = whole
        self._index = index
        self._call, self._kernel = tiled.call, tiled.kernel
        self._prepared = whole.formulation.prepared
        self._cut = tiled.cuts[whole.plan.ways[index]]
        self._is_prefetched = whole.plan.prefetched[index]
        self._slots = min(self._cut.slots, self._cut.count)
        self._is_single = self._cut.slots == 1 < self._cut.count
        self._operands = staged_operands(whole.program, self._call)
        self._output = self._call.outputs[0]
        name = self._call.name
        self._staged = {
            operand: self._staging(
                f"{name}.operand.{number}", self._largest_read(operand), self._slots_of(operand)
            )
            for number, operand in enumerate(self._operands)
            if not whole.is_near(operand)
        }
        self._result = (
            None
            if whole.is_near(self._output)
            else self._staging(f"{name}.result.0", self._largest_result(), self._slots)
        )
        scratch = self._cut.scratch_bytes
        self._scratch = whole.buffer(f"{name}.scratch", scratch) if scratch else None
        self._constants = [
            self._prepared.staged(self._cut, part) for part in range(len(self._cut.tiles))
        ]
        self._far_constants, self._near_constants, self._constants_slot = self._bring_constants()
        self._runs_of_parts = [self._runs(part) for part in range(len(self._cut.tiles))]
        # One at a time, it costs nothing to wait for the last result of each part before the next part begins.
        self._drains = (
            self._is_single
            and self._result is not None
            and len(self._runs_of_parts) > 1
            and any(
                len(runs) < len(tiles)
                for runs, tiles in zip(self._runs_of_parts, self._cut.tiles, strict=True)
            )
        )
        self._groups = self._groups_of_parts()

    def steps(self, behind: "Sequence[_CallRewriting]") -> Iterator[Step]:
        """All of them. behind: the calls after this one whose first constants are fetched meanwhile."""
        yield from self._fetch_first(self._groups[0], 0, None, None)
        if self._near_constants and not self._is_prefetched and not self._is_single:
            yield self.first_constants()
        for group in self._groups:
            if group.count >= _FEWEST_IN_LOOP:
                counter = self._whole.counter()
                yield Loop(counter, group.count, tuple(self._part(group, 0, counter, behind)))
            else:
                for part in range(group.count):
                    yield from self._part(group, part, None, behind)
        if self._result is not None and not self._drains:
            total = self._cut.count
            for number in range(total - self._slots, total):
                yield Wait(Expression(_RESULT_TOKENS + number % self._slots))

    def first_constants(self) -> Copy:
        """Fetches the constants of the first part."""
        return self._constants_copy(self._groups[0], 0, None, None)

    def _constants_copy(
        self, group: _Group, part: int, counter: str | None, guard: Guard | None
    ) -> Copy:
        """Fetches the constants of a part: of number `part` of the group, or, in a loop, so many further."""
        names = self._far_constants[group.begin : group.end]
        source = names[part] if counter is None else self._whole.table(names, part, counter)
        near = self._near_view(group, part, counter)
        return Copy(source, near, DMA, self._constants_token(group, part, counter), guard)

    def _constants_token(self, group: _Group, part: int, counter: str | None) -> Expression:
        turn = self._constants_turn(group, part, counter, 1)
        return replace(turn, base=turn.base + _CONSTANT_TOKENS + 2 * (self._index % 3))

    def _constants_turn(
        self, group: _Group, part: int, counter: str | None, size_bytes: int
    ) -> Expression:
        """Where the slot of a part's constants begins, if slots have that size."""
        terms = () if counter is None else (Term(1, Counter(counter)),)
        slots = min(self._cut.slots, len(self._far_constants))
        return _in_turn((group.begin + part) % slots, terms, size_bytes, slots)

    def _near_view(self, group: _Group, part: int, counter: str | None) -> str:
        """The copy of a part's constants."""
        name = self._far_constants[group.begin]
        start = self._constants_turn(group, part, counter, self._constants_slot)
        type_ = self._whole.type_of(name)
        return self._whole.view(View(f"{name}.near", type_, self._near_constants, start))

    def _part(
        self,
        group: _Group,
        part: int,
        counter: str | None,
        behind: "Sequence[_CallRewriting]",
    ) -> Iterator[SimpleStep | Loop]:
        """The tiles of a part of the channels, straight or as a loop; of each of the group if there is a counter."""
        tiles = len(self._cut.tiles[group.begin])
        is_last = group is self._groups[-1] and (counter is not None or part + 1 == group.count)
        at_end = None if counter is None else Guard(counter, group.count - 1, group.count)
        if self._near_constants and self._is_single:
            has_first = self._is_prefetched and group.begin + part == 0
            guard = Guard(counter, 1, group.count) if counter is not None and has_first else None
            if counter is not None or not has_first:
                yield self._constants_copy(group, part, counter, guard)
        elif self._near_constants:
            for next_group, number, by, guard in self._next_parts(group, part, counter):
                yield self._constants_copy(next_group, number, by, guard)
        streams = tiles > 2 and any(not self._is_fixed(name) for name in self._staged)
        if is_last and (counter is not None or not streams):
            yield from _first_constants(behind, at_end)
            behind = ()
        here = _At(0, None, 0, part, counter, group.begin * tiles, tiles)
        ahead = behind if is_last else ()
        if len(group.runs) == tiles:
            for number in range(tiles):
                at = replace(here, number=number)
                yield from self._iteration(group, at, tiles, ahead)
        else:
            yield from self._constants_wait(group, here)
            if counter is not None:
                yield from self._fixed_waits(here)
            row = self._whole.counter()
            at = replace(here, counter=row)
            yield Loop(row, tiles, tuple(self._iteration(group, at, tiles, ahead)))
            yield from self._fetch_next(group, part, counter)
        if self._drains:
            yield Wait(Expression(_RESULT_TOKENS))

    def _next_parts(
        self, group: _Group, part: int, counter: str | None
    ) -> Iterator[tuple[_Group, int, str | None, Guard | None]]:
        """The part behind the one at hand: its group, its number there, the counter if any, and in which iterations."""
        behind = self._groups.index(group) + 1
        following = self._groups[behind] if behind < len(self._groups) else None
        if counter is None:
            if part + 1 < group.count:
                yield group, part + 1, None, None
            elif following is not None:
                yield following, 0, None, None
            return
        yield group, 1, counter, Guard(counter, 0, group.count - 1)
        if following is not None:
            yield following, 0, None, Guard(counter, group.count - 1, group.count)

    def _fetch_next(self, group: _Group, part: int, counter: str | None) -> Iterator[Copy]:
        """What the first tile of the next part reads."""
        if self._is_single:
            return
        for next_group, number, by, guard in self._next_parts(group, part, counter):
            yield from self._fetch_first(next_group, number, by, guard)

    def _iteration(
        self, group: _Group, here: _At, tiles: int, behind: "Sequence[_CallRewriting]"
    ) -> Iterator[SimpleStep]:
        """One tile: the next one is fetched, what is wanted is waited for, then the call, and its result goes."""
        counter, number = here.counter, here.number
        for order, name in enumerate(self._staged):
            if not self._is_fixed(name):  # those come with the first tile
                shift = 0 if self._is_single else 1
                for run, at, guard in self._shifted_runs(group, name, here, shift, tiles):
                    yield self._fetch(order, name, group, run, at, guard)
        if counter is None and number + 1 == tiles:
            yield from self._fetch_next(group, here.part, here.part_counter)
        ahead = max(tiles - 2, 0)
        if counter is not None or number == ahead:
            guard = None if counter is None else Guard(counter, ahead, ahead + 1)
            yield from _first_constants(behind, guard)
        if counter is None and number == 0:
            yield from self._constants_wait(group, here)
        yield from self._operand_waits(here)
        yield from self._result_waits(here, tiles, group.count)
        for run in group.runs:
            at, guard = _shifted(run, here, 0, tiles)
            if at is not None:
                yield self._compute(group, run, at, guard)
        if self._result is not None:
            for run, at, guard in self._shifted_runs(group, self._output, here, 0, tiles):
                place, result = self._places_of_result(self._result, group, run, at)
                yield Copy(result, place, DMA, at.token(_RESULT_TOKENS, self._slots), guard)

    def _shifted_runs(
        self, group: _Group, name: str, here: _At, shift: int, tiles: int
    ) -> Iterator[tuple[_Run, _At, Guard | None]]:
        """Runs of one tensor, of the tile `shift` further than the one at hand."""
        for run in self._runs_of(name, group.begin):
            at, guard = _shifted(run, here, shift, tiles)
            if at is not None:
                yield run, at, guard

    def _constants_wait(self, group: _Group, here: _At) -> Iterator[Wait]:
        """For those of a part, in front of its first tile."""
        if self._near_constants:
            yield Wait(self._constants_token(group, here.part, here.part_counter))

    def _operand_waits(self, here: _At) -> Iterator[Wait]:
        """For what a tile reads; what all tiles read is waited for once."""
        for order, name in enumerate(self._staged):
            if not self._is_fixed(name):
                yield Wait(here.token(2 * order, self._slots))
        if here.counter is None or here.part_counter is None:
            yield from self._fixed_waits(here)

    def _fixed_waits(self, here: _At) -> Iterator[Wait]:
        """For what all tiles read, in front of the first one."""
        if here.before or here.part or here.number:
            return
        loop = here.counter or here.part_counter
        for order, name in enumerate(self._staged):
            if self._is_fixed(name):
                yield Wait(Expression(2 * order), Guard(loop, 0, 1) if loop else None)

    def _result_waits(self, here: _At, tiles: int, parts: int) -> Iterator[Wait]:
        """For the copy of an earlier result that leaves its slot to this one; the first tiles find theirs free, of each
        part if that waits for its last result itself.
        """
        if self._result is None or self._cut.count <= self._slots:
            return
        if self._drains:
            here = replace(here, part=0, part_counter=None, before=0)
        token = here.token(_RESULT_TOKENS, self._slots)
        free = self._slots - here.before - here.part * tiles - here.number
        loop = here.counter or here.part_counter
        if free <= 0:
            yield Wait(token)
        elif loop is not None:
            step, end = (1, tiles) if here.counter else (tiles, parts)
            yield Wait(token, Guard(loop, -(-free // step), end))

    def _fetch_first(
        self, group: _Group, part: int, counter: str | None, guard: Guard | None
    ) -> Iterator[Copy]:
        """Copies of what the first tile of a part reads and is not near."""
        tiles = len(self._cut.tiles[group.begin])
        run = group.runs[0]
        at = _At(0, None, run.begin, part, counter, group.begin * tiles, tiles)
        is_first = group.begin == 0 and part == 0 and counter is None
        for order, name in enumerate(self._staged):
            # One at a time: each tile fetches for itself, but for what they share.
            if is_first if self._is_fixed(name) else not self._is_single:
                yield self._fetch(order, name, group, run, at, guard)

    def _fetch(
        self, order: int, name: str, group: _Group, run: _Run, at: _At, guard: Guard | None
    ) -> Copy:
        """The copy of an operand that a tile reads and that is not near. order: its number among those."""
        buffer, slots = self._staged[name], self._slots_of(name)
        source = self._part_of(name, self._read(run.tile, name), group, run, at)
        target = self._in_slot(f"{name}.tile", source, buffer, at, slots)
        return Copy(source, target, DMA, at.token(2 * order, slots), guard)

    def _is_fixed(self, name: str) -> bool:
        return reads_one_box(self._cut, name)

    def _slots_of(self, name: str) -> int:
        return 1 if name != self._output and self._is_fixed(name) else self._slots

    def _places_of_result(self, slot: str, group: _Group, run: _Run, at: _At) -> tuple[str, str]:
        """Where a tile's result is to be, and where it is first. slot: the buffer near."""
        place = self._part_of(self._output, run.tile.box, group, run, at)
        return place, self._in_slot(f"{self._output}.tile", place, slot, at, self._slots)

    def _compute(self, group: _Group, run: _Run, at: _At, guard: Guard | None) -> Call:
        whole, call = self._whole, self._call
        inputs = [
            self._operand(group, run, number, at) if name is not None else None
            for number, name in enumerate(call.inputs)
        ]
        if self._result is None:
            result = self._part_of(self._output, run.tile.box, group, run, at)
        else:
            _, result = self._places_of_result(self._result, group, run, at)
        size = self._kernel.scratch_bytes(run.layer)
        scratch = None
        if size and self._scratch is not None:
            scratch = whole.view(View(self._scratch, scratch_type(size), self._scratch))
        name = call.name
        if self._cut.count > 1:
            name = whole.fresh(f"{call.name}.{group.begin + at.part}.{run.begin}")
        reads, held = self._reads(group, run, at)
        return replace(
            call,
            name=name,
            operator=run.tile.operator,
            inputs=tuple(inputs),
            outputs=(result,),
            scratch=scratch,
            guard=guard,
            reads=reads,
            held=held,
            over=(),
            options=run.layer.options,
        )

    def _operand(self, group: _Group, run: _Run, number: int, at: _At) -> str | None:
        name, box = self._call.inputs[number], run.tile.reads[number]
        if name is None or box is None:
            return None
        if name in self._whole.program.constant:
            boxes = [
                self._cut.tiles[part][run.begin].reads[number] for part in self._parts_of(group)
            ]
            names = [self._whole.constant(name, one) for one in boxes if one is not None]
            return self._one_of(names, at)
        place = self._part_of(name, box, group, run, at)
        if name not in self._staged:
            return place
        return self._in_slot(f"{name}.tile", place, self._staged[name], at, self._slots_of(name))

    def _parts_of(self, group: _Group) -> range:
        return range(group.begin, group.end)

    def _one_of(self, names: Sequence[str], at: _At) -> str:
        """That of a part of a group, of each of which there is one."""
        if len({*names}) == 1:
            return names[0]
        if at.part_counter is None:
            return names[at.part]
        return self._whole.table(names, at.part, at.part_counter)

    def _part_of(self, name: str, box: Box, group: _Group, run: _Run, at: _At) -> str:
        """The view of a box of a tensor where it lies, further with each tile and each part."""
        view = self._whole.program.view[name]
        if box.is_whole(view.type.shape):
            return name
        part = view.part(f"{name}.part", box)
        start = at.place(part.start.base, run.steps[name], group.steps[name])
        return self._whole.view(replace(part, start=start))

    def _in_slot(self, name: str, like: str, buffer: str, at: _At, slots: int) -> str:
        """The dense view of the same elements in a slot."""
        type_ = self._whole.type_of(like)
        start = at.slot(self._whole.buffer_bytes(buffer) // slots, slots)
        return self._whole.view(View(name, type_, buffer, start))

    def _runs(self, part: int) -> list[_Run]:
        """Tiles in a row that are alike and equally far apart, in all that they read and write."""
        layers = self._cut.layers[part]
        return self._in_runs(
            part, [*self._operands, self._output], lambda one, other: layers[one] is layers[other]
        )

    def _runs_of(self, name: str, part: int) -> list[_Run]:
        """Tiles in a row that read or write boxes of one shape of a tensor, equally far apart."""
        shapes = [self._box(tile, name).shape for tile in self._cut.tiles[part]]
        return self._in_runs(part, [name], lambda one, other: shapes[one] == shapes[other])

    def _in_runs(
        self, part: int, names: Sequence[str], are_alike: Callable[[int, int], bool]
    ) -> list[_Run]:
        tiles, layers = self._cut.tiles[part], self._cut.layers[part]
        places = [[self._start(tile, name) for name in names] for tile in tiles]
        steps = [
            dict(zip(names, (b - a for a, b in zip(one, other, strict=True)), strict=True))
            for one, other in pairwise(places)
        ]
        runs: list[_Run] = []
        begin = 0
        for number in range(1, len(tiles) + 1):
            is_alike = number < len(tiles) and are_alike(begin, number)
            if not is_alike or steps[number - 1] != steps[begin]:
                own = steps[begin] if number - begin > 1 else dict.fromkeys(names, 0)
                runs.append(_Run(begin, number, tiles[begin], layers[begin], own))
                begin = number
        return runs

    def _start(self, tile: Tile, name: str) -> int:
        return self._whole.program.view[name].part("part", self._box(tile, name)).start.base

    def _box(self, tile: Tile, name: str) -> Box:
        """What a tile reads or writes of a tensor."""
        return tile.box if name == self._output else self._read(tile, name)

    def _read(self, tile: Tile, name: str) -> Box:
        """The box that a tile reads of an operand; the hull where it is given twice."""
        boxes = [
            box
            for given, box in zip(self._call.inputs, tile.reads, strict=True)
            if given == name and box is not None
        ]
        found = boxes[0]
        for box in boxes[1:]:
            found = found.hull(box)
        return found

    def _staging(self, block: str, slot_bytes: int, slots: int) -> str:
        aligned = -(-slot_bytes // NEAR_ALIGNMENT) * NEAR_ALIGNMENT
        return self._whole.buffer(block, aligned * slots)

    def _largest_read(self, name: str) -> int:
        tiles = [tile for row in self._cut.tiles for tile in row]
        return max(self._read(tile, name).elements for tile in tiles) * self._element(name)

    def _largest_result(self) -> int:
        tiles = [tile for row in self._cut.tiles for tile in row]
        return max(tile.box.elements for tile in tiles) * self._element(self._output)

    def _element(self, name: str) -> int:
        return self._whole.program.view[name].type.dtype.size_bytes

    def _reads(self, group: _Group, run: _Run, at: _At) -> tuple[tuple[str, ...], tuple[Held, ...]]:
        """The constants that a tile reads, and where they are near."""
        names: list[str] = []
        held: list[Held] = []
        for number, found in enumerate(self._prepared.of(self._kernel, run.layer)):
            if isinstance(found, AsGiven):
                name = self._operand(group, run, found.operand, at)
                assert name is not None
                names.append(name)
                continue
            names.append(self._one_of(self._prepared_names(group, run, number), at))
            staged = self._constants[group.begin]
            if staged is not None and not found.memory:
                start = self._constants_turn(group, at.part, at.part_counter, self._constants_slot)
                offset = staged.offset(run.layer, found.layout)
                start = replace(start, base=start.base + offset)
                type_ = self._whole.type_of(names[-1])
                view = View(f"{names[-1]}.near", type_, self._near_constants, start)
                held.append(Held(names[-1], self._whole.view(view)))
        return tuple(names), tuple(held)

    def _prepared_names(self, group: _Group, run: _Run, number: int) -> list[str]:
        """A constant that the kernel prepares, of each part."""
        layers = [self._cut.layers[part][run.begin] for part in self._parts_of(group)]
        found = [self._prepared.of(self._kernel, layer)[number] for layer in layers]
        return [
            self._whole.prepared(self._call.name, one) for one in found if isinstance(one, Prepared)
        ]

    def _groups_of_parts(self) -> list[_Group]:
        """Parts in a row that are alike and equally far apart; the first one by itself if its tiles are a loop, as its
        first results find their slots free.
        """
        names = [*self._operands, self._output]
        runs = self._runs_of_parts
        # Conditions are of one loop: where tiles are a loop in the loop over parts, none says which tiles are first.
        is_first_apart = len(runs[0]) < len(self._cut.tiles[0]) and not self._drains
        places = [[self._start(part[0].tile, name) for name in names] for part in runs]
        steps = [
            dict(zip(names, (b - a for a, b in zip(one, other, strict=True)), strict=True))
            for one, other in pairwise(places)
        ]
        groups: list[_Group] = []
        begin = 0
        for number in range(1, len(runs) + 1):
            is_alike = (
                number < len(runs)
                and self._are_alike(begin, number)
                and not (begin == 0 and is_first_apart)
            )
            if not is_alike or steps[number - 1] != steps[begin]:
                own = steps[begin] if number - begin > 1 else dict.fromkeys(names, 0)
                groups.append(_Group(begin, number, runs[begin], own))
                begin = number
        return groups

    def _are_alike(self, one: int, other: int) -> bool:
        """Whether two parts differ in where they lie and in constants of the same size alone, all of which come near: a
        call in a loop reads those of its part from copies.
        """
        tiles, layers = self._cut.tiles, self._cut.layers
        if len(tiles[one]) != len(tiles[other]) or self._stays(layers[one][0]):
            return False
        constants = [self._constants[part] for part in (one, other)]
        sizes = {-1 if found is None else found.data.nbytes for found in constants}
        return len(sizes) == 1 and all(
            a.operator == b.operator
            and a.box.shape == b.box.shape
            and [box and box.shape for box in a.reads] == [box and box.shape for box in b.reads]
            and self._offsets(one, x) == self._offsets(other, y)
            for a, b, x, y in zip(tiles[one], tiles[other], layers[one], layers[other], strict=True)
        )

    def _stays(self, layer: Layer) -> bool:
        """Whether a layer reads constants from a memory of their own."""
        prepared = self._prepared.of(self._kernel, layer)
        return any(isinstance(one, Prepared) and one.memory for one in prepared)

    def _offsets(self, part: int, layer: Layer) -> list[int]:
        """Where the constants of a layer lie among those of its part."""
        staged = self._constants[part]
        return (
            []
            if staged is None
            else [
                staged.offset(layer, found.layout)
                for found in copied(self._prepared.of(self._kernel, layer))
            ]
        )

    def _bring_constants(self) -> tuple[list[str], str, int]:
        """Of each part its constants afar; the buffer near, and the size of its slots. Nothing of a call whose are not
        brought.
        """
        found = [one for one in self._constants if one is not None]
        if len(found) < len(self._constants):
            return [], "", 0
        largest = max(one.data.nbytes for one in found)
        problem = self._whole.formulation.problem
        assert problem is not None  # there is a layer
        layer = problem.layers[self._index]
        planned = layer.ways[self._whole.plan.ways[self._index]].constants_bytes
        if largest > planned:
            raise TilingError(
                f"layer {layer.name}: its constants take {largest} bytes, the plan has {planned}"
            )
        slots = min(self._cut.slots, len(found))
        buffer = self._whole.buffer(f"{self._call.name}.constants", slots * largest)
        far = [self._whole.far_constant(f"{self._call.name}.constants", one.data) for one in found]
        return far, buffer, largest


def _first_constants(calls: Sequence[_CallRewriting], guard: Guard | None) -> Iterator[Copy]:
    for call in calls:
        yield replace(call.first_constants(), guard=guard)


def _shifted(run: _Run, here: _At, shift: int, tiles: int) -> tuple[_At | None, Guard | None]:
    """The run's tile `shift` further than the one at hand, and in which iterations it is there; None if it is not."""
    at = replace(here, number=here.number + shift, begin=run.begin)
    if here.counter is None:
        return (at if run.begin <= at.number < run.end else None), None
    begin, end = max(run.begin - shift, 0), min(run.end - shift, tiles)
    if begin >= end:
        return None, None
    guard = None if (begin, end) == (0, tiles) else Guard(here.counter, begin, end)
    return at, guard
