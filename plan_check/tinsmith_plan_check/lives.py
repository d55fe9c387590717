"""When each buffer holds something that is still read: derived from what the steps touch."""

from collections.abc import Iterator, Sequence

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.intervals import IntervalMap
from tinsmith_plan_check.plan import Access, Plan
from tinsmith_plan_check.structure import accesses_of

Lives = dict[str, list[tuple[int, int]]]
"""By buffer: first and last step of each stretch, both included, in order."""


def touches(plan: Plan) -> Iterator[tuple[int, Sequence[Access], Sequence[Access]]]:
    """In order: a step, what it reads, and what it writes.

    The caller is step -1 and, at last, the number of steps. What an engine touches, it reads again when it ends.
    """
    yield -1, (), plan.given
    for index, step in enumerate(plan.steps):
        ended = [plan.steps[other] for other in step.ends]
        reads = [*step.reads, *(access for other in ended for access in accesses_of(other))]
        yield index, reads, accesses_of(step)[len(step.reads) :]
    yield len(plan.steps), plan.taken, ()


def derived_lives(plan: Plan) -> Lives:
    """A stretch begins where something is written, nothing being there that is read later, and ends where nothing is
    left that is.
    """
    lives: Lives = {buffer.name: [] for buffer in plan.buffers}
    wanted = {buffer.name: IntervalMap[bool]() for buffer in plan.buffers}
    ends: dict[str, int] = {}
    for step, reads, writes in reversed([*touches(plan)]):
        names = dict.fromkeys(access.buffer for access in (*reads, *writes))
        for access in writes:
            for begin, end in access.spans():
                wanted[access.buffer].set(begin, end, None)
        for access in reads:
            for begin, end in access.spans():
                wanted[access.buffer].set(begin, end, True)
        for name in names:
            ends.setdefault(name, step)
            if wanted[name].is_empty:
                lives[name].insert(0, (step, ends.pop(name)))
    return lives


def check_lives(plan: Plan) -> Lives:
    """The lives, if they are those that the plan says; raises PlanRefusedError if not."""
    lives = derived_lives(plan)
    for buffer in plan.buffers:
        if [*buffer.lives] != lives[buffer.name]:
            raise PlanRefusedError(
                "lives", f"buffer {buffer.name}", _text(lives[buffer.name]), _text([*buffer.lives])
            )
    return lives


def shared_steps(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of a stretch of the one and a stretch of the other that share a step."""
    start = 0
    for mine in one:
        while start < len(other) and other[start][1] < mine[0]:
            start += 1
        at = start
        while at < len(other) and other[at][0] <= mine[1]:
            yield mine, other[at]
            at += 1


def _text(lives: list[tuple[int, int]]) -> str:
    spans = [f"{first} to {last}" for first, last in lives[:8]]
    return f"steps {', '.join(spans)}{' and more' if len(lives) > len(spans) else ''}"
