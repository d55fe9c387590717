"""Blocks that have their offsets, and the lowest place that they leave for another.

With numpy for hundreds of blocks, and without it where that is not installed; the answers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tinsmith_allocation.foundation import HAS_NUMPY
from tinsmith_allocation.model import Block, LeaveOf

if TYPE_CHECKING or HAS_NUMPY:
    import numpy as np
    from numpy.typing import NDArray

# Up to so many intervals, numpy's calls cost more than a loop over them.
_FEW = 32


class PlacedInArrays:
    """The blocks that have their offsets, in arrays of numpy by order of start: fitting one compares it with all."""

    def __init__(self, most: int) -> None:
        self.offsets: dict[str, int] = {}
        self._names: list[str] = []
        # Rows: first step, last step, start, end.
        self._rows: NDArray[np.int64] = np.zeros((4, most), np.int64)

    def add(self, block: Block, offset: int) -> None:
        """Give `block` its offset."""
        count = len(self._names)
        index = int(self._rows[2, :count].searchsorted(offset, side="right"))
        self._rows[:, index + 1 : count + 1] = self._rows[:, index:count]
        self._rows[:, index] = (
            block.first_step,
            block.last_step,
            offset,
            offset + block.size_bytes,
        )
        self._names.insert(index, block.name)
        self.offsets[block.name] = offset

    def lowest_offset(self, block: Block, leaves: Mapping[str, LeaveOf]) -> int:
        """The lowest aligned offset at which `block` is in the way of none that lives with it."""
        first, last = self._rows[:2, : len(self._names)]
        neighbours = ((first <= block.last_step) & (block.first_step <= last)).nonzero()[0]
        starts, ends = self._rows[2:, neighbours]
        # What lies between lows and highs is barred.
        lows, highs = starts - block.size_bytes, ends
        shared: set[tuple[int, int]] = set()  # an offset that is free nevertheless, and for whom
        if leaves:
            for at, neighbour in enumerate(neighbours):
                if found := leaves.get(self._names[int(neighbour)]):
                    lows[at], highs[at], exactly = barred_by(block, int(starts[at]), found)
                    shared |= {(offset, at) for offset in exactly}
        offset = _lowest_gap(lows, highs, block.alignment)
        for other, _ in sorted(shared):
            if not 0 <= other < offset or other % block.alignment:
                continue
            barring = ((lows < other) & (other < highs)).nonzero()[0]
            if all((other, int(at)) in shared for at in barring):
                return other
        return offset


class PlacedInLists:
    """What PlacedInArrays does, without numpy."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}
        self._blocks: list[Block] = []

    def add(self, block: Block, offset: int) -> None:
        """Give `block` its offset."""
        self._blocks.append(block)
        self.offsets[block.name] = offset

    def lowest_offset(self, block: Block, leaves: Mapping[str, LeaveOf]) -> int:
        """The lowest aligned offset at which `block` is in the way of none that lives with it."""
        lows: list[int] = []
        highs: list[int] = []
        shared: set[tuple[int, int]] = set()  # an offset that is free nevertheless, and for whom
        for other in self._blocks:
            if not block.lives_with(other):
                continue
            start = self.offsets[other.name]
            low, high = start - block.size_bytes, start + other.size_bytes
            if found := leaves.get(other.name):
                low, high, exactly = barred_by(block, start, found)
                shared |= {(offset, len(lows)) for offset in exactly}
            lows.append(low)
            highs.append(high)
        offset = _lowest_gap_of_few(lows, highs, block.alignment)
        for free, _ in sorted(shared):
            if not 0 <= free < offset or free % block.alignment:
                continue
            barring = [at for at in range(len(lows)) if lows[at] < free < highs[at]]
            if all((free, at) in shared for at in barring):
                return free
        return offset


def _lowest_gap(lows: NDArray[np.int64], highs: NDArray[np.int64], alignment: int) -> int:
    """The lowest aligned offset from 0 that is barred by none."""
    if len(lows) <= _FEW:
        return _lowest_gap_of_few(lows.tolist(), highs.tolist(), alignment)
    barred = (lows < highs).nonzero()[0]
    order = barred[lows[barred].argsort(kind="stable")]
    lows, highs = lows[order], highs[order]
    # candidates[i] is behind all before i; the last one, behind all there are.
    candidates = np.zeros(len(order) + 1, np.int64)
    np.maximum.accumulate(highs, out=candidates[1:])
    np.maximum(candidates, 0, out=candidates)
    candidates += -candidates % alignment
    fits = (candidates[:-1] <= lows).nonzero()[0]
    return int(candidates[fits[0] if len(fits) else -1])


def _lowest_gap_of_few(lows: Sequence[int], highs: Sequence[int], alignment: int) -> int:
    candidate = 0  # by order of lows: none before bars it
    for low, high in sorted(zip(lows, highs, strict=True)):
        if low < high and low < candidate < high:
            candidate = high + -high % alignment
    return candidate


def barred_by(block: Block, start: int, found: LeaveOf) -> tuple[int, int, tuple[int, ...]]:
    """Between which offsets `block` may not begin, one that it has a leave with being at `start`; and at which it
    may all the same.
    """
    leave, output, source = found
    low, high = leave.bounds(output, source)
    if block is output:
        return start + low, start + high, tuple(start + distance for distance in leave.exactly)
    return start - high, start - low, tuple(start - distance for distance in leave.exactly)
