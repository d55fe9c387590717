"""Rows that flow through a row of calls: which call makes which rows when, and how many lines each window needs.

Nothing here knows Programs. A *stage* is one call, whose result has rows; of each operand it reads, for each row of
the result, a range of rows. Tensors between stages are *windows*: dense lines, the last of which are the rows that were
made last. Those that are still read move up to make room for more. Whole tensors (what comes from before the stages,
what is needed behind them) are there in full. No row is computed twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Read:
    """Of one operand of a stage: for each row of the result, the first row that is read, and one behind the last.

    Both never fall from row to row.
    """

    tensor: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Stage:
    """A call. result: the tensor that it makes, of `rows` rows. reads: operands that have rows."""

    name: str
    result: str
    rows: int
    reads: tuple[Read, ...]


@dataclass(frozen=True)
class Make:
    """Rows begin to end - 1 of a stage's result are computed.

    ends: of each window that is read or written, one behind the row that is its last line then.
    """

    stage: str
    begin: int
    end: int
    ends: Mapping[str, int]


@dataclass(frozen=True)
class Drop:
    """A window makes room: its last `kept` lines move up by `dropped` lines. What lay there goes."""

    tensor: str
    dropped: int
    kept: int


Action = Make | Drop


@dataclass(frozen=True)
class Stream:
    """What happens in order. lines: of each window, how many it has."""

    actions: tuple[Action, ...]
    lines: Mapping[str, int]


def stream(stages: Sequence[Stage], windows: frozenset[str], chunks: Mapping[str, int]) -> Stream:
    """How the last stage's result, and all that is whole, is made row by row.

    stages: in an order in which each operand is made before it is read. windows: results that are windows; each is
    read by stages. chunks: of each stage, how many rows it makes at once at most. Windows have as few lines as do.
    """
    run = _Run(stages, windows, chunks)
    return Stream(tuple(run.actions), run.lines)


@dataclass
class _Run:
    """One simulation."""

    stages: Sequence[Stage]
    windows: frozenset[str]
    chunks: Mapping[str, int]
    actions: list[Action] = field(default_factory=list[Action])
    lines: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self._maker = {stage.result: stage for stage in self.stages}
        self._made = dict.fromkeys(self._maker, 0)
        self._readers: dict[str, list[tuple[Stage, Read]]] = {}
        for stage in self.stages:
            for read in stage.reads:
                self._readers.setdefault(read.tensor, []).append((stage, read))
        last = self.stages[-1]
        self._make(last, last.rows)
        for stage in self.stages:
            if stage.result not in self.windows:
                self._make(stage, stage.rows)

    def _make(self, stage: Stage, end: int) -> None:
        """Make the rows of a stage up to `end`, in chunks; first what they read."""
        chunk, name, made = self.chunks[stage.name], stage.result, self._made
        while (begin := made[name]) < end:
            upto = min(begin + chunk, end)
            for read in stage.reads:
                if read.tensor in self._maker and made[read.tensor] < read.ends[upto - 1]:
                    self._make(self._maker[read.tensor], read.ends[upto - 1])
            if name in self.windows:
                self._make_room(name, upto)
            ends = {
                read.tensor: made[read.tensor]
                for read in stage.reads
                if read.tensor in self.windows
            }
            if name in self.windows:
                ends[name] = upto
            self.actions.append(Make(stage.name, begin, upto, ends))
            made[name] = upto

    def _make_room(self, name: str, upto: int) -> None:
        """See that rows up to `upto` end in the last line of a window: so each of them is made in the same place."""
        made = self._made[name]
        needed = min(self._needed(name), made)
        self.lines[name] = max(self.lines.get(name, 0), upto - needed)
        if made > needed:
            self.actions.append(Drop(name, upto - made, made - needed))

    def _needed(self, name: str) -> int:
        """The first row that some stage has still to read."""
        found = self._maker[name].rows
        for stage, read in self._readers[name]:
            made = self._made[stage.result]
            if made < stage.rows:
                found = min(found, read.begins[made])
        return found
