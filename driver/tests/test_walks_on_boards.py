"""Walks that kernels declare, judged on emulated boards: results as far over their operands as they may lie."""

from pathlib import Path

import pytest
import tinsmith_cmsis_nn
import tinsmith_reference
from tinsmith_c.testing import CASES, random_windows, tight_program
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Graph, print_program
from tinsmith_lowering import lower, prepare
from tinsmith_target import target

_NETWORK = next(case for case in CASES if case.name == "network").build()


def _plan(graph: Graph, name: str, *, nearer: int = 0) -> str:
    chosen = target(name)
    kernels = (
        *tinsmith_cmsis_nn.backend().kernels(chosen),
        *tinsmith_reference.backend().kernels(chosen),
    )
    program = prepare(lower(graph, chosen, kernels), chosen, kernels)
    return print_program(tight_program(program, nearer=nearer))


@pytest.mark.parametrize("graph", [_NETWORK, random_windows(0)], ids=["network", "windows"])
@pytest.mark.parametrize("name", ["cortex-m4", "cortex-m55"])
def test_results_at_their_tightest_are_right(
    name: str, graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    plan = tmp_path / "tight.tsm"
    plan.write_text(_plan(graph, name))
    status = main(["verify", str(plan), "--target", name])
    assert status == 0, capsys.readouterr()


def test_a_plan_that_says_more_than_a_walk_allows_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "nearer.tsm"
    plan.write_text(_plan(_NETWORK, "cortex-m4", nearer=1))
    status = main(["compile", str(plan), "--target", "cortex-m4", "-o", str(tmp_path / "c")])
    assert status == 3
    assert "cannot bear `over %" in capsys.readouterr().err
