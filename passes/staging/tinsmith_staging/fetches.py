"""What is fetched together, and how long it is wanted: from uses of constants to blocks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinsmith_staging.schedule import Block
from tinsmith_staging.uses import Unit, Use

ALIGNMENT = 16
"""Of units in their places, in bytes: that of constants where kernels read them."""

WORD = 4
"""What an engine that fetches copies multiples of."""


_LATER = 4
"""Of the bytes before a fetch, the part that it may have: what it brings first comes so much later than alone."""


@dataclass(eq=False)
class Life:
    """Uses of one unit, between which it stays where it is. last: the moment up to which it is wanted."""

    uses: list[Use]
    last: int

    @property
    def unit(self) -> Unit:
        """What is used."""
        return self.uses[0].unit

    @property
    def first(self) -> int:
        """The moment from which it is wanted."""
        return self.uses[0].moment.number

    def stays_for(self, use: Use, *, keep: bool) -> bool:
        """Whether it is still there for a later use: the next moment, or the same loop where that is to keep it. What a
        kernel reads stays in one place in a loop.
        """
        is_of_loop = self.uses[-1].moment.index == use.moment.index
        is_kept = keep or use.is_call or any(one.is_call for one in self.uses)
        return use.moment.number <= self.last + 1 or (is_of_loop and is_kept)


@dataclass(frozen=True, eq=False)
class Fetch:
    """Lives whose units are fetched together.

    offsets: where each unit begins. size_bytes: of all, a multiple of `WORD`.
    """

    lives: Sequence[Life]
    offsets: Sequence[int]
    size_bytes: int

    @property
    def units(self) -> tuple[Unit, ...]:
        """In the order in which they lie."""
        return tuple(life.unit for life in self.lives)

    @property
    def block(self) -> Block:
        """What it takes of the room, and when."""
        first = min(life.first for life in self.lives)
        last = max(life.last for life in self.lives)
        return Block(_up(self.size_bytes, ALIGNMENT), first, last)


def lives_of(uses: Sequence[Use], *, keep: bool) -> list[Life]:
    """In the order of their first moments.

    uses: in the order of their moments. keep: units stay from their first use in a loop to their last one there; else
    they are fetched again for each iteration that comes back to them.
    """
    found: list[Life] = []
    newest: dict[Unit, Life] = {}
    for use in uses:
        life = newest.get(use.unit)
        if life is not None and life.stays_for(use, keep=keep):
            life.uses.append(use)
            life.last = max(life.last, use.last)
        else:
            newest[use.unit] = Life([use], use.last)
            found.append(newest[use.unit])
    return found


def fetches_of(
    lives: Sequence[Life], size_of: Callable[[Unit], int], least_bytes: int, most_bytes: int
) -> list[Fetch]:
    """Neighbours in the order of use as one fetch: of `least_bytes` or a part of all that was fetched before, up to
    `most_bytes`. So the first come soon, and none comes much later than alone.
    """
    groups: list[list[Life]] = []
    size = before = 0
    for life in lives:
        own = _up(size_of(life.unit), ALIGNMENT)
        if groups and size + own <= min(most_bytes, max(least_bytes, before // _LATER)):
            groups[-1].append(life)
            size += own
        else:
            groups.append([life])
            before += size
            size = own
    return [_fetch(group, size_of) for group in groups]


def _fetch(lives: Sequence[Life], size_of: Callable[[Unit], int]) -> Fetch:
    offsets: list[int] = []
    end = 0
    for life in lives:
        offsets.append(_up(end, ALIGNMENT))
        end = offsets[-1] + size_of(life.unit)
    return Fetch(lives, offsets, _up(end, WORD))


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
