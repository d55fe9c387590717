"""A bound on the arena that needs no search: the bytes that are live at once."""

from collections.abc import Sequence

from tinsmith_allocation.model import Block, InPlace, checked_in_place


def lower_bound(blocks: Sequence[Block], in_place: Sequence[InPlace] = ()) -> int:
    """Bytes that no plan of `blocks` can go below: the largest sum of sizes live in one step.

    All offsets are multiples of the smallest alignment, so each size counts rounded up to it, but
    for one block of the step, which may be the highest. A block that may be written over a source
    of its own counts only from its second step on. Raises PlanError for a bad `in_place`.
    """
    sources = checked_in_place(blocks, in_place)
    unit = min((block.alignment for block in blocks), default=1)
    bound = 0
    for step in {block.first_step + (block.name in sources) for block in blocks}:
        live = [
            block
            for block in blocks
            if block.first_step + (block.name in sources) <= step <= block.last_step
        ]
        padding = [-block.size_bytes % unit for block in live]
        total = sum(block.size_bytes for block in live) + sum(padding)
        bound = max(bound, total - max(padding, default=0))
    return max([bound, *(block.size_bytes for block in blocks)])
