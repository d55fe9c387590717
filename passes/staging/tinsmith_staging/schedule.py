"""When blocks are fetched and where they lie, in the order of their use: a problem of its own, which knows no Program.

Time is counted in moments. A block is wanted from one moment to another; its fetch may start as early as nothing that
is still wanted lies in its place. Fetches start in the order of use, since they end in the order of their starts; in
one moment waits come before starts where the queue is full.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tinsmith_ir.checked import Checked, checked


@dataclass(frozen=True)
class Block(Checked):
    """Bytes that one fetch brings. first, last: the moments from which and to which they are wanted, both included."""

    size_bytes: int
    first: int
    last: int


@dataclass(frozen=True)
class Placed(Checked):
    """Where a block lies, and the moment at whose beginning its fetch starts."""

    offset: int
    start: int


@checked
def schedule(
    blocks: Sequence[Block], room_bytes: int, depth: int | None = None, *, from_edges: bool = False
) -> list[Placed] | None:
    """A place in the room and a start for each block, as early as possible one after another; None if some block finds
    no place when it is wanted.

    blocks: in the order of use, `first` never falling. depth: how many may be under way, each from its start until it
    is wanted, when it is waited for; None for any number. Each goes where its fetch can start earliest; of several such
    places, right behind the block before, as in a ring, else the lowest. from_edges: each goes as near to an edge of
    the room as it can when it is wanted, which starts fetches later and leaves no holes between two.
    """
    found: list[Placed] = []
    wanted: list[tuple[Block, Placed]] = []
    start = behind = 0
    for number, block in enumerate(blocks):
        if depth is not None and number >= depth:
            start = max(start, blocks[number - depth].first)
        wanted = [(other, placed) for other, placed in wanted if other.last >= start]
        choices = [
            Placed(offset, max(start, _free_from(offset, block, wanted)))
            for offset in _offsets(block, behind, wanted, room_bytes)
        ]
        possible = [choice for choice in choices if choice.start <= block.first]
        if not possible:
            return None
        highest = room_bytes - block.size_bytes
        key = partial(_nearest_to_an_edge, highest) if from_edges else partial(_earliest, behind)
        found.append(min(possible, key=key))
        wanted.append((block, found[-1]))
        start, behind = found[-1].start, found[-1].offset + block.size_bytes
    return found


def _earliest(behind: int, choice: Placed) -> tuple[int, ...]:
    return choice.start, choice.offset != behind, choice.offset


def _nearest_to_an_edge(highest: int, choice: Placed) -> tuple[int, ...]:
    return min(choice.offset, highest - choice.offset), choice.start, choice.offset


@checked
def least_room(blocks: Sequence[Block]) -> int:
    """Bytes below which no schedule exists: the most that are wanted in one moment."""
    moments = {block.first for block in blocks}
    return max(
        (
            sum(block.size_bytes for block in blocks if block.first <= moment <= block.last)
            for moment in moments
        ),
        default=0,
    )


def _offsets(
    block: Block, behind: int, wanted: Sequence[tuple[Block, Placed]], room_bytes: int
) -> Iterator[int]:
    """Where it may begin: at either edge, behind the block before, and beside each that is still wanted."""
    highest = room_bytes - block.size_bytes
    behind_others = (placed.offset + other.size_bytes for other, placed in wanted)
    before_others = (placed.offset - block.size_bytes for _, placed in wanted)
    for offset in sorted({0, highest, behind, *behind_others, *before_others}):
        if 0 <= offset <= highest:
            yield offset


def _free_from(offset: int, block: Block, wanted: Sequence[tuple[Block, Placed]]) -> int:
    """The moment from which nothing that is wanted lies there."""
    end = offset + block.size_bytes
    return max(
        (
            other.last + 1
            for other, placed in wanted
            if placed.offset < end and offset < placed.offset + other.size_bytes
        ),
        default=0,
    )
