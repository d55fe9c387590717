"""The accelerator beside a cluster: networks by `--backend neureka`, and what its benchmark says of missed bounds."""

import json
from pathlib import Path

import pytest
from tinsmith_driver import main
from tinsmith_driver.benchmarks import neureka
from tinsmith_driver.benchmarks.placement import PlacementRow, placement_misses
from tinsmith_driver.benchmarks.random_layers import LayersRow
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

# 3x3 with padding, strides of 2, and rows of a fully connected layer: all layers are jobs, none forks but the second.
_MODEL = f"""graph 2 "layers" {{
  input %x: i8[1,8,8,4]<0.05, -3>
  const %w: i8[4,3,3,4]<0.01, 0> = {[7] * 144}
  const %b: i32[4] = [10, -10, 100, 0]
  %y: i8[1,8,8,4]<0.1, 5> = conv2d(%x, %w, %b) {{rounding=floor, multiplier_bits=8, padding=[1,1,1,1]}}
  %z: i8[1,4,4,4]<0.3, -1> = conv2d(%y, %w, %b) {{rounding=floor, multiplier_bits=8, stride=[2,2], padding=[0,1,0,1]}}
  const %f: i8[3,64]<0.01, 0> = {[3, -3] * 96}
  %r: i8[1,3]<1.0, 0> = fully_connected(%z, %f, none) {{rounding=floor, multiplier_bits=8}}
  output %r
}}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "layers.tsm"
    path.write_text(_MODEL, encoding="utf-8")
    return str(path)


def _needs_siracusa() -> None:
    try:
        need_emulator(target("siracusa").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", ["siracusa", "host"])
def test_layers_are_jobs_and_bit_exact(
    name: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "siracusa":
        _needs_siracusa()
    assert main(["verify", model, "--target", name, "--backend", "neureka", "--layers"]) == 0
    out = capsys.readouterr().out
    assert out.count("tinsmith_neureka_call") >= 3
    assert "layers: all equal\nbit-exact" in out


def test_a_network_of_jobs_alone_runs_on_the_cluster(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing forks, but the core that boots the chip does not reach the accelerator's events."""
    _needs_siracusa()
    one_layer = _MODEL.replace("output %r", "output %y")
    Path(model).write_text(
        "\n".join(line for line in one_layer.splitlines() if "%z" not in line and "%f" not in line),
        encoding="utf-8",
    )
    assert main(["verify", model, "--target", "siracusa", "--backend", "neureka"]) == 0
    assert "cluster: " in capsys.readouterr().out


def test_arrays_that_stay_in_l2_are_refused(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--target", "siracusa", "--backend", "neureka", "--without", "tile"]
    assert main(["check", model, *options]) == 2
    assert "tinsmith_neureka_call reads and writes l1 alone" in capsys.readouterr().err


def test_missed_bounds_are_told() -> None:
    networks = [
        neureka.NetworkRow("kws", "ok", 9, 12, 220_000, 150_001),
        neureka.NetworkRow("ad", "3 bytes differ", 2, 10, 40_000, 50_000),
    ]
    assert [*neureka.network_misses(networks)] == [
        "kws: 150,001 cycles, must be 150,000 at most",
        "ad: 3 bytes differ",
    ]
    bits = [neureka.BitsRow("ic", "ok", 100, 85), neureka.BitsRow("ic", "ok", 100, 86)]
    assert [*neureka.bits_misses(bits)] == [
        "ic: 0.860 of the cycles with eight bits, must be 0.85 at most"
    ]
    device = [neureka.DeviceRow("near", 100, 102), neureka.DeviceRow("far", 100, 96)]
    assert [*neureka.device_misses(device)] == ["far: 96 cycles, GVSoC has 100"]
    layers = [
        LayersRow("neureka", 300, 150, 150, 150, ()),
        LayersRow("neureka", 300, 150, 150, 150, ("layer_7",)),
        LayersRow("neureka", 300, 80, 220, 80, ()),
    ]
    assert [*neureka.LAYERS.misses(layers)] == [
        "random layers, neureka: 1 differ from the evaluator: layer_7",
        "random layers, neureka: 80 of 300 are the accelerator's, which says little",
    ]


def test_placements_with_a_better_neighbour_and_slow_ones_are_misses() -> None:
    rows = [
        PlacementRow("kws", 9, 66_000, 9, "dense on cores", 66_000, 0.1),
        PlacementRow("ic", 10, 109_000, 10, "dense on cores", 108_999, 5.1),
    ]
    assert [*placement_misses(rows)] == [
        "ic: dense on cores takes 108,999 cycles, the chosen placement 109,000",
        "ic: placed in 5.1 s, must be 5 at most",
    ]


def test_engines_are_shown_and_reported(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [model, "--target", "siracusa", "--engines", "both"]
    assert main(["show", *options, "--after", "place-layers"]) == 0
    assert 'stride=[2,2], padding=[0,1,0,1]} on "' in " ".join(capsys.readouterr().out.split())
    assert main(["compile", *options, "-o", str(tmp_path)]) == 0
    assert "engines: " in capsys.readouterr().out
    placement = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["placement"]
    assert [layer["name"] for layer in placement["layers"]] == ["y", "z", "r"]
    assert all(layer["modelled"].keys() == {"neureka", "cores"} for layer in placement["layers"])
