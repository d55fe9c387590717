"""The command `tinsmith-order`: an order for the nodes of a file in which few bytes are live, and how good it is.

It prints one line. Its exit statuses are those of the tinsmith command.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tinsmith_scheduling.files import read_problem, write_order
from tinsmith_scheduling.foundation import TinsmithError, UsageError
from tinsmith_scheduling.search import Schedule, find_schedule

_EPILOG = """exit status:
  0  there is an order, and it fits
  1  no order that fits was found
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
        print(f"tinsmith-order: {error}", file=sys.stderr)
        return error.exit_status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tinsmith-order",
        description="Order the nodes of a graph so that few bytes are live at once.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("graph", type=Path, metavar="GRAPH", help="a .json file")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="ORDER", help="write the graph, its nodes in order"
    )
    parser.add_argument(
        "--capacity", type=_natural, metavar="BYTES", help="fail if more bytes are live at once"
    )
    parser.add_argument(
        "--effort",
        type=_natural,
        default=200_000,
        metavar="STEPS",
        help="look at about so many steps; the same effort gives the same order (200000)",
    )
    return parser


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def _run(given: argparse.Namespace) -> int:
    graph: Path = given.graph
    output: Path | None = given.output
    file = read_problem(graph)
    if output is not None:
        _check_output(graph, output)
    start = time.perf_counter()
    schedule = find_schedule(file.problem, max_expansions=given.effort)
    seconds = time.perf_counter() - start
    before = file.problem.peak_bytes(file.problem.tasks)
    print(f"{_facts(schedule, before)}{_verdict(schedule, given.capacity)}, {seconds:.2f} s")
    if output is not None:
        write_order(output, file, schedule)
    return 0 if given.capacity is None or schedule.peak_bytes <= given.capacity else 1


def _check_output(graph: Path, output: Path) -> None:
    if not output.parent.is_dir():
        raise UsageError(f"cannot write {output}: expected a folder {output.parent}")
    if output.is_dir():
        raise UsageError(f"cannot write {output}: it is a folder")
    if output.exists() and output.samefile(graph):
        raise UsageError(
            f"{output}: expected another file than the graph, which the order would overwrite"
        )


def _facts(schedule: Schedule, before: int) -> str:
    facts = f"peak {schedule.peak_bytes:,} bytes, {schedule.status} (bound {schedule.lower_bound:,} bytes"
    if not schedule.is_optimal:
        facts += f", gap {schedule.gap:.2%}"
    return f"{facts}), {before:,} bytes as given, {len(schedule.order)} nodes"


def _verdict(schedule: Schedule, capacity: int | None) -> str:
    if capacity is None:
        return ""
    if schedule.peak_bytes <= capacity:
        return f", fits {capacity:,} bytes"
    if schedule.lower_bound > capacity:
        return f", does not fit {capacity:,} bytes: proven"
    return f", no order found that fits {capacity:,} bytes"
