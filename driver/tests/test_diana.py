"""DIANA's host: networks on its one core, those on which HTVM was measured, and what its benchmark says of bounds."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver import main
from tinsmith_driver.benchmarks import diana
from tinsmith_driver.benchmarks.diana_rows import DianaRow, diana_misses
from tinsmith_driver.benchmarks.htvm_networks import MIXED, NETWORKS, SHIFT
from tinsmith_driver.benchmarks.subjects import made_model
from tinsmith_driver.engines import engines_for
from tinsmith_driver.options import CompileOptions, PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Graph, evaluate, print_graph
from tinsmith_ir.operators import Add, Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_target import target

_MACS = {"dscnn": 2_616_768, "mobilenet": 7_490_176, "resnet": 12_501_760, "toyadmos": 264_192}
_LAYERS = {"dscnn": 10, "mobilenet": 28, "resnet": 10, "toyadmos": 10}
_TERNARY = {"dscnn": 4, "mobilenet": 12, "resnet": 7, "toyadmos": 8}
_WEIGHTED = (Conv2D, DepthwiseConv2D, FullyConnected)

_MODEL = f"""graph 2 "layers" {{
  input %x: i8[1,8,8,4]<0.05, -3>
  const %w: i8[4,3,3,4]<0.01, 0> = {[7] * 144}
  const %b: i32[4] = [10, -10, 100, 0]
  %y: i8[1,8,8,4]<0.1, 5> = conv2d(%x, %w, %b) {{padding=[1,1,1,1]}}
  const %d: i8[1,3,3,4]<0.01, 0> = {[5, -3, 2, 9] * 9}
  %z: i8[1,4,4,4]<0.3, -1> = depthwise_conv2d(%y, %d, %b) {{stride=[2,2], padding=[1,1,1,1]}}
  const %f: i8[3,64]<0.01, 0> = {[3, -3] * 96}
  %r: i8[1,3]<0.1, 0> = fully_connected(%z, %f, none)
  %p: i8[1,3]<0.00390625, -128> = softmax(%r)
  output %p
}}
"""


@pytest.fixture
def simulator() -> None:
    """Skips where the chip cannot be simulated."""
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("simulator")
def test_one_core_runs_the_kernels_of_clusters_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = tmp_path / "layers.tsm", tmp_path / "report.json"
    model.write_text(_MODEL, encoding="utf-8")
    asked = ["--target", "diana", "--layers", "--json", str(path), "--no-progress"]
    assert main(["verify", str(model), *asked]) == 0
    assert "layers: all equal\nbit-exact" in capsys.readouterr().out
    report = json.loads(path.read_text(encoding="utf-8"))
    kernels = [layer["kernel"] for layer in report["layers"]]
    assert len(kernels) == 4
    assert all(kernel.startswith("tinsmith_pulp_") for kernel in kernels)
    assert report["run"]["cluster"] is None
    assert report["run"]["cycles"] > report["run"]["instructions"]
    assert {layer["cores"] for layer in report["layers"]} == {None}


def test_there_are_no_cores_to_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "layers.tsm"
    model.write_text(_MODEL, encoding="utf-8")
    assert main(["check", str(model), "--target", "diana", "--cores", "2"]) == 2
    assert "--cores: expected a target with a cluster" in capsys.readouterr().err


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_those_of_the_measurements(name: str) -> None:
    graph = NETWORKS[name](0)
    assert diana.macs_of(graph) == _MACS[name]
    assert sum(isinstance(node.operator, _WEIGHTED) for node in graph.nodes) == _LAYERS[name]


def _bits(graph: Graph) -> list[tuple[type, float]]:
    """Of each layer that rescales: by how many bits it shifts."""
    found: list[tuple[type, float]] = []
    for node in graph.nodes:
        types = [value.type.quantization for value in (*node.inputs[:2], *node.outputs) if value]
        scales = [each.scale for each in types if each is not None]
        if isinstance(node.operator, _WEIGHTED):
            found.append((type(node.operator), float(np.log2(scales[2] / scales[0] / scales[1]))))
        elif isinstance(node.operator, Add):
            assert scales[0] == scales[1]
            found.append((Add, float(np.log2(scales[2] / scales[0]))))
    return found


@pytest.mark.parametrize("name", NETWORKS)
def test_layers_are_shifts(name: str) -> None:
    graph = NETWORKS[name](0)
    assert {bits for kind, bits in _bits(graph) if kind is not Add} == {SHIFT}
    assert {bits for kind, bits in _bits(graph) if kind is Add} == (
        {1} if name == "resnet" else set()
    )
    quantized = [value.type.quantization for node in graph.nodes for value in node.inputs if value]
    assert {point for each in quantized if each for point in each.zero_points} == {0}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_networks_have_ternary_layers(name: str) -> None:
    graph = MIXED[name](0)
    assert diana.macs_of(graph) == _MACS[name]
    layers = [node for node in graph.nodes if isinstance(node.operator, _WEIGHTED)]
    weights = [graph.constant_data[node.present_inputs[1].name] for node in layers]
    assert [np.abs(data).max() == 1 for data in weights].count(True) == _TERNARY[name]


@pytest.mark.parametrize("name", MIXED)
def test_ternary_layers_are_the_analog_arrays(name: str) -> None:
    texts = ("set-rounding{mode=floor}", "map-analog{gain=16}")
    backend = engines_for("diana", None, "both").backend
    options = CompileOptions("diana", backend=backend, passes=tuple(map(PassChoice.parse, texts)))
    compilation = compile_model(made_model(MIXED[name](0)), options)
    kernels = [call.kernel for call in compilation.program.calls]
    # Sums of eight inputs are few steps of the converters.
    too_small = 1 if name == "toyadmos" else 0
    of_array = [kernel.startswith("tinsmith_diana_analog") for kernel in kernels]
    assert of_array.count(True) == _TERNARY[name] - too_small
    assert any("tinsmith_diana_digital" in kernel for kernel in kernels)


@pytest.mark.parametrize(
    ("name", "networks"), [(name, networks) for networks in (NETWORKS, MIXED) for name in networks]
)
def test_results_of_layers_neither_saturate_nor_vanish(
    name: str, networks: Mapping[str, Callable[[int], Graph]]
) -> None:
    graph = networks[name](0)
    seen = replace(graph, outputs=tuple(o for n in graph.nodes for o in n.outputs))
    given = np.random.default_rng(1).integers(-128, 128, graph.inputs[0].type.shape, np.int8)
    found = next(iter(evaluate.evaluate_frames(seen, [{graph.inputs[0].name: given}])))
    for node in graph.nodes:
        if isinstance(node.operator, (*_WEIGHTED, Add)):
            values = found[node.outputs[0].name].astype(int)
            assert values.std() > (5 if networks is NETWORKS else 2)
            assert np.mean((values == 127) | (values == -128)) < 0.25


def test_seeds_make_networks_alike_or_others() -> None:
    first, again, other = (NETWORKS["toyadmos"](seed) for seed in (0, 0, 1))
    arrays = [[constant.data for constant in graph.constants] for graph in (first, again, other)]
    assert all(map(np.array_equal, arrays[0], arrays[1]))
    assert not any(map(np.array_equal, arrays[0], arrays[2]))


@pytest.mark.parametrize("name", NETWORKS)
def test_passes_leave_all_channels(name: str) -> None:
    """Else fewer multiply-accumulates would be measured than HTVM's."""
    options = CompileOptions("diana", passes=(PassChoice.parse("set-rounding{mode=floor}"),))
    compilation = compile_model(made_model(NETWORKS[name](0)), options)
    assert isinstance(compilation.graph, Graph)
    assert diana.macs_of(compilation.graph) == _MACS[name]


def test_missed_bounds_are_told() -> None:
    good = DianaRow("resnet", "cpu", "tinsmith", 1, 2, 0, 33.0, 134.11, bit_exact=True)
    slow, wrong = replace(good, ms=34.0), replace(good, htvm_ms=None, bit_exact=False)
    assert [*diana_misses([good])] == []
    assert [*diana_misses([slow, wrong])] == [
        "resnet, cpu, tinsmith: 34.000 ms, must be 33.528 or less (HTVM: 134.11 ms)",
        "resnet, cpu, tinsmith: outputs differ from the evaluator's",
    ]
    ours = replace(good, engines="digital", ms=0.61)
    assert len([*diana_misses([ours])]) == 1
    assert [*diana_misses([replace(ours, schedule="htvm")])] == []


@pytest.mark.usefixtures("simulator")
def test_rows_tell_what_turning_inputs_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a vector of 640 bytes, which are loaded and stored, four at once at best; the core alone turns nothing."""
    path = tmp_path / "bench.json"
    assert main(["bench", "diana", "--models", "toyadmos", "--json", str(path)]) == 0
    assert "inputs turned" in capsys.readouterr().out
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    found = {(row["engines"], row["schedule"]): row for row in rows}
    assert found["cpu", "tinsmith"]["turned"] is None
    digital = found["digital", "tinsmith"]
    assert 2 * 640 // 4 <= digital["turned"] < digital["cycles"] // 10


def test_benchmark_is_of_one_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "diana", "--targets", "siracusa"]) == 2
    assert "unknown target 'siracusa': expected one of diana" in capsys.readouterr().err


def test_layers_are_left_out_of_benchmarks_that_have_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bench", "scaling", "--no-layers"]) == 2
    assert "scaling has no layers to leave out" in capsys.readouterr().err
    assert main(["bench", "diana", "--no-layers", "--no-sweep"]) == 2
    assert "not allowed with argument --no-layers" in capsys.readouterr().err


@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_on_the_digital_accelerator_turn_no_tensor_by_a_table(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = tmp_path / "network.tsm", tmp_path / "report.json"
    model.write_text(print_graph(NETWORKS[name](0)), encoding="utf-8")
    asked = ["--target", "diana", "--engines", "digital", "--pass", "set-rounding{mode=floor}"]
    asked += ["--layers", "--json", str(path), "--no-progress"]
    assert main(["verify", str(model), *asked]) == 0
    printed = capsys.readouterr().out
    assert "layers: all equal, " in printed
    assert "aside, which no core can read\nbit-exact\n" in printed
    layers = json.loads(path.read_text(encoding="utf-8"))["layers"]
    kernels = {layer["name"]: layer["kernel"] for layer in layers}
    assert kernels["x.diana_rows"] == "tinsmith_diana_to_rows"
    has_average = name != "toyadmos"
    assert ("tinsmith_diana_average" in kernels.values()) == has_average
    # An average gives a dense result; without one, the last layer's planes are turned.
    assert ("tinsmith_diana_from_rows" in kernels.values()) != has_average
