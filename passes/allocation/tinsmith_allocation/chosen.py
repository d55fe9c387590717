"""Which blocks to keep in a memory that has no room for all, free of any IR: the cheapest to leave out.

Step after step, a state is the set of blocks that were kept and are still live; of each, the cheapest way there is
known. So all choices are compared, as long as there are few states; beyond that the dearest ones are dropped, and what
they cost so far bounds what they might have led to.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_allocation.model import Block, Leave, LeavesOf, checked_leaves

_MOST_STATES = 2000


@dataclass(frozen=True)
class Choice:
    """spilled: blocks that are left out; cost: of all of them; lower_bound: no choice costs less."""

    spilled: frozenset[str]
    cost: int
    lower_bound: int


@dataclass(frozen=True)
class _Way:
    """To a state. spilled: the last block that was left out, "" at the beginning; before: the way up to it."""

    cost: int
    spilled: str = ""
    before: "_Way | None" = None


def cheapest_choice(
    blocks: Sequence[Block],
    leaves: Sequence[Leave],
    costs: Mapping[str, int],
    budget: int,
    pinned: frozenset[str] = frozenset(),
    *,
    most_states: int = _MOST_STATES,
) -> Choice | None:
    """The choice that costs least of those whose live bytes keep within `budget` in each step; None if there is none.

    costs: of leaving a block out, from 0. pinned: blocks that must be kept. most_states: that are compared in a step.
    What blocks can share counts once, so that a planner may need more than is counted here, never less. Raises
    PlanError for a bad leave.
    """
    return _Search(blocks, leaves, costs, budget, pinned, most_states).choice()


class _Search:
    def __init__(
        self,
        blocks: Sequence[Block],
        leaves: Sequence[Leave],
        costs: Mapping[str, int],
        budget: int,
        pinned: frozenset[str],
        most_states: int,
    ) -> None:
        self._most_states = most_states
        self._unit = min((block.alignment for block in blocks), default=1)
        self._costs = costs
        self._pinned = pinned
        # The block that lies highest needs no padding behind it.
        self._budget = budget + self._unit - 1
        self._leaves: LeavesOf = checked_leaves(blocks, leaves)
        self._begin = sorted(blocks, key=lambda block: (block.first_step, block.name))
        self._block = {block.name: block for block in blocks}
        self._rank = {block.name: rank for rank, block in enumerate(self._begin)}
        self._pruned: list[int] = []

    def choice(self) -> Choice | None:
        """What is found."""
        states: dict[frozenset[str], _Way] = {frozenset(): _Way(0)}
        for index, block in enumerate(self._begin):
            states = self._next(states, block, self._is_full(index))
        if not states:
            return None
        best = min(states.values(), key=lambda way: way.cost)
        bound = min([best.cost, *self._pruned])
        return Choice(frozenset(_names(best)), best.cost, bound)

    def _is_full(self, index: int) -> bool:
        """Whether all blocks that begin in a step are chosen then."""
        after = index + 1
        return (
            after == len(self._begin)
            or self._begin[after].first_step != self._begin[index].first_step
        )

    def _next(
        self, states: Mapping[frozenset[str], _Way], block: Block, is_full: bool
    ) -> dict[frozenset[str], _Way]:
        """Keep the block, or do not."""
        found: dict[frozenset[str], _Way] = {}
        cost = self._costs.get(block.name, 0)
        for kept, way in states.items():
            live = frozenset(n for n in kept if self._block[n].last_step >= block.first_step)
            if block.name not in self._pinned:
                self._add(found, live, _Way(way.cost + cost, block.name, way))
            self._add(found, live | {block.name}, way)
        if is_full:
            found = {
                kept: way for kept, way in found.items() if self._live_bytes(kept) <= self._budget
            }
        if len(found) <= self._most_states:
            return found
        ordered = sorted(found.items(), key=lambda item: (item[1].cost, sorted(item[0])))
        # Whatever is spilled is always a way, and the last resort.
        kept, others = ordered[: self._most_states], ordered[self._most_states :]
        nothing = [item for item in others if item[0] <= self._pinned]
        self._pruned.append(others[0][1].cost)
        return dict((*kept, *nothing))

    @staticmethod
    def _add(found: dict[frozenset[str], _Way], state: frozenset[str], way: _Way) -> None:
        known = found.get(state)
        if known is None or way.cost < known.cost:
            found[state] = way

    def _live_bytes(self, kept: frozenset[str]) -> int:
        """At least, taken in the order in which they begin: each adds what it cannot share with those before it."""
        total = 0
        for name in kept:
            block = self._block[name]
            size = -(-block.size_bytes // self._unit) * self._unit
            shared = 0
            for other, (leave, output, source) in self._leaves.get(name, {}).items():
                if other in kept and self._rank[other] < self._rank[name]:
                    shared += leave.most_shared(output, source, self._unit)
            total += max(0, size - shared)
        return total


def _names(way: _Way) -> Iterator[str]:
    """What was left out on a way."""
    at: _Way | None = way
    while at is not None and at.spilled:
        yield at.spilled
        at = at.before
