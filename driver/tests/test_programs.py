"""Programs that a person writes: several memories, a loop, a ring of lines, copies beside the core."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.build import build
from tinsmith_driver.cli import main
from tinsmith_driver.models import read_model
from tinsmith_driver.network import Layers
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import parse_program
from tinsmith_target import target

_EXAMPLE = Path("examples/streaming")
FOLDER = next(p / _EXAMPLE for p in Path(__file__).parents if (p / _EXAMPLE).is_dir())


def rows(folder: Path, name: str, old: str = "", new: str = "", stem: str = "rows") -> Path:
    """The example for a target; `old`, a pattern that occurs there, as `new`."""
    text = (FOLDER / f"{stem}.tsm").read_text()
    text = re.sub(f'program 2 "{stem}" for "[a-z0-9-]+"', f'program 2 "{stem}" for "{name}"', text)
    if old:
        text, count = re.subn(old, new, text, count=1)
        assert count == 1
    path = folder / f"{stem}_{name}.tsm"
    path.write_text(text)
    return path


def tiles(folder: Path, name: str, old: str = "", new: str = "") -> Path:
    """The example with an accelerator, in the same way."""
    return rows(folder, name, old, new, "tiles")


def need(name: str) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", ["host", "pulp-open", "cortex-m4"])
def test_a_program_is_right_in_every_byte(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need(name)
    report = tmp_path / "report.json"
    options = ["--target", name, "--layers", "--json", str(report), "--no-progress"]
    assert main(["verify", str(rows(tmp_path, name)), *options]) == 0
    printed = capsys.readouterr().out
    assert "layers: all equal\n" in printed
    assert ("as late as it may be, and at once" in printed) == (name == "host")
    found = json.loads(report.read_text())
    assert [(m["name"], m["bytes"]) for m in found["ram"]["memories"]] == [
        ("l2", 1888),
        ("l1", 496),
    ]
    assert found["ram"]["arena"] == 1888 + 496
    (layer,) = found["layers"]
    assert layer["macs"] == found["model"]["macs"] == 14 * 10 * 8 * 3 * 3 * 4
    if name != "host":
        assert 0 < layer["instructions"] < found["run"]["instructions"]


@pytest.mark.parametrize("name", ["host", "cortex-m4"])
def test_tiles_on_an_engine_are_right_in_every_byte(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need(name)
    report = tmp_path / "report.json"
    options = ["--target", name, "--layers", "--json", str(report), "--no-progress"]
    assert main(["verify", str(tiles(tmp_path, name)), *options]) == 0
    printed = capsys.readouterr().out
    assert "layers: all equal\n" in printed
    assert ("as late as it may be, and at once" in printed) == (name == "host")
    (layer,) = json.loads(report.read_text())["layers"]
    assert layer["engine"] == "accelerator"
    assert layer["macs"] == 14 * 10 * 8 * 3 * 3 * 4


@pytest.mark.parametrize(
    ("old", "message"),
    [
        (r"    wait \(i mod 3\)\n", "reads what is still being written"),
        (r"    wait 8\+.*\n", "writes what is still being read"),
        (r"    wait 4\+.*\n", "reads what is still being written"),
        (r"  wait 4\n", "reads what is still being written"),
        (r"  wait 9\n", "no wait for token 9"),
    ],
)
def test_tiles_without_a_wait_are_refused(
    old: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiles(tmp_path, "host", old)
    output = ["-o", str(tmp_path / "out"), "--no-progress"]
    assert main(["compile", str(path), "--target", "host", *output]) == 3
    assert message in capsys.readouterr().err


def test_an_engine_holds_as_many_tiles_as_its_queue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiles(tmp_path, "host", "depth 2", "depth 1")
    output = ["-o", str(tmp_path / "out"), "--no-progress"]
    assert main(["compile", str(path), "--target", "host", *output]) == 3
    assert "engine 'accelerator' holds 1 unfinished step(s)" in capsys.readouterr().err


def test_rows_and_tiles_give_what_the_whole_gives(tmp_path: Path) -> None:
    x = np.random.default_rng(0).integers(-128, 128, (3, 1, 16, 12, 4)).astype(np.int8)
    np.savez(tmp_path / "x.npz", x=x)
    results: list[np.ndarray] = []
    for path in (rows(tmp_path, "host"), tiles(tmp_path, "host"), FOLDER / "whole.tsm"):
        outputs = tmp_path / f"{path.stem}.npz"
        options = ["--inputs", str(tmp_path / "x.npz"), "--outputs", str(outputs), "--no-progress"]
        assert main(["run", str(path), "--target", "host", *options]) == 0
        results.append(np.load(outputs)["y"])
    assert np.array_equal(results[0], results[2])
    assert np.array_equal(results[1], results[2])


@pytest.mark.parametrize(
    ("old", "new", "status", "message"),
    [
        ("    wait 3 when .*\n", "", 3, "token 3 is not waited for between"),
        (
            r"wait 4\+\(i mod 2\) when i from 2",
            r"wait 4+(i mod 2) when i from 3",
            3,
            "token 4 is not|still being",
        ),
        ("start 48[*]i[+]144", "start 48*i+96", 0, ""),
        (r"(lines: 192 bytes in .l1. at) 0", r"\1 16", 3, "still being written"),
        (r"\(i\+3\) mod 4", r"(i+2) mod 4", 3, "still being"),
        ("loop i of 14", "loop i of 15", 3, "bytes 1120 to 1199 of the 1120 of %y"),
        (r'"l1" size 65536', '"l1" size 65000', 0, ""),
    ],
)
def test_a_changed_program_is_refused_with_a_reason_or_right(
    old: str,
    new: str,
    status: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = rows(tmp_path, "host", old, new)
    output = ["-o", str(tmp_path / "out"), "--no-progress"]
    assert main(["compile", str(path), "--target", "host", *output]) == status
    assert re.search(message, capsys.readouterr().err)


def test_a_memory_has_what_the_board_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rows(tmp_path, "pulp-open", r'"l1" size 65536', '"l1" size 131072')
    path.write_text(path.read_text().replace('in "l1" at 336', 'in "l1" at 65600'))
    output = ["-o", str(tmp_path / "out"), "--no-progress"]
    assert main(["compile", str(path), "--target", "pulp-open", *output]) == 1
    assert (
        "l1 is too small: needed 65,760 bytes, available 65,536 bytes of pulp-open's memory 'l1'"
        in capsys.readouterr().err
    )


def test_a_memory_has_what_was_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rows(tmp_path, "pulp-open")
    output = ["-o", str(tmp_path / "out"), "--no-progress"]
    chosen = [str(path), "--target", "pulp-open", "--cores", "2", "--l1"]
    assert main(["compile", *chosen, "495", *output]) == 1
    assert "l1 is too small: needed 496 bytes, available 495 bytes" in capsys.readouterr().err
    assert main(["compile", *chosen, "496", *output]) == 0
    header = next((tmp_path / "out").glob("*.h")).read_text()
    assert "Options: target=pulp-open cores=2 l1=496\n" in header


CALLS = """program 2 "calls" for "host" {
  memory "m" align 8
  engine "npu" reaches "m" align 1
  engine "other" reaches "m" align 1
  buffer %x: f32[2] in "m" at 0
  buffer %a: f32[2] in "m" at 8
  buffer %b: f32[2] in "m" at 16
  buffer %c: f32[2] in "m" at 24
  view %again: f32[2] of %a
  input %x
  call "first" kernel "tinsmith_add_f32": %a = add(%x, %x) on "npu" token 1
  call "second" kernel "tinsmith_clamp_elements_f32": %b = relu(%a) on "npu" token 2
  call "core" kernel "tinsmith_add_f32": %c = add(%x, %x)
  wait 2
  BETWEEN
  wait 1
  output %b
}
"""


@pytest.mark.parametrize(
    ("between", "is_there"),
    [("", True), ('call "over" kernel "tinsmith_add_f32": %again = add(%x, %b)', False)],
)
def test_layers_are_reported_when_they_are_waited_for(
    between: str,
    is_there: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "calls.tsm"
    path.write_text(CALLS.replace("BETWEEN", between))
    layers = Layers.of(parse_program(path.read_text()))
    assert [run.number for run in layers.runs] == [2, 1, *([] if is_there else [3]), 0]
    assert [run.is_there for run in layers.runs][-1] is is_there
    assert main(["verify", str(path), "--target", "host", "--layers", "--no-progress"]) == 0
    assert "layers: all equal\n" in capsys.readouterr().out


def test_a_header_says_that_runs_share_the_dma(tmp_path: Path) -> None:
    for old, new, is_shared in (("", "", True), (r"(?s)  engine.*  output", _CORE_ALONE, False)):
        model = read_model(rows(tmp_path, "host", old, new))
        header = compile_model(model, CompileOptions("host")).files["rows.h"].decode()
        assert ("one run at a time" in header) == is_shared
        assert ("may run at the same" in header) != is_shared


_CORE_ALONE = """
  buffer %x: i8[4]<0.5, 0> in "l2" at 0
  buffer %y: i8[4]<0.5, 0> in "l1" at 0
  input %x
  copy %x -> %y
  output"""


def test_the_harness_puts_memories_where_the_board_has_them(tmp_path: Path) -> None:
    need("pulp-open")
    compilation = compile_model(
        read_model(rows(tmp_path, "pulp-open")), CompileOptions("pulp-open")
    )
    build(compilation, tmp_path)
    placed = (tmp_path / "firmware.map").read_text()
    assert re.search(r"^\s*10000000 +10000000 +1f0 +16 \.arena_l1$", placed, re.MULTILINE)
    assert re.search(r"^\s*1c\w+ +1c\w+ +760 +16 \.arena$", placed, re.MULTILINE)
