"""The command `tinsmith-plan`: offsets for the buffers of a file, and how good they are; or a check of a plan.

It prints one line. Its exit statuses are those of the tinsmith command.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tinsmith_allocation.bound import lower_bound
from tinsmith_allocation.files import (
    PlanFileError,
    Problem,
    check_format,
    read_offsets,
    read_problem,
    write_plan,
)
from tinsmith_allocation.foundation import TinsmithError, UsageError
from tinsmith_allocation.joint import JointPlan, Model, check_jointly, plan_jointly
from tinsmith_allocation.model import Plan, PlanError, Status

_EPILOG = """exit status:
  0  there is a plan, and it fits; with --check: the plan holds
  1  nothing that fits was found, or the plan does not hold
  2  wrong use
  3  bad file
  4  internal error
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = _parser().parse_args(arguments)
    try:
        return _run(given)
    except TinsmithError as error:
        print(f"tinsmith-plan: {error}", file=sys.stderr)
        return error.exit_status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tinsmith-plan",
        description="Give buffers with lifetimes their offsets in the smallest arena.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("buffers", type=Path, metavar="BUFFERS", help="a .csv or .json file")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="PLAN", help="write the plan, .csv or .json"
    )
    parser.add_argument(
        "--check",
        type=Path,
        metavar="PLAN",
        help="check this plan of the buffers instead of making one",
    )
    parser.add_argument(
        "--capacity",
        type=_positive,
        metavar="BYTES",
        help="be content with a plan of so many bytes, and fail without one",
    )
    parser.add_argument(
        "--effort",
        type=_effort,
        default=10.0,
        metavar="SECONDS",
        help="for each search, about so long on a desktop; the same effort gives the same plan (10)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of what searches try at random (0)")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def _effort(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1e6:
        raise ValueError
    return value


def _run(given: argparse.Namespace) -> int:
    buffers: Path = given.buffers
    problem = read_problem(buffers)
    if given.capacity is not None:
        problem = replace(problem, capacity_bytes=given.capacity)
    if given.check is not None:
        if given.output is not None:
            raise UsageError("--check writes nothing: expected no --output")
        return _check(problem, given.check)
    if given.output is not None:
        _check_output(problem, buffers, given.output)
    start = time.perf_counter()
    plan = _planned(problem, buffers, given.effort, given.seed)
    seconds = time.perf_counter() - start
    check_jointly(plan.plans, problem.together)
    print(f"{_facts(problem, plan)}, {seconds:.2f} s")
    if given.output is not None:
        _write(given.output, problem, plan)
    return 0 if _fits(problem, plan) else 1


def _check_output(problem: Problem, buffers: Path, output: Path) -> None:
    check_format(output)
    if not output.parent.is_dir():
        raise UsageError(f"cannot write {output}: expected a folder {output.parent}")
    if output.exists() and output.samefile(buffers):
        raise UsageError(
            f"{output}: expected another file than the buffers, which the plan would overwrite"
        )
    if output.suffix.lower() == ".csv" and (problem.is_joint or problem.models[0].leaves):
        raise UsageError(f"{output}: expected .json, since CSV can say neither models nor leaves")


def _planned(problem: Problem, buffers: Path, effort: float, seed: int) -> JointPlan:
    """Raises PlanFileError for blocks and leaves that no plan can obey."""
    try:
        for model in problem.models:
            lower_bound(model.blocks, model.leaves)
        return plan_jointly(
            problem.models,
            together=problem.together,
            capacity_bytes=problem.capacity_bytes,
            time_limit=effort,
            seed=seed,
        )
    except PlanError as error:
        raise PlanFileError(f"{buffers}: {error}") from error


def _check(problem: Problem, path: Path) -> int:
    """Whether a plan holds for the blocks of a problem, by `check_plan`, which knows nothing of the planners."""
    offsets = read_offsets(path)
    wanted = {(model.name, block.name) for model in problem.models for block in model.blocks}
    unknown = sorted(offsets.keys() - wanted)
    if unknown:
        raise PlanFileError(f"{path}: block {unknown[0][1]} is none of the buffers")
    try:
        plans = {model.name: _plan_of(model, offsets) for model in problem.models}
        check_jointly(plans, problem.together)
    except PlanError as error:
        print(f"tinsmith-plan: {path}: {error}", file=sys.stderr)
        return 1
    plan = JointPlan(plans, max((found.lower_bound for found in plans.values()), default=0))
    print(f"the plan holds: {_facts(problem, plan)}")
    return 0 if _fits(problem, plan) else 1


def _plan_of(model: Model, offsets: dict[tuple[str, str], int]) -> Plan:
    own = {
        block.name: offsets[model.name, block.name]
        for block in model.blocks
        if (model.name, block.name) in offsets
    }
    for block in model.blocks:
        if block.name not in own:
            raise PlanError(f"block {block.name} has no offset")
    return Plan(model.blocks, own, lower_bound(model.blocks, model.leaves), model.leaves)


def _fits(problem: Problem, plan: JointPlan) -> bool:
    return problem.capacity_bytes is None or plan.arena_bytes <= problem.capacity_bytes


def _facts(problem: Problem, plan: JointPlan) -> str:
    """Arena, status, bound and gap; whether it fits."""
    arena, bound = plan.arena_bytes, plan.lower_bound
    facts = f"arena {arena:,} bytes, {plan.status.value} (bound {bound:,} bytes"
    if plan.status is not Status.OPTIMAL:
        facts += f", gap {100 * (1 - bound / arena):.2f} %"
    facts += f"), {sum(len(model.blocks) for model in problem.models)} blocks"
    if problem.is_joint:
        facts += f" of {len(problem.models)} models"
    capacity = problem.capacity_bytes
    if capacity is None:
        return facts
    if arena <= capacity:
        return f"{facts}, fits {capacity:,} bytes"
    if bound > capacity:
        return f"{facts}, does not fit {capacity:,} bytes: proven"
    return f"{facts}, no plan found that fits {capacity:,} bytes"


def _write(path: Path, problem: Problem, plan: JointPlan) -> None:
    offsets = {
        (name, block): offset
        for name, found in plan.plans.items()
        for block, offset in found.offsets.items()
    }
    facts = {"arena": plan.arena_bytes, "bound": plan.lower_bound, "status": plan.status.value}
    write_plan(path, problem, offsets, facts)
