"""Which calls have their constants compressed, and how: at least so many bytes saved, at least cost."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class Saving(Checked):
    """One way to have less. saved: bytes, above 0. cost: instructions, about."""

    saved: int
    cost: int


_MOST_UNITS = 1 << 18
"""Bytes are counted in units of one, or of as many as make no more of what is wanted."""


def cheapest(ways: Sequence[Sequence[Saving]], wanted: int) -> tuple[int | None, ...] | None:
    """Of each item the index of one of its ways, or None, so that at least `wanted` bytes are saved.

    None if all items together save less. No other choice that saves as much costs less: of the items up to each, the
    least cost is known for every number of bytes, up to 2^18 of them; of more, for every second one, and so on, and
    where all is wanted but the rest of such numbers, the largest savings are taken.
    """
    largest = [max(item, key=lambda way: way.saved, default=None) for item in ways]
    if sum(way.saved for way in largest if way is not None) < wanted:
        return None
    unit = -(-wanted // _MOST_UNITS) or 1
    found = _cheapest(
        [[way.saved // unit for way in item] for item in ways], ways, -(-wanted // unit)
    )
    if found is not None:
        return found
    return tuple(
        None if way is None else list(item).index(way)
        for item, way in zip(ways, largest, strict=True)
    )


def _cheapest(
    saved: Sequence[Sequence[int]], ways: Sequence[Sequence[Saving]], wanted: int
) -> tuple[int | None, ...] | None:
    """Of units; None if there are not as many."""
    too_much = np.iinfo(np.int64).max // 2
    # The least that saves so many units or more with the items so far.
    best = np.full(wanted + 1, too_much, np.int64)
    best[0] = 0
    taken: list[NDArray[np.int8]] = []
    units = np.arange(wanted + 1)
    for item, gains in zip(ways, saved, strict=True):
        before, best = best, best.copy()
        by = np.full(wanted + 1, -1, np.int8)
        for index, (way, gain) in enumerate(zip(item, gains, strict=True)):
            cost = before[np.maximum(units - gain, 0)] + way.cost
            better = cost < best
            best[better], by[better] = cost[better], index
        taken.append(by)
    if best[wanted] >= too_much:
        return None
    chosen: list[int | None] = []
    left = wanted
    for gains, by in zip(reversed(saved), reversed(taken), strict=True):
        index = int(by[left])
        chosen.append(None if index < 0 else index)
        left = left if index < 0 else max(0, left - gains[index])
    return tuple(reversed(chosen))
