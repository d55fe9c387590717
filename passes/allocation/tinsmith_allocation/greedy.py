"""Plans found by putting block after block at the lowest offset that is free, in several orders.

First fit by decreasing size is the planner of TensorFlow Lite Micro (`GreedyMemoryPlanner`); the
improvement that moves the blocks under the highest one to the front of the order follows the idea
of the hill climbing allocator of Ethos-U Vela. No randomness: the same blocks, the same plan.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import checked

from tinsmith_allocation.bound import lower_bound
from tinsmith_allocation.followers import without_followers
from tinsmith_allocation.mirror import Mirror
from tinsmith_allocation.model import (
    Block,
    Leave,
    LeaveOf,
    LeavesOf,
    Plan,
    checked_leaves,
)

_ALL_IMPROVEMENTS_BLOCKS = 125
# Up to so many intervals, numpy's calls cost more than a loop over them.
_FEW = 32

_Key = Callable[[Block], tuple[int, ...]]
_Planner = Callable[[Sequence[Block], Plan | None], Plan | None]

_ORDERS: tuple[_Key, ...] = (
    lambda block: (-block.size_bytes, block.first_step),
    lambda block: (-block.size_bytes * (block.last_step - block.first_step + 1),),
    lambda block: (block.first_step, -block.size_bytes),
    lambda block: (block.first_step - block.last_step, -block.size_bytes),
    lambda block: (-block.last_step, -block.size_bytes),
)


@checked
def plan_greedy(
    blocks: Sequence[Block], *, leaves: Sequence[Leave] = (), improvements: int = 200
) -> Plan:
    """The best plan of a few orders, then of at most `improvements` changed ones; where there are more
    than 125 blocks, of a few more orders and of fewer changed ones, by the square of their number. Where a leave is for
    several steps, each order is tried upside down, too.

    Stops at once when a plan meets the lower bound. Raises PlanError for blocks of the same name or
    a bad leave.
    """
    leaves_of = checked_leaves(blocks, leaves)
    planned = without_followers(blocks, leaves_of)
    return planned.completed(_plan(planned.blocks, leaves, leaves_of, improvements), blocks)


def _plan(
    blocks: Sequence[Block], leaves: Sequence[Leave], leaves_of: LeavesOf, improvements: int
) -> Plan:
    bound = lower_bound(blocks, leaves)

    def upwards(order: Sequence[Block], better_than: Plan | None) -> Plan | None:
        below = None if better_than is None else better_than.arena_bytes
        offsets = _first_fit(order, leaves_of, below)
        if offsets is None:
            return None
        return Plan(tuple(blocks), offsets, bound, tuple(leaves))

    mirror = Mirror(blocks, leaves) if _slides(leaves_of) else None

    def downwards(order: Sequence[Block], better_than: Plan | None) -> Plan | None:
        assert mirror is not None
        below = None if better_than is None else better_than.arena_bytes + mirror.unit
        mirrored = _first_fit([mirror.blocks[block.name] for block in order], mirror.leaves, below)
        if mirrored is None:
            return None
        found = Plan(tuple(blocks), mirror.offsets(mirrored), bound, tuple(leaves))
        return found if better_than is None or found.arena_bytes < better_than.arena_bytes else None

    planners = (upwards,) if mirror is None else (upwards, downwards)

    share = min(1.0, _ALL_IMPROVEMENTS_BLOCKS / max(len(blocks), 1))
    tries = int(improvements * share**2)
    more = _crowding_orders(blocks) if tries < improvements else ()
    best_order: list[Block] = []
    best: Plan | None = None
    best_planner: _Planner = upwards
    for key in (*_ORDERS, *more):
        order = sorted(blocks, key=lambda block: (*key(block), block.name))
        for planner in planners:
            if (better := planner(order, best)) is not None:
                best_order, best, best_planner = order, better, planner
            if best is not None and best.arena_bytes == bound:
                return best
    assert best is not None
    return _improve(best_order, best, best_planner, tries)


def _slides(leaves: LeavesOf) -> bool:
    """True if two blocks have leave to share bytes for more than a step."""
    return any(
        min(output.last_step, source.last_step) > max(output.first_step, source.first_step)
        for found in leaves.values()
        for _, output, source in found.values()
    )


def _crowding_orders(blocks: Sequence[Block]) -> Iterator[_Key]:
    """Orders that begin with the blocks of the most crowded step, which have the least choice."""
    first = min(block.first_step for block in blocks)
    last = max(block.last_step for block in blocks)
    changes = np.zeros(last - first + 2, np.int64)
    for block in blocks:
        changes[block.first_step - first] += block.size_bytes
        changes[block.last_step - first + 1] -= block.size_bytes
    live = changes.cumsum()
    crowds = {
        block.name: int(live[block.first_step - first : block.last_step - first + 1].max())
        for block in blocks
    }
    yield lambda block: (
        -crowds[block.name],
        -block.size_bytes * (block.last_step - block.first_step + 1),
    )
    yield lambda block: (
        -crowds[block.name],
        block.first_step - block.last_step,
        -block.size_bytes,
    )


def _improve(
    order: list[Block],
    best: Plan,
    plan: _Planner,
    improvements: int,
) -> Plan:
    """Let one block after the other that stands in the highest block's way jump before it."""
    tried = 0
    moved = True
    while moved:
        moved = False
        for candidate_order in _moves(order, best):
            if best.arena_bytes == best.lower_bound or tried == improvements:
                return best
            tried += 1
            if (better := plan(candidate_order, best)) is not None:
                order, best, moved = candidate_order, better, True
                break
    return best


def _moves(order: list[Block], plan: Plan) -> Iterator[list[Block]]:
    """Orders in which the highest block, or one that lives with it, comes first, or before it."""
    highest = max(order, key=lambda block: plan.offsets[block.name] + block.size_bytes)
    around = [block for block in order if block is highest or block.lives_with(highest)]
    for block in around:
        rest = [other for other in order if other is not block]
        yield [block, *rest]
        if block is not highest:
            at = rest.index(highest)
            yield [*rest[:at], block, *rest[at:]]
            yield [*rest[: at + 1], block, *rest[at + 1 :]]


def _first_fit(
    order: Sequence[Block], leaves: LeavesOf, below: int | None
) -> dict[str, int] | None:
    """Each block at the lowest free offset, the blocks taken in the given order; None as soon as one does not end
    below that address.
    """
    placed = _Placed(len(order))
    for block in order:
        offset = placed.lowest_offset(block, leaves.get(block.name, {}))
        if below is not None and offset + block.size_bytes >= below:
            return None
        placed.add(block, offset)
    return placed.offsets


class _Placed:
    """The blocks that have their offsets, in arrays by order of start, for speed: fitting one compares
    it with all.
    """

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
                    lows[at], highs[at], exactly = _barred(block, int(starts[at]), found)
                    shared |= {(offset, at) for offset in exactly}
        offset = _lowest_gap(lows, highs, block.alignment)
        for other, _ in sorted(shared):
            if not 0 <= other < offset or other % block.alignment:
                continue
            barring = ((lows < other) & (other < highs)).nonzero()[0]
            if all((other, int(at)) in shared for at in barring):
                return other
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


def _lowest_gap_of_few(lows: list[int], highs: list[int], alignment: int) -> int:
    candidate = 0  # by order of lows: none before bars it
    for low, high in sorted(zip(lows, highs, strict=True)):
        if low < high and low < candidate < high:
            candidate = high + -high % alignment
    return candidate


def _barred(block: Block, start: int, found: LeaveOf) -> tuple[int, int, tuple[int, ...]]:
    """Between which offsets `block` may not begin, one that it has a leave with being at `start`; and at which it
    may all the same.
    """
    leave, output, source = found
    low, high = leave.bounds(output, source)
    if block is output:
        return start + low, start + high, tuple(start + distance for distance in leave.exactly)
    return start - high, start - low, tuple(start - distance for distance in leave.exactly)
