"""Neighbouring calls that stream rows together: which tensors are windows, what bytes that takes, and what it costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import Checked
from tinsmith_ir.overlaps import most_shared

from tinsmith_splitting.stream import Drop, Make, Stage, Stream

NEVER = 1 << 60


@dataclass(frozen=True)
class Sizes(Checked):
    """Bytes of tensors, each rounded up to what a buffer takes. unit: the alignment of buffers."""

    unit: int

    def rounded(self, size_bytes: int) -> int:
        """What a buffer of so many bytes takes."""
        return -(-size_bytes // self.unit) * self.unit


@dataclass(frozen=True)
class Price(Checked):
    """Of a part of a call. scratch: bytes. cost: instructions, about."""

    scratch: int
    cost: float


@dataclass(frozen=True, eq=False)
class Segment:
    """Stages that stream together.

    entries: whole tensors that they read -> bytes; exits: whole tensors that they make -> bytes. ending: entries that
    nobody reads behind these stages, so that an exit may lie over them. row_bytes: of all of these and of windows.
    prices: of the part of a stage with rows begin to end - 1.
    """

    stages: Sequence[Stage]
    stream: Stream
    sizes: Sizes
    row_bytes: Mapping[str, int]
    entries: Mapping[str, int]
    exits: Mapping[str, int]
    ending: frozenset[str]
    prices: Mapping[tuple[str, int, int], Price]
    copy_cost: tuple[float, float]
    """Instructions of one copy, and of one of its bytes."""
    patch_bytes: int = 0
    """That are there all the time, for patches."""
    sum_bytes: int = 0
    """The same, for sums."""

    @cached_property
    def cost(self) -> float:
        """Instructions, about."""
        once, each = self.copy_cost
        cost = 0.0
        for action in self.stream.actions:
            if isinstance(action, Make):
                cost += self.prices[action.stage, action.begin, action.end].cost
            else:
                copies = -(-action.kept // action.dropped)
                cost += copies * once + action.kept * self.row_bytes[action.tensor] * each
        return cost

    @cached_property
    def inner_bytes(self) -> int:
        """The most bytes that windows, patches, sums and scratch have at once."""
        actions = self.stream.actions
        live = [0] * (len(actions) + 1)
        for at, action in enumerate(actions):
            if isinstance(action, Make):
                price = self.prices[action.stage, action.begin, action.end]
                live[at] += self.sizes.rounded(price.scratch)
        change = [0] * (len(actions) + 1)
        for name, spans in self.spans.items():
            for first, last in spans:
                change[first] += self._window(name)
                change[last + 1] -= self._window(name)
        now, most = 0, 0
        for at in range(len(actions)):
            now += change[at]
            most = max(most, now + live[at])
        return most + self.patch_bytes + self.sum_bytes

    @cached_property
    def spans(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Of each window, first and last action of each stretch in which it holds something that is still read."""
        found: dict[str, list[tuple[int, int]]] = {name: [] for name in self.stream.lines}
        open_: dict[str, tuple[int, int]] = {}
        for at, action in enumerate(self.stream.actions):
            if isinstance(action, Drop):
                open_[action.tensor] = open_[action.tensor][0], at
                continue
            stage = self._stage[action.stage]
            for read in stage.reads:
                if read.tensor in open_:
                    open_[read.tensor] = open_[read.tensor][0], at
            name = stage.result
            lines = self.stream.lines.get(name)
            if lines is None:
                continue
            if name in open_ and action.end - action.begin == lines:  # all of it anew
                found[name].append(open_.pop(name))
            open_[name] = open_.get(name, (at, at))[0], at
        for name, span in open_.items():
            found[name].append(span)
        return found

    @cached_property
    def places(self) -> Sequence[Sequence[str]]:
        """Windows that take turns in one place: such as hold nothing from time to time, and never both something."""
        turns = [name for name, spans in self.spans.items() if len(spans) > 1]
        found: list[list[str]] = [[name] for name in self.spans if name not in turns]
        shared: list[list[str]] = []
        for name in sorted(turns, key=self._window, reverse=True):
            place = next(
                (it for it in shared if not any(self._meet(name, other) for other in it)), None
            )
            if place is None:
                shared.append([name])
            else:
                place.append(name)
        return [*found, *shared]

    def _meet(self, one: str, other: str) -> bool:
        """Whether both windows hold something at some time."""
        mine, theirs = iter(self.spans[one]), iter(self.spans[other])
        first, second = next(mine, None), next(theirs, None)
        while first is not None and second is not None:
            if first[1] < second[0]:
                first = next(mine, None)
            elif second[1] < first[0]:
                second = next(theirs, None)
            else:
                return True
        return False

    def _window(self, name: str) -> int:
        return self.sizes.rounded(self.stream.lines[name] * self.row_bytes[name])

    @cached_property
    def outer_bytes(self) -> int:
        """Bytes of entries and exits, where one exit may lie over one entry that ends here."""
        size = self.sizes.rounded
        total = sum(map(size, (*self.entries.values(), *self.exits.values())))
        best = 0
        for entry in self.ending:
            for exit_ in self.exits:
                best = max(best, self._saved(entry, exit_))
        return total - best

    def _saved(self, entry: str, exit_: str) -> int:
        """Bytes that the two share if the exit lies as near as its rows allow."""
        sizes = self.exits[exit_], self.entries[entry]
        return most_shared(sizes, self._distance(entry, exit_), None, (), self.sizes.unit)

    def _distance(self, entry: str, exit_: str) -> int:
        """Where the exit begins less where the entry begins, at most: no row is read after it is written over."""
        needed = NEVER
        found = NEVER
        for action in reversed(self.stream.actions):
            if not isinstance(action, Make):
                continue
            stage = self._stage[action.stage]
            for read in stage.reads:
                if read.tensor == entry:
                    needed = min(needed, read.begins[action.begin] * self.row_bytes[entry])
            if stage.result == exit_ and needed < NEVER:
                found = min(found, needed - action.end * self.row_bytes[exit_])
        return found

    @cached_property
    def _stage(self) -> Mapping[str, Stage]:
        return {stage.name: stage for stage in self.stages}

    @property
    def bytes_at_once(self) -> int:
        """All of it."""
        return self.inner_bytes + self.outer_bytes


def parts_of(actions: Iterable[object]) -> set[tuple[str, int, int]]:
    """The parts that a stream makes: stage, begin, end."""
    return {
        (action.stage, action.begin, action.end) for action in actions if isinstance(action, Make)
    }
