"""The Program that follows a plan: tiles, copies that run beside them, waits, loops.

Of a call cut into tiles: while one tile is computed, a DMA fetches the operands of the next one and takes away the
result of the one before; each has two places for that. Constants of a part of the channels come in one copy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.builder import dtype_of
from tinsmith_ir.expressions import Counter, Expression, Modulo, Term
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Engine,
    Guard,
    Held,
    Loop,
    Memory,
    Program,
    Step,
    View,
    Wait,
    simple_steps,
)
from tinsmith_ir.types import TensorType
from tinsmith_lowering import AsGiven, Layer, Prepared, scratch_type

from tinsmith_tiling.formulate import (
    NEAR_ALIGNMENT,
    Formulation,
    reads_one_box,
    staged_constants,
    staged_operands,
)
from tinsmith_tiling.model import Plan
from tinsmith_tiling.ways import Tile

DMA = "dma"
_RESULT_TOKENS = 8
_CONSTANT_TOKENS = 12


def rewrite(program: Program, formulation: Formulation, plan: Plan, near: Memory) -> Program:
    """The tiled program; its buffers in the near memory have offsets."""
    return _Rewriting(program, formulation, plan, near).result()


@dataclass(frozen=True)
class _At:
    """Which tile of a part a step is for: tile `number`, or, in a loop, tile counter + number; of a run that starts with
    tile `begin`. before: how many tiles other parts have before.
    """

    number: int
    counter: str | None = None
    begin: int = 0
    before: int = 0

    def place(self, first: int, step: int) -> Expression:
        """first + step * (number of the tile - begin)."""
        if self.counter is None:
            return Expression(first + step * (self.number - self.begin))
        base = first + step * (self.number - self.begin)
        return Expression(base, (Term(step, Counter(self.counter)),) if step else ())

    def slot(self, size_bytes: int, slots: int) -> Expression:
        """Where the slot of the tile begins."""
        number = (self.number + self.before) % slots
        if self.counter is None or slots == 1:
            return Expression(size_bytes * number)
        inner = Expression(number, (Term(1, Counter(self.counter)),))
        return Expression(0, (Term(size_bytes, Modulo(inner, slots)),))

    def token(self, first: int, slots: int) -> Expression:
        """That of the slot of the tile."""
        slot = self.slot(1, slots)
        return replace(slot, base=slot.base + first)


@dataclass(frozen=True, eq=False)
class _Run:
    """Tiles that follow one another, are alike, and lie at equal distances: numbers `begin` to `end` - 1. steps: how many
    bytes further the next tile is, of each tensor that is read or written.
    """

    begin: int
    end: int
    tile: Tile
    layer: Layer
    steps: Mapping[str, int]


@dataclass
class _Parts:
    """What a tiled program is made of."""

    buffers: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    views: dict[str, View] = field(default_factory=dict[str, View])
    constants: dict[str, ConstantBuffer] = field(default_factory=dict[str, ConstantBuffer])


class _Rewriting:
    def __init__(
        self, program: Program, formulation: Formulation, plan: Plan, near: Memory
    ) -> None:
        self.program = program
        self.formulation = formulation
        self.plan = plan
        self._near = near
        calls = {call.name for call in program.calls}
        self._taken = {*program.buffer, *program.view, *program.constant, *calls}
        self._parts = _Parts()
        self._counters = count()
        self._known: dict[object, str] = {}

    def result(self) -> Program:
        program = self.program
        names = [*self.formulation.calls]
        calls = {name: _CallRewriting(self, index) for index, name in enumerate(names)}
        behind = {
            name: calls[after]
            for index, (name, after) in enumerate(zip(names, names[1:], strict=False))
            if self.plan.prefetched[index + 1]
        }
        steps: list[Step] = []
        for step in program.steps:
            if isinstance(step, Call) and step.name in calls:
                steps += calls[step.name].steps(behind.get(step.name))
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
            steps=tuple(steps),
        )
        return _without_unused(tiled)

    def _homed(self, buffer: Buffer) -> Buffer:
        tensor = self.formulation.buffers.get(buffer.name)
        if tensor is None or self.plan.homes[tensor] != 0:
            return buffer
        return replace(buffer, memory=self._near.name, offset=self.plan.offsets[tensor])

    def is_near(self, name: str) -> bool:
        """Whether the buffer of a view lies near."""
        tensor = self.formulation.buffers.get(self.program.view[name].buffer)
        return tensor is not None and self.plan.homes[tensor] == 0

    def fresh(self, wish: str) -> str:
        """A name of its own."""
        name = wish
        for number in count(2):
            if name not in self._taken:
                break
            name = f"{wish}.{number}"
        self._taken.add(name)
        return name

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
        key = (prepared.layout, data.dtype.str, data.shape, data.tobytes())
        if key not in self._known:
            name = self.fresh(f"{call}.{prepared.layout}")
            type_ = TensorType(data.shape, dtype_of(data))
            self._parts.constants[name] = ConstantBuffer(name, type_, data, prepared.layout)
            self._known[key] = name
        return self._known[key]

    def far_constant(self, wish: str, data: NDArray[np.int8]) -> str:
        """Bytes that are copied near."""
        name = self.fresh(wish)
        self._parts.constants[name] = ConstantBuffer(
            name, TensorType(data.shape, dtype_of(data)), data
        )
        return name

    def view_of(self, name: str) -> View:
        """A view of the tiled program that was made here."""
        return self._parts.views[name]


class _CallRewriting:
    """One call: its buffers in the near memory, and the steps of its tiles."""

    def __init__(self, whole: _Rewriting, index: int) -> None:
        self._whole = whole
        self._index = index
        tiled = whole.formulation.calls[[*whole.formulation.calls][index]]
        self._call, self._kernel = tiled.call, tiled.kernel
        self._cut = tiled.cuts[whole.plan.ways[index]]
        self._is_prefetched = whole.plan.prefetched[index]
        self._slots = min(2, self._cut.count)
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
        self._runs_of = [self._runs(part) for part in range(len(self._cut.tiles))]
        self._constants = [
            staged_constants(self._cut, part) for part in range(len(self._cut.tiles))
        ]
        self._near_constants = self._constant_views()

    def steps(self, behind: "_CallRewriting | None") -> Iterator[Step]:
        """All of them. behind: the call after this one if its first constants are fetched meanwhile."""
        yield from self._fetch_first(0)
        if self._near_constants and not self._is_prefetched:
            yield self.constants_copy(0)
        parts = len(self._cut.tiles)
        for part in range(parts):
            if self._near_constants and part + 1 < parts:
                yield self.constants_copy(part + 1)
            is_last = part + 1 == parts
            yield from self._part(part, behind if is_last else None)
        if self._result is not None:
            total = self._cut.count
            for number in range(total - self._slots, total):
                yield Wait(Expression(_RESULT_TOKENS + number % self._slots))

    def constants_copy(self, part: int) -> Copy:
        """Fetches the constants of a part of the channels."""
        token = Expression(self._constants_token(part))
        return Copy(*self._near_constants[part], DMA, token)

    def _constants_token(self, part: int) -> int:
        return _CONSTANT_TOKENS + 2 * (self._index % 2) + part % 2

    def _part(self, part: int, behind: "_CallRewriting | None") -> Iterator[Step]:
        """The tiles of a part of the channels, straight or as a loop."""
        tiles = len(self._cut.tiles[part])
        runs = self._runs_of[part]
        streams = tiles > 2 and any(not self._is_fixed(name) for name in self._staged)
        if behind is not None and not streams:
            yield behind.constants_copy(0)
            behind = None
        if self._near_constants:
            yield Wait(Expression(self._constants_token(part)))
        if len(runs) == tiles:
            for number in range(tiles):
                yield from self._iteration(part, runs, number, None, behind)
        else:
            counter = self._whole.counter()
            body = tuple(self._iteration(part, runs, tiles, counter, behind))
            yield Loop(counter, tiles, body)  # pyright: ignore[reportArgumentType]

    def _iteration(
        self,
        part: int,
        runs: Sequence[_Run],
        number: int,
        counter: str | None,
        behind: "_CallRewriting | None",
    ) -> Iterator[Step]:
        """One tile: the next one is fetched, what is wanted is waited for, then the call, and its result goes.

        number: of the tile, or, in a loop, how many there are.
        """
        tiles = len(self._cut.tiles[part])
        before = part * len(self._cut.tiles[0])
        for run in runs:
            at, guard = _shifted(run, number, counter, 1, tiles, before)
            if at is not None:
                yield from self._fetch(run, at, guard)
        if part + 1 < len(self._cut.tiles) and (counter is not None or number + 1 == tiles):
            guard = None if counter is None else Guard(counter, tiles - 1, tiles)
            yield from self._fetch_first(part + 1, guard)
        ahead = max(tiles - 2, 0)
        if behind is not None and (counter is not None or number == ahead):
            guard = None if counter is None else Guard(counter, ahead, ahead + 1)
            yield replace(behind.constants_copy(0), guard=guard)
        here = _At(0 if counter else number, counter, 0, before)
        for order, name in enumerate(self._staged):
            if not self._is_fixed(name):
                yield Wait(here.token(2 * order, self._slots))
            elif part == 0 and (counter is not None or number == 0):
                guard = None if counter is None else Guard(counter, 0, 1)
                yield Wait(Expression(2 * order), guard)
        if self._result is not None and self._cut.count > self._slots:
            first = max(self._slots - before, 0)
            if counter is not None and first < tiles:
                guard = Guard(counter, first, tiles) if first else None
                yield Wait(here.token(_RESULT_TOKENS, self._slots), guard)
            elif counter is None and number >= first:
                yield Wait(here.token(_RESULT_TOKENS, self._slots))
        for run_number, run in enumerate(runs):
            at, guard = _shifted(run, number, counter, 0, tiles, before)
            if at is not None:
                yield from self._compute(
                    part, run_number if len(runs) > 1 else None, run, at, guard
                )

    def _fetch_first(self, part: int, guard: Guard | None = None) -> Iterator[Copy]:
        """Copies of what the first tile of a part reads and is not near."""
        run = self._runs_of[part][0]
        before = part * len(self._cut.tiles[0])
        yield from self._fetch(run, _At(0, None, run.begin, before), guard)

    def _fetch(self, run: _Run, at: _At, guard: Guard | None) -> Iterator[Copy]:
        """Copies of what a tile reads and is not near; what all tiles read comes with the first one."""
        for order, (name, buffer) in enumerate(self._staged.items()):
            is_fixed = self._is_fixed(name)
            if is_fixed and (at.counter is not None or at.number + at.before):
                continue
            source = self._part_of(name, self._read(run.tile, name), run.steps[name], at)
            target = self._in_slot(f"{name}.tile", source, buffer, at, self._slots_of(name))
            token = at.token(2 * order, self._slots_of(name))
            yield Copy(source, target, DMA, token, guard)

    def _is_fixed(self, name: str) -> bool:
        return reads_one_box(self._cut, name)

    def _slots_of(self, name: str) -> int:
        return 1 if name != self._output and self._is_fixed(name) else self._slots

    def _compute(
        self, part: int, run_number: int | None, run: _Run, at: _At, guard: Guard | None
    ) -> Iterator[Step]:
        whole, call = self._whole, self._call
        inputs = [
            self._operand(run, name, box, at) if name is not None and box is not None else None
            for name, box in zip(call.inputs, run.tile.reads, strict=True)
        ]
        place = self._part_of(self._output, run.tile.box, run.steps[self._output], at)
        result = place
        if self._result is not None:
            result = self._in_slot(f"{self._output}.tile", place, self._result, at, self._slots)
        size = self._kernel.scratch_bytes(run.layer)
        scratch = None
        if size and self._scratch is not None:
            scratch = whole.view(View(self._scratch, scratch_type(size), self._scratch))
        is_whole = self._cut.count == 1
        name = call.name if is_whole else whole.fresh(self._tile_name(part, run_number, run, at))
        reads, held = self._reads(part, run.layer)
        yield replace(
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
        if self._result is not None:
            yield Copy(result, place, DMA, at.token(_RESULT_TOKENS, self._slots), guard)

    def _tile_name(self, part: int, run_number: int | None, run: _Run, at: _At) -> str:
        parts = f".{part}" if len(self._cut.tiles) > 1 else ""
        run_name = "" if run_number is None and at.counter else f".{run.begin}"
        return f"{self._call.name}{parts}{run_name}"

    def _operand(self, run: _Run, name: str, box: Box, at: _At) -> str:
        if name in self._whole.program.constant:
            return self._whole.constant(name, box)
        place = self._part_of(name, box, run.steps[name], at)
        if name not in self._staged:
            return place
        return self._in_slot(f"{name}.tile", place, self._staged[name], at, self._slots_of(name))

    def _part_of(self, name: str, box: Box, step: int, at: _At) -> str:
        """The view of a box of a tensor where it lies, `step` bytes further with each tile."""
        view = self._whole.program.view[name]
        if box.is_whole(view.type.shape):
            return name
        part = view.part(f"{name}.part", box)
        return self._whole.view(replace(part, start=at.place(part.start.base, step)))

    def _in_slot(self, name: str, like: str, buffer: str, at: _At, slots: int) -> str:
        """The dense view of the same elements in a slot."""
        type_ = self._whole.type_of(like)
        start = at.slot(self._whole.buffer_bytes(buffer) // slots, slots)
        return self._whole.view(View(name, type_, buffer, start))

    def _runs(self, part: int) -> list[_Run]:
        """Tiles in a row that are alike and equally far apart, in all that they read and write."""
        tiles, layers = self._cut.tiles[part], self._cut.layers[part]
        names = [*self._operands, self._output]
        places = [[self._start(tile, name) for name in names] for tile in tiles]
        steps = [
            dict(zip(names, (b - a for a, b in zip(one, other, strict=True)), strict=True))
            for one, other in pairwise(places)
        ]
        runs: list[_Run] = []
        begin = 0
        for number in range(1, len(tiles) + 1):
            is_alike = number < len(tiles) and layers[number] is layers[begin]
            if not is_alike or steps[number - 1] != steps[begin]:
                own = steps[begin] if number - begin > 1 else dict.fromkeys(names, 0)
                runs.append(_Run(begin, number, tiles[begin], layers[begin], own))
                begin = number
        return runs

    def _start(self, tile: Tile, name: str) -> int:
        box = tile.box if name == self._output else self._read(tile, name)
        return self._whole.program.view[name].part("part", box).start.base

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

    def _reads(self, part: int, layer: Layer) -> tuple[tuple[str, ...], tuple[Held, ...]]:
        """The constants that a tile reads, and where they are near."""
        names: list[str] = []
        held: list[Held] = []
        staged = self._constants[part]
        for found in self._kernel.prepare(layer):
            if isinstance(found, AsGiven):
                name = self._call.inputs[found.operand]
                assert name is not None
                names.append(name)
                continue
            names.append(self._whole.prepared(self._call.name, found))
            if staged is not None:
                place = self._whole.view_of(self._near_constants[part][1])
                start = Expression(place.start.base + staged.offset(layer, found.layout))
                type_ = self._whole.type_of(names[-1])
                view = View(f"{names[-1]}.near", type_, place.buffer, start)
                held.append(Held(names[-1], self._whole.view(view)))
        return tuple(names), tuple(held)

    def _constant_views(self) -> list[tuple[str, str]]:
        """Of each part of the channels its constants afar, and where they are copied to; nothing of a call whose are
        not.
        """
        found = [one for one in self._constants if one is not None]
        if len(found) < len(self._constants):
            return []
        slots = min(2, len(found))
        largest = max(one.data.nbytes for one in found)
        buffer = self._whole.buffer(f"{self._call.name}.constants", slots * largest)
        pairs: list[tuple[str, str]] = []
        for part, one in enumerate(found):
            far = self._whole.far_constant(f"{self._call.name}.constants", one.data)
            start = Expression(largest * (part % slots))
            near = View(f"{far}.copy", self._whole.type_of(far), buffer, start)
            pairs.append((far, self._whole.view(near)))
        return pairs


def _shifted(
    run: _Run, number: int, counter: str | None, shift: int, tiles: int, before: int
) -> tuple[_At | None, Guard | None]:
    """Where a run's tile `shift` further than the one at hand lies, and in which iterations; None if it is not there."""
    if counter is None:
        is_there = run.begin <= number + shift < run.end
        return (_At(number + shift, None, run.begin, before) if is_there else None), None
    begin, end = max(run.begin - shift, 0), min(run.end - shift, tiles)
    if begin >= end:
        return None, None
    guard = None if (begin, end) == (0, tiles) else Guard(counter, begin, end)
    return _At(shift, counter, run.begin, before), guard


def _without_unused(program: Program) -> Program:
    """The program without views that no step names, buffers without views, and constants that nobody reads."""
    used: set[str] = {*program.ends}
    for step in simple_steps(program.steps):
        reads, writes = step_names(step)
        used |= {*reads, *writes}
        if isinstance(step, Call):
            used |= {*step.reads}
    views = tuple(view for view in program.views if view.name in used)
    buffers = {view.buffer for view in views}
    return replace(
        program,
        views=views,
        buffers=tuple(buffer for buffer in program.buffers if buffer.name in buffers),
        constants=tuple(found for found in program.constants if found.name in used),
    )
