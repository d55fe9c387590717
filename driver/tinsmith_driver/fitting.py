"""RAM as a contract: the pass that lets rows stream is given less and less to aim at, until the arena fits.

That pass counts what is live at once; placing buffers may take more, for alignment and gaps. So what is too much is
taken off its budget, and the cheapest plan below that is tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.passes import AnyPass, ShrinkingPass, Shrunk
from tinsmith_ir.pipeline import PipelineResult
from tinsmith_ir.program import Program

_MOST_TRIES = 24

Run = Callable[[Sequence[AnyPass], Program], PipelineResult]


def shrinking_at(passes: Sequence[AnyPass]) -> int | None:
    """Where the pass stands that makes programs smaller; None if there is none, or it was told how small."""
    for at, found in enumerate(passes):
        if isinstance(found, ShrinkingPass) and found.ram_bytes is None:
            return at
    return None


def fitted(passes: Sequence[AnyPass], program: Program, ram_bytes: int, run: Run) -> PipelineResult:
    """What the passes make of a program, at the least cost that fits `ram_bytes`.

    passes: the one that makes programs smaller, and those behind it. run: passes on a program.
    Raises DoesNotFitError, of the smallest plan there is; of another memory, as the passes do.
    """
    shrinking, *behind = passes
    budget: int | None = None
    smallest: DoesNotFitError | None = None
    for _ in range(_MOST_TRIES):
        made = run((_told(shrinking, budget),), program)
        try:
            placed = run(behind, made.program)
        except DoesNotFitError as error:
            needed = error.needed_bytes
            if needed is None or error.available_bytes != ram_bytes:
                raise  # of another memory
            if smallest is None or needed < (smallest.needed_bytes or 0):
                smallest = error
            facts = made.records[0].facts
            if budget is None:
                budget = ram_bytes
                continue
            if not isinstance(facts, Shrunk) or facts.live_bytes > budget:
                break  # the pass could not go as low
            # The plan stays the same down to what it has live.
            budget = max(0, min(budget - (needed - ram_bytes), facts.live_bytes - 1))
        else:
            return PipelineResult(placed.ir, (*made.records, *placed.records))
    assert smallest is not None
    raise smallest


def _told(shrinking: AnyPass, budget: int | None) -> AnyPass:
    """The pass with that budget."""
    return replace(shrinking, ram_bytes=budget)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]
