"""The command `tinsmith-check-plan`: is what a plan of memory claims true?

Exit status: 0 every plan holds, 1 a claim does not, 2 wrong use or a file that cannot be read, 3 one that is no plan.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tinsmith_plan_check.check import check_plan
from tinsmith_plan_check.errors import PlanFileError, PlanRefusedError
from tinsmith_plan_check.plan import Plan
from tinsmith_plan_check.reader import read_plan

_DESCRIPTION = (
    "Check the claims of a plan of memory, plan.json, by deriving each from the plan's steps."
)
_EXIT_STATUS = (
    "exit status: 0 holds, 1 a claim does not, 2 wrong use or an unreadable file, 3 no plan file"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        "tinsmith-check-plan", description=_DESCRIPTION, epilog=_EXIT_STATUS
    )
    add_arguments(parser)
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as error:  # argparse has printed usage and reason
        return error.code if isinstance(error.code, int) else 2
    return run(parsed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes, for who has it as a command of its own."""
    parser.add_argument("plans", type=Path, nargs="+", metavar="PLAN", help="plan.json of a build")


def run(arguments: argparse.Namespace) -> int:
    """Check the files; the exit status is the highest of theirs."""
    paths: list[Path] = arguments.plans
    return max(check_file(path) for path in paths)


def check_file(path: Path) -> int:
    """Check one file, print what is so, and return its exit status."""
    try:
        plan = read_plan(path.read_bytes())
        check_plan(plan)
    except OSError as error:
        print(f"{_shown(path)}: cannot be read: {error.strerror}", file=sys.stderr)
        return 2
    except PlanFileError as error:
        print(f"{_shown(path)}: no plan: {_printable(str(error))}", file=sys.stderr)
        return 3
    except PlanRefusedError as error:
        print(f"{_shown(path)}: refused: {_printable(str(error))}", file=sys.stderr)
        return 1
    print(f"{_shown(path)}: holds: {_summary(plan)}")
    return 0


def _summary(plan: Plan) -> str:
    """What is proven, and what is believed: a line, and one for each memory."""
    lines = [
        _printable(f"{plan.model} for {plan.target}, {len(plan.steps):,} steps, ")
        + f"{len(plan.cuts) + len(plan.patches)} calls cut"
    ]
    for memory in plan.memories:
        if memory.is_caller:
            continue
        budget = "" if memory.budget is None else f" of {memory.budget:,}"
        proof = f"no plan of these lives takes less than {memory.bound:,}"
        if memory.searched_bound > memory.bound:
            proof += f" ({memory.searched_bound:,} by the planner's search, which is not checked)"
        size = f"{memory.bytes:,} bytes{budget}, {_printable(memory.status)}"
        lines.append(f"  {_printable(memory.name)} {size}: {proof}")
    return "\n".join(lines)


def _shown(path: Path) -> str:
    return _printable(str(path))


def _printable(text: str) -> str:
    """Control characters and what no terminal shows as escapes: names come from model files."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
