"""A bound on the arena that needs no search: the bytes that are live at once."""

import heapq
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from tinsmith_ir.checked import checked

from tinsmith_allocation.model import Block, Leave, LeavesOf, checked_leaves


@checked
def lower_bound(blocks: Sequence[Block], leaves: Sequence[Leave] = ()) -> int:
    """Bytes that no plan of `blocks` can go below: the largest sum of sizes live in one step.

    All offsets are multiples of the smallest alignment, so each size counts rounded up to it, but
    for one block of the step, which may be the highest. What a block can at most share with those that it
    may be written over counts once. Raises PlanError for a bad leave.
    """
    unit = min((block.alignment for block in blocks), default=1)
    bound = max((block.size_bytes for block in blocks), default=0)
    shared = _shared_bytes(blocks, checked_leaves(blocks, leaves), unit)
    total = 0
    ending: list[tuple[int, int]] = []
    paddings: list[tuple[int, int]] = []
    for step, starting in groupby(sorted(blocks, key=_first), key=_first):
        for block in starting:
            padding = -block.size_bytes % unit
            total += block.size_bytes + padding
            heapq.heappush(ending, (block.last_step, block.size_bytes + padding))
            heapq.heappush(paddings, (-padding, block.last_step))
        while ending and ending[0][0] < step:
            total -= heapq.heappop(ending)[1]
        while paddings and paddings[0][1] < step:
            heapq.heappop(paddings)
        bound = max(bound, total - shared[step] + paddings[0][0] if paddings else 0)
    return bound


def _shared_bytes(blocks: Sequence[Block], leaves: LeavesOf, unit: int) -> Counter[int]:
    """Step -> at most how many bytes blocks that begin there share with blocks that end there."""
    shared: Counter[int] = Counter()
    for block in blocks:
        with_sources = sum(
            leave.most_shared(output, source, unit)
            for leave, output, source in leaves.get(block.name, {}).values()
            if output is block
        )
        shared[block.first_step] += min(with_sources, -(-block.size_bytes // unit) * unit)
    return shared


def _first(block: Block) -> int:
    return block.first_step
