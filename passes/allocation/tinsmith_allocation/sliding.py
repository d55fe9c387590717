"""Leaves of buffers that live together for several steps, one of which dies piece by piece before the other comes to
life piece by piece: rows of a result over rows of what it is made from.

What lowering's `Walk` says of one call is said here of all steps: of each byte of the one buffer the step that touches
it first, of each byte of the other the step that touches it last. A step that touches both says itself how they may
lie (`Call.over`); else they are apart in it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Call, Copy, Fill, Overlap, Program
from tinsmith_ir.trailing import Pieces, Trail

from tinsmith_allocation.model import Block, Leave
from tinsmith_allocation.touches import Span, Touches, find_touches, spans_of

_LEAST_BYTES = 64
"""Less is not worth a leave."""

_MOST_COMPARED = 1 << 17
_MOST_PAIRS = 1 << 10
"""So many pairs of the largest blocks are compared, and looked into, so that the effort does not grow faster than
programs.
"""

_MOST_TRIED = 8
"""Distances for themselves, that many calls bear."""


def sliding_leaves(
    program: Program, blocks: Sequence[Block], known: Collection[Leave]
) -> tuple[Leave, ...]:
    """The leaves of pairs of `blocks`, buffers of one memory, beside those that are known.

    program: without loops (`unrolled`). None where engines work, whose bytes are in flight.
    """
    if any(isinstance(step, Call | Copy) and step.token is not None for step in program.steps):
        return ()
    spans = spans_of(program)
    if all(
        spans[view.name] == (0, program.buffer[view.buffer].size_bytes) for view in program.views
    ):
        return ()
    touches = find_touches(program, spans, [block.name for block in blocks])
    taken = {frozenset((leave.output, leave.source)) for leave in known}
    pairs = [
        (over, under)
        for over, under in _pairs(blocks, touches)
        if frozenset((over.name, under.name)) not in taken
    ][:_MOST_PAIRS]
    meetings = _find_meetings(program, spans, {(over.name, under.name) for over, under in pairs})
    found: dict[frozenset[str], Leave] = {}
    for over, under in pairs:
        key = over.name, under.name
        distances = _distances(touches[over.name], touches[under.name], meetings.get(key, ()))
        leave = Leave(
            over.name, under.name, distances.at_most, distances.at_least, distances.exactly
        )
        if leave.most_shared(over, under, over.alignment) < _LEAST_BYTES:
            continue
        both = frozenset(key)
        found[both] = _either(found[both], leave) if both in found else leave
    return tuple(found.values())


def _pairs(blocks: Sequence[Block], touches: Mapping[str, Touches]) -> list[tuple[Block, Block]]:
    """Blocks that live together of which the first may come to life, in part, when the second is dead, in part.

    Those first that might share most.
    """
    # What lives in one step alone, as scratch does, is small beside what lives long.
    long = [block for block in blocks if _may_share(block, touches[block.name])]
    long.sort(key=lambda block: (block.first_step, block.name))
    spread = np.array([touches[block.name].is_spread for block in long], np.bool_)
    begins = np.array([block.first_step for block in long], np.int64)
    comes = np.array([touches[block.name].first.max() for block in long], np.int64)
    dies = np.array([touches[block.name].last.min() for block in long], np.int64)
    behind = begins.searchsorted([block.last_step for block in long], side="right")
    spread_before = np.append(0, spread.cumsum())
    found: list[tuple[int, int]] = []
    compared = 0
    for index in sorted(range(len(long)), key=lambda index: (-long[index].size_bytes, index)):
        # Those that begin in its life; of two, one comes to life or dies in parts.
        first, end = index + 1, int(behind[index])
        if not spread[index] and spread_before[first] == spread_before[end]:
            continue
        compared += end - first
        if compared > _MOST_COMPARED:
            break
        wanted = spread[first:end] | spread[index]
        unders = first + (wanted & (dies[first:end] <= comes[index])).nonzero()[0]
        overs = first + (wanted & (dies[index] <= comes[first:end])).nonzero()[0]
        found += [(index, int(under)) for under in unders]
        found += [(int(over), index) for over in overs]
    pairs = [(long[over], long[under]) for over, under in found]
    return sorted(pairs, key=lambda pair: -min(block.size_bytes for block in pair))


def _may_share(block: Block, touches: Touches) -> bool:
    return block.size_bytes >= _LEAST_BYTES and not touches.is_brief


@dataclass(frozen=True)
class _Meeting:
    """A step that writes bytes of the one buffer and touches bytes of the other.

    overlap: how the former may lie over the latter then, beside one another apart; None for not at all.
    """

    over: Span
    under: Span
    overlap: Overlap | None

    @property
    def shift(self) -> int:
        """From distances of views to distances of buffers."""
        return self.under[0] - self.over[0]

    @property
    def at_most(self) -> int:
        """The buffers may lie at any distance up to that one."""
        apart = self.over[0] - self.over[1]
        known = None if self.overlap is None else self.overlap.at_most
        return self.shift + (apart if known is None else max(apart, known))

    @property
    def at_least(self) -> int:
        """The buffers may lie at any distance from that one on."""
        apart = self.under[1] - self.under[0]
        known = None if self.overlap is None else self.overlap.at_least
        return self.shift + (apart if known is None else min(apart, known))

    def allows(self, distance: int) -> bool:
        """True if the buffers may lie at that distance."""
        return (
            distance <= self.at_most
            or distance >= self.at_least
            or (self.overlap is not None and self.overlap.allows(distance - self.shift))
        )


def _find_meetings(
    program: Program, spans: Mapping[str, Span], pairs: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], Sequence[_Meeting]]:
    """By pair: the buffer that is written, and the one under it."""
    over = {name for name, _ in pairs}
    found: dict[tuple[str, str], dict[_Meeting, None]] = {}
    for step in program.steps:
        if not isinstance(step, Call | Copy | Fill):
            continue
        reads, writes = step_names(step)
        for result in writes:
            mine = program.view[result].buffer
            if mine not in over:
                continue
            for name in (*reads, *writes):
                if name in program.view and (mine, (theirs := program.view[name].buffer)) in pairs:
                    meetings = found.setdefault((mine, theirs), {})
                    for overlap in _overlaps(program, step, result, name):
                        meetings[_Meeting(spans[result], spans[name], overlap)] = None
    return {pair: [*meetings] for pair, meetings in found.items()}


def _overlaps(
    program: Program, step: Call | Copy | Fill, result: str, name: str
) -> Iterator[Overlap | None]:
    """As `result` may lie over `name` in a step, as all of these say."""
    indices: list[int] = []
    if isinstance(step, Call) and (result,) == step.outputs:
        indices = [index for index, operand in enumerate(step.inputs) if operand == name]
        if name in (step.scratch, *(held.view for held in step.held)):
            indices = []
    are_dense = program.view[result].is_dense and program.view[name].is_dense
    known = {overlap.operand: overlap for overlap in step.over} if isinstance(step, Call) else {}
    if not indices or not are_dense or any(index not in known for index in indices):
        yield None
        return
    yield from (known[index] for index in indices)


def _distances(over: Touches, under: Touches, meetings: Sequence[_Meeting]) -> Overlap:
    """At which the one buffer may lie over the other."""
    trail = Trail(Pieces(over.edges, over.first), Pieces(under.edges, under.last))
    at_most = min([trail.at_most(), *(meeting.at_most for meeting in meetings)])
    at_least = max([trail.at_least(), *(meeting.at_least for meeting in meetings)])
    tried = Counter(
        distance + meeting.shift
        for meeting in meetings
        if meeting.overlap is not None
        for distance in meeting.overlap.exactly
    )
    exactly = [
        distance
        for distance, _ in tried.most_common(_MOST_TRIED)
        if at_most < distance < at_least
        and all(meeting.allows(distance) for meeting in meetings)
        and trail.allows(distance)
    ]
    return Overlap(
        0,
        at_most if at_most > -over.edges[-1] else None,
        at_least if at_least < under.edges[-1] else None,
        tuple(sorted(exactly)),
    )


def _either(one: Leave, other: Leave) -> Leave:
    """What one of two leaves allows, in which the two blocks change places."""
    mosts = [one.at_most, None if other.at_least is None else -other.at_least]
    leasts = [one.at_least, None if other.at_most is None else -other.at_most]
    return Leave(
        one.output,
        one.source,
        max((most for most in mosts if most is not None), default=None),
        min((least for least in leasts if least is not None), default=None),
        tuple(sorted({*one.exactly, *(-distance for distance in other.exactly)})),
    )
