"""The Program in which calls stream as was planned: parts of calls, windows, and copies of lines that are kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators import Operator
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Program,
    SimpleStep,
    View,
    tensor,
)
from tinsmith_ir.types import TensorType
from tinsmith_lowering import overlaps, scratch_type

from tinsmith_splitting.patches import PatchedCalls, start_in
from tinsmith_splitting.rows import PartKernel, Parts, RowCall
from tinsmith_splitting.search import Path
from tinsmith_splitting.stream import Drop, Make
from tinsmith_splitting.sums import PartOfConstant, SummedCall
from tinsmith_splitting.trimmed import Trimmed
from tinsmith_splitting.ways import Choice, Streamed


def rewritten(
    program: Program, parts: Parts, path: Path[Choice], steps: Sequence[SimpleStep]
) -> tuple[Program, Mapping[str, Sequence[str]]]:
    """The program with the steps of each way that streams in parts; and of each call that does, the names of its parts
    in order.
    """
    writing = _Writing(program, parts)
    for way in path.ways:
        if way.of is None:
            writing.steps += steps[way.first : way.last + 1]
        elif isinstance(way.of, Trimmed):
            writing.trim(way.of)
        else:
            writing.add(way.of)
    return writing.program(), writing.parts


class _Writing:
    def __init__(self, program: Program, parts: Parts) -> None:
        self._program = program
        self._parts = parts
        self.steps: list[SimpleStep] = []
        self.parts: dict[str, list[str]] = {}
        self._views: dict[str, View] = {}
        self._buffers: dict[str, Buffer] = {}
        self._constants: dict[str, ConstantBuffer] = {}
        calls = (call.name for call in program.calls)
        taken = {*program.view, *program.buffer, *program.constant, *calls}
        self._fresh = FreshNames(taken, first=1).name

    def program(self) -> Program:
        return without_unused(
            replace(
                self._program,
                views=(*self._program.views, *self._views.values()),
                buffers=(*self._program.buffers, *self._buffers.values()),
                constants=(*self._program.constants, *self._constants.values()),
                steps=tuple(self.steps),
            )
        )

    def trim(self, trimmed: Trimmed) -> None:
        """A call with scratch of its own size."""
        call = trimmed.call
        memory = self._program.buffer_of(call.outputs[0]).memory
        type_ = scratch_type(trimmed.scratch)
        buffer, view = tensor(self._fresh(f"{call.name}.scratch"), type_, memory)
        self._buffers[buffer.name], self._views[view.name] = buffer, view
        self.steps.append(replace(call, scratch=view.name))

    def add(self, streamed: Streamed) -> None:
        """The steps of calls that stream."""
        segment = streamed.segment
        memory = self._program.buffer_of([*streamed.calls.values()][-1].result.name).memory
        windows: dict[str, _Window] = {}
        for names in segment.places:
            sizes = [segment.stream.lines[name] * segment.row_bytes[name] for name in names]
            buffer = self._added(f"{names[0]}.lines", max(sizes), memory)
            windows |= {
                name: _Window(buffer.name, size) for name, size in zip(names, sizes, strict=True)
            }
        patches = None
        if segment.patch_bytes:
            patches = self._added("patches", segment.patch_bytes, memory)
        sums: dict[str, tuple[str, str]] = {}
        for action in segment.stream.actions:
            if isinstance(action, Drop):
                self._drop(windows[action.tensor], action, segment.row_bytes[action.tensor])
                continue
            rows = streamed.calls[action.stage]
            if isinstance(rows, SummedCall):
                self._add_rows(rows, action, windows, sums)
            elif isinstance(rows, PatchedCalls):
                assert patches is not None
                self._make_patches(rows, action, windows, patches)
            else:
                self._make(rows, rows.call, action, windows)

    def _added(self, name: str, size: int, memory: str) -> Buffer:
        buffer = Buffer(self._fresh(name), size, memory)
        self._buffers[buffer.name] = buffer
        return buffer

    def _drop(self, window: "_Window", action: Drop, row_bytes: int) -> None:
        """Copies of at most as many lines as go, so that none lies over what it is copied from."""
        begin = window.size_bytes // row_bytes - action.kept
        for at in range(0, action.kept, action.dropped):
            size = min(action.dropped, action.kept - at) * row_bytes
            source = self._bytes(window.buffer, (begin + at) * row_bytes, size)
            destination = self._bytes(
                window.buffer, (begin + at - action.dropped) * row_bytes, size
            )
            self.steps.append(Copy(source, destination))

    def _bytes(self, buffer: str, start: int, size: int) -> str:
        name = self._fresh(f"{buffer}.{start}")
        self._views[name] = View(name, scratch_type(size), buffer, Expression(start))
        return name

    def _make(
        self, rows: RowCall, call: Call | Copy, action: Make, windows: "Mapping[str, _Window]"
    ) -> None:
        lines = _Lines(rows.axis, action, windows)
        box = rows.box(action.begin, action.end)
        if isinstance(call, Copy):
            source = self._rows(call.source, call.source, box, lines)
            here = self._rows(call.source, rows.result.name, box, lines)
            self.steps.append(Copy(source, here))
            return
        self._call(call, box, lambda where, name, part: self._rows(where, name, part, lines))

    def _make_patches(
        self, rows: PatchedCalls, action: Make, windows: "Mapping[str, _Window]", patches: Buffer
    ) -> None:
        lines = _Lines(rows.axis, action, windows)
        for row in range(action.begin, action.end):
            for piece in rows.pieces[row]:

                def view_of(where: str, name: str, box: Box, held: Mapping[str, Box]) -> str:
                    if name not in held:
                        return self._rows(where, name, box, lines)
                    start = rows.patches[name]
                    return self._held(where, name, box, held[name], (patches, start))

                self._call(piece.call, piece.box, partial(view_of, held=piece.held))

    def _add_rows(
        self,
        rows: SummedCall,
        action: Make,
        windows: "Mapping[str, _Window]",
        sums: dict[str, tuple[str, str]],
    ) -> None:
        """What adds some rows; behind the last ones what makes the result. sums: by call, see `_sums`."""
        call, name = rows.call, rows.call.name
        if name not in sums:
            sums[name] = self._sums(rows)
        total, given = sums[name]
        where = self._fresh(name)
        self.parts.setdefault(name, []).append(where)
        lines = _Lines(rows.axis, action, windows)
        box = rows.rows(action.begin, action.end)
        operands: list[str | None] = [self._rows(where, rows.operand.name, box, lines)]
        for other in rows.others(self._program, action.begin, action.end):
            match other:
                case PartOfConstant():
                    constant = self._program.constant[other.name]
                    operands.append(self._constant(constant, other.box))
                case TensorType():
                    operands.append(given)
                case None:
                    operands.append(None)
        adds = rows.adds(self._parts, action.begin, action.end)
        assert adds is not None
        self._append(call, where, adds, rows.sums.adds, tuple(operands), total)
        if action.end == rows.stage.rows:
            ends = rows.ends(self._parts)
            assert ends is not None
            where = self._fresh(name)
            self._append(call, where, ends, rows.sums.ends, (total,), rows.result.name)

    def _sums(self, rows: SummedCall) -> tuple[str, str]:
        """A view of the sums of a call, and one of the same bytes as they are taken to be added to."""
        memory = self._program.buffer_of(rows.result.name).memory
        buffer, view = tensor(self._fresh(f"{rows.call.name}.sums"), rows.sums.sums, memory)
        self._buffers[buffer.name], self._views[view.name] = buffer, view
        if rows.sums.given == rows.sums.sums:
            return view.name, view.name
        given = self._fresh(f"{view.name}.given")
        self._views[given] = View(given, rows.sums.given, buffer.name)
        return view.name, given

    def _append(
        self,
        call: Call,
        where: str,
        choice: PartKernel,
        operator: Operator,
        inputs: tuple[str | None, ...],
        result: str,
    ) -> None:
        """A call in the place of a part of another."""
        layer = replace(choice.layer, name=where)
        size = choice.kernel.scratch_bytes(layer)
        scratch = None
        if size:
            memory = self._program.buffer_of(call.outputs[0]).memory
            buffer, view = tensor(self._fresh(f"{where}.scratch"), scratch_type(size), memory)
            self._buffers[buffer.name], self._views[view.name] = buffer, view
            scratch = view.name
        self.steps.append(
            Call(
                where,
                choice.called,
                operator,
                inputs,
                (result,),
                scratch,
                choice.reason,
                location=call.location,
                over=overlaps(choice.kernel, layer),
                options=layer.options,
            )
        )

    def _call(self, call: Call, box: Box, view_of: Callable[[str, str, Box], str]) -> None:
        """A part of a call. view_of: the view of a part of a tensor, given the call's name, the tensor's and a box."""
        program = self._program
        where = self._fresh(call.name)
        self.parts.setdefault(call.name, []).append(where)
        restriction = self._parts.restriction(call, box)
        choice = self._parts.choice(call, box)
        assert restriction is not None
        assert choice is not None
        names: list[str | None] = []
        for name, read in zip(call.inputs, restriction.operands, strict=True):
            if name is None or read is None:
                names.append(None)
            elif name in program.constant:
                names.append(self._constant(program.constant[name], read))
            else:
                names.append(view_of(where, name, read))
        result = view_of(where, call.outputs[0], box)
        self._append(call, where, choice, restriction.operator, restriction.taken(names), result)

    def _constant(self, given: ConstantBuffer, box: Box) -> str:
        if box.is_whole(given.type.shape):
            return given.name
        name = f"{given.name}{box}".replace(" ", "")
        if name not in self._constants:
            self._constants[name] = given.part(name, box)
        return name

    def _rows(self, where: str, name: str, box: Box, lines: "_Lines") -> str:
        """A view of a part of a tensor: in its window, or where it lies as a whole."""
        whole = self._program.view[name]
        window = lines.windows.get(name)
        if window is None:
            if box.is_whole(whole.type.shape):
                return name
            part = whole.part(self._fresh(f"{where}.{name}"), box)
        else:
            # As if the whole tensor lay where its last lines are.
            row_bytes = whole.type.size_bytes // whole.type.shape[lines.axis]
            around = Box.whole(whole.type.shape)
            start = window.size_bytes - lines.action.ends[name] * row_bytes
            start += start_in(box, around, whole.type.dtype.size_bytes)
            part = View(
                self._fresh(f"{where}.{name}"),
                cut_type(whole.type, box),
                window.buffer,
                Expression(start),
            )
        self._views[part.name] = part
        return part.name

    def _held(self, where: str, name: str, box: Box, held: Box, place: tuple[Buffer, int]) -> str:
        """A view of a part of a tensor of which a patch holds a box."""
        type_ = self._program.view[name].type
        buffer, start = place
        start += start_in(box, held, type_.dtype.size_bytes)
        part = View(
            self._fresh(f"{where}.{name}"), cut_type(type_, box), buffer.name, Expression(start)
        )
        self._views[part.name] = part
        return part.name


@dataclass(frozen=True)
class _Window:
    """Lines at the beginning of a buffer."""

    buffer: str
    size_bytes: int


@dataclass(frozen=True)
class _Lines:
    """Where rows lie while a stage makes some."""

    axis: int
    action: Make
    windows: "Mapping[str, _Window]"
