"""Where steps are repeated: stretches of items with a period, found by sums of hashes.

What is found may be wrong where hashes collide, and where buffers are the same in number but not in use; who rolls it
looks closely.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tinsmith_rolling.items import Item

_Hashes = NDArray[np.uint64]
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Stretch:
    """Items begin to end - 1, each of which is as the one `period` items before; at least two periods."""

    begin: int
    end: int
    period: int


class Repeats:
    """Items in order, asked for one period after another, from short to long.

    A buffer is used from a first item to a last. In a loop whose body is longer than that, it is one iteration's own,
    and others have theirs; otherwise all iterations use that very buffer.
    """

    def __init__(
        self,
        items: Sequence[Item],
        uses: Mapping[str, tuple[int, int]],
        alike: Mapping[str, Hashable],
    ) -> None:
        """uses: of each buffer, the first and the last item that needs it. alike: equal for buffers in whose place
        another may be.
        """
        count = len(items)
        names = _Numbers()
        shapes = [_mixed(0, names.of(item.shape)) for item in items]
        numbers = [_sum(item.numbers, 1) for item in items]
        changes: dict[str, list[tuple[int, int]]] = {}
        for index, item in enumerate(items):
            for slot, buffer in enumerate(item.buffers):
                first, last = uses[buffer]
                everywhere = _mixed(2, slot, names.of(buffer))
                shapes[index] += everywhere
                own = _mixed(3, slot, names.of((alike[buffer], index - first, last - first)))
                changes.setdefault(buffer, []).append((index, own - everywhere))
        self._count = count
        self._shapes = np.array([shape & _MASK for shape in shapes], np.uint64)
        self._numbers = np.array(numbers, np.uint64)
        self._crossed = np.zeros(count + 1, np.int32)
        self._left = sorted(
            ((last - first, first, last, name) for name, (first, last) in uses.items()),
            reverse=True,
        )
        self._changes = changes

    def stretches(self, period: int, *, steady: bool) -> Iterator[Stretch]:
        """Those of that period, which must not be shorter than the last one asked for.

        steady: from one period to the next, numbers change by the same at least once more.
        """
        self._shorten(period)
        if not self._may_repeat(period, steady=steady):
            return
        same = self._shapes[period:] == self._shapes[:-period]
        if steady:
            moved = self._numbers[period:] - self._numbers[:-period]
            # The sums are linear, so that a step that is always the same shows in them.
            same = same[period:] & same[:-period] & (moved[period:] == moved[:-period])
        edges = np.flatnonzero(np.diff(np.concatenate(([0], same.view(np.int8), [0]))))
        begins, ends = edges[::2], edges[1::2]
        is_long = ends - begins >= period
        for begin, end in zip(begins[is_long].tolist(), ends[is_long].tolist(), strict=True):
            yield Stretch(begin, end + (2 * period if steady else period), period)

    def _may_repeat(self, period: int, *, steady: bool) -> bool:
        """Whether some item of every `period`th is as the one before, and that as the one before it if it has to be
        steady: a stretch is too long to lie between two of them. All periods together look at n log n items.
        """
        apart = self._shapes[::period]
        same = apart[1:] == apart[:-1]
        return bool(np.any(same[1:] & same[:-1] if steady else same))

    def start(self, stretch: Stretch) -> int | None:
        """The first item of a stretch where an iteration may begin: where no buffer of one iteration is in use."""
        free = self._crossed[stretch.begin : stretch.begin + stretch.period] == 0
        found = np.flatnonzero(free)
        return None if found.size == 0 else stretch.begin + int(found[0])

    def _shorten(self, period: int) -> None:
        """Buffers in use for less than a period are an iteration's own."""
        while self._left and self._left[-1][0] < period:
            _, first, last, name = self._left.pop()
            self._crossed[first + 1 : last + 1] += 1
            for index, change in self._changes.get(name, ()):
                self._shapes[index] = (int(self._shapes[index]) + change) & _MASK


class _Numbers:
    """A number for each thing, equal ones having the same."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def of(self, thing: Hashable) -> int:
        return self._known.setdefault(thing, len(self._known))


def _sum(numbers: Sequence[int], seed: int) -> int:
    """Linear in the numbers."""
    return sum(_mixed(seed, slot) * number for slot, number in enumerate(numbers)) & _MASK


@lru_cache(1 << 16)
def _mixed(*values: int) -> int:
    """64 bits that look random (the finalizer of splitmix64 by S. Vigna, after each value)."""
    state = 0
    for value in values:
        state = (state + value + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state
