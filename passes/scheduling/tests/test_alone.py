"""Ordering needs nothing but Python: no numpy, no IR."""

import os
import subprocess
import sys

import pytest
from tinsmith_scheduling import Problem, ProblemError

_ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"numpy", "ortools"} or (
            name.startswith("tinsmith_") and not name.startswith("tinsmith_scheduling")
        ):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
"""


def run_alone(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _ALONE + program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_ordering_needs_nothing_else() -> None:
    result = run_alone(
        "from tinsmith_scheduling import Problem, Task, find_schedule\n"
        "def task(name, *reads):\n"
        "    return Task(name, frozenset(reads) - {'x'}, frozenset(reads), frozenset([name]))\n"
        "tasks = task('a', 'x'), task('b', 'x'), task('c', 'a'), task('d', 'b'), task('y', 'c', 'd')\n"
        "sizes = {'x': 10, 'a': 100, 'b': 100, 'c': 1, 'd': 1, 'y': 2}\n"
        "schedule = find_schedule(Problem(tasks, sizes, frozenset('x'), frozenset('y')))\n"
        "print(schedule.peak_bytes, schedule.status, *(task.name for task in schedule.order))\n"
    )
    assert (result.returncode, result.stdout) == (0, "111 optimal a c b d y\n"), result.stderr


def test_errors_are_the_same_alone() -> None:
    result = run_alone(
        "from tinsmith_scheduling import Problem, ProblemError\n"
        "try:\n"
        "    Problem((), {}, frozenset(['\\x1b']), frozenset())\n"
        "except ProblemError as error:\n"
        "    print(error, error.exit_status)\n"
    )
    with pytest.raises(ProblemError, match="it has no size") as found:
        Problem((), {}, frozenset(["\x1b"]), frozenset())
    assert result.stdout == f"{found.value} 4\n"


@pytest.mark.parametrize("name", ["ScheduleCalls", "live_bytes"])
def test_what_knows_programs_says_what_to_install(name: str) -> None:
    result = run_alone(f"from tinsmith_scheduling import {name}")
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("ImportError: tinsmith_scheduling.")
    assert last.endswith(
        " needs tinsmith_ir, which is not installed: pip install 'tinsmith-scheduling[program]'"
    )


def test_what_is_not_there_is_no_matter_of_an_extra() -> None:
    result = run_alone("from tinsmith_scheduling import nothing")
    assert result.stderr.splitlines()[-1].startswith("ImportError: cannot import name 'nothing'")


def test_ordering_loads_no_program_and_no_solver_where_they_are_installed() -> None:
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from tinsmith_scheduling import Problem, Task, find_schedule\n"
            "y = Task('y', frozenset(), frozenset('x'), frozenset('y'))\n"
            "find_schedule(Problem((y,), {'x': 8, 'y': 4}, frozenset('x'), frozenset('y')))\n"
            "print(*sorted(name for name in sys.modules if not name.startswith('tinsmith_scheduling')))\n",
        ],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    loaded = set(result.stdout.split())
    ours = {name for name in loaded if name.startswith("tinsmith_")}
    foundation = {"checked", "errors", "escape"}
    assert ours == {"tinsmith_ir", *(f"tinsmith_ir.{name}" for name in foundation)}
    assert loaded.isdisjoint({"google", "jinja2", "onnx", "ortools", "pandas", "tflite", "torch"})
