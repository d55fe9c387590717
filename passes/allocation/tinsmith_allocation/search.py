"""Plans with the least arena, proven, by a search of our own that needs nothing but Python.

Ideas of MiniMalloc (Moffitt, ASPLOS 2023) stand behind it: parts that share no step are solved apart, blocks are put on
what lies below them, what is left of a section must fit above its floor, and a plan with a hole that a higher block
would fill is not looked for. Beyond it, a section counts the waste that follows from the lowest offsets of its blocks,
floors rise until nothing follows any more, any valley may be filled next and not only the lowest, and parts that failed
are remembered.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tinsmith_allocation.descent import Descent, Verdict
from tinsmith_allocation.model import Block, Plan
from tinsmith_allocation.skyline import Shape
from tinsmith_allocation.strategies import strategies

WORK_PER_SECOND = 100_000
"""About how many sections a desktop looks at."""

_FIRST_FAILURES = 150


def improved(plan: Plan, work: int, seed: int = 0, capacity_bytes: int | None = None) -> Plan:
    """The plan, or a smaller one, or one with a higher bound; optimal unless the work ended before.

    plan: of blocks without leaves; one with leaves stays as it is. work: sections to look at, see WORK_PER_SECOND; the
    same work, the same plan. capacity_bytes: a plan that fits it is good enough, a bound above it too.
    """
    if plan.leaves or not plan.blocks:
        return plan
    return _Minimum(plan, seed).run(work, capacity_bytes or 0)


class _Minimum:
    """Searches the least arena between a bound and a plan."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self._best = plan
        self._bound = plan.lower_bound
        # The largest arena that was searched in vain, without proof.
        self._in_vain = -1
        self._problem = _problem(plan.blocks)
        self._seed = seed

    def run(self, work: int, capacity: int) -> Plan:
        """First the capacity or, if that is less, the bound, which most problems reach; then halves of what is open,
        each for a sixteenth of the work, and again for longer.
        """
        share = max(1, work if capacity else work // 16)
        while work > 0 and (target := self._target(capacity)) is not None:
            if target == self._bound and self._in_vain < 0:
                share *= 2
            work -= self._try(target, min(share, work))
        best = self._best
        return Plan(best.blocks, best.offsets, min(self._bound, best.arena_bytes))

    def _target(self, capacity: int) -> int | None:
        """The arena to search next; None if there is nothing to search for."""
        bound, best = self._bound, self._best.arena_bytes
        if bound >= best or best <= capacity or (capacity and bound > capacity):
            return None
        if capacity or self._in_vain < 0:
            return max(bound, capacity)
        open_from = max(bound, self._in_vain + 1)
        if open_from >= best:
            # Each arena was tried for a while.
            self._in_vain = -1
            return bound
        return (open_from + best - 1) // 2

    def _try(self, arena_bytes: int, work: int) -> int:
        """Search a plan of at most so many bytes; the work done."""
        problem = self._problem
        found, done = _search(problem, arena_bytes, work, self._seed)
        if found is Verdict.IMPOSSIBLE:
            self._bound = problem.next_arena(arena_bytes)
        elif isinstance(found, Verdict):
            self._in_vain = arena_bytes
        else:
            blocks = self._best.blocks
            offsets = {
                block.name: offset * problem.unit
                for block, offset in zip(blocks, found, strict=True)
            }
            self._best = Plan(blocks, offsets, self._bound)
        return max(1, done)


@dataclass(frozen=True)
class _Problem:
    """Blocks in units of which every offset of a plan without holes is a multiple.

    sizes: in bytes; those of the shape are rounded up.
    """

    shape: Shape
    unit: int
    sizes: tuple[int, ...]

    def next_arena(self, arena_bytes: int) -> int:
        """The least arena above, in which a block ends at its last byte."""
        return min(
            arena_bytes + 1 + (size - arena_bytes - 1) % self.unit for size in set(self.sizes)
        )


def _problem(blocks: Sequence[Block]) -> _Problem:
    alignment = min(block.alignment for block in blocks)
    rounded = [block.size_bytes + -block.size_bytes % alignment for block in blocks]
    unit = gcd(*rounded, *(block.offset or 0 for block in blocks))
    for block in blocks:
        if unit % block.alignment:
            unit = gcd(unit, block.alignment)
    members = _sections(blocks)
    sections: list[list[int]] = [[] for _ in blocks]
    for section, held in enumerate(members):
        for block in held:
            sections[block].append(section)
    shape = Shape(
        sizes=tuple(size // unit for size in rounded),
        alignments=tuple(max(1, block.alignment // unit) for block in blocks),
        sections=tuple(map(tuple, sections)),
        fixed=tuple(None if block.offset is None else block.offset // unit for block in blocks),
        members=members,
    )
    return _Problem(shape, unit, tuple(block.size_bytes for block in blocks))


def _sections(blocks: Sequence[Block]) -> tuple[tuple[int, ...], ...]:
    """The sets of blocks live together that are part of no other such set, in the order of time."""
    events = [
        *((block.first_step, 1, index) for index, block in enumerate(blocks)),
        *((block.last_step + 1, 0, index) for index, block in enumerate(blocks)),
    ]
    live: dict[int, None] = {}
    found: list[tuple[int, ...]] = []
    has_new = False
    for _, begins, index in sorted(events):
        if begins:
            live[index] = None
            has_new = True
            continue
        if has_new:
            found.append(tuple(live))
            has_new = False
        del live[index]
    return tuple(found)


def _search(
    problem: _Problem, arena_bytes: int, work: int, seed: int
) -> tuple[tuple[int, ...] | Verdict, int]:
    """Offsets in units by block, or why there are none; and the work done."""
    last_offsets = [
        (arena_bytes - size if fixed is None else fixed * problem.unit) // problem.unit
        for size, fixed in zip(problem.sizes, problem.shape.fixed, strict=True)
    ]
    height = -(-arena_bytes // problem.unit)
    done = 0
    failures = _FIRST_FAILURES
    is_thorough = False
    for round_ in strategies(problem.shape, seed):
        for strategy in round_:
            descent = Descent(
                problem.shape, last_offsets, height, strategy.ranks, strategy.choose, is_thorough
            )
            found = descent.run(failures, work - done)
            done += descent.work
            if found is Verdict.EXHAUSTED:
                is_thorough = True
            elif found is not Verdict.UNKNOWN or done >= work:
                return found, done
        failures *= 2
    raise AssertionError("rounds have no end")
