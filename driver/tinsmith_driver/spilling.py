"""Programs in several memories: of the plans in which rows stream more or less, the one that moves fewest bytes to and
from slow memory.
"""

from collections.abc import Callable, Iterator, Sequence

from tinsmith_allocation import Allocation, Spills
from tinsmith_ir import Graph
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.passes import AnyPass, ShrinkingPass, Shrunk
from tinsmith_ir.pipeline import PipelineResult
from tinsmith_ir.program import Program

from tinsmith_driver.fitting import fitted, told
from tinsmith_driver.options import SPILLING

Sizes = Sequence[tuple[str, int]]
Run = Callable[[Sequence[AnyPass], Graph | Program], PipelineResult]

_MOST_PLANS = 10
_FAST_EIGHTHS = 8, 7, 6, 5
"""Of the fastest memory, what a plan may take whose whole tensors lie elsewhere: placed, it may take more."""

_LEAST_FALL = 15, 16
"""Each plan has at most that part of the live bytes of the one before."""


def spilled(
    passes: Sequence[AnyPass], ir: Graph | Program, memories: Sizes, run: Run, *, is_shrinking: bool
) -> PipelineResult:
    """What the passes make of a program with the fewest bytes moved; of equal ones, what costs least instructions.

    memories: name and bytes of each, fast to slow. passes: the one that makes programs smaller, where is_shrinking, and
    those behind it; the one that spills is among them. If all fits the fastest memory, whole or with rows that stream,
    nothing is moved. Raises DoesNotFitError, of the plan that was refused last, where none fits the memories.
    """
    whole, refusal = _tried(passes, ir, run)
    if not is_shrinking or (whole is not None and _moved(whole) == 0):
        if whole is None:
            assert refusal is not None
            raise refusal
        return whole
    assert isinstance(ir, Program)
    fast = _in_the_fastest(passes, ir, memories, run)
    if fast is not None:
        return fast
    best = whole
    for smaller in _shrunk(passes, ir, memories, run):
        found, refused = _tried(smaller, ir, run)
        refusal = refused or refusal
        if found is not None and (best is None or _value(found) < _value(best)):
            best = found
    if best is None:
        assert refusal is not None
        raise refusal
    return best


def _tried(
    passes: Sequence[AnyPass], ir: Graph | Program, run: Run
) -> tuple[PipelineResult | None, DoesNotFitError | None]:
    try:
        return run(passes, ir), None
    except DoesNotFitError as error:
        return None, error


def _in_the_fastest(
    passes: Sequence[AnyPass], program: Program, memories: Sizes, run: Run
) -> PipelineResult | None:
    """The cheapest plan that leaves slow memories alone; None if none fits."""
    name, size = memories[0]
    limited = [
        told(found, memories=f"{name}:{size}") if found.name == SPILLING else found
        for found in passes
    ]
    try:
        return fitted(limited, program, size, run, is_thorough=False)
    except DoesNotFitError:
        return None


def _shrunk(
    passes: Sequence[AnyPass], program: Program, memories: Sizes, run: Run
) -> Iterator[Sequence[AnyPass]]:
    """The passes with one budget after the other, each plan being smaller than the one before."""
    shrinking, *behind = passes
    assert isinstance(shrinking, ShrinkingPass)
    fast = memories[0][1]
    for eighths in _FAST_EIGHTHS if len(memories) > 1 else ():
        slow = memories[1][0]
        yield (told(shrinking, fast_bytes=fast * eighths // 8, slow=slow), *behind)
    made = run((told(shrinking, ram_bytes=1 << 60),), program)
    for _ in range(_MOST_PLANS):
        facts = made.records[0].facts
        if not isinstance(facts, Shrunk):
            return
        budget = facts.live_bytes * _LEAST_FALL[0] // _LEAST_FALL[1]
        smaller = told(shrinking, ram_bytes=budget)
        made = run((smaller,), program)
        after = made.records[0].facts
        if not isinstance(after, Shrunk) or after.live_bytes > budget:
            return
        yield (smaller, *behind)


def _moved(made: PipelineResult) -> int:
    return next(r.facts.moved_bytes for r in made.records if isinstance(r.facts, Spills))


def _value(made: PipelineResult) -> tuple[int, float, int]:
    """Bytes moved, instructions more than whole tensors, bytes of the fastest memory."""
    extra = next((r.facts.extra for r in made.records if isinstance(r.facts, Shrunk)), 0.0)
    allocation = next(r.facts for r in made.records if isinstance(r.facts, Allocation))
    return _moved(made), extra, next(iter(allocation.plans.values())).arena_bytes
