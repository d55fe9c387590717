"""That what the plan calls a loop is one: the same steps, one iteration after the other."""

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.plan import Plan, Step
from tinsmith_plan_check.structure import name_of


def check_loops(plan: Plan) -> None:
    """Raise PlanRefusedError for steps of an iteration that differ from those of the first in more than in places."""
    for loop in plan.loops:
        behind = loop.first + loop.length * loop.count
        if behind > len(plan.steps):
            where = f"loop {loop.counter}"
            raise PlanRefusedError("loops", where, f"at most {len(plan.steps)} steps", behind)
        for index in range(loop.first, behind):
            first = loop.first + (index - loop.first) % loop.length
            wanted, got = _likeness(plan.steps[first]), _likeness(plan.steps[index])
            if wanted != got:
                where = f"loop {loop.counter}, {name_of(plan, index)}"
                raise PlanRefusedError("loops", where, wanted, got)


def _likeness(step: Step) -> tuple[object, ...]:
    return (
        step.name,
        step.kind,
        step.kernel,
        step.engine,
        tuple(access.buffer for access in (*step.reads, *step.writes)),
        tuple(access.size for access in (*step.reads, *step.writes)),
        None if step.scratch is None else step.scratch.buffer,
    )
