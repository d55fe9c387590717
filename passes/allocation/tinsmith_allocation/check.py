"""Checks plans by other means than the planners use, so that neither trusts the other.

`check_plan` walks through the steps with the live blocks in order of their bytes, and compares each with
its neighbours there when it comes to life.
"""

import heapq
from bisect import bisect_left, insort
from collections.abc import Collection, Iterator

from tinsmith_allocation.foundation import checked
from tinsmith_allocation.model import (
    LARGEST_OFFSET,
    Block,
    LeavesOf,
    Plan,
    PlanError,
    checked_leaves,
)


@checked
def check_plan(plan: Plan) -> None:
    """Raise PlanError at the first block that is missing, misaligned, outside, or in the way."""
    for block in plan.blocks:
        if block.name not in plan.offsets:
            raise PlanError(f"block {block.name} has no offset")
        offset = plan.offsets[block.name]
        if offset < 0:
            raise PlanError(f"block {block.name} starts before the arena, at {offset}")
        if offset % block.alignment != 0:
            raise PlanError(
                f"block {block.name} at {offset}: expected a multiple of {block.alignment}"
            )
        if block.offset is not None and offset != block.offset:
            raise PlanError(f"block {block.name} at {offset}: it must be at {block.offset}")
        if offset > LARGEST_OFFSET:
            raise PlanError(f"block {block.name} at {offset}: expected at most {LARGEST_OFFSET}")
    names: set[str] = set()
    for block in plan.blocks:
        if block.name in names:
            raise PlanError(f"two blocks have the name {block.name}")
        names.add(block.name)
    _check_apart(plan, checked_leaves(plan.blocks, plan.leaves))
    if plan.arena_bytes < plan.lower_bound:
        raise PlanError(
            f"an arena of {plan.arena_bytes} bytes is below the bound of {plan.lower_bound}: "
            f"the bound is wrong"
        )


def _check_apart(plan: Plan, leaves: LeavesOf) -> None:
    """Raise PlanError for two blocks that share a byte and a step, unless they have leave to."""
    live = _LiveBlocks(plan)
    ending: list[tuple[int, int]] = []
    for index in sorted(range(len(plan.blocks)), key=lambda index: plan.blocks[index].first_step):
        block = plan.blocks[index]
        while ending and ending[0][0] < block.first_step:
            live.remove(heapq.heappop(ending)[1])
        touched = [*live.around(index)]
        for other in touched:
            one, two = plan.blocks[min(index, other)], plan.blocks[max(index, other)]
            _check_pair(plan, one, two, leaves)
        live.add(index, touched)
        heapq.heappush(ending, (block.last_step, index))


class _LiveBlocks:
    """The blocks that are live in one step, in order of their first byte.

    None touches another, but for those that have leave to. So of those that begin before a block, only the last one
    may reach into it, and those that share bytes.
    """

    def __init__(self, plan: Plan) -> None:
        self._starts = [plan.offsets[block.name] for block in plan.blocks]
        self._sizes = [block.size_bytes for block in plan.blocks]
        self._live: list[tuple[int, int]] = []
        self._sharing: set[int] = set()

    def around(self, index: int) -> Iterator[int]:
        """Of the live blocks those that touch block `index`."""
        start, size = self._starts[index], self._sizes[index]
        at = bisect_left(self._live, (start, -1))
        before = {self._live[at - 1][1]} if at > 0 else set[int]()
        before |= {other for other in self._sharing if self._starts[other] < start}
        for other in sorted(before):
            if self._starts[other] + self._sizes[other] > start:
                yield other
        while at < len(self._live) and self._live[at][0] < start + size:
            yield self._live[at][1]
            at += 1

    def add(self, index: int, touched: Collection[int]) -> None:
        """Block `index` comes to life. touched: what it shares bytes with."""
        insort(self._live, (self._starts[index], index))
        self._sharing |= {index, *touched} if touched else set()

    def remove(self, index: int) -> None:
        """Its last step is over."""
        self._sharing.discard(index)
        del self._live[bisect_left(self._live, (self._starts[index], index))]


def _check_pair(plan: Plan, one: Block, other: Block, leaves: LeavesOf) -> None:
    """Raise PlanError for two blocks that share a byte and a step, unless they have leave to."""
    steps = range(max(one.first_step, other.first_step), min(one.last_step, other.last_step) + 1)
    start = max(plan.offsets[one.name], plan.offsets[other.name])
    end = min(plan.offsets[one.name] + one.size_bytes, plan.offsets[other.name] + other.size_bytes)
    found = leaves.get(one.name, {}).get(other.name)
    near = ""
    if found is not None:
        leave, output, source = found
        distance = plan.offsets[output.name] - plan.offsets[source.name]
        if leave.allows(distance, output, source):
            return
        near = f", {output.name} at distance {distance}, too near"
    raise PlanError(
        f"blocks {one.name} and {other.name} both hold bytes {start} to {end - 1} "
        f"in step {steps[0]}{near}"
    )
