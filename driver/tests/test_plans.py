"""Plans that a person edits: `show --after allocate-buffers --constants`, then `compile`."""

import re
from pathlib import Path

import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import show_after
from tinsmith_ir import Program, print_program

MODEL = find_example().model
TARGET = ["--target", "cortex-m4"]


@pytest.fixture(scope="module")
def plan() -> str:
    """The plan of the example network."""
    options = CompileOptions(target="cortex-m4")
    program = show_after(read_model(MODEL), options, "allocate-buffers")
    assert isinstance(program, Program)
    return print_program(program)


def compiled(text: str, folder: Path, *options: str) -> int:
    path = folder / "plan.tsm"
    path.write_text(text)
    output = ["-o", str(folder / "out"), "--no-progress"]
    return main(["compile", str(path), *TARGET, *output, *options])


def test_a_plan_as_it_was_printed_gives_the_same_c(plan: str, tmp_path: Path) -> None:
    assert max(map(len, plan.splitlines())) <= 160
    assert compiled(plan, tmp_path, "--name", "net") == 0
    output = ["-o", str(tmp_path / "direct"), "--no-progress", "--name", "net"]
    assert main(["compile", str(MODEL), *TARGET, *output]) == 0
    direct, planned = (
        re.sub(r"SHA-256: \w+", "", (tmp_path / folder / "net.c").read_text())
        for folder in ("direct", "out")
    )
    assert planned == direct


def test_a_buffer_may_lie_elsewhere(plan: str, tmp_path: Path) -> None:
    moved = re.sub(r'(buffer %image: .* in "arena" at )\d+', r"\g<1>8192", plan)
    assert compiled(moved, tmp_path, "--name", "net") == 0
    assert "kOffset_image = 8192," in (tmp_path / "out/net.c").read_text()


@pytest.mark.parametrize(
    ("old", "new", "status", "message"),
    [
        (r"(%image: .* at )\d+", r"\g<1>32", 3, "has written byte"),
        (r'(%image: .* in "arena") at \d+', r"\g<1>", 3, "got none for %image"),
        (
            r"(%stem_1_Relu.scratch: i8)\[60\]",
            r"\g<1>[16]",
            3,
            "expected 60 bytes of scratch, got 16",
        ),
        (r'"tinsmith_mean_columns_s8"', '"arm_mean"', 1, "no kernel 'arm_mean' for mean"),
        (r'"arm_softmax_s8"', '"tinsmith_softmax_s8"', 0, ""),
        (r'for "cortex-m4"', 'for "riscv32"', 2, "the plan is for target riscv32"),
        (r"program 2", "program", 3, "version 1: write the file again"),
        (r"  output %Identity", "  wait 1\n  output %Identity", 3, "nothing was started"),
        (r'layout "\w+" = \[-?\d+', r'layout "multipliers" = [7', 3, "is not what|reads"),
    ],
)
def test_an_edited_plan_is_refused_with_a_reason_or_right(
    old: str,
    new: str,
    status: int,
    message: str,
    plan: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    edited, count = re.subn(old, new, plan, count=1)
    assert count == 1
    assert compiled(edited, tmp_path) == status
    assert re.search(message, capsys.readouterr().err)
    assert (tmp_path / "out").exists() == (status == 0)


def test_passes_do_not_run_on_a_plan(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiled(plan, tmp_path, "--without", "simplify") == 2
    assert "a plan is behind all passes" in capsys.readouterr().err


def test_a_plan_that_fits_no_memory_does_not_fit(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiled(plan, tmp_path, "--ram", "1000") == 1
    assert "needed 2,112 bytes, available 1,000" in capsys.readouterr().err
