"""Planning needs nothing but Python: no numpy, no IR, no solver."""

import os
import subprocess
import sys

import pytest
from tinsmith_allocation import Block, Leave, Plan, check_plan, plan_greedy

_ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"numpy", "ortools"} or (
            name.startswith("tinsmith_") and not name.startswith("tinsmith_allocation")
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


def test_planning_needs_nothing_else() -> None:
    result = run_alone(
        "from tinsmith_allocation import Block, Leave, PlanError, check_plan, plan_exact, render_map\n"
        "blocks = [Block(*b) for b in [('a', 3, 0, 0), ('b', 3, 0, 1), ('c', 1, 1, 3), ('d', 2, 2, 3),\n"
        "          ('e', 2, 1, 4), ('f', 1, 2, 4), ('g', 3, 4, 5), ('h', 3, 5, 5)]]\n"
        "plan = plan_exact(blocks)\n"
        "check_plan(plan)\n"
        "render_map(plan)\n"
        "leave = Leave('y', 'x', at_most=0)\n"
        "over = plan_exact([Block('x', 8, 0, 1), Block('y', 4, 1, 2)], leaves=[leave])\n"
        "check_plan(over)\n"
        "print(plan.arena_bytes, plan.status.value, over.arena_bytes)\n"
    )
    assert (result.returncode, result.stdout) == (0, "7 optimal 8\n"), result.stderr


def test_errors_are_the_same_alone() -> None:
    result = run_alone(
        "from tinsmith_allocation import Block, PlanError\n"
        "try:\n"
        "    Block('a\\x1b', 0, 0, 0)\n"
        "except PlanError as error:\n"
        "    print(error, error.exit_status)\n"
    )
    with pytest.raises(Exception, match="expected at least 1 byte") as found:
        Block("a\x1b", 0, 0, 0)
    assert result.stdout == f"{found.value} 4\n"


@pytest.mark.parametrize("name", ["AllocateBuffers", "check_program", "HoldConstants"])
def test_what_knows_programs_says_what_to_install(name: str) -> None:
    result = run_alone(f"from tinsmith_allocation import {name}")
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("ImportError: tinsmith_allocation.")
    assert last.endswith(", which is not installed: pip install 'tinsmith-allocation[program]'")
    assert "needs tinsmith_ir" in last or "needs numpy" in last


def test_what_is_not_there_is_no_matter_of_an_extra() -> None:
    result = run_alone("from tinsmith_allocation import nothing")
    assert result.stderr.splitlines()[-1].startswith("ImportError: cannot import name 'nothing'")


def test_planning_loads_no_program_and_no_solver_where_they_are_installed() -> None:
    """To import tinsmith_ir whole takes longer than to plan. The problem is one that the solver is not asked for."""
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from tinsmith_allocation import Block, check_plan, plan_exact, render_map\n"
            "plan = plan_exact([Block('a', 3, 0, 1), Block('b', 3, 1, 2), Block('c', 2, 2, 3)])\n"
            "check_plan(plan)\n"
            "render_map(plan)\n"
            "print(*sorted(name for name in sys.modules if not name.startswith('tinsmith_allocation')))\n",
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


@pytest.mark.parametrize("count", [20, 90])
def test_plans_are_the_same_without_numpy(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [
        Block(f"b{at}", 1 + at * 37 % 101, at % 11, at % 11 + at % 3, 1 << at % 3)
        for at in range(count)
    ]
    leaves = [
        Leave(f"b{at + 1}", f"b{at}", None, 8, (4, 1))
        for at in range(0, count - 1, 5)
        if blocks[at].lives_with(blocks[at + 1])
    ]
    assert leaves
    plans: list[Plan] = []
    for has_numpy in (True, False):
        monkeypatch.setattr("tinsmith_allocation.greedy.HAS_NUMPY", has_numpy)
        plans.append(plan_greedy(blocks, leaves=leaves))
        check_plan(plans[-1])
    assert plans[0] == plans[1]
