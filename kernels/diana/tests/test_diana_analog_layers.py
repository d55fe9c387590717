"""Random layers of the analog accelerator: given to it or its twin, and compared with numpy, byte for byte."""

from dataclasses import replace

import numpy as np
import pytest
from analog_steps import (
    BANKS,
    COPY_IN,
    COPY_OUT,
    FAR_BYTES,
    LAYER,
    QUANTIZE,
    SCALE,
    WINDOW_BYTES,
    Layer,
    Step,
    far_of,
    given,
    windows_of,
)
from diana_places import ANALOG_DRIVER, ANALOG_TWIN, build, images_after
from drawn_analog_layers import (
    SEQUENCES,
    Drawn,
    Windows,
    converted,
    draw,
    lanes,
    lines_of,
    packets_of,
    processed,
    write_image,
)
from tinsmith_emulators import FirmwareCrashError
from tinsmith_toolchains import Firmware

_LAYERS = 120
_TOGETHER = 30
_LENGTH, _ADDRESS = 8, 7


@pytest.fixture(scope="module", params=[ANALOG_TWIN, ANALOG_DRIVER])
def firmware(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Firmware:
    implementation = str(request.param)
    return build(implementation, tmp_path_factory.mktemp(implementation), "analog_layers.c")


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    return [draw(seed) for seed in range(_LAYERS)]


def test_layers_are_numpys_and_touch_nothing_else(firmware: Firmware, drawn: list[Drawn]) -> None:
    assert firmware.warnings == ""
    wrong: list[Layer] = []
    for first in range(0, len(drawn), _TOGETHER):
        some = drawn[first : first + _TOGETHER]
        inputs = [given([it.step], it.weights, it.scales, it.before) for it in some]
        for it, output in zip(some, images_after(firmware, inputs), strict=True):
            if not np.array_equal(windows_of(output), it.after):
                wrong.append(it.step.layer)
    assert wrong == []


def test_layers_are_of_all_kinds(drawn: list[Drawn]) -> None:
    """What the test above stands for."""
    layers = [it.step.layer for it in drawn]
    assert {it.steps for it in layers} == set(SEQUENCES)
    assert {it.kernel_height for it in layers} == {it.kernel_width for it in layers} == {1, 3, 5, 7}
    assert {it.stride for it in layers} == {1, 2}
    assert {it.unroll for it in layers} == {1, 2, 4}
    assert {it.pad_top != it.pad_bottom for it in layers} == {True, False}
    assert {it.pad_left != it.pad_right for it in layers} == {True, False}
    assert {it.input_channels > 64 for it in layers} == {it.output_channels > 64 for it in layers}
    assert any(it.output_channels > 128 for it in layers)
    assert {it.first_block for it in layers} >= {0, 6, 9, 12}
    assert any(it.step.output in (it.step.partial, it.step.residual) for it in drawn)


def test_results_are_rarely_clipped(drawn: list[Drawn]) -> None:
    """A layer of which only ends are seen would hide wrong sums."""
    inner = 0
    for it in drawn:
        changed = it.after[it.after != it.before].view(np.int8)
        values = set(changed.tolist()) - {-128, -32, 0, 31, 127}
        inner += len(values) > 3
    assert inner > 0.6 * len(drawn)


def test_weights_and_scales_stay_in_the_array(firmware: Firmware) -> None:
    """Two layers lie beside each other in it, and each runs twice; the second time nothing is loaded."""
    random = np.random.default_rng(1)
    windows = Windows(random)
    layers = [
        Layer(5, 6, 40, 5, 6, 20, first_packet=0, steps=SCALE | QUANTIZE, shift=2, offset_shift=3),
        Layer(4, 4, 64, 4, 4, 32, first_block=7, first_packet=2, steps=SCALE | QUANTIZE),
    ]
    weights = [
        random.integers(-1, 2, (it.output_channels, it.input_channels, 1, 1)) for it in layers
    ]
    scaling = [random.integers(-128, 128, (2, -(-it.output_channels // 16) * 16)) for it in layers]
    lines = [lines_of(it, layer.first_block) for it, layer in zip(weights, layers, strict=True)]
    packets = [packets_of(*it) for it in scaling]
    steps: list[Step] = []
    expected: list[tuple[int, np.ndarray]] = []
    for number in range(4):
        kind = number % 2
        layer = layers[kind]
        shape = layer.input_channels, layer.input_height, layer.input_width
        image = random.integers(-64, 64, shape)
        results = lanes(converted(layer, image, weights[kind]))
        step = Step(LAYER, layer=layer, input=windows.holding(lanes(image)))
        step = replace(step, output=windows.room(results))
        if number < 2:
            step = replace(step, weights=len(lines[0]) * kind, scales=len(packets[0]) * kind)
        steps.append(step)
        values = processed(layer, results, results, scaling[kind], results)
        expected.append((step.output, values))
    after = windows.bytes.copy()
    for place, image in expected:
        write_image(after, place, image)
    data = given(steps, b"".join(lines), b"".join(packets), windows.bytes)
    (output,) = images_after(firmware, [data])
    assert np.array_equal(windows_of(output), after)


@pytest.mark.parametrize("banks", [1, 2, 4])
def test_copies_move_pieces_of_rows_to_banks_and_back(firmware: Firmware, banks: int) -> None:
    """Five rows; with one bank they are six."""
    random = np.random.default_rng(2)
    windows = random.integers(0, 256, (4, WINDOW_BYTES), np.uint8)
    far = random.integers(0, 256, FAR_BYTES, np.uint8)
    steps = [
        Step(COPY_IN, 64, 5, banks, input=32),
        Step(COPY_OUT, 1024, 5, banks, input=48),
    ]
    after, far_after = windows.copy(), far.copy()
    moved = 6 if banks == 1 else 5
    rows = far[64 : 64 + 16 * banks * moved].reshape(moved, banks, 16)
    for bank in range(banks):
        after[bank, 32 : 32 + 16 * moved] = rows[:, bank].ravel()
    back = np.stack([after[bank, 48 : 48 + 16 * moved].reshape(-1, 16) for bank in range(banks)], 1)
    far_after[1024 : 1024 + back.size] = back.ravel()
    (output,) = images_after(firmware, [given(steps, b"", b"", windows, far.tobytes())])
    assert np.array_equal(windows_of(output), after)
    assert np.array_equal(far_of(output), far_after)


@pytest.mark.parametrize(
    ("step", "status"),
    [
        (Step(COPY_IN, 0, 0, 1), _LENGTH),
        (Step(COPY_IN, 0, 0x4001, 1), _LENGTH),
        (Step(COPY_IN, 0, 1, 0), _LENGTH),
        (Step(COPY_IN, 0, 1, 5), _LENGTH),
        (Step(COPY_IN, 2, 1, 1), _ADDRESS),
        (Step(COPY_OUT, 0, 1, 4, input=8), _ADDRESS),
        (Step(COPY_OUT, 0, 0x1001, 2), _ADDRESS),
    ],
)
def test_copies_that_cannot_be_are_refused(step: Step, status: int, firmware: Firmware) -> None:
    windows = np.zeros((BANKS, WINDOW_BYTES), np.uint8)
    with pytest.raises(FirmwareCrashError, match=rf"\b{status}\b"):
        images_after(firmware, [given([step], b"", b"", windows)])
