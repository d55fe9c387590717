"""Blocks that need no place of their own, so that they need not be planned.

A network whose rows stream has scratch for each row, beside the same blocks every time. Of these the largest is
planned, and the others lie where it lies: no plan of all is smaller than one of those that are planned.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tinsmith_allocation.model import Block, LeavesOf, Plan


@dataclass(frozen=True)
class Planned:
    """The blocks to be planned, in their order, and those that lie where one of them does: name -> its name."""

    blocks: tuple[Block, ...]
    leaders: Mapping[str, str]

    def completed(self, plan: Plan, blocks: Sequence[Block]) -> Plan:
        """The plan of all `blocks`, from one of those to be planned."""
        offsets = {name: plan.offsets[leader] for name, leader in self.leaders.items()}
        return replace(plan, blocks=tuple(blocks), offsets={**plan.offsets, **offsets})


def without_followers(blocks: Sequence[Block], leaves: LeavesOf) -> Planned:
    """Leave out each block of a single step, alone of such in it, that is no larger than another of that kind, where no
    longer block begins or ends between their steps; neither has a leave or an
    offset of its own.
    """
    brief = [block for block in blocks if block.first_step == block.last_step]
    changes: Counter[int] = Counter()
    for block in blocks:
        if block.first_step < block.last_step:
            changes[block.first_step] += 1
            changes[block.last_step + 1] += 1
    steps = sorted({*changes, *(block.first_step for block in brief)})
    # Between two steps of the same number, the same longer blocks live.
    numbers = dict(zip(steps, accumulate(changes[step] for step in steps), strict=True))
    count = Counter(block.first_step for block in brief)
    leaders: dict[tuple[int, int], Block] = {}
    alone = [
        block
        for block in brief
        if count[block.first_step] == 1 and block.name not in leaves and block.offset is None
    ]
    for block in alone:
        key = numbers[block.first_step], block.alignment
        if key not in leaders or leaders[key].size_bytes < block.size_bytes:
            leaders[key] = block
    found = {
        block.name: leaders[numbers[block.first_step], block.alignment].name for block in alone
    }
    found = {name: leader for name, leader in found.items() if name != leader}
    return Planned(tuple(block for block in blocks if block.name not in found), found)
