"""Which calls have their constants compressed, and how: at least so many bytes saved, at least cost."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class Saving(Checked):
    """One way to have less. saved: bytes, above 0. cost: instructions, about."""

    saved: int
    cost: int


def cheapest(ways: Sequence[Sequence[Saving]], wanted: int) -> tuple[int | None, ...] | None:
    """Of each item the index of one of its ways, or None, so that at least `wanted` bytes are saved.

    None if all items together save less. No other choice that saves as much costs less: of the items up to each, the
    least cost is known for every number of bytes.
    """
    if sum(max((way.saved for way in item), default=0) for item in ways) < wanted:
        return None
    # costs[i][b]: the least that saves b bytes or more with the items up to i.
    costs = [np.full(wanted + 1, np.iinfo(np.int64).max // 2, np.int64)]
    costs[0][0] = 0
    taken: list[np.ndarray] = []
    for item in ways:
        before = costs[-1]
        best, by = before.copy(), np.full(wanted + 1, -1, np.int16)
        for index, way in enumerate(item):
            rest = np.maximum(np.arange(wanted + 1) - way.saved, 0)
            cost = before[rest] + way.cost
            better = cost < best
            best[better], by[better] = cost[better], index
        costs.append(best)
        taken.append(by)
    chosen: list[int | None] = []
    left = wanted
    for item, by in zip(reversed(ways), reversed(taken), strict=True):
        index = int(by[left])
        chosen.append(None if index < 0 else index)
        left = left if index < 0 else max(0, left - item[index].saved)
    return tuple(reversed(chosen))
