"""Constants that are copied to fast memory: the command's option, what it prints and reports, and runs on boards."""

import json
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.certificate import plan_bytes
from tinsmith_driver.cli import main
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions, Waits
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.speeds import chosen_waits
from tinsmith_ir import Graph
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UsageError
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_ir.printer import print_graph
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_plan_check import check_plan, read_plan
from tinsmith_target import target


def _network() -> Graph:
    random = np.random.default_rng(11)
    builder = GraphBuilder("g")
    one = Quantization.per_tensor(0.5, 3)
    x = builder.input("x", TensorType((1, 12, 12, 8), DType.INT8, one))
    for number in range(3):
        scales = tuple(float(np.float32(scale)) for scale in random.uniform(0.001, 0.01, 32))
        taps = random.integers(-127, 128, (32, 3, 3, x.type.shape[3])).astype(np.int8)
        bias = builder.constant(f"b{number}", random.integers(-900, 900, 32).astype(np.int32))
        weights = builder.constant(f"w{number}", taps, Quantization(scales, (0,) * 32, 0))
        x = builder.add(Conv2D(padding=(1, 1, 1, 1)), [x, weights, bias], f"y{number}", one)
    taps = random.integers(-127, 128, (1, 3, 3, 32)).astype(np.int8)
    weights = builder.constant("w", taps, Quantization.per_tensor(0.01, 0))
    return builder.build(
        [builder.add(DepthwiseConv2D((2, 2), padding=(1, 0, 1, 0)), [x, weights, None], "z", one)]
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "g.tsm"
    path.write_text(print_graph(_network()))
    return path


def _compiled(model: Path, ram: int | None, **options: object) -> Compilation:
    chosen = CompileOptions("cortex-m4", ram_bytes=ram, verify_passes=True, **options)  # type: ignore[arg-type]
    return compile_model(read_model(model), chosen)


def _copied(report: Path) -> int:
    held = json.loads(report.read_text())["held"]
    return 0 if held is None else held["bytes"]


# Each board once, each kind of kernels once.
@pytest.mark.parametrize(
    ("target_name", "backend"),
    [
        ("host", ["--no-packed"]),
        ("cortex-m0", []),
        ("cortex-m4", []),
        ("cortex-m55", []),
        ("riscv32", ["--backend", "reference"]),
    ],
)
def test_runs_with_copies_are_bit_exact(
    model: Path,
    target_name: str,
    backend: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", str(model), "--target", target_name, "--wait-states", "flash=5"]
    assert main([*arguments, *backend, "--ram", "28KiB", "--json", str(report)]) == 0
    printed = capsys.readouterr().out
    assert "bit-exact" in printed
    assert "copied to faster memory in each inference" in printed
    assert _copied(report) >= 9 * 32 * 32


@pytest.mark.parametrize("ram", [5500, 8000])
def test_a_run_whose_rows_stream_is_bit_exact(
    model: Path, ram: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", str(model), "--target", "cortex-m4", "--wait-states", "flash=5"]
    assert main([*arguments, "--ram", str(ram), "--json", str(report)]) == 0
    assert "bit-exact" in capsys.readouterr().out
    assert json.loads(report.read_text())["ram"]["arena"] <= ram


def test_copies_lie_in_the_fastest_of_several_memories(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", str(model), "--target", "cortex-m4", "--json", str(report)]
    waits = ["--wait-states", "flash=5,psram=9"]
    assert main([*arguments, *waits, "--ram", "dtcm=24KiB,psram"]) == 0
    assert "bit-exact" in capsys.readouterr().out
    assert _copied(report) >= 9 * 32 * 32


@pytest.mark.parametrize("ram", [None, 6000, 24000])
def test_each_claim_of_the_plan_holds(model: Path, ram: int | None) -> None:
    waits = Waits(5.0, 0.0, may_grow=ram is not None)
    compilation = _compiled(model, ram, waits=waits)
    check_plan(read_plan(plan_bytes(compilation)))
    if ram is not None:
        assert compilation.arena_bytes <= ram
    else:
        assert compilation.arena_bytes == _compiled(model, None).arena_bytes


def test_without_wait_states_nothing_is_copied(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["compile", str(model), "--target", "cortex-m4", "--ram", "24KiB", "-o", str(out)]
    assert main(arguments) == 0
    assert _copied(out / "report.json") == 0
    plain = {path.name: path.read_bytes() for path in out.iterdir()}
    assert main([*arguments, "--wait-states", "flash=0"]) == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == plain
    assert "copied" not in capsys.readouterr().out


def test_a_memory_with_more_wait_states_in_front_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["check", str(model), "--target", "cortex-m4", "--ram", "psram,ssram2"]
    assert main([*arguments, "--wait-states", "psram=6"]) == 2
    assert "a load waits 6 cycles in psram, and 0 in ssram2" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["flash", "flash=", "=5", "flash=-1", "flash=x", "flash=1,flash=2"]
)
def test_wait_states_that_say_nothing_are_refused(
    model: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(model), "--target", "cortex-m4", "--wait-states", text]) == 2
    assert "--wait-states" in capsys.readouterr().err


def test_wait_states_of_no_memory_are_refused(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(model), "--target", "cortex-m4", "--wait-states", "tcm=1"]) == 2
    assert "expected memories of flash, ssram2, ssram1, psram; got tcm" in capsys.readouterr().err


def test_a_cluster_has_no_wait_states(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model), "--target", "siracusa", "--wait-states", "flash=1"]) == 2
    assert "tiles bring constants" in capsys.readouterr().err


def test_a_board_says_its_own_and_users_know_better() -> None:
    board = target("siracusa").board
    assert chosen_waits(board, (), {}, may_grow=False) == Waits(14.0, 14.0)
    arm = target("cortex-m55").board
    assert chosen_waits(arm, (), {"sram": 3.0}, may_grow=True) == Waits(3.0, 0.0, may_grow=True)
    assert chosen_waits(arm, (), {"sram": 3.0, "flash": 4.0}, may_grow=False).flash == 4.0
    assert chosen_waits(arm, (), {"dtcm": 2.0}, may_grow=False).ram == 2.0


def test_no_wait_states_of_a_name_in_front_of_another() -> None:
    with pytest.raises(UsageError, match="name slow first"):
        chosen_waits(target("host").board, ("fast", "slow"), {"fast": 1.0}, may_grow=True)
