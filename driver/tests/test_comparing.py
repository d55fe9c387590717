"""Schemes beside one another: tables, figures of an emulator, the plot."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.comparison import Comparison, comparison_text, empty_row, is_right
from tinsmith_driver.comparison_plot import scheme_plot
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import Board, target

_DIGITS = Path(__file__).parents[2] / "examples" / "digits"
MODEL = str(_DIGITS / "digits_float.tflite")
CALIBRATION = str(_DIGITS / "digits_calibration.npz")
TEST = str(_DIGITS / "digits_test.npz")


def compared(folder: Path, schemes: str, *options: str) -> dict[str, Any]:
    """The comparison of the digits network, in the report that is written."""
    report = folder / "q.json"
    files = ["--json", str(report), "--html", str(folder / "q.html")]
    arguments = ["quantize", MODEL, "--calibration", CALIBRATION, "--compare", schemes]
    assert main([*arguments, *files, *options]) == 0
    found: dict[str, Any] = json.loads(report.read_text())["comparison"]
    return found


def test_schemes_are_measured_beside_floats(tmp_path: Path) -> None:
    try:
        need_emulator(target("cortex-m4").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    found = compared(tmp_path, "int8,int16x8", "--inputs", TEST, "--target", "cortex-m4")
    real, narrow, wide = found["rows"]
    assert [row["scheme"] for row in found["rows"]] == ["float", "int8", "int16x8"]
    assert [(row["status"], row["bytes_different"]) for row in found["rows"]] == [("ok", 0)] * 3
    assert (found["samples"], found["ran"], found["groups"]) == (360, 4, ["float"])
    assert (real["sqnr_db"], real["agree"], real["right"]) == (None, 360, 353)
    assert real["weight_bytes"] == 4 * narrow["weight_bytes"] == 4 * wide["weight_bytes"]
    assert real["flash_bytes"] > wide["flash_bytes"] > narrow["flash_bytes"]
    assert real["arena_bytes"] > wide["arena_bytes"] > narrow["arena_bytes"]
    assert real["instructions"] > wide["instructions"] > narrow["instructions"]
    assert wide["sqnr_db"] > narrow["sqnr_db"] > 30


def test_channels_that_are_added_run_and_are_no_part_of_the_float_network(tmp_path: Path) -> None:
    try:
        need_emulator(target("cortex-m4").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    split = "int8{per_channel=no,split=0.1}"
    found = compared(tmp_path, f"{split},int8", "--scheme", split, "--target", "cortex-m4")
    real, more, plain = found["rows"]
    assert [(row["status"], row["bytes_different"]) for row in found["rows"]] == [("ok", 0)] * 3
    assert real["weight_bytes"] == 4 * plain["weight_bytes"] < 4 * more["weight_bytes"]


def test_without_a_target_accuracy_alone_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commas within braces part options, not schemes."""
    rounded = "int8{method=minmax,weights=nearest}"
    found = compared(tmp_path, f"int8,{rounded}", "--inputs", TEST)
    assert [row["scheme"] for row in found["rows"]] == ["float", "int8", rounded]
    assert {row["status"] for row in found["rows"]} == {"not measured"}
    assert all(row["instructions"] is None for row in found["rows"])
    printed = capsys.readouterr().out
    assert "instructions" not in printed
    assert "accuracy of 360 samples (float)" in printed
    page = (tmp_path / "q.html").read_text(encoding="utf-8")
    assert "bytes of weights" in page
    assert rounded in page


def test_what_is_written_is_of_the_scheme_that_was_chosen(tmp_path: Path) -> None:
    place = tmp_path / "q.tsm"
    found = compared(tmp_path, "int8", "--scheme", "int4", "-o", str(place))
    assert [row["scheme"] for row in found["rows"]] == ["float", "int8"]
    assert ": i4[" in place.read_text()
    assert found["groups"] == ["calibration"]
    assert found["rows"][1]["right"] is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--compare", "int8,int5"], "unknown scheme 'int5': expected one of int8, "),
        (
            ["--compare", "int8,int4,int8{rounding=narrow}"],
            "expected each scheme once, got int8 and int8{rounding=narrow}, which are the same",
        ),
        (["--compare", "int8,,int4"], "--compare: expected NAME or NAME{option=value,...}"),
        (["--compare", "int8", "--target", "cortex-m99"], "cortex-m99"),
        (["--scheme", "int8{", "-o", "q.tsm"], "--scheme: expected NAME or NAME{option=value,...}"),
        (["--target", "host", "-o", "q.tsm"], "--target: expected --compare beside it"),
        ([], "expected -o with a file to write, or --compare with schemes, got neither"),
    ],
)
def test_wrong_use_is_said(
    options: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quantize", MODEL, "--calibration", CALIBRATION, *options]) == 2
    assert reason in capsys.readouterr().err


def test_samples_that_are_none_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "x.npz"
    np.savez(data, x=np.zeros((0, 8, 8, 1), np.float32))
    options = ["--compare", "int8", "--inputs", str(data)]
    assert main(["quantize", MODEL, "--calibration", CALIBRATION, *options]) == 2
    assert "expected at least one sample, got none" in capsys.readouterr().err


def test_an_emulator_that_is_missing_is_said_before_anything_is_quantized(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(board: Board, runners: Sequence[object]) -> None:
        raise MissingEmulatorError(f"{board.name}: qemu-system-arm was not found")

    monkeypatch.setattr("tinsmith_driver.comparing.need_emulator", missing)
    options = ["--compare", "int8", "--target", "cortex-m4"]
    assert main(["quantize", MODEL, "--calibration", CALIBRATION, *options]) == 2
    said = capsys.readouterr()
    assert "qemu-system-arm" in said.err
    assert said.out == ""


def comparison() -> Comparison:
    """Of three schemes on a board, one of which differs and one of which is refused."""
    rows = [empty_row(name) for name in ("float", "int8", "int4", "ternary")]
    for at, row in enumerate(rows[:3]):
        row.update(status="ok", sqnr_db=30.0 - at, weight_bytes=900 - at, flash_bytes=5000 - at)
    rows[0]["sqnr_db"] = None
    rows[2].update(status="differs", reason="output y[0] is 1, expected 2")
    rows[3].update(status="refused", reason="no kernel for 2 bits")
    return Comparison(target="cortex-m4", groups=["", "more"], samples=20, ran=4, rows=rows)


def test_what_differs_or_is_refused_is_said_below_the_table() -> None:
    text = comparison_text(comparison())
    assert "accuracy of 20 samples (samples, more); the first 4 ran on cortex-m4" in text
    assert text.endswith("int4: output y[0] is 1, expected 2\nternary: no kernel for 2 bits")
    assert not is_right(comparison())


def test_points_and_labels_of_a_plot_lie_within_and_apart() -> None:
    """Without labels of samples, decibels are drawn, of which floats have none."""
    plot = scheme_plot(comparison())
    assert plot is not None
    assert [point.label for point in plot.points] == ["int8", "int4"]
    assert (plot.accuracy, plot.cost) == ("SQNR, dB", "bytes of flash")
    for point in plot.points:
        assert plot.left <= point.x <= plot.right
        assert plot.top <= point.y <= plot.bottom
    first, second = plot.points
    apart = abs(first.text_y - second.text_y) >= 13 or abs(first.text_x - second.text_x) >= 28
    assert apart
    lone = comparison()
    lone["rows"] = lone["rows"][:2]
    assert scheme_plot(lone) is None
