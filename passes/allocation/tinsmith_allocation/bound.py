"""A bound on the arena that needs no search: the bytes that are live at once."""

import heapq
from collections.abc import Sequence
from itertools import groupby

from tinsmith_ir.checked import checked

from tinsmith_allocation.model import Block, InPlace, checked_in_place


@checked
def lower_bound(blocks: Sequence[Block], in_place: Sequence[InPlace] = ()) -> int:
    """Bytes that no plan of `blocks` can go below: the largest sum of sizes live in one step.

    All offsets are multiples of the smallest alignment, so each size counts rounded up to it, but
    for one block of the step, which may be the highest. A block that may be written over a source
    of its own counts only from its second step on. Raises PlanError for a bad `in_place`.
    """
    sources = checked_in_place(blocks, in_place)
    unit = min((block.alignment for block in blocks), default=1)
    bound = max((block.size_bytes for block in blocks), default=0)
    total = 0
    ending: list[tuple[int, int]] = []
    paddings: list[tuple[int, int]] = []
    lives = [(block.first_step + (block.name in sources), block) for block in blocks]
    for step, starting in groupby(sorted(lives, key=_first), key=_first):
        for _, block in starting:
            padding = -block.size_bytes % unit
            total += block.size_bytes + padding
            heapq.heappush(ending, (block.last_step, block.size_bytes + padding))
            heapq.heappush(paddings, (-padding, block.last_step))
        while ending and ending[0][0] < step:
            total -= heapq.heappop(ending)[1]
        while paddings and paddings[0][1] < step:
            heapq.heappop(paddings)
        bound = max(bound, total + paddings[0][0] if paddings else 0)
    return bound


def _first(life: tuple[int, Block]) -> int:
    return life[0]
