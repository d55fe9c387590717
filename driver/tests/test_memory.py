"""RAM as a contract: rows stream where whole tensors do not fit, inputs come when they are asked for."""

import json
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_ir import print_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

# Wide in the middle: whole, 32 KiB and more.
WIDE = """graph 2 "wide" {
  input %x: i8[1,32,32,4]<0.5, 0>
  %a: i8[1,32,32,16]<0.5, 0> = concat(%x, %x, %x, %x) {axis=3}
  %b: i8[1,32,32,16]<0.5, 0> = max_pool2d(%a) {window=[3,3], padding=[1,1,1,1]}
  %y: i8[1,16,16,16]<0.5, 0> = max_pool2d(%b) {window=[2,2], stride=[2,2]}
  output %y
}
"""


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    path = tmp_path / "wide.tsm"
    path.write_text(WIDE)
    return path


def tinsmith(command: str, model: Path, *options: str | Path) -> int:
    common = ["--target", "host", "--backend", "reference", "--no-progress"]
    if command == "check":
        common = common[:-1]
    return main([command, str(model), *common, *map(str, options)])


def arena(model: Path, folder: Path, *options: str) -> int:
    assert tinsmith("compile", model, "-o", folder, *options) == 0
    return json.loads((folder / "report.json").read_text())["ram"]["arena"]


def test_what_does_not_fit_whole_streams(wide: Path, tmp_path: Path) -> None:
    whole = arena(wide, tmp_path / "whole")
    assert whole > 16 * 1024
    assert arena(wide, tmp_path / "split", "--ram", "10000") <= 10_000
    assert arena(wide, tmp_path / "large", "--ram", "1MiB") == whole


def test_the_report_says_which_rows_stream(
    wide: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arena(wide, tmp_path, "--ram", "10000")
    said = capsys.readouterr().out
    found = json.loads((tmp_path / "report.json").read_text())["streams"]
    (segment,) = found["segments"]
    assert segment["layers"] == ["a", "b", "y"]
    assert [window["tensor"] for window in segment["windows"]] == ["a", "b"]
    assert found["live"] == segment["live"] <= 10_000
    line = f"rows stream through 3 layers from a to y, {segment['rows']} at a time, 2 windows"
    assert line in said
    assert line in (tmp_path / "report.html").read_text()
    arena(wide, tmp_path)
    assert json.loads((tmp_path / "report.json").read_text())["streams"] is None


def test_whole_tensors_are_refused_and_so_is_less_than_any_plan_needs(
    wide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tinsmith("verify", wide, "--ram", "10000", "--no-split") == 1
    assert "available 10,000 bytes" in capsys.readouterr().err
    assert tinsmith("verify", wide, "--ram", "1000") == 1
    message = capsys.readouterr().err
    assert "needed" in message
    assert "available 1,000 bytes" in message


@pytest.mark.parametrize("options", [["--ram", "10000"], ["--ram", "8000", "--stream-input"]])
def test_firmware_is_bit_exact(
    wide: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert tinsmith("verify", wide, *options, "--verify") == 0
    assert "bit-exact" in capsys.readouterr().out


def test_an_input_that_is_asked_for_is_no_part_of_the_arena(wide: Path, tmp_path: Path) -> None:
    within = arena(wide, tmp_path / "within", "--ram", "9000")
    asked = arena(wide, tmp_path / "asked", "--ram", "8000", "--stream-input")
    assert asked < within - 1024
    header = (tmp_path / "asked" / "wide.h").read_text()
    assert (
        "int (*read)(void *context, void *destination, uint32_t offset, uint32_t bytes);" in header
    )
    assert "#define WIDE_ERROR_INPUT (-3)" in header
    # Asked for whole where nothing streams.
    whole = arena(wide, tmp_path / "whole")
    assert arena(wide, tmp_path / "once", "--stream-input", "--no-split") == whole


def test_an_input_that_nobody_reads_is_not_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "unread.tsm"
    path.write_text(
        'graph 2 "unread" {\n  input %x: i8[4]<0.5, 0>\n  input %z: i8[4]<0.5, 0>\n'
        "  %y: i8[4]<0.5, 0> = relu(%x)\n  output %y\n}\n"
    )
    assert tinsmith("verify", path, "--stream-input", "--verify") == 0


def test_an_input_that_is_an_output_cannot_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "same.tsm"
    path.write_text('graph 2 "same" {\n  input %x: i8[4]<0.5, 0>\n  output %x\n}\n')
    assert tinsmith("verify", path, "--stream-input") == 1
    assert "input %x is an output or a state, too" in capsys.readouterr().err


def test_explore_goes_down_to_the_least(
    wide: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, page = tmp_path / "found.json", tmp_path / "page.html"
    assert tinsmith("explore", wide, "--json", found, "--html", page) == 0
    explored = json.loads(found.read_text())
    arenas = [row["arena_bytes"] for row in explored["rows"]]
    assert len(arenas) > 2
    assert arenas == sorted(arenas, reverse=True)
    assert all(row["status"] == "ok" for row in explored["rows"])
    assert explored["is_complete"]
    assert "less is refused" in capsys.readouterr().out
    assert page.read_text().count("<circle") == len(arenas)
    assert tinsmith("verify", wide, "--ram", str(arenas[-1])) == 0
    assert tinsmith("verify", wide, "--ram", str(arenas[-1] - 1)) == 1


def test_check_says_what_else_fits(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tinsmith("check", wide) == 0
    assert "also fits at: " in capsys.readouterr().out


def test_calls_take_less_scratch_where_that_is_enough(tmp_path: Path) -> None:
    """A 1x1 convolution over its operand copies some pixels at once on MVE, and fewer where memory is short."""
    builder = GraphBuilder("pixels")
    scales = Quantization.per_tensor(0.05, 3)
    x = builder.input("x", TensorType((1, 25, 5, 64), DType.INT8, scales))
    data = np.random.default_rng(0).integers(-9, 10, (64, 1, 1, 64)).astype(np.int8)
    weights = builder.constant("w", data, Quantization.per_tensor(0.01, 0))
    model = tmp_path / "pixels.tsm"
    model.write_text(print_graph(builder.build(builder.add(Conv2D(), [x, weights], "y", scales))))
    command = ["compile", str(model), "--target", "cortex-m55", "--no-progress"]
    found: list[tuple[int, str]] = []
    for number, budget in enumerate(([], ["--ram", "8700"])):
        folder = tmp_path / str(number)
        assert main([*command, *budget, "-o", str(folder)]) == 0
        ram = json.loads((folder / "report.json").read_text())["ram"]
        found.append((ram["arena"], ram["arena_status"]))
    assert found == [(8000 + 24 * 64, "optimal"), (8000 + 9 * 64, "optimal")]
