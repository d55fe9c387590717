"""The state of a search that builds plans from below: how high every section is filled, and what may lie there next.

A section is a set of blocks that are live together; two blocks share a step exactly if they share a section. What has
its place forms a skyline, and what has none lies above it: its lowest offset follows from the floors of its sections,
and a floor rises to the lowest offset of all that is left there. Numbers are units of one alignment, not bytes.
Every change is written on a trail, so that it can be taken back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """The blocks as a search sees them, each known by its index.

    sizes, alignments: in units. sections: those that a block lives in, rising. fixed: the offset that a block must
    have, None for any. members: the blocks of each section. ends: the highest end of each block.
    """

    sizes: tuple[int, ...]
    alignments: tuple[int, ...]
    sections: tuple[tuple[int, ...], ...]
    fixed: tuple[int | None, ...]
    members: tuple[tuple[int, ...], ...]

    @property
    def totals(self) -> list[int]:
        """Units of all blocks of each section."""
        return [sum(self.sizes[block] for block in members) for members in self.members]


class Skyline:
    """Floors of sections, lowest offsets of blocks, and the trail.

    floors: no block that is left in the section can lie lower. tops: the highest end of what has its place there.
    left: the blocks of the section without a place.
    lowest: of each block without a place, the lowest offset; of others, their offset. choices: how many blocks may lie
    on the floor of a section, and one more if perhaps none has to. firsts: the first of these blocks. unplaced: a bit
    for each. crossing: how many blocks without a place live in a section and in the one before.
    work: sections looked at so far, which is what time goes into. has_guessed: that it left out what a thorough one
    would have tried.
    """

    def __init__(
        self,
        shape: Shape,
        last_offsets: Sequence[int],
        height: int,
        ranks: Sequence[int],
        is_thorough: bool,
    ) -> None:
        """Nothing has its place.

        last_offsets: the highest offset that each block may have. height: of the arena. ranks: by which the blocks of
        a section are ordered. is_thorough: to believe that any block may rise from a floor when nothing lies there. If
        not, only those count that lie higher anyway: nearly always that is enough, and there is much less to try.
        """
        self._shape = shape
        self._last_offsets = last_offsets
        self._height = height
        sections = range(len(shape.members))
        self.floors = [0 for _ in sections]
        self.tops = [0 for _ in sections]
        self.left = [tuple(sorted(members, key=ranks.__getitem__)) for members in shape.members]
        self.lowest = [0 if fixed is None else fixed for fixed in shape.fixed]
        self.choices = [0 for _ in sections]
        self.firsts = [0 for _ in sections]
        self.unplaced = (1 << len(shape.sizes)) - 1
        self.work = 0
        self.crossing = [0 for _ in sections]
        for held in shape.sections:
            for section in range(held[0] + 1, held[-1] + 1):
                self.crossing[section] += 1
        self._remaining = shape.totals
        self._is_thorough = is_thorough
        self.has_guessed = False
        self._smallest = min(shape.sizes)
        # Each entry: what to do, an index, and what was there.
        self._trail: list[tuple[int, int, tuple[int, ...]]] = []

    @property
    def mark(self) -> int:
        """How far the trail has come, for `undo`."""
        return len(self._trail)

    def room(self, section: int) -> int:
        """Units above the floor of a section that the blocks left there do not need."""
        return self._height - self.floors[section] - self._remaining[section]

    def on_floor(self, section: int) -> list[int]:
        """The blocks that may lie on the floor of a section, in their order."""
        floor, lowest = self.floors[section], self.lowest
        return [block for block in self.left[section] if lowest[block] == floor]

    def start(self) -> bool:
        """Find what follows before anything has its place; False if that is impossible."""
        return self._settle([], range(len(self.floors)))

    def place(self, block: int) -> bool:
        """Give `block` its lowest offset, on the floors of its sections; False if what is left then has no room."""
        shape = self._shape
        size = shape.sizes[block]
        end = self.lowest[block] + size
        held = shape.sections[block]
        self._trail.append((_PLACED, block, ()))
        self.unplaced ^= 1 << block
        for section in held:
            self._trail.append((_SECTION, section, self._facts(section)))
            self._trail.append((_LEFT, section, self.left[section]))
            self.left[section] = tuple([other for other in self.left[section] if other != block])
            self.floors[section] = self.tops[section] = end
            self._remaining[section] -= size
        for section in range(held[0] + 1, held[-1] + 1):
            self.crossing[section] -= 1
        return self._settle(held, held)

    def next_floor(self, section: int) -> int | None:
        """The lowest offset above the floor at which a block of the section may lie if none lies on the floor; None if
        that wastes more than there is.
        """
        lowest, floor = self.lowest, self.floors[section]
        highest = floor + self.room(section)
        found = [lowest[block] for block in self.left[section] if lowest[block] > floor]
        lifted = self._lifted(section)
        if self._is_thorough:
            found += lifted
        elif min(lifted, default=highest + 1) < min([highest + 1, *found]):
            self.has_guessed = True
        next_floor = min(found, default=highest + 1)
        return next_floor if next_floor <= highest else None

    def _lifted(self, section: int) -> list[int]:
        """Offsets to which a block that may lie on the floor of a section can rise at least: it does only if another
        comes below it, in a section beside this one.
        """
        shape, lowest = self._shape, self.lowest
        below: set[int] = set()
        for block in self.on_floor(section):
            if shape.fixed[block] is not None:
                return []
            for other in shape.sections[block]:
                below.update(self.left[other])
        below.difference_update(self.left[section])
        return [lowest[block] + shape.sizes[block] for block in below]

    def waste(self, section: int, next_floor: int) -> bool:
        """Let nothing lie on the floor of a section, which rises so far; False if that is impossible."""
        self._trail.append((_SECTION, section, self._facts(section)))
        self.floors[section] = next_floor
        return self._settle((section,), (section,)) and not self._has_hole((section,))

    def undo(self, mark: int) -> None:
        """Take back all that was done since `mark`."""
        trail = self._trail
        while len(trail) > mark:
            kind, index, was = trail.pop()
            if kind == _LOWEST:
                self.lowest[index] = was[0]
            elif kind == _SECTION:
                (
                    self.floors[index],
                    self.tops[index],
                    self.choices[index],
                    self.firsts[index],
                ) = was
            elif kind == _LEFT:
                self.left[index] = was
            else:
                self._take_out(index)

    def _take_out(self, block: int) -> None:
        held = self._shape.sections[block]
        self.unplaced ^= 1 << block
        for section in held:
            self._remaining[section] += self._shape.sizes[block]
        for section in range(held[0] + 1, held[-1] + 1):
            self.crossing[section] += 1

    def _facts(self, section: int) -> tuple[int, ...]:
        return (
            self.floors[section],
            self.tops[section],
            self.choices[section],
            self.firsts[section],
        )

    def _settle(self, raised: Sequence[int], touched: Iterable[int]) -> bool:
        """What follows from floors that rose, until nothing does; False for a contradiction.

        touched: sections to look at in any case.
        """
        looked_at = touched
        wasted: list[int] = []
        while True:
            dirty = set(looked_at)
            for section in raised:
                if not self._lift(section, dirty):
                    return False
            raised = []
            for section in dirty:
                if not self.left[section]:
                    continue
                before = self.floors[section]
                if not self._look_at(section):
                    return False
                if self.floors[section] > before:
                    raised.append(section)
            if not raised:
                return not self._has_hole(wasted)
            wasted += raised
            looked_at = ()

    def _lift(self, section: int, dirty: set[int]) -> bool:
        """Blocks left in a section lie no lower than its floor; their sections become dirty."""
        floor = self.floors[section]
        lowest, shape = self.lowest, self._shape
        for block in self.left[section]:
            if lowest[block] >= floor:
                continue
            offset = floor + -floor % shape.alignments[block]
            if offset > self._last_offsets[block]:
                return False
            self._trail.append((_LOWEST, block, (lowest[block],)))
            lowest[block] = offset
            dirty.update(shape.sections[block])
        return True

    def _look_at(self, section: int) -> bool:
        """The floor of a section, and what may lie there, from the lowest offsets of what is left.

        False if that needs more than the arena: for no offset may what lies from there on be too much.
        """
        self.work += 1
        lowest, sizes = self.lowest, self._shape.sizes
        left = self.left[section]
        offsets = [lowest[block] for block in left]
        floor = min(offsets)
        room = self._height - floor - self._remaining[section]
        if room < 0:
            return False
        count = offsets.count(floor)
        may_rise = self._is_thorough and self._smallest <= room
        if count < len(left):
            above = sorted(
                [(lowest[block], sizes[block]) for block in left if lowest[block] > floor],
                reverse=True,
            )
            most = self._height
            for offset, size in above:
                most -= size
                if offset > most:
                    return False
            may_rise = may_rise or above[-1][0] - floor <= room
        self._trail.append((_SECTION, section, self._facts(section)))
        self.floors[section] = floor
        self.choices[section] = count + may_rise
        self.firsts[section] = left[offsets.index(floor)]
        return True

    def _has_hole(self, wasted: Iterable[int]) -> bool:
        """True if a block that is left would fit below the floors of its sections, one of them in `wasted`.

        It could sink there from wherever it will lie, so such a plan need not be looked for: the one with it sunk is
        found elsewhere.
        """
        floors, tops, shape = self.floors, self.tops, self._shape
        sizes = shape.sizes
        candidates: set[int] = set()
        for section in wasted:
            depth = floors[section] - tops[section]
            candidates.update([block for block in self.left[section] if sizes[block] <= depth])
        for block in candidates:
            size, held = sizes[block], shape.sections[block]
            for section in held:
                if floors[section] - tops[section] < size:
                    break
            else:
                rest = max([tops[section] for section in held])
                rest += -rest % shape.alignments[block]
                ceiling = min([floors[section] for section in held])
                if rest + size <= ceiling and shape.fixed[block] is None:
                    return True
        return False


_LOWEST, _SECTION, _LEFT, _PLACED = range(4)
