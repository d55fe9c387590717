"""A network over a window of time, streamed: from its text to firmware whose frames are those of the whole window."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Array, Graph, Quantization, TensorType, Value, evaluate_graph, print_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Activation, Add, Conv2D, FullyConnected, Mean, Softmax
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_target import target

FRAMES, FEATURES, CHANNELS = 24, 10, 16


def need(name: str) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


def temporal_network() -> Graph:
    """Three causal layers of dilation 1, 2 and 4, two of them with a residual; what each frame is, and the window."""
    random = np.random.default_rng(3)
    builder = GraphBuilder("temporal")

    def scale(real: float, zero_point: int) -> Quantization:
        return Quantization.per_tensor(real, zero_point)

    def weights(*shape: int) -> Value:
        integers = random.integers(-127, 128, shape).astype(np.int8)
        return builder.constant("w", integers, scale(0.01, 0))

    def layer(value: Value, dilation: int) -> Value:
        kernel = weights(CHANNELS, 3, 1, value.type.shape[3])
        operator = Conv2D(
            dilation=(dilation, 1), padding=(2 * dilation, 0, 0, 0), activation=Activation.RELU
        )
        return builder.add(operator, [value, kernel, None], "layer", scale(0.05, -128))

    value = builder.input("x", TensorType((1, FRAMES, 1, FEATURES), DType.INT8, scale(0.05, 4)))
    value = layer(value, 1)
    for dilation in (2, 4):
        value = builder.add(Add(), [value, layer(value, dilation)], "sum", scale(0.08, -128))
    each = builder.add(Conv2D(), [value, weights(4, 1, 1, CHANNELS), None], "each", scale(0.1, 0))
    mean = builder.add(Mean((1, 2)), [value], "mean", scale(0.08, -128))
    all_ = builder.add(FullyConnected(), [mean, weights(4, CHANNELS), None], "all", scale(0.05, 0))
    likely = builder.add(Softmax(), [all_], "likely", scale(1 / 256, -128))
    return builder.build([each, likely])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "temporal.tsm"
    path.write_text(print_graph(temporal_network()))
    return path


def frame_by_frame(model: Path, name: str, window: Array, *options: str) -> dict[str, Array]:
    """What firmware gives for the frames of a window, each in a run of its own."""
    given, made = model.with_name("frames.npz"), model.with_name("made.npz")
    np.savez(given, allow_pickle=False, x=np.stack(np.split(window, FRAMES, axis=1)))
    files = ["--inputs", str(given), "--outputs", str(made)]
    assert main(["run", str(model), "--target", name, "--no-progress", *files, *options]) == 0
    with np.load(made) as archive:
        return {name: archive[name] for name in archive.files}


@pytest.mark.parametrize("name", ["host", "cortex-m4"])
def test_every_frame_is_that_of_the_whole_window(name: str, model: Path) -> None:
    need(name)
    graph = temporal_network()
    inputs = random_inputs(graph, seed=5)
    made = frame_by_frame(model, name, inputs["x"], "--stream")
    wanted = evaluate_graph(graph, inputs)
    assert made["y0"].shape == (FRAMES, 1, 1, 1, 4)
    np.testing.assert_array_equal(np.concatenate([*made["y0"]], axis=1), wanted["each"])
    np.testing.assert_array_equal(made["y1"][-1], wanted["likely"])
    assert len({row.tobytes() for row in made["y0"]}) > FRAMES // 2


def test_streamed_firmware_is_verified_as_all_firmware_is(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--target", "host", "--stream", "--verify", "--layers", "--no-progress"]
    assert main(["verify", str(model), *options]) == 0
    printed = capsys.readouterr()
    assert "layers: all equal\n" in printed.out
    assert "bit-exact" in printed.out
    said = "a run takes 1 frame of 24; outputs are those of a window from run 24 on"
    assert f"warning: stream-frames: {said}\n" in printed.err


def test_states_keep_no_more_than_what_is_read(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kept rows: 2 of features, 4 and 8 of channels, and the window of what is averaged but for the newest."""
    assert main(["show", str(model), "--stream"]) == 0
    text = capsys.readouterr().out
    kept = [line for line in text.splitlines() if line.strip().startswith("state ")]
    assert [line.split("i8[1,")[1].split(",")[0] for line in kept] == ["2", "4", "8", "23"]


def test_frames_along_another_axis_and_several_at_once(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(model), "--target", "host", "--stream=1", "--no-progress"]) == 0
    four = ["--pass", "stream-frames{hop=4}", "--no-progress"]
    assert main(["verify", str(model), "--target", "host", *four]) == 0
    assert main(["check", str(model), "--target", "host", "--stream=3"]) == 1
    assert "time is on the axis of channels" in capsys.readouterr().err


def test_what_looks_ahead_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ahead.tsm"
    path.write_text("""graph 2 "ahead" {
      input %x: i8[1,6,1,1]<0.5, 3>
      const %w: i8[1,5,1,1]<0.25, 0> = [5, -7, 9, 1, 2]
      %y: i8[1,6,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[2,2,0,0]}
      output %y
    }""")
    output = tmp_path / "made"
    assert main(["compile", str(path), "--target", "host", "--stream", "-o", str(output)]) == 1
    assert "it looks 2 frames ahead" in capsys.readouterr().err
    assert not output.exists()


def test_option_takes_the_number_of_an_axis(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "--stream", str(model), "--target", "host"]) == 2
    assert "--stream: expected the number of an axis" in capsys.readouterr().err


def test_networks_are_reduced_as_they_are(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["-o", str(tmp_path / "smallest.tsm"), "--no-progress"]
    assert main(["reduce", str(model), "--target", "host", "--stream", *output]) == 2
    assert "show MODEL --after stream-frames --constants" in capsys.readouterr().err
