"""Float networks that commands make integers of."""

import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from tinsmith_driver.calibration import calibration_samples
from tinsmith_driver.cli import main
from tinsmith_ir import UsageError, parse_graph
from tinsmith_onnx import import_onnx
from tinsmith_tflite import import_tflite

_DIGITS = Path(__file__).parents[2] / "examples" / "digits"
MODEL = str(_DIGITS / "digits_float.tflite")
CALIBRATION = str(_DIGITS / "digits_calibration.npz")
TEST = str(_DIGITS / "digits_test.npz")


def quantized(folder: Path, *options: str) -> dict[str, Any]:
    """The report of quantizing the digits network."""
    place = folder / "q.tsm"
    report = folder / "q.json"
    files = ["-o", str(place), "--json", str(report), "--html", str(folder / "q.html")]
    arguments = ["quantize", MODEL, "--calibration", CALIBRATION, "--inputs", TEST]
    assert main([*arguments, *files, *options]) == 0
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def test_eight_bits_are_right_as_often_as_floats(tmp_path: Path) -> None:
    report = quantized(tmp_path)
    calibration, test = report["groups"]
    assert (calibration["group"], calibration["samples"]) == ("calibration", 10)
    assert test["correct"] >= test["correct_real"] - 1
    assert test["agree"] >= 357
    assert test["sqnr_db"] > 30
    assert report["float_operators"] == []
    assert [row["bits"] for row in report["weights"]] == [8] * 6


def test_four_bits_take_little_more_than_half_and_lose_little(tmp_path: Path) -> None:
    wide, narrow = quantized(tmp_path), quantized(tmp_path, "--scheme", "int4")
    assert narrow["weight_bytes"] < 0.65 * wide["weight_bytes"]
    test = narrow["groups"][1]
    assert test["correct"] >= test["correct_real"] - 4
    assert {row["bits"] for row in narrow["weights"]} == {4, 8}


def test_blocks_are_written_for_onnx_and_refused_for_tflite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "q.onnx"
    scheme = ["--scheme", "int4-block32{block=8,end_bits=4}"]
    arguments = ["quantize", MODEL, "--calibration", CALIBRATION, *scheme]
    assert main([*arguments, "-o", str(place)]) == 0
    sizes = [
        each.i
        for node in onnx.load_from_string(place.read_bytes()).graph.node
        for each in node.attribute
        if each.name == "block_size"
    ]
    assert sizes
    assert set(sizes) == {8}
    assert main([*arguments, "-o", str(tmp_path / "q.tflite")]) == 2
    assert "block=8; write .onnx or .tsm, or choose int4" in capsys.readouterr().err


def test_blocks_are_compared(tmp_path: Path) -> None:
    options = ["--compare", "int4{end_bits=4},int4-block32{block=8,end_bits=4}"]
    report = quantized(tmp_path, *options)
    per_channel, blocks = report["comparison"]["rows"][1:]
    assert blocks["weight_bytes"] > per_channel["weight_bytes"]
    assert blocks["agree"] >= per_channel["agree"] - 2
    assert blocks["sqnr_db"] > 10


def test_ternary_weights_that_are_trained_are_right_more_often(tmp_path: Path) -> None:
    trained = quantized(tmp_path, "--scheme", "ternary{steps=200}")["groups"][1]
    rounded = quantized(tmp_path, "--scheme", "ternary{weights=learned}")["groups"][1]
    assert trained["correct"] > rounded["correct"] + 10


def test_bits_are_chosen_for_a_budget(tmp_path: Path) -> None:
    narrow = quantized(tmp_path, "--scheme", "int4")
    mixed = quantized(tmp_path, "--weight-bytes", "3500")
    assert mixed["weight_bytes"] <= 3500
    assert mixed["groups"][1]["sqnr_db"] > narrow["groups"][1]["sqnr_db"]
    chosen = {row["name"]: row["bits"] for row in mixed["sensitivities"] if row["chosen"]}
    assert chosen == {row["name"]: row["bits"] for row in mixed["weights"]}
    assert "Layers alone" in (tmp_path / "q.html").read_text(encoding="utf-8")
    few = quantized(tmp_path, "--least-sqnr", "20")
    assert few["weight_bytes"] < mixed["weight_bytes"]


def test_the_page_names_every_tensor(tmp_path: Path) -> None:
    report = quantized(tmp_path, "--scheme", "int8{method=minmax,weights=nearest}")
    page = (tmp_path / "q.html").read_text(encoding="utf-8")
    assert all(row["name"] in page for row in report["tensors"])
    assert "int8{method=minmax,weights=nearest}" in page


def test_what_is_written_is_compiled_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quantized(tmp_path)
    network = str(tmp_path / "q.tsm")
    assert main(["verify", network, "--target", "host", "--inputs", CALIBRATION]) == 0
    assert "10 ran, 10/10 right, 0 bytes differ" in capsys.readouterr().out


def test_formats_of_others_are_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An input of an ONNX file is integers without a scale, for which there are random ones alone."""
    for suffix, inputs in ((".tflite", ["--inputs", CALIBRATION]), (".onnx", [])):
        place = str(tmp_path / f"q{suffix}")
        assert main(["quantize", MODEL, "--calibration", CALIBRATION, "-o", place]) == 0
        assert main(["verify", place, "--target", "host", *inputs]) == 0
        assert "0 bytes differ from the evaluator" in capsys.readouterr().out


def test_verify_quantizes_first_where_it_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The samples of the file are the float network's, though there are such of int8, too."""
    options = ["--quantize", "int8", "--calibration", CALIBRATION, "--inputs", TEST]
    arguments = ["verify", MODEL, "--target", "host", "--samples", "20", *options]
    assert main([*arguments, "--json", str(tmp_path / "r.json")]) == 0
    assert "float: 20 ran, 20/20 right, 0 bytes differ" in capsys.readouterr().out
    report = json.loads((tmp_path / "r.json").read_text())
    assert {layer["kernel"] for layer in report["layers"]}.isdisjoint({"tinsmith_conv2d_f32"})


def test_generated_c_says_how_it_was_quantized(tmp_path: Path) -> None:
    options = ["--quantize", "int8{method=minmax}", "--calibration", CALIBRATION]
    assert main(["compile", MODEL, "--target", "host", *options, "-o", str(tmp_path)]) == 0
    assert "quantize=int8{method=minmax}" in (tmp_path / "digits_float.c").read_text()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--scheme", "int5"], "unknown scheme 'int5': expected one of int8, "),
        (["--scheme", "int8{method=best}"], "expected method of minmax, "),
        (["--scheme", "int8{sort=yes}"], "scheme 'int8' has no option 'sort'; it has weight_bits"),
        (["-o", "q.h5"], "q.h5: expected a file name that ends in .tsm"),
        (["-o", MODEL], "--output collides with MODEL"),
    ],
)
def test_wrong_use_is_said_and_writes_nothing(
    options: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "q.tsm"
    arguments = ["quantize", MODEL, "--calibration", CALIBRATION, "-o", str(place)]
    assert main([*arguments, *options]) == 2
    assert reason in capsys.readouterr().err
    assert not place.exists()


def test_a_scheme_needs_data_and_data_a_scheme(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", MODEL, "--target", "host"]
    assert main([*arguments, "--quantize", "int8"]) == 2
    assert "--quantize: expected --calibration beside it" in capsys.readouterr().err
    assert main([*arguments, "--calibration", CALIBRATION]) == 2
    assert "--calibration: expected --quantize beside it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (
            np.zeros((4, 8, 8, 1), np.int8),
            "expected arrays `x` or `x_GROUP` for the inputs float32",
        ),
        (np.zeros((4, 8, 8, 1), np.float32), "is 0 everywhere in all 4 samples"),
        (np.full((4, 8, 8, 1), np.nan, np.float32), "expected finite numbers, got NaN"),
        (np.zeros((0, 8, 8, 1), np.float32), "expected at least one sample, got none"),
        (np.ones((4, 7, 8, 1), np.float32), "the model wants [1, 8, 8, 1]"),
    ],
)
def test_wrong_calibration_data_are_a_sentence(
    array: NDArray[np.generic], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "x.npz"
    np.savez(data, x=array)
    place = tmp_path / "q.tsm"
    assert main(["quantize", MODEL, "--calibration", str(data), "-o", str(place)]) == 2
    assert reason in capsys.readouterr().err
    assert not place.exists()


GRAPH = """graph 2 "g" {
  input %x: f32[1,4]
  %y: f32[1,4] = relu(%x)
  output %y
}"""


def test_a_folder_has_a_sample_in_each_file(tmp_path: Path) -> None:
    np.save(tmp_path / "b.npy", np.array([1.0, 2.0, 3.0, 4.0]))
    with wave.open(str(tmp_path / "a.wav"), "wb") as sound:
        sound.setparams((1, 2, 16000, 4, "NONE", "not compressed"))
        sound.writeframes(np.array([0, 16384, -32768, 32767], "<i2").tobytes())
    (tmp_path / "notes.txt").write_text("not a sample")
    found = calibration_samples(tmp_path, parse_graph(GRAPH))
    assert [sample["x"].tolist() for sample in found] == [
        [[0.0, 0.5, -1.0, pytest.approx(1.0, abs=1e-4)]],
        [[1.0, 2.0, 3.0, 4.0]],
    ]
    assert len(calibration_samples(tmp_path, parse_graph(GRAPH), most=1)) == 1


def test_a_folder_without_samples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected files that end in \.npy, \.png, \.wav"):
        calibration_samples(tmp_path, parse_graph(GRAPH))
    np.save(tmp_path / "x.npy", np.zeros(5, np.float32))
    with pytest.raises(UsageError, match=r"x\.npy: expected \[1, 4\] for input 'x', got \[5\]"):
        calibration_samples(tmp_path, parse_graph(GRAPH))
    (tmp_path / "x.npy").write_bytes(b"nothing")
    with pytest.raises(UsageError, match=r"x\.npy: cannot be read: "):
        calibration_samples(tmp_path, parse_graph(GRAPH))


def _recurrent(folder: Path, before: str, *states: str) -> list[str]:
    """Arguments that quantize an LSTM of two cells over three steps. before: its states; states: statements of them."""
    square, wide = "f32[2,2] = [0.5, -0.25, 0.75, 0.5]", "f32[2,1] = [1.0, -0.5]"
    lines = [
        "input %x: f32[1,3,1]",
        *states,
        *(f"const %w{gate}: {wide}" for gate in range(4)),
        *(f"const %r{gate}: {square}" for gate in range(4)),
        *(f"const %b{gate}: f32[2] = [0.1, {gate}.0]" for gate in range(4)),
        "%y: f32[1,3,2], %h1: f32[1,2], %c1: f32[1,2] = "
        f"lstm(%x, {before}, %w0, %w1, %w2, %w3, %r0, %r1, %r2, %r3, %b0, %b1, %b2, %b3, "
        "none, none, none, none, none)",
        "output %y",
    ]
    model, data = folder / "lstm.tsm", folder / "lstm.npz"
    model.write_text('graph 2 "g" {\n' + "\n".join(lines) + "\n}\n", encoding="utf-8")
    np.savez(data, x=np.random.default_rng(2).normal(size=(6, 1, 3, 1)).astype(np.float32))
    return ["quantize", str(model), "--calibration", str(data), "-o"]


def test_an_lstm_with_states_becomes_one_of_tflite(tmp_path: Path) -> None:
    zeros = "f32[1,2] = [0.0, 0.0]"
    states = (f"state %h: {zeros} next %h1", f"state %c: {zeros} next %c1")
    written = tmp_path / "q.tflite"
    assert main([*_recurrent(tmp_path, "%h, %c", *states), str(written)]) == 0
    graph = import_tflite(written.read_bytes())
    assert [node.operator.mnemonic for node in graph.nodes] == ["lstm"]
    assert [state.value.type.dtype.value for state in graph.states] == ["i8", "i16"]


def test_an_lstm_stays_float32_in_a_file_of_onnx_where_it_may(tmp_path: Path) -> None:
    written = tmp_path / "q.onnx"
    state = "const %s: f32[1,2] = [0.0, 0.0]"
    arguments = [*_recurrent(tmp_path, "%s, %s", state), str(written)]
    assert main(arguments) == 1
    assert not written.exists()
    assert main([*arguments, "--float-islands", "lstm"]) == 0
    graph = import_onnx(written.read_bytes())
    (node,) = (node for node in graph.nodes if node.operator.mnemonic == "lstm")
    assert node.outputs[0].type.dtype.value == "f32"
    assert graph.inputs[0].type.dtype.value == "i8"
