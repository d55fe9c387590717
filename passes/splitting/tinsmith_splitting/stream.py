"""Rows that flow through a row of calls: which call makes which rows when, and how many lines each window needs.

Nothing here knows Programs. A *stage* is one call, whose result has rows; of each operand it reads, for each row of
the result, a range of rows. Tensors between stages are *windows*: dense lines, of which the front ones are
dropped when nobody needs them any more, by copying those behind them to the front. Whole tensors (what comes from
before the stages, what is needed behind them) are there in full. No row is computed twice.
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
    """The first `dropped` lines of a window go; the `kept` ones behind them are copied to its front."""

    tensor: str
    dropped: int
    kept: int


Action = Make | Drop


@dataclass(frozen=True)
class Stream:
    """What happens in order. lines: of each window, how many it has."""

    actions: tuple[Action, ...]
    lines: Mapping[str, int]


def stream(
    stages: Sequence[Stage],
    windows: frozenset[str],
    chunks: Mapping[str, int],
    lines: Mapping[str, int] | None = None,
) -> Stream:
    """How the last stage's result, and all that is whole, is made row by row.

    stages: in an order in which each operand is made before it is read. windows: results that are windows; each is
    read by stages. chunks: of each stage, how many rows it makes at once at most. lines: of each window, how many it
    has at least; by default as few as do, found by a run that drops as early as possible.
    """
    least = _Run(stages, windows, chunks, {}).lines
    given = lines or {}
    wanted = {name: max(count, given.get(name, 0)) for name, count in least.items()}
    run = _Run(stages, windows, chunks, wanted)
    return Stream(tuple(run.actions), run.lines)


@dataclass
class _Window:
    """first: the row in its first line. end: one behind the last row that was made."""

    first: int = 0
    end: int = 0


@dataclass
class _Run:
    """One simulation. capacity: of a window, the lines that it may fill before any is dropped; by default none."""

    stages: Sequence[Stage]
    windows: frozenset[str]
    chunks: Mapping[str, int]
    capacity: Mapping[str, int]
    actions: list[Action] = field(default_factory=list[Action])
    lines: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self._maker = {stage.result: stage for stage in self.stages}
        self._made = dict.fromkeys(self._maker, 0)
        self._window = {name: _Window() for name in self.windows}
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
            self._room(stage.result, upto)
            touched = {read.tensor for read in stage.reads} | {stage.result}
            firsts = {name: self._window[name].first for name in touched if name in self._window}
            self.actions.append(Make(stage.name, begin, upto, firsts))
            self._made[stage.result] = upto

    def _room(self, name: str, upto: int) -> None:
        """See that a window has lines for the rows up to `upto`."""
        window = self._window.get(name)
        if window is None:
            return
        if upto - window.first > self.capacity.get(name, 0):
            needed = min(self._needed(name), window.end)
            if needed > window.first:
                if window.end > needed:
                    self.actions.append(Drop(name, needed - window.first, window.end - needed))
                window.first = needed
        window.end = upto
        self.lines[name] = max(self.lines.get(name, 0), upto - window.first)

    def _needed(self, name: str) -> int:
        """The first row that some stage has still to read."""
        found: list[int] = []
        for stage, read in self._readers[name]:
            made = self._made[stage.result]
            if made < stage.rows:
                found.append(read.begins[made])
        return min(found, default=self._maker[name].rows)
