"""A tensor that is part of another lies in it from the start.

An operator that only moves elements (see `Operator.placement`) costs nothing where a part can be a view: what an
operand holds is written where the result wants it, or the result is read where the operand lies. Kernels take dense
tensors, so a part must lie densely in the whole.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.boxes import Box
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import step_names
from tinsmith_ir.operators.base import Part, Placement
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import (
    Buffer,
    Call,
    Copy,
    Fill,
    Program,
    SimpleStep,
    Step,
    View,
)

from tinsmith_copy_elision.peak import Lives, Move


@dataclass(frozen=True)
class ElideCopies(Checked):
    """`elide_copies` as a pass: views in the place of calls that only move elements, behind lowering."""

    name: ClassVar[str] = "elide-copies"
    # The same bytes, at other places.
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, program: Program) -> Program:
        """See `elide_copies`."""
        return elide_copies(program)


@checked
def elide_copies(program: Program) -> Program:
    """The program with views in the place of calls that only move elements, where that costs no memory.

    A part that cannot be a view (a constant, an operand that has its place elsewhere, one that would not lie densely)
    is copied. A call stays if none of its parts can be one, or if the bytes that are live at once would grow, since
    the whole is live as long as its longest part. Programs with loops or engines come from who has placed their
    tensors already and stay as they are.
    """
    if not all(isinstance(step, Call | Copy | Fill) for step in program.steps):
        return program
    if any(isinstance(step, Call | Copy) and step.engine is not None for step in program.steps):
        return program
    elision = _Elision(program)
    for index, step in enumerate(program.steps):
        if isinstance(step, Call):
            elision.try_call(index, step)
    return elision.program()


class _Elision:
    """views, buffers: as they are now. steps: of the program, those that remain of each.

    taken: of each operand, the steps that take parts of it, and which.
    """

    def __init__(self, program: Program) -> None:
        self._given = program
        self._views = dict(program.view)
        self._buffers = dict(program.buffer)
        self._steps: dict[int, list[Step]] = {}
        self._on: dict[str, list[str]] = {name: [] for name in program.buffer}
        for view in program.views:
            self._on[view.buffer].append(view.name)
        self._written_once = _written_once(program)
        self._scratches = Counter(call.scratch for call in program.calls)
        self._lives = Lives(program)
        self._taken: dict[str, dict[int, Part]] = {}
        for index, step in enumerate(program.steps):
            placement = self._placement(step) if isinstance(step, Call) else None
            part = None if placement is None else _only_part(placement)
            if part is not None and isinstance(step, Call):
                self._taken.setdefault(step.inputs[part.operand] or "", {})[index] = part

    def program(self) -> Program:
        """What was found so far; the same object if that is nothing."""
        if not self._steps:
            return self._given
        steps = [self._steps.get(index, [step]) for index, step in enumerate(self._given.steps)]
        return replace(
            self._given,
            buffers=tuple(self._buffers.values()),
            views=tuple(self._views.values()),
            steps=tuple(step for several in steps for step in several),
        )

    def try_call(self, index: int, call: Call) -> None:
        """Replace a call if that is possible and costs no memory."""
        placement = self._placement(call)
        if placement is None or index in self._steps:
            return
        part = _only_part(placement)
        if part is None:
            self._put_together(index, call, self._views[call.outputs[0]], placement)
            return
        # Parts that are live as long as the whole cost memory one by one, but all of them are no more than the whole.
        beside = self._taken[call.inputs[part.operand] or ""]
        if index != min(beside) or not self._take(beside):
            self._take({index: part})

    def _take(self, parts: Mapping[int, Part]) -> bool:
        """Read the results of some steps where their operand lies, those that can be; say whether."""
        moves: list[Move] = []
        calls: dict[int, Call] = {}
        for index, part in parts.items():
            call = self._given.steps[index]
            assert isinstance(call, Call)  # only these take parts
            move = self._move_of(call, part)
            if move is not None:
                moves.append(move)
                calls[index] = call
        if not moves or not self._are_accepted(moves, calls.values()):
            return False
        self._steps.update({index: [] for index in calls})
        return True

    def _move_of(self, call: Call, part: Part) -> Move | None:
        result = self._views[call.outputs[0]]
        source = self._views.get(call.inputs[part.operand] or "")
        if source is None or not self._is_alone(result) or not self._is_sound(source):
            return None
        start = _dense_start(source, part.source)
        if start is None or source.buffer == result.buffer:
            return None
        return Move(result.buffer, source.buffer, start)

    def _placement(self, call: Call) -> Placement | None:
        if len(call.outputs) != 1:
            return None
        return call.operator.placement(*self._given.types_of(call))

    def _put_together(self, index: int, call: Call, whole: View, placement: Placement) -> None:
        """Have operands written where the result wants them, and copy and fill the rest."""
        if not self._is_sound(whole) or not _can_fill(whole, placement):
            return
        moves: dict[str, Move] = {}
        rest: list[Part] = []
        for part in placement.parts:
            source = self._views.get(call.inputs[part.operand] or "")
            start = _dense_start(whole, part.destination)
            if (
                source is None
                or start is None
                or source.buffer in moves
                or source.buffer == whole.buffer
                or not self._is_alone(source)
                or not part.source.is_whole(source.type.shape)
            ):
                rest.append(part)
            else:
                moves[source.buffer] = Move(source.buffer, whole.buffer, start)
        if not moves or not self._are_accepted([*moves.values()], [call]):
            return
        self._steps[index] = [*self._remaining(call, whole, placement, rest)]

    def _remaining(
        self, call: Call, whole: View, placement: Placement, rest: list[Part]
    ) -> list[SimpleStep]:
        steps: list[SimpleStep] = []
        for part in rest:
            name = call.inputs[part.operand]
            assert name is not None  # a part has elements
            if not part.source.is_whole(self._given.type_of(name).shape):
                name = self._part_view(self._views[name], part.source)
            steps.append(Copy(name, self._part_view(whole, part.destination)))
        for box in placement.filled:
            steps.append(Fill(self._part_view(whole, box), int(placement.value)))
        return steps

    def _part_view(self, whole: View, box: Box) -> str:
        """The name of a new view of a part of a dense one."""
        count = 0
        while (name := f"{whole.name}.part{count}") in self._views or name in self._given.constant:
            count += 1
        self._views[name] = whole.part(name, box)
        self._on[whole.buffer].append(name)
        return name

    def _are_accepted(self, moves: Sequence[Move], calls: Collection[Call]) -> bool:
        """Make the moves, for which the calls go, if that costs no memory."""
        scratches = [name for call in calls if (name := self._scratch(call)) is not None]
        if not self._lives.accept(moves, without=[self._views[name].buffer for name in scratches]):
            return False
        self._apply(moves)
        for name in scratches:
            del self._buffers[self._views.pop(name).buffer]
        return True

    def _apply(self, moves: Sequence[Move]) -> None:
        for move in moves:
            for name in self._on.pop(move.buffer):
                view = self._views[name]
                start = Expression(view.start.base + move.start)
                self._views[name] = replace(view, buffer=move.into, start=start)
                self._on[move.into].append(name)
            del self._buffers[move.buffer]

    def _scratch(self, call: Call) -> str | None:
        """The scratch that goes with the call, being that of nobody else and alone in its buffer."""
        if call.scratch is None or self._scratches[call.scratch] > 1:
            return None
        buffer = self._views[call.scratch].buffer
        return call.scratch if self._on[buffer] == [call.scratch] else None

    def _is_sound(self, view: View) -> bool:
        """True if what is written to the view's bytes stays, and no counter moves it."""
        return (
            view.is_dense
            and not view.counters
            and view.buffer in self._written_once
            and self._buffers[view.buffer].offset is None
        )

    def _is_alone(self, view: View) -> bool:
        """True if the view's buffer holds that tensor and nothing beside it, so that all of it may move."""
        buffer: Buffer = self._buffers[view.buffer]
        return (
            self._is_sound(view)
            and view.start.base == 0
            and buffer.size_bytes == view.type.size_bytes
        )


def _written_once(program: Program) -> set[str]:
    """Buffers of which no byte is written a second time: those that one step writes, or the caller."""
    counts: dict[str, int] = {program.view[name].buffer: 1 for name in program.inputs}
    # A state holds what the run before left, and what the next one finds.
    counts |= {program.view[state.view].buffer: 2 for state in program.states}
    for step in program.steps:
        assert isinstance(step, Call | Copy | Fill)  # asked before
        for name in step_names(step)[1]:
            buffer = program.view[name].buffer
            counts[buffer] = counts.get(buffer, 0) + 1
    return {name for name, count in counts.items() if count == 1}


def _only_part(placement: Placement) -> Part | None:
    """The part that is all of a result; None if others, or fills, stand beside it."""
    is_all = len(placement.parts) == 1 and not placement.filled
    return placement.parts[0] if is_all else None


def _can_fill(whole: View, placement: Placement) -> bool:
    if not placement.filled:
        return True
    value = placement.value
    is_zero = value == 0 and not str(value).startswith("-")
    return is_zero if whole.type.dtype is DType.FLOAT32 else isinstance(value, int)


def _dense_start(whole: View, box: Box) -> int | None:
    """Where in the buffer of a dense view a box begins whose elements lie densely; None if they do not."""
    if whole.type.quantization is not None and whole.type.quantization.axis is not None:
        return None
    part = whole.part("", box)
    return part.start.base if part.is_dense else None
