"""What the pass chose, for reports and certificates."""

from tinsmith_lowering import StreamedRows, StreamPlan, StreamWindow

from tinsmith_splitting.search import Path
from tinsmith_splitting.ways import Choice


def plan_of(path: Path[Choice]) -> StreamPlan:
    """What a path says."""
    segments = tuple(
        StreamedRows(
            tuple(way.of.calls),
            tuple(StreamWindow(*item) for item in way.of.segment.stream.lines.items()),
            way.of.chunk,
            way.live_bytes,
            way.extra,
        )
        for way in path.ways
        if way.of is not None
    )
    return StreamPlan(segments, path.live_bytes, path.extra)
