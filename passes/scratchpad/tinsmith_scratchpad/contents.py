"""Which side has what was written last to each byte of a buffer."""

import enum
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tinsmith_ir.byte_places import byte_range
from tinsmith_ir.program import Program, View


class Side(enum.Enum):
    """A memory: that of the cores, or the scratchpad."""

    FAR = "far"
    NEAR = "near"

    @property
    def other(self) -> "Side":
        """The other one."""
        return Side.NEAR if self is Side.FAR else Side.FAR


@dataclass(frozen=True)
class Move:
    """A copy of a view's bytes to a side, from the other one."""

    view: str
    side: Side


@dataclass
class _Written:
    """What was written to a buffer, the oldest first: views, and on which sides their bytes are."""

    sides: dict[str, set[Side]] = field(default_factory=dict[str, set[Side]])


class Contents:
    """The state of all buffers while the steps of a program are walked through in order."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._written: dict[str, _Written] = {}
        given = (*program.inputs, *(state.view for state in program.states))
        self.written(given, Side.FAR)

    def before(self, reads: Iterable[str], writes: Iterable[str], side: Side) -> Sequence[Move]:
        """What has to be copied before a step on that side reads and writes: what it reads and the side has not, and
        the rest of what it writes a part of. From then on the side has it.
        """
        moves = [move for name in reads for move in self._missing(name, side)]
        for name in writes:
            moves += [move for move in self._missing(name, side) if not self._covers(name, move)]
        return moves

    def written(self, names: Iterable[str], side: Side) -> None:
        """Views whose bytes are new, on that side alone. Constants are left alone."""
        for name in names:
            view = self._program.view[name]
            found = self._written.setdefault(view.buffer, _Written()).sides
            for old in [*found]:
                if old == name or _is_within(self._program.view[old], view):
                    del found[old]
            found[name] = {side}

    def held(self, side: Side) -> Collection[str]:
        """Buffers of which that side has something."""
        return [
            buffer
            for buffer, written in self._written.items()
            if any(side in sides for sides in written.sides.values())
        ]

    def leave(self, side: Side, stay: Collection[str] = ()) -> Sequence[Move]:
        """What has to be copied before a side is given up: what is there alone. From then on the other one has all.

        stay: buffers which that side keeps as they are.
        """
        moves: list[Move] = []
        for written in (each for buffer, each in self._written.items() if buffer not in stay):
            for name, sides in written.sides.items():
                if side.other not in sides:
                    moves.append(Move(name, side.other))
                written.sides[name] = {side.other}
        return moves

    def _missing(self, name: str, side: Side) -> Iterator[Move]:
        view = self._program.view.get(name)
        if view is None or view.buffer not in self._written:
            return
        for old, sides in self._written[view.buffer].sides.items():
            if side not in sides and _meet(self._program.view[old], view):
                sides.add(side)
                yield Move(old, side)

    def _covers(self, name: str, move: Move) -> bool:
        return _is_within(self._program.view[move.view], self._program.view[name])


def _is_within(inner: View, outer: View) -> bool:
    """Whether a step that writes all of `outer` leaves nothing of `inner`; in doubt, no."""
    if inner.counters or outer.counters or not (outer.is_dense or outer.layout):
        return False
    (begin, end), (first, last) = byte_range(inner), byte_range(outer)
    return first <= begin and end <= last


def _meet(one: View, other: View) -> bool:
    """Whether two views of a buffer share a byte; in doubt, yes."""
    if one.counters or other.counters:
        return True
    (begin, end), (first, last) = byte_range(one), byte_range(other)
    return begin < last and first < end
