"""What the pass chose, for reports and certificates."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked

from tinsmith_splitting.search import Path
from tinsmith_splitting.ways import Choice


@dataclass(frozen=True)
class Window(Checked):
    """What is kept of a tensor between calls that stream: so many lines."""

    tensor: str
    lines: int


@dataclass(frozen=True)
class StreamedRows(Checked):
    """Calls whose rows stream together.

    layers: names of the calls, in order. windows: of the tensors between them. rows: how many each
    call makes at a time. live_bytes: of everything meanwhile. extra: instructions more than whole tensors take, about.
    """

    layers: tuple[str, ...]
    windows: tuple[Window, ...]
    rows: int
    live_bytes: int
    extra: float


@dataclass(frozen=True)
class Splitting(Checked):
    """The plan of a program.

    segments: what streams. live_bytes: the most at once. extra: instructions more than whole tensors take, about; no
    plan of this kind within the budget takes fewer.
    """

    segments: tuple[StreamedRows, ...]
    live_bytes: int
    extra: float


def splitting_of(path: Path[Choice]) -> Splitting:
    """What a path says."""
    segments = tuple(
        StreamedRows(
            tuple(way.of.calls),
            tuple(Window(*item) for item in way.of.segment.stream.lines.items()),
            way.of.chunk,
            way.live_bytes,
            way.extra,
        )
        for way in path.ways
        if way.of is not None
    )
    return Splitting(segments, path.live_bytes, path.extra)
