"""Plans found by putting block after block at the lowest offset that is free, in several orders.

First fit by decreasing size is the planner of TensorFlow Lite Micro (`GreedyMemoryPlanner`); the
improvement that moves the blocks under the highest one to the front of the order follows the idea
of the hill climbing allocator of Ethos-U Vela. No randomness: the same blocks, the same plan.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from tinsmith_allocation.bound import lower_bound
from tinsmith_allocation.fixed import check_fixed
from tinsmith_allocation.followers import without_followers
from tinsmith_allocation.foundation import HAS_NUMPY, checked
from tinsmith_allocation.mirror import Mirror
from tinsmith_allocation.model import (
    Block,
    Leave,
    LeavesOf,
    Plan,
    checked_leaves,
)
from tinsmith_allocation.placed import PlacedInArrays, PlacedInLists

_ALL_IMPROVEMENTS_BLOCKS = 125

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

    Stops at once when a plan meets the lower bound. Raises PlanError for blocks of the same name, a bad leave, or
    blocks whose own offsets are in each other's way.
    """
    leaves_of = checked_leaves(blocks, leaves)
    check_fixed(blocks, leaves_of)
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

    # What has an offset already cannot be turned upside down.
    is_free = all(block.offset is None for block in blocks)
    mirror = Mirror(blocks, leaves) if is_free and _slides(leaves_of) else None

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
    changes: Counter[int] = Counter()
    for block in blocks:
        changes[block.first_step] += block.size_bytes
        changes[block.last_step + 1] -= block.size_bytes
    steps = sorted(changes)
    live = [*accumulate(changes[step] for step in steps)]
    at = {step: index for index, step in enumerate(steps)}
    crowds = {
        block.name: max(live[at[block.first_step] : at[block.last_step + 1]]) for block in blocks
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
    placed = PlacedInArrays(len(order)) if HAS_NUMPY else PlacedInLists()
    for block in order:
        if block.offset is not None:
            placed.add(block, block.offset)
            if below is not None and block.offset + block.size_bytes >= below:
                return None
    for block in (block for block in order if block.offset is None):
        offset = placed.lowest_offset(block, leaves.get(block.name, {}))
        if below is not None and offset + block.size_bytes >= below:
            return None
        placed.add(block, offset)
    return placed.offsets
