"""A bound on the arena that needs no search: the bytes that are live at once."""

from collections.abc import Sequence

import numpy as np
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
    first = np.array([block.first_step + (block.name in sources) for block in blocks], np.int64)
    last = np.array([block.last_step for block in blocks], np.int64)
    sizes = np.array([block.size_bytes for block in blocks], np.int64)
    padding = -sizes % unit
    bound = int(sizes.max(initial=0))
    for step in np.unique(first):
        live = (first <= step) & (step <= last)
        total = (sizes + padding)[live].sum() - padding[live].max(initial=0)
        bound = max(bound, int(total))
    return bound
