"""A decoder's block with caches of keys and values: to int8, caches with it, a token in each run on boards."""

import json
from pathlib import Path

import numpy as np
import pytest
from decoders import POSITIONS, WIDTH, Block
from tinsmith_driver.cli import main
from tinsmith_driver.float_islands import islands
from tinsmith_ir import Graph, parse_graph

_STEPS = 2 * POSITIONS
_KEPT = ["--keep", "key=past_key", "--keep", "value=past_value"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The float network, and tokens with their positions, so many that the oldest leave the caches."""
    folder = tmp_path_factory.mktemp("decoder")
    (folder / "block.onnx").write_bytes(Block().model().SerializeToString())
    tokens = np.random.default_rng(1).normal(size=(_STEPS, 1, 1, WIDTH)).astype(np.float32)
    np.savez(folder / "x.npz", x0=tokens, x1=np.arange(_STEPS).reshape(_STEPS, 1))
    return str(folder / "block.onnx"), str(folder / "x.npz")


def _quantized(files: tuple[str, str], folder: Path, *options: str) -> tuple[Graph, float]:
    """The network of integers, and its signal to noise over all tokens."""
    model, data = files
    place, report = folder / "q.tsm", folder / "q.json"
    arguments = ["quantize", model, "--calibration", data, "-o", str(place), "--json", str(report)]
    assert main([*arguments, *options]) == 0
    return parse_graph(place.read_text()), json.loads(report.read_text())["groups"][0]["sqnr_db"]


@pytest.mark.parametrize(("scheme", "least"), [("int8", 30.0), ("int16x8", 45.0)])
def test_caches_have_one_quantization_and_no_operator_stays_float(
    files: tuple[str, str], scheme: str, least: float, tmp_path: Path
) -> None:
    graph, decibels = _quantized(files, tmp_path, "--scheme", scheme, *_KEPT)
    assert not list(islands(graph))
    assert [value.name for value in graph.inputs] == ["token", "position"]
    assert [value.name for value in graph.outputs] == ["next"]
    assert [(state.value.name, state.next.name) for state in graph.states] == [
        ("past_key", "key"),
        ("past_value", "value"),
    ]
    for state in graph.states:
        assert state.value.type == state.next.type
        assert state.value.type.quantization is not None
        assert (state.initial == state.value.type.quantization.zero_point).all()
    assert decibels > least


def test_the_operator_of_onnx_for_rotary_embeddings_is_integers_too(
    files: tuple[str, str], tmp_path: Path
) -> None:
    model = tmp_path / "block.onnx"
    model.write_bytes(Block(rotary_operator=True).model().SerializeToString())
    graph, decibels = _quantized((str(model), files[1]), tmp_path, *_KEPT)
    assert not list(islands(graph))
    assert decibels > 30.0


@pytest.mark.parametrize("target", ["cortex-m4", "riscv32"])
def test_boards_compute_token_by_token_what_the_evaluator_does(
    files: tuple[str, str], target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = files
    quantized = ["--quantize", "int8", "--calibration", data, *_KEPT]
    assert main(["verify", model, "--target", target, *quantized, "--inputs", data]) == 0
    assert f"{_STEPS} ran, 0 bytes differ" in capsys.readouterr().out


def test_caches_of_the_caller_have_the_quantization_of_what_it_gives_back(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then samples have the caches, too, here of any numbers."""
    random = np.random.default_rng(2)
    with np.load(files[1]) as given:
        tokens, positions = given["x0"], given["x1"]
    caches = random.normal(size=(2, _STEPS, 1, 2, POSITIONS, 8)).astype(np.float32)
    data = tmp_path / "x.npz"
    np.savez(data, x0=tokens, x1=caches[0], x2=caches[1], x3=positions)
    pairs = ["--same", "key=past_key", "--same", "value=past_value"]
    graph, _ = _quantized((files[0], str(data)), tmp_path, *pairs)
    types = {value.name: value.type for value in (*graph.inputs, *graph.outputs)}
    assert types["past_key"] == types["key"]
    assert types["past_value"] == types["value"]
    assert types["key"] != types["value"]
    arguments = ["quantize", files[0], "--calibration", str(data), "-o", str(tmp_path / "n.tsm")]
    assert main([*arguments, "--same", "key=token"]) == 2
    assert "pair key=token: expected an input of " in capsys.readouterr().err
    assert main([*arguments, "--same", "key=past"]) == 2
    assert "expected an input of token, past_key" in capsys.readouterr().err
