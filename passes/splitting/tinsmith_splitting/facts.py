"""What the pass chose, for reports and certificates."""

from collections.abc import Iterator, Mapping, Sequence

from tinsmith_ir.program import Copy, Program
from tinsmith_lowering import (
    StreamedCall,
    StreamedRead,
    StreamedRows,
    StreamPlan,
    StreamWindow,
)

from tinsmith_splitting.search import Path
from tinsmith_splitting.stream import Read
from tinsmith_splitting.ways import Choice, Streamed


def plan_of(program: Program, path: Path[Choice], parts: Mapping[str, Sequence[str]]) -> StreamPlan:
    """What a path says of a program. parts: of each call that streams, the names of the calls that compute it."""
    segments = tuple(
        StreamedRows(
            tuple(way.of.calls),
            tuple(StreamWindow(*item) for item in way.of.segment.stream.lines.items()),
            way.of.chunk,
            way.live_bytes,
            way.extra,
            tuple(_calls(program, way.of, parts)),
        )
        for way in path.ways
        if way.of is not None
    )
    return StreamPlan(segments, path.live_bytes, path.extra)


def _calls(
    program: Program, streamed: Streamed, parts: Mapping[str, Sequence[str]]
) -> Iterator[StreamedCall]:
    for found in streamed.calls.values():
        if isinstance(found.call, Copy):
            continue
        stage = found.stage
        yield StreamedCall(
            stage.name,
            stage.result,
            stage.rows,
            found.row_bytes,
            streamed.segment.stream.lines.get(stage.result),
            tuple(parts[stage.name]),
            tuple(
                _read(program, streamed, read, rows)
                for read, rows in zip(stage.reads, found.operand_rows, strict=True)
            ),
        )


def _read(program: Program, streamed: Streamed, read: Read, rows: int) -> StreamedRead:
    makers = {found.stage.result: found.call for found in streamed.calls.values()}
    maker = makers.get(read.tensor)
    view = program.view[maker.source if isinstance(maker, Copy) else read.tensor]
    row_bytes = view.type.size_bytes // rows
    return StreamedRead(
        read.tensor, view.buffer, view.start.value({}), row_bytes, read.begins, read.ends
    )
