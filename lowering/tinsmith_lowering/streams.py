"""What a pass that lets rows stream has decided: its facts, for who reports them and knows no such pass."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class StreamWindow(Checked):
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
    windows: tuple[StreamWindow, ...]
    rows: int
    live_bytes: int
    extra: float


@dataclass(frozen=True)
class StreamPlan(Checked):
    """The plan of a program.

    segments: what streams. live_bytes: the most at once. extra: instructions more than whole tensors take, about; no
    plan of this kind within the budget takes fewer.
    """

    segments: tuple[StreamedRows, ...]
    live_bytes: int
    extra: float
