"""The same place for blocks that serve alike: calls that differ in nothing but where their scratch lies are then one
function of the generated C.
"""

from collections.abc import Iterator, Sequence

from tinsmith_allocation.model import Block, LeavesOf, Plan, checked_leaves
from tinsmith_allocation.placed import barred_by


def steadied(plan: Plan, groups: Sequence[Sequence[str]]) -> Plan:
    """The plan with each group's blocks at few offsets: the one most of them can have, then the next.

    groups: names of blocks of one size, no block in two of them. The arena does not grow.
    """
    by_name = {block.name: block for block in plan.blocks}
    steadying = _Steadying(plan, checked_leaves(plan.blocks, plan.leaves))
    for group in groups:
        if len({plan.offsets[name] for name in group}) > 1:
            steadying.settle([by_name[name] for name in group])
    return Plan(plan.blocks, steadying.offsets, plan.lower_bound, plan.leaves)


class _Steadying:
    def __init__(self, plan: Plan, leaves: LeavesOf) -> None:
        self.offsets = dict(plan.offsets)
        self._plan = plan
        self._leaves = leaves

    def settle(self, blocks: Sequence[Block]) -> None:
        """Move blocks of one size together."""
        barred = {block.name: list(self._barred(block)) for block in blocks}
        offsets = {
            offset
            for block in blocks
            for offset in (self.offsets[block.name], *(high for _, high in barred[block.name]))
            if self._is_allowed(block, offset)
        }
        left = [block for block in blocks if block.offset is None]
        while left:
            able = {
                offset: [block for block in left if _is_free(offset, barred[block.name])]
                for offset in sorted(offsets)
            }
            offset = max(able, key=lambda offset: (len(able[offset]), -offset))
            # Those that live together keep apart.
            moved = [*_apart(able[offset])]
            if len(moved) < 2:
                return
            self.offsets.update((block.name, offset) for block in moved)
            left = [block for block in left if block not in moved]
            barred = {block.name: list(self._barred(block)) for block in left}

    def _is_allowed(self, block: Block, offset: int) -> bool:
        end = offset + block.size_bytes
        return offset >= 0 and offset % block.alignment == 0 and end <= self._plan.arena_bytes

    def _barred(self, block: Block) -> Iterator[tuple[int, int]]:
        """Between which offsets, excluding these, it may not begin, for the others where they lie."""
        leaves = self._leaves.get(block.name, {})
        for other in self._plan.blocks:
            if other is block or not block.lives_with(other):
                continue
            start = self.offsets[other.name]
            low, high = start - block.size_bytes, start + other.size_bytes
            if found := leaves.get(other.name):
                low, high, _ = barred_by(block, start, found)
            if low < high:
                yield low, high


def _is_free(offset: int, barred: Sequence[tuple[int, int]]) -> bool:
    return not any(low < offset < high for low, high in barred)


def _apart(blocks: Sequence[Block]) -> Iterator[Block]:
    """Of blocks by order of time, those that live with none before."""
    last: int | None = None
    for block in sorted(blocks, key=lambda block: (block.first_step, block.last_step)):
        if last is None or block.first_step > last:
            last = block.last_step
            yield block
