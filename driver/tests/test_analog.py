"""A network with ternary weights whose layers become analog, from its text to firmware."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_DIGITS = Path(__file__).parents[2] / "examples/digits"
_NETWORK = _DIGITS / "digits_ternary.tsm"
_IMAGES = 360
_ANALOG = "tinsmith_analog_conv2d_s8"


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """Inputs and labels; the outputs in the file are another network's."""
    path = tmp_path / "images.npz"
    with np.load(_DIGITS / "digits_test.npz") as file:
        np.savez(path, x=file["x"], label=file["label"])
    return path


def verify(*options: str) -> int:
    """The exit status; 0 if firmware and evaluator agree on every byte."""
    return main(["verify", str(_NETWORK), *options, "--layers", "--no-progress"])


def right_images(text: str) -> int:
    """Of `samples: 360 ran, 350/360 right, 0 bytes differ from the evaluator`."""
    return int(text.split(f"/{_IMAGES} right")[0].rsplit(" ", 1)[1])


def test_analog_layers_are_bit_exact_and_as_often_right(
    images: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--target", "host", "--inputs", str(images))
    assert verify(*given) == 0
    before = right_images(capsys.readouterr().out)
    assert verify(*given, "--pass", "map-analog", "--verify") == 0
    captured = capsys.readouterr()
    assert "0 bytes differ from the evaluator\nlayers: all equal\nbit-exact\n" in captured.out
    assert captured.out.count(f" {_ANALOG} ") == 2
    assert before > 340
    assert right_images(captured.out) >= before - 2
    assert captured.err.count(" is analog: gain ") == 2
    assert captured.err.count("it is a depthwise_conv2d") == 2


def test_a_gain_that_suits_no_layer_leaves_the_network_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert verify("--target", "host", "--pass", "map-analog{gain=64}") == 0
    captured = capsys.readouterr()
    assert _ANALOG not in captured.out
    assert captured.err.count("dB, expected 10") == 2


@pytest.mark.parametrize("name", ["cortex-m4", "diana"])
def test_boards_compute_analog_layers(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    assert verify("--target", name, "--pass", "map-analog") == 0
    captured = capsys.readouterr()
    assert captured.out.endswith("bit-exact\n")
    assert captured.out.count(_ANALOG) == 2
