"""Layers of DIANA's digital array in tiles: simulated in little L1, in networks, too, and what its benchmark says of
rules and bounds.
"""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tinsmith_driver import main
from tinsmith_driver.benchmarks.diana_tiles import (
    BESIDE,
    RULES,
    TARGET,
    TilesLayer,
    TilesRow,
    misses,
    panels,
    tiles_layers,
    tiles_row,
)
from tinsmith_driver.benchmarks.htvm_networks import (
    Ternary,
    one_convolution,
    one_depthwise,
    one_sum,
    separable,
)
from tinsmith_driver.benchmarks.tiles_picture import picture
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Graph, print_graph
from tinsmith_target import target

_SVG = "{http://www.w3.org/2000/svg}"
_ROW = TilesRow("conv", 16, BESIDE, 4, 500, 100, 700, bit_exact=True)


@pytest.fixture
def simulator() -> None:
    """Skips where the chip cannot be simulated."""
    try:
        need_emulator(target(TARGET).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize(
    "graph",
    [one_convolution((21, 40, 8), 24, 3), one_depthwise((21, 40, 12)), one_sum((21, 40, 12))],
    ids=["convolution", "depthwise", "sum"],
)
def test_layers_larger_than_l1_are_bit_exact_on_the_chip(
    graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "layer.tsm"
    model.write_text(print_graph(graph), encoding="utf-8")
    passes = ["--pass", "set-rounding{mode=floor}", "--pass", "use-scratchpad{bytes=12000}"]
    asked = ["--target", TARGET, "--engines", "digital", "--layers", "--no-progress", *passes]
    assert main(["verify", str(model), *asked]) == 0
    out = capsys.readouterr().out
    assert "bit-exact" in out
    assert out.count("tinsmith_diana_digital") > 2


@pytest.mark.usefixtures("simulator")
def test_a_network_with_layers_in_tiles_and_whole_ones_is_bit_exact_on_the_chip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Convolutions stay whole, depthwise layers and the sum do not; 20,000 bytes stand for larger images."""
    model = tmp_path / "network.tsm"
    model.write_text(print_graph(separable(48)), encoding="utf-8")
    passes = ["--pass", "set-rounding{mode=floor}", "--pass", "use-scratchpad{bytes=20000}"]
    report = tmp_path / "report.json"
    asked = ["--target", TARGET, "--engines", "digital", "--no-progress", "--json", str(report)]
    assert main(["verify", str(model), *asked, *passes]) == 0
    assert capsys.readouterr().out.endswith("bit-exact\n")
    layers = json.loads(report.read_text(encoding="utf-8"))["layers"]
    names = {layer["name"] for layer in layers}
    assert names >= {"conv2d", "depthwise_conv2d.0", "depthwise_conv2d.1", "conv2d_1", "sum.0"}


@pytest.mark.usefixtures("simulator")
def test_layers_in_tiles_and_analog_ones_share_the_scratchpad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Depthwise layers of 89 x 89 do not fit L1, by their room behind results; analog layers of as many pixels do."""
    model = tmp_path / "network.tsm"
    model.write_text(print_graph(separable(178, weights=Ternary.FREE)), encoding="utf-8")
    passes = ["--pass", "set-rounding{mode=floor}", "--pass", "map-analog{gain=16}"]
    report = tmp_path / "report.json"
    asked = ["--target", TARGET, "--engines", "both", "--no-progress", "--json", str(report)]
    assert main(["verify", str(model), *asked, *passes, "--without", "overlap"]) == 0
    assert capsys.readouterr().out.endswith("bit-exact\n")
    layers = json.loads(report.read_text(encoding="utf-8"))["layers"]
    kernels = {layer["name"]: layer["kernel"] for layer in layers}
    assert kernels["conv2d_1"] == kernels["conv2d_2"] == "tinsmith_diana_analog"
    assert kernels["depthwise_conv2d.1"] == "tinsmith_diana_digital"


@pytest.mark.usefixtures("simulator")
def test_tiles_of_less_memory_take_longer() -> None:
    layer = TilesLayer("conv", one_convolution((8, 32, 16), 16, 3))
    whole, parts = (tiles_row(layer, kib, "cost") for kib in (16, 4))
    beside = tiles_row(layer, 4, BESIDE)
    assert whole.bit_exact
    assert parts.bit_exact
    assert beside.bit_exact
    assert beside.whole <= parts.whole
    assert (whole.tiles, parts.tiles > 1) == (1, True)
    assert whole.whole < parts.whole
    assert parts.jobs + parts.copies < parts.whole


def test_layers_of_the_figure_are_three() -> None:
    names = [layer.name for layer in tiles_layers()]
    assert names == ["conv3x3-64-64-32", "conv3x3-32-128-32", "conv1x1-128-128-16"]


def test_misses_are_wrong_bytes_and_tiles_that_another_rule_beats() -> None:
    assert [*misses([_ROW, replace(_ROW, rule="htvm", whole=700)])] == []
    assert [*misses([_ROW, replace(_ROW, rule="htvm", whole=699)])] == [
        "conv, 16 KiB, htvm: 699 cycles, fewer than the 700 of tiles copied beside jobs"
    ]
    assert [*misses([replace(_ROW, bit_exact=False)])] == [
        "conv, 16 KiB, beside: outputs differ from the evaluator's"
    ]


def test_the_picture_has_a_mark_of_each_rule_for_each_memory() -> None:
    rows = [
        replace(_ROW, kib=kib, rule=rule, whole=700 + kib % 7)
        for kib in (64, 32, 16)
        for rule in RULES
    ]
    root = ElementTree.fromstring(picture([*panels(rows)]))
    ours = [found for found in root.iter(f"{_SVG}circle") if found.get("class") == "ours"]
    htvm = [found for found in root.iter(f"{_SVG}path") if found.get("class") == "htvm"]
    assert len(ours) == len(htvm) == 3 + 1  # and the legend's
