"""An arena that is divided among memories: what is computed there is right, and every claim about it holds."""

import json
from functools import cache
from pathlib import Path

import pytest
from tinsmith_driver.certificate import plan_bytes
from tinsmith_driver.cli import main
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_plan_check import check_plan, read_plan

_IMAGES = """graph 2 "g" {
  input %x: i8[1,24,24,4]<0.5, 0>
  %a: i8[1,24,24,16]<0.5, 0> = concat(%x, %x, %x, %x) {axis=3}
  %b: i8[1,24,24,16]<0.5, 0> = max_pool2d(%a) {window=[3,3], padding=[1,1,1,1]}
  %c: i8[1,24,24,16]<0.5, 0> = max_pool2d(%b) {window=[3,3], padding=[1,1,1,1]}
  %d: i8[1,24,24,16]<0.5, 0> = add(%b, %c)
  %y: i8[1,12,12,16]<0.5, 0> = max_pool2d(%d) {window=[2,2], stride=[2,2]}
  output %y
}"""
_WHOLE = 24 * 24 * 16


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "g.tsm"
    path.write_text(_IMAGES)
    return path


@cache
def _compiled(model: Path, fast: int) -> Compilation:
    memories = (("fast", fast), ("slow", 1 << 20))
    options = CompileOptions("host", memories=memories, verify_passes=True)
    return compile_model(read_model(model), options)


@pytest.mark.parametrize("fast", [900, 2500, 4000, 8000])
def test_each_memory_keeps_its_size_and_the_certificate_holds(model: Path, fast: int) -> None:
    compilation = _compiled(model, fast)
    assert compilation.plans["fast"].arena_bytes <= fast
    check_plan(read_plan(plan_bytes(compilation)))


def test_nothing_is_moved_where_rows_that_stream_fit_fast_memory(model: Path) -> None:
    compilation = _compiled(model, 8000)
    assert compilation.bytes_moved == 0
    assert [memory.name for memory in compilation.program.memories] == ["fast"]


def test_rows_stream_between_tensors_that_lie_in_slow_memory(model: Path) -> None:
    # The input is read once, the output is written once; what lies between never leaves fast memory.
    compilation = _compiled(model, 4000)
    assert compilation.bytes_moved <= 24 * 24 * 4 + 12 * 12 * 16


def test_less_fast_memory_moves_more(model: Path) -> None:
    moved = [_compiled(model, fast).bytes_moved for fast in (900, 2500, 4000, 8000)]
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > moved[-1] == 0


@pytest.mark.parametrize("target", ["host", "cortex-m4"])
def test_a_run_in_two_memories_is_bit_exact(
    model: Path, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", str(model), "--target", target, "--ram", "dtcm=2500,psram=1MiB"]
    assert main([*arguments, "--json", str(report)]) == 0
    assert "bit-exact" in capsys.readouterr().out
    memories = {
        row["name"]: row["bytes"] for row in json.loads(report.read_text())["ram"]["memories"]
    }
    assert memories["dtcm"] <= 2500
    assert 0 < memories["psram"] <= 4 * _WHOLE


def test_the_report_says_what_is_moved(model: Path, tmp_path: Path) -> None:
    arguments = ["compile", str(model), "--target", "host", "-o", str(tmp_path / "out")]
    report = tmp_path / "out" / "report.json"
    assert main([*arguments, "--ram", "fast=2500,slow=1MiB"]) == 0
    assert json.loads(report.read_text())["ram"]["moved"] == _compiled(model, 2500).bytes_moved > 0
    assert main(arguments) == 0
    assert json.loads(report.read_text())["ram"]["moved"] is None


def test_a_refusal_names_the_memory(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model), "--target", "host", "--ram", "dtcm=64,psram=256"]) == 1
    assert "psram is too small" in capsys.readouterr().err


def test_a_name_alone_is_as_much_as_the_board_has(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(model), "--target", "cortex-m4", "--ram", "ssram2=2500,psram"]
    assert main(["check", *arguments]) == 0
    assert "of 16,777,216 bytes" in capsys.readouterr().out


def test_a_name_alone_that_the_board_has_not_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(model), "--target", "cortex-m4", "--ram", "dtcm=2500,sdram"]) == 2
    assert "expected a size of memory sdram, as in sdram=16KiB" in capsys.readouterr().err
    assert main(["check", str(model), "--target", "host", "--ram", "dtcm,psram"]) == 2
    assert "its RAM: none" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["dtcm=", "dtcm=0", "dtcm,", ",psram", "dtcm,dtcm", "=4KiB", "a=4KiB,a=8KiB", "a b=4KiB"],
)
def test_ram_that_says_no_memories_is_refused(model: Path, text: str) -> None:
    assert main(["check", str(model), "--target", "host", "--ram", text]) == 2
