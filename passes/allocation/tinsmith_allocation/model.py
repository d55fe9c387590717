"""The problem and its solution, free of any IR: blocks of bytes with lifetimes, and their offsets.

Time is counted in steps. A block holds its bytes in every step from `first_step` to `last_step`,
both included; two blocks that share a step must not share a byte, unless they have leave to (`Leave`).
"""

import enum
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from tinsmith_allocation.foundation import Checked, TinsmithError

LARGEST_BLOCK_BYTES = 1 << 40
LARGEST_OFFSET = 1 << 62
"""Planners and the checker compute with 64 bits."""


class PlanError(TinsmithError):
    """A plan or its blocks break a rule: a defect of the planner, or of a plan written by hand."""


@dataclass(frozen=True)
class Block(Checked):
    """Bytes that must stay untouched from `first_step` to `last_step`, both included.

    Steps are integers in the order of execution, and may be negative (-1: before the first call). alignment: of the
    offset, in bytes; a power of two. offset: the one that the block must have, None for any.
    Raises PlanError for less than 1 byte, a last step before the first, and an alignment or offset that is none.
    """

    name: str
    size_bytes: int
    first_step: int
    last_step: int
    alignment: int = 1
    offset: int | None = None

    def __post_init__(self) -> None:
        """Raise PlanError for an empty or huge block, a lifetime that runs backwards, a bad alignment."""
        super().__post_init__()
        if self.size_bytes < 1:
            raise PlanError(f"block {self.name}: expected at least 1 byte, got {self.size_bytes}")
        if self.last_step < self.first_step:
            raise PlanError(
                f"block {self.name}: lifetime ends at step {self.last_step}, "
                f"before it starts at step {self.first_step}"
            )
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise PlanError(
                f"block {self.name}: expected a power of two as alignment, got {self.alignment}"
            )
        if self.size_bytes > LARGEST_BLOCK_BYTES:
            raise PlanError(
                f"block {self.name}: expected at most {LARGEST_BLOCK_BYTES} bytes, got {self.size_bytes}"
            )
        if self.offset is not None:
            self._check_offset(self.offset)

    def _check_offset(self, offset: int) -> None:
        if not 0 <= offset <= LARGEST_OFFSET:
            raise PlanError(
                f"block {self.name}: expected an offset from 0 to {LARGEST_OFFSET}, got {offset}"
            )
        if offset % self.alignment:
            raise PlanError(
                f"block {self.name}: expected an offset that is a multiple of {self.alignment}, got {offset}"
            )

    def lives_with(self, other: "Block") -> bool:
        """True if there is a step in which both hold their bytes."""
        return self.first_step <= other.last_step and other.first_step <= self.last_step


@dataclass(frozen=True)
class Leave(Checked):
    """Leave to let the block `output` share bytes with the block `source`, in all steps in which both live.

    Whoever gives it knows that at these distances nobody wants a byte of the one when it has become the other's: since
    the two share a single step, in which all is read before it is written over, or since row after row of the source
    dies before a row of the output is written there.

    A distance is the offset of `output` less that of `source`. at_most, at_least: any distance up to, and from there
    on; None for none but those at which the two share no byte, which need no leave. exactly: others.
    """

    output: str
    source: str
    at_most: int | None = 0
    at_least: int | None = None
    exactly: tuple[int, ...] = ()

    def bounds(self, output: Block, source: Block) -> tuple[int, int]:
        """Distances up to the first and from the second on are allowed."""
        low, high = -output.size_bytes, source.size_bytes
        return (
            low if self.at_most is None else max(low, self.at_most),
            high if self.at_least is None else min(high, self.at_least),
        )

    def allows(self, distance: int, output: Block, source: Block) -> bool:
        """True if the two may lie at that distance."""
        low, high = self.bounds(output, source)
        return distance <= low or distance >= high or distance in self.exactly

    def most_shared(self, output: Block, source: Block, unit: int) -> int:
        """At most how many bytes the two share, their sizes rounded up to a multiple of `unit`, at a distance that is
        a multiple of it.
        """
        low, high = self.bounds(output, source)
        mine, theirs = (-(-block.size_bytes // unit) * unit for block in (output, source))
        # The more, the nearer the smaller one is to lying within the other.
        nearest = [
            min(low // unit * unit, max(0, theirs - mine)),
            max(-(-high // unit) * unit, min(0, theirs - mine)),
            *(distance for distance in self.exactly if distance % unit == 0),
        ]
        shared = [min(theirs, distance + mine) - max(0, distance) for distance in nearest]
        return max(0, *shared)

    def ends_shared(self, block: Block, output: Block, source: Block, unit: int) -> tuple[int, int]:
        """Of one of the two blocks, how many of its first and of its last bytes the other may share; none between.

        Sizes and distances are as in `most_shared`.
        """
        low, high = self.bounds(output, source)
        other, size = (-(-found.size_bytes // unit) * unit for found in (output, source))
        low, high, exactly = low // unit * unit, -(-high // unit) * unit, self.exactly
        if block is output:  # from there, distances are the other way round
            size, other = other, size
            low, high, exactly = -high, -low, tuple(-distance for distance in exactly)
        # Up to a distance, the end of the other lies over the beginning; from one on, its beginning over the end.
        first = max(0, low + other, *(distance + other for distance in exactly))
        return min(size, first), min(size, max(0, size - high))

    def least_bytes(self, output: Block, source: Block, unit: int) -> int:
        """At least how many bytes there are from the first of the two to the last, at a distance that is a multiple of
        `unit`.
        """
        mine, theirs = output.size_bytes, source.size_bytes
        low, high = self.bounds(output, source)
        # Fewest where the smaller one lies within the larger, so as near to that as is allowed.
        within = {0, (theirs - mine) // unit * unit, -((mine - theirs) // unit) * unit}
        nearest = {min(low // unit * unit, distance) for distance in within}
        nearest |= {max(-(-high // unit) * unit, distance) for distance in within}
        nearest |= {distance for distance in self.exactly if distance % unit == 0}
        return min(max(theirs, distance + mine) - min(0, distance) for distance in nearest)


class Status(enum.Enum):
    """What is known about a plan: OPTIMAL, proven that none is smaller; FEASIBLE, right, but perhaps one is."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"


@dataclass(frozen=True)
class Plan(Checked):
    """Offsets for blocks that share one arena.

    offsets: bytes from the start of the arena, by name of block.
    lower_bound: a proven bound; no plan of these blocks needs fewer bytes.
    leaves: those that the planner was given, taken or not.
    """

    blocks: tuple[Block, ...]
    offsets: Mapping[str, int]
    lower_bound: int
    leaves: tuple[Leave, ...] = ()

    @cached_property
    def arena_bytes(self) -> int:
        """Bytes from the start of the arena to the end of the highest block; 0 without blocks."""
        return max((self.offsets[b.name] + b.size_bytes for b in self.blocks), default=0)

    @property
    def status(self) -> Status:
        """Optimal when the arena is as small as the proven bound."""
        return Status.OPTIMAL if self.arena_bytes == self.lower_bound else Status.FEASIBLE

    @property
    def gap(self) -> float:
        """How far the optimum may be below the arena, as a part of the arena; 0.0 when proven."""
        return 1 - self.lower_bound / self.arena_bytes if self.blocks else 0.0

    @property
    def peak_step(self) -> int:
        """The first step with the most live bytes; 0 without blocks."""
        steps = sorted({block.first_step for block in self.blocks})
        return max(steps, key=self.live_bytes, default=0)

    def live_bytes(self, step: int) -> int:
        """Bytes of all blocks that hold theirs in `step`."""
        steps, sums = self._live_sums
        before = bisect_right(steps, step)
        return sums[before - 1] if before else 0

    @cached_property
    def _live_sums(self) -> tuple[list[int], list[int]]:
        """The steps in which the number of live bytes changes, and what it is from then on."""
        changes: Counter[int] = Counter()
        for block in self.blocks:
            changes[block.first_step] += block.size_bytes
            changes[block.last_step + 1] -= block.size_bytes
        steps = sorted(changes)
        return steps, list(accumulate(changes[step] for step in steps))

    def live(self, step: int) -> Iterator[Block]:
        """The blocks that hold their bytes in `step`."""
        return (block for block in self.blocks if block.first_step <= step <= block.last_step)


LeaveOf = tuple[Leave, Block, Block]
"""A leave, its output and its source."""

LeavesOf = Mapping[str, Mapping[str, LeaveOf]]
"""Name of a block -> name of another -> the leave that the two have."""


def checked_leaves(blocks: Sequence[Block], leaves: Sequence[Leave]) -> LeavesOf:
    """The leaves of every block that has one, be it the output or the source.

    Raises PlanError for two blocks of one name, or for a leave that breaks the rule of Leave.
    """
    by_name = {block.name: block for block in blocks}
    if len(by_name) != len(blocks):
        raise PlanError("two blocks have the same name")
    found: dict[str, dict[str, LeaveOf]] = {}
    for leave in leaves:
        if leave.output not in by_name or leave.source not in by_name:
            raise PlanError(f"no block has the name {leave.output} or {leave.source}")
        output, source = by_name[leave.output], by_name[leave.source]
        if output is source or not output.lives_with(source):
            raise PlanError(
                f"{output.name} cannot be written over {source.name}: expected two blocks that share a step, got "
                f"steps {output.first_step} to {output.last_step} and {source.first_step} to {source.last_step}"
            )
        for one, other in ((output, source), (source, output)):
            known = found.setdefault(one.name, {})
            if other.name in known:
                raise PlanError(f"{output.name} has two leaves to be written over {source.name}")
            known[other.name] = leave, output, source
    return found
