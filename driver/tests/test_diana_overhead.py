"""What of layers on DIANA's arrays is not the array: from a trace, beside HTVM's, and as a picture."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from drawn_traces import trace
from tinsmith_driver import main
from tinsmith_driver.benchmarks.diana_overhead import (
    OverheadLayer,
    OverheadRow,
    misses,
    overhead_layers,
    overhead_row,
)
from tinsmith_driver.benchmarks.htvm_networks import one_depthwise, one_sum
from tinsmith_driver.benchmarks.overhead_picture import Bar, picture
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_SVG = "{http://www.w3.org/2000/svg}"
_ROW = OverheadRow("add", "16, 4x4", "digital", 256, 60, 100, 80, 120, bit_exact=True)


@pytest.fixture
def simulator() -> None:
    """Skips where the chip cannot be simulated."""
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


def test_a_layer_is_jobs_copies_and_driver_without_turning() -> None:
    core = [
        ("net_run", 100, 5),
        ("tinsmith_diana_to_rows", 105, 7),
        ("tinsmith_diana_copy_in", 112, 8),
        ("tinsmith_diana_wait", 120, 30),
        ("tinsmith_diana_digital_start", 150, 10),
        ("tinsmith_diana_wait", 160, 40),
        ("tinsmith_diana_from_rows", 200, 50),
        ("net_run", 250, 2),
        ("tinsmith_diana_wait", 300, 9),  # behind the run
    ]
    array = [
        ("copy 64 B to L1 0x0", 118, 30),
        ("conv 1x1, 16x4x4 to 16x4x4", 158, 40),
        ("set-up", 158, 10),
    ]
    drawn = trace(fabric_controller=core, digital=array)
    layer = OverheadLayer("depthwise 3x3", "8, 4x4", "digital", 9 * 128, one_depthwise((4, 4, 8)))
    row = overhead_row(layer, drawn, "net_run", bit_exact=True)
    assert (row.jobs, row.whole) == (40, 5 + 8 + 30 + 10 + 40 + 2)
    # Eight jobs; two copies, of which one is simulated; a call of one tile.
    assert row.htvm_peak == 40 + 8 * 374
    assert row.htvm == row.htvm_peak + 30 + (28 + 36) + 520 + 16


def test_additions_of_htvm_copy_row_by_row() -> None:
    drawn = trace(fabric_controller=[("net_run", 0, 9)], digital=[("add", 1, 5)])
    layer = OverheadLayer("add", "8, 4x4", "digital", 128, one_sum((4, 4, 8)))
    row = overhead_row(layer, drawn, "net_run", bit_exact=True)
    assert row.htvm == 5 + 374 + (2 * 8 * 4 + 1) * 36 + 520 + 16


def test_an_analog_layer_is_one_job_of_htvm() -> None:
    core = [("net_run", 0, 9), ("copy_analog", 9, 30), ("tinsmith_pulp_lookup", 39, 50)]
    jobs = [("copy 64 B to L1 0x0 in banks", 10, 20), ("conv 1x1", 31, 40)]
    drawn = trace(fabric_controller=[*core, ("net_run", 89, 1)], analog=jobs)
    layer = next(each for each in overhead_layers() if each.array == "analog")
    row = overhead_row(layer, drawn, "net_run", bit_exact=True)
    assert (row.jobs, row.whole, row.htvm_peak) == (40, 40, 40 + 530)
    assert row.htvm == row.htvm_peak + 20 + 28 + 520 + 16


def test_losses_are_of_throughput() -> None:
    losses = (_ROW.loss, _ROW.htvm_loss, _ROW.htvm_published_loss)
    assert losses == pytest.approx((0.4, 0.5, 1 / 3))


def test_missed_bounds_are_told() -> None:
    assert [*misses([_ROW, replace(_ROW, whole=132)])] == []
    assert [*misses([replace(_ROW, whole=133), replace(_ROW, bit_exact=False)])] == [
        "add, 16, 4x4: 133 cycles, must be 132 or less (with HTVM's driver: 120)",
        "add, 16, 4x4: outputs differ from the evaluator's",
    ]


def test_a_picture_has_a_mark_for_each_loss() -> None:
    bars = [Bar("conv", "16", 0.25, 0.5, 0.0), Bar("add", "8", 0.5, 1.0, 0.75)]
    drawn = picture(bars)
    assert drawn == picture(bars)
    root = ElementTree.fromstring(drawn)
    texts = [text.text for text in root.iter(f"{_SVG}text")]
    assert [text for text in texts if text in ("conv", "16", "add", "8")] == [
        "conv",
        "16",
        "add",
        "8",
    ]
    # The first is in the legend.
    _, *ours = (float(mark.attrib["cx"]) for mark in root.iter(f"{_SVG}circle"))
    grid = [float(line.attrib["x1"]) for line in root.iter(f"{_SVG}line") if _is_grid(line)]
    assert ours == grid[1:3]
    assert len({round(second - first, 6) for first, second in pairwise(grid)}) == 1


def _is_grid(line: ElementTree.Element) -> bool:
    return line.attrib["class"] == "grid"


@pytest.mark.usefixtures("simulator")
def test_layers_of_both_arrays_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "layers.json"
    kinds = "add,analog conv 1x1"
    assert main(["bench", "diana-layers", "--models", kinds, "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert f"picture: {path.with_suffix('.svg')}" in printed
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [row["array"] for row in rows] == ["analog"] * 4 + ["digital"] * 3
    for row in rows:
        assert row["bit_exact"]
        assert row["jobs"] < row["htvm_peak"] < row["htvm"]
        assert 0 < row["loss"] < 1
    assert "add" in path.with_suffix(".svg").read_text(encoding="utf-8")
