"""Blocks in an arena, steps in an order; a program placed."""

from tinsmith_allocation import (
    AllocateBuffers,
    Block,
    Leave,
    Plan,
    PlanError,
    Status,
    check_plan,
    check_program,
    plan_exact,
    plan_greedy,
    render_map,
)
from tinsmith_ir import Program
from tinsmith_scheduling import Problem, Schedule, ScheduleCalls, Task, find_schedule


def arena(blocks: list[Block]) -> int:
    plan: Plan = plan_exact(blocks, leaves=[Leave("y", "x", at_most=0)])
    check_plan(plan)
    offsets: dict[str, int] = dict(plan.offsets)
    assert plan.status is Status.OPTIMAL
    assert plan_greedy(blocks).arena_bytes >= plan.arena_bytes
    return max(offsets.values(), default=0)


def order() -> list[str]:
    task = Task("y", frozenset(), frozenset({"x"}), frozenset({"y"}))
    problem = Problem((task,), {"x": 8, "y": 4}, frozenset({"x"}), frozenset({"y"}))
    schedule: Schedule = find_schedule(problem)
    return [each.name for each in schedule.order]


def placed(program: Program) -> Program:
    ordered = ScheduleCalls(beam_width=64).run(program)
    allocation = AllocateBuffers().allocate(ordered)
    check_program(allocation.program)
    return allocation.program


def main() -> None:
    try:
        print(arena([Block("x", 8, 0, 1), Block("y", 4, 1, 2)]), order())
    except PlanError as error:
        print(error.exit_status)
    print(render_map(plan_exact([Block("x", 8, 0, 1)]), rows=4))


if __name__ == "__main__":
    main()
