"""One search for a plan of a given height: which section is filled next, with what, and what to do when nothing fits.

Sections that no block without a place joins are parts, which are searched apart: where one has no plan, the others need
not be tried anew. What is known to have no plan (blocks left, floors and tops of a part) is not searched again.
"""

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tinsmith_allocation.skyline import Shape, Skyline

Key = tuple[int, ...]

ChooseSection = Callable[[int, int, int, int], Key]
"""A section's key, from how many choices it has, its floor, its room, and the rank of the first block that may lie on
the floor. The section with the least key is filled next.
"""


class Verdict(enum.Enum):
    """Why there is no plan."""

    IMPOSSIBLE = "impossible"
    EXHAUSTED = "exhausted"
    UNKNOWN = "unknown"


@dataclass
class _Frame:
    """A part, the section of it that is filled next, and how that may be done.

    parent: index of the frame that left this part, -1 for none. ways: blocks not tried yet, then _WASTE. next_floor:
    of the section, if it is wasted. mark: of the trail, before any way. rest: the parts to come after this one.
    """

    part: "_Part"
    section: int
    ways: Iterator[int]
    next_floor: int
    mark: int
    rest: "_Parts | None"
    state: "_State"


@dataclass(frozen=True)
class _Part:
    """Sections from `first` to before `end`, left by the frame `parent`."""

    first: int
    end: int
    parent: int


_Parts = tuple[_Part, "_Parts | None"]
_State = tuple[int, int, tuple[int, ...], tuple[int, ...]]

_WASTE = -1
_NO_FRAME = -1


class Descent:
    """One search from the empty skyline.

    last_offsets: the highest offset that each block may have. height: of the arena, in units. ranks: of each block,
    when it is tried. choose: see ChooseSection. is_thorough: see Skyline.
    """

    def __init__(
        self,
        shape: Shape,
        last_offsets: Sequence[int],
        height: int,
        ranks: Sequence[int],
        choose: ChooseSection,
        is_thorough: bool,
    ) -> None:
        self._shape = shape
        self._last_offsets = last_offsets
        self._skyline = Skyline(shape, last_offsets, height, ranks, is_thorough)
        self._ranks = ranks
        self._choose = choose
        self._frames: list[_Frame] = []
        self._failed: set[_State] = set()
        self._masks: dict[tuple[int, int], int] = {}
        self._failures = 0

    @property
    def work(self) -> int:
        """Sections looked at so far."""
        return self._skyline.work

    def run(self, most_failures: int, most_work: int) -> tuple[int, ...] | Verdict:
        """The offset of each block. IMPOSSIBLE if there is no plan, EXHAUSTED if there is none but for those that
        only a thorough search looks for, UNKNOWN after so many failures or so much work.
        """
        skyline = self._skyline
        if not skyline.start():
            return Verdict.IMPOSSIBLE
        agenda = self._parts(0, len(skyline.floors), _NO_FRAME, None)
        while agenda is not None:
            index = self._enter(*agenda)
            while True:
                if index == _NO_FRAME:
                    return Verdict.EXHAUSTED if skyline.has_guessed else Verdict.IMPOSSIBLE
                if self._failures > most_failures or skyline.work > most_work:
                    return Verdict.UNKNOWN
                frame = self._frames[index]
                way = next(frame.ways, None)
                if way is None:
                    self._failed.add(frame.state)
                    index = self._leave(frame.part)
                elif (
                    skyline.waste(frame.section, frame.next_floor)
                    if way == _WASTE
                    else skyline.place(way)
                ):
                    agenda = self._parts(frame.part.first, frame.part.end, index, frame.rest)
                    break
                else:
                    skyline.undo(frame.mark)
        return tuple(skyline.lowest)

    def _enter(self, part: _Part, rest: "_Parts | None") -> int:
        """A frame for the part; if it is known to have no plan, the frame that has to do something else."""
        state = self._state(part)
        if state in self._failed:
            return self._leave(part)
        section = self._section(part)
        ways = self._ways(section)
        next_floor = self._skyline.next_floor(section)
        if next_floor is not None:
            ways.append(_WASTE)
        self._frames.append(
            _Frame(part, section, iter(ways), next_floor or 0, self._skyline.mark, rest, state)
        )
        return len(self._frames) - 1

    def _leave(self, part: _Part) -> int:
        """The frame that left a part without plan, as it was before."""
        self._failures += 1
        if part.parent != _NO_FRAME:
            del self._frames[part.parent + 1 :]
            self._skyline.undo(self._frames[part.parent].mark)
        return part.parent

    def _parts(self, first: int, end: int, parent: int, rest: "_Parts | None") -> "_Parts | None":
        """What is left of the sections from `first` to `end`, before the rest."""
        left, crossing = self._skyline.left, self._skyline.crossing
        for section in range(end - 1, first - 1, -1):
            if section == first or not crossing[section]:
                if end > section + 1 or left[section]:
                    rest = _Part(section, end, parent), rest
                end = section
        return rest

    def _state(self, part: _Part) -> _State:
        skyline, first, end = self._skyline, part.first, part.end
        mask = self._masks.get((first, end))
        if mask is None:
            held = enumerate(self._shape.sections)
            inside = [block for block, at in held if first <= at[0] and at[-1] < end]
            mask = self._masks[first, end] = sum(1 << block for block in inside)
        floors, tops = tuple(skyline.floors[first:end]), tuple(skyline.tops[first:end])
        return first, skyline.unplaced & mask, floors, tops

    def _section(self, part: _Part) -> int:
        """The section to fill next: one whose choices are known, as all that may lie on its floor lies flat."""
        skyline, ranks = self._skyline, self._ranks
        lowest = min([skyline.floors[at] for at in range(part.first, part.end) if skyline.left[at]])
        best: tuple[Key, int] | None = None
        for section in range(part.first, part.end):
            left = skyline.left[section]
            if not left:
                continue
            floor = skyline.floors[section]
            rank = ranks[skyline.firsts[section]]
            key = self._choose(skyline.choices[section], floor, skyline.room(section), rank)
            if (best is None or key < best[0]) and (floor == lowest or self._is_flat(section)):
                best = key, section
        assert best is not None
        return best[1]

    def _is_flat(self, section: int) -> bool:
        skyline, shape = self._skyline, self._shape
        floor = skyline.floors[section]
        return all(
            skyline.floors[other] == floor
            for block in skyline.on_floor(section)
            for other in shape.sections[block]
        )

    def _ways(self, section: int) -> list[int]:
        """What may be done with a section: a block on its floor, in their order, one of several alike."""
        skyline, shape = self._skyline, self._shape
        alike: set[tuple[object, ...]] = set()
        ways: list[int] = []
        for block in skyline.on_floor(section):
            look = (
                shape.sections[block],
                shape.sizes[block],
                shape.fixed[block],
                shape.alignments[block],
                self._last_offsets[block],
            )
            if look not in alike:
                alike.add(look)
                ways.append(block)
        return ways
