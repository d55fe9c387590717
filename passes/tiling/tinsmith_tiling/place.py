"""Addresses for blocks of known sizes among blocks that have theirs: first fit in a few orders."""

from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence

from tinsmith_tiling.facts import Block, Key

_Order = Callable[[Block], tuple[int, ...]]

_ORDERS: tuple[_Order, ...] = (
    lambda block: (block.first - block.last, -block.units),
    lambda block: (-block.units, block.first),
    lambda block: (-block.units * (block.last - block.first + 1), block.first),
    lambda block: (block.first, -block.units),
    lambda block: (block.first, block.last),
)


def first_fit(
    blocks: Iterable[Block],
    fixed: Iterable[Block],
    offsets: Mapping[Key, int],
    rooms: Sequence[int | None],
) -> dict[Key, int] | None:
    """Offsets in units for `blocks` among the `fixed` ones; None if no order gives each a place within its memory.

    The one with the long lives first puts them at both ends in turns, so that neighbours in a chain stay apart.
    """
    blocks, obstacles = list(blocks), [(block, offsets[block.key]) for block in fixed]
    for order in _ORDERS:
        ordered = sorted(blocks, key=lambda block: (*order(block), block.key))
        for takes_turns in (True, False):
            if (found := _place(ordered, obstacles, rooms, takes_turns)) is not None:
                return found
    return None


def _place(
    blocks: Iterable[Block],
    obstacles: Sequence[tuple[Block, int]],
    rooms: Sequence[int | None],
    takes_turns: bool,
) -> dict[Key, int] | None:
    placed = list(obstacles)
    found: dict[Key, int] = {}
    for block in blocks:
        room = rooms[block.memory]
        assert room is not None
        at_top = takes_turns and block.first != block.last and block.first % 2 == 1
        offset = _gap(block, placed, room, at_top)
        if offset is None:
            return None
        found[block.key] = offset
        placed.append((block, offset))
    return found


def _gap(block: Block, placed: Iterable[tuple[Block, int]], room: int, at_top: bool) -> int | None:
    """The lowest offset that is free while the block lives, or the highest."""
    taken: list[tuple[int, int]] = []
    for other, offset in placed:
        if other.first <= block.last and block.first <= other.last and other.memory == block.memory:
            insort(taken, (offset, offset + other.units))
    if at_top:
        taken = [(room - end, room - start) for start, end in reversed(taken)]
    lowest = 0
    for start, end in taken if not at_top else sorted(taken):
        if start - lowest >= block.units:
            break
        lowest = max(lowest, end)
    if lowest + block.units > room:
        return None
    return room - lowest - block.units if at_top else lowest
