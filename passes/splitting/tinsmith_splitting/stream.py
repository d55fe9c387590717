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

    lines: of each window that is read or written, the row that is its first line then.
    """

    stage: str
    begin: int
    end: int
    lines: Mapping[str, int]


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
    least = _Run(stages, windows, chunks, None)
    run = _Run(stages, windows, chunks, least.lines)
    return Stream(tuple(run.actions), run.lines)


@dataclass
class _Run:
    """One simulation. given: of a window, how many lines it has; None finds that."""

    stages: Sequence[Stage]
    windows: frozenset[str]
    chunks: Mapping[str, int]
    given: Mapping[str, int] | None
    actions: list[Action] = field(default_factory=list[Action])
    lines: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self._maker = {stage.result: stage for stage in self.stages}
        self._made = dict.fromkeys(self._maker, 0)
        # Of a window, the row in its first line; before there are as many rows as lines, that is none.
        self._first = dict.fromkeys(self.windows, 0)
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
        chunk = self.chunks[stage.name]
        while (begin := self._made[stage.result]) < end:
            upto = min(begin + chunk, end)
            for read in stage.reads:
                if read.tensor in self._maker:
                    self._make(self._maker[read.tensor], read.ends[upto - 1])
            if stage.result in self.windows:
                self._make_room(stage.result, upto)
            if self.given is not None:
                touched = [read.tensor for read in stage.reads] + [stage.result]
                firsts = {name: self._first[name] for name in touched if name in self.windows}
                self.actions.append(Make(stage.name, begin, upto, firsts))
            self._made[stage.result] = upto

    def _make_room(self, name: str, upto: int) -> None:
        """See that rows up to `upto` end in the last line of a window: so each of them is made in the same place."""
        made = self._made[name]
        needed = min(self._needed(name), made)
        if self.given is None:
            self.lines[name] = max(self.lines.get(name, 0), upto - needed)
            return
        self.lines[name] = self.given[name]
        first = upto - self.given[name]
        if made > needed:
            self.actions.append(Drop(name, first - self._first[name], made - needed))
        self._first[name] = first

    def _needed(self, name: str) -> int:
        """The first row that some stage has still to read."""
        found: list[int] = []
        for stage, read in self._readers[name]:
            made = self._made[stage.result]
            if made < stage.rows:
                found.append(read.begins[made])
        return min(found, default=self._maker[name].rows)
