"""What the pass chose, for reports and certificates."""

from collections.abc import Iterator, Mapping, Sequence

from tinsmith_ir.boxes import Box
from tinsmith_ir.program import Call, Copy, Program
from tinsmith_lowering import (
    Patch,
    PatchedCall,
    PatchedRead,
    StreamedCall,
    StreamedRead,
    StreamedRows,
    StreamPlan,
    StreamWindow,
)

from tinsmith_splitting.patches import PatchedCalls
from tinsmith_splitting.rows import Parts, RowCall
from tinsmith_splitting.search import Path
from tinsmith_splitting.stream import Make, Read
from tinsmith_splitting.sums import SummedCall
from tinsmith_splitting.ways import Choice, Streamed


def plan_of(parts: Parts, path: Path[Choice], made: Mapping[str, Sequence[str]]) -> StreamPlan:
    """What a path says of a program. made: of each call that streams, the names of the calls that compute it."""
    program = parts.program
    segments = tuple(
        StreamedRows(
            tuple(name for call in way.of.calls.values() for name in call.layers),
            tuple(StreamWindow(*item) for item in way.of.segment.stream.lines.items()),
            way.of.chunk,
            way.live_bytes,
            way.extra,
            tuple(_calls(program, way.of, made)),
            tuple(_patched(parts, way.of, made)),
        )
        for way in path.ways
        if isinstance(way.of, Streamed)
    )
    return StreamPlan(segments, path.live_bytes, path.extra)


def _calls(
    program: Program, streamed: Streamed, made: Mapping[str, Sequence[str]]
) -> Iterator[StreamedCall]:
    for found in streamed.calls.values():
        if not isinstance(found, RowCall) or isinstance(found.call, Copy):
            continue
        stage = found.stage
        yield StreamedCall(
            stage.name,
            stage.result,
            stage.rows,
            found.row_bytes,
            streamed.segment.stream.lines.get(stage.result),
            tuple(made[stage.name]),
            tuple(
                _read(program, streamed, read, rows)
                for read, rows in zip(stage.reads, found.operand_rows, strict=True)
            ),
        )


def _read(program: Program, streamed: Streamed, read: Read, rows: int) -> StreamedRead:
    view = program.view[_whole(streamed, read.tensor)]
    row_bytes = view.type.size_bytes // rows
    return StreamedRead(
        read.tensor, view.buffer, view.start.value({}), row_bytes, read.begins, read.ends
    )


def _whole(streamed: Streamed, name: str) -> str:
    """A view, or where the caller hands it over."""
    for found in streamed.calls.values():
        if isinstance(found, RowCall) and found.stage.result == name:
            return found.call.source if isinstance(found.call, Copy) else name
    return name


def _patched(
    parts: Parts, streamed: Streamed, made: Mapping[str, Sequence[str]]
) -> Iterator[PatchedCall]:
    for found in streamed.calls.values():
        if isinstance(found, SummedCall):
            yield _summed_call(parts.program, streamed, found, made[found.call.name])
        if not isinstance(found, PatchedCalls):
            continue
        inner = {call.result.name: call.stage.name for call in found.calls[:-1]}
        for rows in found.calls:
            assert isinstance(rows.call, Call)
            yield _patched_call(parts, streamed, found, rows.call, made[rows.call.name], inner)


def _patched_call(
    parts: Parts,
    streamed: Streamed,
    found: PatchedCalls,
    call: Call,
    names: Sequence[str],
    inner: Mapping[str, str],
) -> PatchedCall:
    program = parts.program
    is_operand = [name in program.view for name in call.inputs]
    patches: list[Patch] = []
    # Rows that nobody needs are not made: those are the last.
    pieces = [piece for row in found.pieces for piece in row if piece.call is call]
    for name, piece in zip(names, pieces, strict=False):
        restriction = parts.restriction(call, piece.box)
        assert restriction is not None
        needs = zip(restriction.operands, is_operand, strict=True)
        patches.append(Patch(name, piece.box, tuple(box for box, it in needs if it)))
    type_ = program.view[call.outputs[0]].type
    return PatchedCall(
        call.name,
        call.outputs[0],
        type_.shape,
        type_.dtype.size_bytes,
        call.outputs[0] in inner,
        streamed.segment.stream.lines.get(call.outputs[0]),
        tuple(patches),
        tuple(
            _patched_read(program, streamed, name, inner)
            for name in call.inputs
            if name is not None and name in program.view
        ),
    )


def _summed_call(
    program: Program, streamed: Streamed, found: SummedCall, names: Sequence[str]
) -> PatchedCall:
    """Sums, of which each part makes all: of the first rows, and then of others and of what they were."""
    name = found.call.name
    type_ = found.sums.sums
    box = Box.whole(type_.shape)
    patches: list[Patch] = []
    for action in streamed.segment.stream.actions:
        if isinstance(action, Make) and action.stage == name:
            needs = found.rows(action.begin, action.end), box if action.begin else None
            patches.append(Patch(names[len(patches)], box, needs))
    own = PatchedRead("", "", 0, type_.shape, type_.dtype.size_bytes, name)
    return PatchedCall(
        name,
        found.result.name,
        type_.shape,
        type_.dtype.size_bytes,
        is_inner=True,
        lines=None,
        patches=tuple(patches),
        reads=(_patched_read(program, streamed, found.operand.name, {}), own),
        is_sum=True,
    )


def _patched_read(
    program: Program, streamed: Streamed, name: str, inner: Mapping[str, str]
) -> PatchedRead:
    view = program.view[_whole(streamed, name)]
    type_ = view.type
    return PatchedRead(
        name,
        view.buffer,
        view.start.value({}),
        type_.shape,
        type_.dtype.size_bytes,
        inner.get(name, ""),
    )
