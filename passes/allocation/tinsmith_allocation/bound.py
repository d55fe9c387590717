"""A bound on the arena that needs no search: the bytes that are live at once."""

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tinsmith_allocation.foundation import checked
from tinsmith_allocation.model import Block, Leave, LeaveOf, LeavesOf, checked_leaves


@checked
def lower_bound(blocks: Sequence[Block], leaves: Sequence[Leave] = ()) -> int:
    """Bytes that no plan of `blocks` can go below: the largest sum of sizes live in one step.

    All offsets are multiples of the smallest alignment, so each size counts rounded up to it, but
    for one block of the step, which may be the highest. What blocks can at most share with those that they have
    leave to share with counts once, and two that may lie over one another need as much as they do alone. A
    block with an offset of its own ends where it ends. Raises PlanError for a bad leave.
    """
    unit = min((block.alignment for block in blocks), default=1)
    bound = max(((block.offset or 0) + block.size_bytes for block in blocks), default=0)
    leaves_of = checked_leaves(blocks, leaves)
    for leave in leaves:
        _, output, source = leaves_of[leave.output][leave.source]
        bound = max(bound, leave.least_bytes(output, source, unit))
    saved = _Saved(blocks, leaves_of, unit)
    total = 0
    ending: list[tuple[int, int]] = []
    paddings: list[tuple[int, int]] = []
    by_step = {step: [*found] for step, found in groupby(sorted(blocks, key=_first), key=_first)}
    # Where a block ends that others might lie over, these may need more than before.
    for step in sorted({*by_step, *saved.steps}):
        for block in by_step.get(step, ()):
            padding = -block.size_bytes % unit
            total += block.size_bytes + padding
            heapq.heappush(ending, (block.last_step, block.size_bytes + padding))
            heapq.heappush(paddings, (-padding, block.last_step))
        while ending and ending[0][0] < step:
            total -= heapq.heappop(ending)[1]
        while paddings and paddings[0][1] < step:
            heapq.heappop(paddings)
        bound = max(bound, total - saved.until(step) + paddings[0][0] if paddings else 0)
    return bound


class _Saved:
    """At most how many bytes the blocks that live in one step save by sharing.

    Taken one after the other in any order, each block adds at least its size less what it can share with each of those
    before it. Two orders are tried: a block may be written over several, and several over one.
    steps: in which that changes.
    """

    def __init__(self, blocks: Sequence[Block], leaves: LeavesOf, unit: int) -> None:
        ranks = {
            block.name: rank for rank, block in enumerate(sorted(blocks, key=_first)) if leaves
        }
        upwards: Counter[int] = Counter()
        downwards: Counter[int] = Counter()
        for block in blocks:
            size = -(-block.size_bytes // unit) * unit
            earlier: list[_Share] = []
            later: list[_Share] = []
            for other, found in leaves.get(block.name, {}).items():
                kind = earlier if ranks[other] < ranks[block.name] else later
                kind.append(_Share.of(block, found, unit))
            upwards.update(_changes(size, earlier))
            downwards.update(_changes(size, later))
        self._orders = _Sum(upwards), _Sum(downwards)
        self.steps = {*upwards, *downwards}

    def until(self, step: int) -> int:
        """In that step, which is not before one that was asked for."""
        return min(order.until(step) for order in self._orders)


@dataclass(frozen=True)
class _Share:
    """What a block can share with another, from a step on to another: at most so many bytes, which are some of its
    first `head` or of its last `tail` bytes.
    """

    first: int
    last: int
    most: int
    head: int
    tail: int

    @classmethod
    def of(cls, block: Block, found: LeaveOf, unit: int) -> "_Share":
        leave, output, source = found
        return cls(
            max(output.first_step, source.first_step),
            min(output.last_step, source.last_step),
            leave.most_shared(output, source, unit),
            *leave.ends_shared(block, output, source, unit),
        )


def _changes(size: int, shares: Sequence[_Share]) -> Mapping[int, int]:
    """Step -> by how much changes there what a block of `size` saves."""
    begins: dict[int, list[_Share]] = {}
    for share in shares:
        begins.setdefault(share.first, []).append(share)
        begins.setdefault(share.last + 1, [])
    found: dict[int, int] = {}
    before = 0
    live: list[_Share] = []
    for step in sorted(begins):
        live = [share for share in live if share.last >= step] + begins[step]
        # No two others lie in the same bytes of it.
        total = min(
            size,
            sum(share.most for share in live),
            max((share.head for share in live), default=0)
            + max((share.tail for share in live), default=0),
        )
        found[step] = total - before
        before = total
    return found


class _Sum:
    """Of changes by step."""

    def __init__(self, changes: Mapping[int, int]) -> None:
        self._changes: Iterator[tuple[int, int]] = iter(sorted(changes.items()))
        self._next = next(self._changes, None)
        self._total = 0

    def until(self, step: int) -> int:
        """Of all changes up to a step, which is not before one that was asked for."""
        while self._next is not None and self._next[0] <= step:
            self._total += self._next[1]
            self._next = next(self._changes, None)
        return self._total


def _first(block: Block) -> int:
    return block.first_step
