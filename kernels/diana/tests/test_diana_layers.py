"""Random layers: encoded, given to the accelerator or its twin, and compared with numpy, byte for byte."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from diana_layouts import Bytes
from diana_places import DRIVER, PLACES, TWINS, build, images_after
from diana_steps import (
    ADDITION,
    CHANNEL_LOOPS,
    CONVOLUTION,
    COPY_IN,
    COPY_OUT_OF_BANKS,
    DEPTHWISE,
    INSTRUCTION_LISTS,
    START,
    WAIT,
    WAIT_FOR_COPY,
    WHOLE_VECTORS,
    Array,
    Step,
    given,
)
from drawn_diana_layers import Drawn, DrawnPixels, draw, draw_joined, draw_pixels
from tinsmith_emulators import FirmwareCrashError
from tinsmith_toolchains import Firmware

_LAYERS = 240
_TOGETHER = 40
_JOINED = 64

_FEATURES = {
    "diana+channel-loops": CHANNEL_LOOPS,
    "diana+instruction-lists": INSTRUCTION_LISTS,
    "diana+whole-vectors": WHOLE_VECTORS,
    "diana+channel-loops+instruction-lists+whole-vectors": (
        CHANNEL_LOOPS | INSTRUCTION_LISTS | WHOLE_VECTORS
    ),
}
"""Of layers, by the chip that takes them."""


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    return [draw(seed) for seed in range(_LAYERS)]


def steps_of(drawn: Drawn) -> list[Step]:
    it = drawn.layer
    start = Step(START, weights=it.weights, input=it.input, operand=it.operand, output=it.output)
    if not isinstance(drawn, DrawnPixels):
        return [it, start, Step(WAIT)]
    banks = Array(it.output.offset, it.output.bytes)
    copies = [
        Step(COPY_OUT_OF_BANKS, input=banks, rows=drawn.rows, banks=drawn.banks),
        Step(COPY_IN, input=drawn.copied),
    ]
    return [it, start, *copies, Step(WAIT_FOR_COPY)]


def images_of(firmware: Firmware, drawn: Sequence[Drawn]) -> list[Bytes]:
    images: list[Bytes] = []
    for first in range(0, len(drawn), _TOGETHER):
        some = drawn[first : first + _TOGETHER]
        images += images_after(
            firmware, [given(steps_of(it), it.weights, it.before) for it in some]
        )
    return images


@pytest.mark.parametrize("implementation", PLACES)
def test_layers_are_numpys_and_touch_nothing_else(
    implementation: str, drawn: list[Drawn], tmp_path: Path
) -> None:
    images = images_of(build(implementation, tmp_path), drawn)
    pairs = zip(drawn, images, strict=True)
    assert [it.layer for it, image in pairs if not it.is_right(image)] == []


@pytest.mark.parametrize("implementation", PLACES)
def test_convolutions_give_pixels_in_banks(implementation: str, tmp_path: Path) -> None:
    drawn = [draw_pixels(seed) for seed in range(2 * _TOGETHER)]
    images = images_of(build(implementation, tmp_path), drawn)
    pairs = zip(drawn, images, strict=True)
    assert [it.layer for it, image in pairs if not it.is_right(image)] == []


@pytest.mark.parametrize("implementation", PLACES)
@pytest.mark.parametrize("chip", _FEATURES)
def test_layers_of_less_jobs_are_numpys_and_touch_nothing_else(
    chip: str, implementation: str, tmp_path: Path
) -> None:
    """Each before a layer of the published kind, which finds the driver as it was."""
    drawn = [draw_joined(seed, _FEATURES[chip]) for seed in range(_JOINED)]
    mixed = [it for seed, each in enumerate(drawn) for it in (each, draw(seed))]
    images = images_of(build(implementation, tmp_path, chip=chip), mixed)
    pairs = zip(mixed, images, strict=True)
    assert [it.layer for it, image in pairs if not it.is_right(image)] == []


@pytest.mark.parametrize("features", [CHANNEL_LOOPS, INSTRUCTION_LISTS, WHOLE_VECTORS])
def test_the_published_chip_refuses_layers_of_less_jobs(features: int, tmp_path: Path) -> None:
    """Where depthwise layers have more than four channels, vectors more than 16 outputs."""
    firmware = build(DRIVER, tmp_path)
    mode = 0 if features == WHOLE_VECTORS else 1
    large = (draw_joined(seed, features) for seed in range(mode, _JOINED, 2))
    first = next(it for it in large if it.layer.output_channels > 60)
    with pytest.raises(FirmwareCrashError, match=r"DIANA digital: .*expected"):
        images_of(firmware, [first])


def test_pixels_have_as_many_banks_and_words_as_there_may_be() -> None:
    """What the test above stands for."""
    drawn = [draw_pixels(seed) for seed in range(2 * _TOGETHER)]
    assert {it.banks for it in drawn} == {1, 2, 3, 4}
    assert {-(-it.layer.output_channels // 16) for it in drawn} == {1, 2, 3, 4, 5, 6, 7}
    assert {it.layer.output_width > 16 for it in drawn} == {True, False}
    assert any(it.layer.output_width % 16 == 0 for it in drawn)


def test_twin_also_writes_what_means_nothing_as_the_accelerator_does(
    drawn: list[Drawn], tmp_path: Path
) -> None:
    """Columns behind rows, and the planes behind those of depthwise layers."""
    some = drawn[: 2 * _TOGETHER]
    twin = images_of(build(TWINS[0], tmp_path), some)
    there = images_of(build(DRIVER, tmp_path), some)
    triples = zip(some, twin, there, strict=True)
    assert [it.layer for it, one, other in triples if not np.array_equal(one, other)] == []
    assert any(not it.is_known.all() for it in some)


def test_layers_are_of_all_kinds(drawn: list[Drawn]) -> None:
    """What the test above stands for: kernels, strides, paddings and remainders of every kind, few results clipped."""
    layers = [it.layer for it in drawn]
    images = [it for it in layers if it.mode in (CONVOLUTION, DEPTHWISE)]
    for mode in (CONVOLUTION, DEPTHWISE):
        some = [it for it in images if it.mode == mode]
        assert {it.kernel_height for it in some} == {it.kernel_width for it in some} == {1, 3, 5, 7}
        assert {it.stride for it in some} == {1, 2}
        assert {it.is_rectified for it in some} == {0, 1}
    assert any(it.kernel_height != it.kernel_width for it in images)
    assert any(it.pad_top != it.pad_bottom for it in images)
    assert {0, 1, 2, 3} <= {it.pad_width for it in images}
    assert {0, 1, 15} <= {it.output_width % 16 for it in images}
    assert {it.output_width > 16 for it in images} == {it.output_channels > 16 for it in layers}
    assert {it.input_channels % 4 for it in layers if it.mode == DEPTHWISE} == {0, 1, 2, 3}
    assert {it.shift for it in layers if it.mode == ADDITION} >= {0, 1, 2}


def test_results_are_rarely_clipped(drawn: list[Drawn]) -> None:
    """A layer of which only ends are seen would hide wrong sums."""
    inner = 0
    for it in drawn:
        output = slice(it.layer.output.offset, it.layer.output.offset + it.layer.output.bytes)
        values = it.after[output][it.is_known[output]].view(np.int8)
        inner += np.count_nonzero((values > -128) & (values < 127) & (values != 0)) > 0
    assert inner > 0.8 * len(drawn)
