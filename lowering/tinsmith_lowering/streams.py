"""What a pass that lets rows stream has decided: its facts, for who reports them and knows no such pass."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class StreamWindow(Checked):
    """What is kept of a tensor between calls that stream: so many lines."""

    tensor: str
    lines: int


@dataclass(frozen=True)
class StreamedRead(Checked):
    """Of each row of a call's result, the first row of an operand that it needs, and one behind the last.

    tensor: a view of the program before. buffer, start: where it lies as a whole there, in bytes of the buffer; of an
    input that the caller hands over, where that is. row_bytes: of one row.
    """

    tensor: str
    buffer: str
    start: int
    row_bytes: int
    begins: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True)
class StreamedCall(Checked):
    """A call that is computed in parts.

    tensor: its result, of `rows` rows. lines: how many of them are kept, None for all. parts: names of the calls that
    compute them, in order; in loops each once.
    """

    name: str
    tensor: str
    rows: int
    row_bytes: int
    lines: int | None
    parts: tuple[str, ...]
    reads: tuple[StreamedRead, ...]


@dataclass(frozen=True)
class StreamedRows(Checked):
    """Calls whose rows stream together.

    layers: names of the calls, in order. windows: of the tensors between them. rows: how many each
    call makes at a time. live_bytes: of everything meanwhile. extra: instructions more than whole tensors take, about.
    calls: those of the layers, but for copies of inputs that the caller hands over.
    """

    layers: tuple[str, ...]
    windows: tuple[StreamWindow, ...]
    rows: int
    live_bytes: int
    extra: float
    calls: tuple[StreamedCall, ...] = ()


@dataclass(frozen=True)
class StreamPlan(Checked):
    """The plan of a program.

    segments: what streams. live_bytes: the most at once. extra: instructions more than whole tensors take, about; no
    plan of this kind within the budget takes fewer.
    """

    segments: tuple[StreamedRows, ...]
    live_bytes: int
    extra: float
