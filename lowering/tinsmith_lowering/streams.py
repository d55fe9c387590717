"""What a pass that lets rows stream has decided: its facts, for who reports them and knows no such pass."""

from dataclasses import dataclass

from tinsmith_ir.boxes import Box
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
class PatchedRead(Checked):
    """An operand of a call that is computed in patches.

    tensor, buffer, start: as of a StreamedRead. layer: the call in patches that makes it, if only such calls read it;
    else "".
    """

    tensor: str
    buffer: str
    start: int
    shape: tuple[int, ...]
    element_bytes: int
    layer: str


@dataclass(frozen=True)
class Patch(Checked):
    """A part of a call. part: the name of the call that computes it. box: of the result. needs: of each operand."""

    part: str
    box: Box
    needs: tuple[Box | None, ...]


@dataclass(frozen=True)
class PatchedCall(Checked):
    """A call that is computed in patches, some elements of which more than once.

    tensor: its result. is_inner: only other calls in patches read it. lines: rows that are kept of it, None for all,
    and of what is inner. is_sum: each patch is all of it: that of the first rows of the first operand, or of the next
    ones and of the patch before.
    """

    name: str
    tensor: str
    shape: tuple[int, ...]
    element_bytes: int
    is_inner: bool
    lines: int | None
    patches: tuple[Patch, ...]
    reads: tuple[PatchedRead, ...]
    is_sum: bool = False


@dataclass(frozen=True)
class StreamedRows(Checked):
    """Calls whose rows stream together.

    layers: names of the calls, in order. windows: of the tensors between them. rows: how many each
    call makes at a time. live_bytes: of everything meanwhile. extra: instructions more than whole tensors take, about.
    calls: those of the layers, but for copies of inputs that the caller hands over and those in `patched`.
    """

    layers: tuple[str, ...]
    windows: tuple[StreamWindow, ...]
    rows: int
    live_bytes: int
    extra: float
    calls: tuple[StreamedCall, ...] = ()
    patched: tuple[PatchedCall, ...] = ()


@dataclass(frozen=True)
class StreamPlan(Checked):
    """The plan of a program.

    segments: what streams. live_bytes: the most at once. extra: instructions more than whole tensors take, about; no
    plan of this kind within the budget takes fewer.
    """

    segments: tuple[StreamedRows, ...]
    live_bytes: int
    extra: float
