"""Times the planner on hard problems: CSV files as MiniMalloc has them, or our own, whose least arena is known.

    python measure_planner.py [--minimalloc PROGRAM] [DIRECTORY]

A file's capacity is the number in its name (A.1048576.csv). MiniMalloc's program is run beside if it is given, and says
its time itself; neither time includes reading the file. Its plan goes into a temporary directory.
"""

import argparse
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tinsmith_allocation import Block, check_plan, plan_within
from tinsmith_allocation.files import read_problem
from tinsmith_allocation.instances import packed_blocks


@dataclass(frozen=True)
class Instance:
    """A problem, the capacity to fit, and its file if it has one."""

    name: str
    blocks: tuple[Block, ...]
    capacity_bytes: int
    file: Path | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?")
    parser.add_argument("--minimalloc", type=Path, metavar="PROGRAM")
    parser.add_argument("--effort", type=float, default=20.0, metavar="SECONDS")
    given = parser.parse_args()
    directory: Path | None = given.directory
    instances = _generated() if directory is None else _read(directory)
    print("| problem | blocks | capacity | arena | bound | status | seconds | MiniMalloc |")
    print("|---|---|---|---|---|---|---|---|")
    for instance in instances:
        start = time.perf_counter()
        plan = plan_within(instance.blocks, instance.capacity_bytes, time_limit=given.effort)
        seconds = time.perf_counter() - start
        check_plan(plan)
        fits = "fits" if plan.arena_bytes <= instance.capacity_bytes else "does not fit"
        other = _minimalloc(given.minimalloc, instance)
        print(
            f"| {instance.name} | {len(instance.blocks)} | {instance.capacity_bytes:,} | {plan.arena_bytes:,} "
            f"| {plan.lower_bound:,} | {fits}, {plan.status.value} | {seconds:.2f} | {other} |",
            flush=True,
        )


def _read(directory: Path) -> Iterator[Instance]:
    for path in sorted(directory.glob("*.csv")):
        match = re.fullmatch(r"(.*)\.(\d+)", path.stem)
        if match is not None:
            (model,) = read_problem(path).models
            yield Instance(match[1], model.blocks, int(match[2]), path)


def _generated() -> Iterator[Instance]:
    for count in (50, 100, 200, 400):
        for seed in range(5):
            blocks = packed_blocks(seed, count=count, steps=count, height=1024)
            yield Instance(f"packed {count}/{seed}", tuple(blocks), 1024)


def _minimalloc(program: Path | None, instance: Instance) -> str:
    """The seconds that MiniMalloc says it took, at most a minute."""
    if program is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        file = instance.file
        if file is None:
            file = Path(folder, "problem.csv")
            lines = [
                f"{block.name},{block.first_step},{block.last_step + 1},{block.size_bytes}"
                for block in instance.blocks
            ]
            file.write_text("\n".join(["id,lower,upper,size", *lines, ""]), encoding="utf-8")
        result = subprocess.run(
            [
                str(program.resolve()),
                f"--capacity={instance.capacity_bytes}",
                f"--input={file}",
                f"--output={Path(folder, 'plan.csv')}",
                "--timeout=60s",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    match = re.search(r"Elapsed time ([0-9.]+)s", result.stdout + result.stderr)
    seconds = f"{float(match[1]):.2f}" if match else "?"
    return seconds if result.returncode == 0 else f"none in {seconds}"


if __name__ == "__main__":
    main()
