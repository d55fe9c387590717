"""Random layers: encoded, given to the accelerator's twin, and compared with numpy, byte for byte."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from drawn_layers import Drawn, draw
from job_steps import ENCODE, START, WAIT, Step, given
from places import PLACES, TWINS, build
from tinsmith_emulators import run
from tinsmith_toolchains import Firmware

_LAYERS = 240
_TOGETHER = 40


def steps_of(drawn: Drawn) -> list[Step]:
    return [drawn.layer, Step(START), Step(WAIT)]


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    return [draw(seed) for seed in range(_LAYERS)]


def wrong_layers(firmware: Firmware, drawn: list[Drawn]) -> list[Step]:
    """Those that do not leave the image that numpy expects."""
    found: list[Step] = []
    for first in range(0, len(drawn), _TOGETHER):
        some = drawn[first : first + _TOGETHER]
        result = run(firmware, firmware.target, [given(steps_of(it), it.before) for it in some])
        pairs = zip(some, result.outputs, strict=True)
        found += [it.layer for it, image in pairs if image != it.after.tobytes()]
    return found


@pytest.mark.parametrize(("name", "implementation"), PLACES)
def test_layers_are_numpys_and_touch_nothing_else(
    name: str, implementation: str, drawn: list[Drawn], tmp_path: Path
) -> None:
    assert wrong_layers(build(name, implementation, tmp_path), drawn) == []


@pytest.mark.parametrize(("name", "implementation"), TWINS)
def test_twins_know_addresses_in_the_weight_memory(
    name: str, implementation: str, drawn: list[Drawn], tmp_path: Path
) -> None:
    """It is no other memory to a computer, but the words count from its start."""
    there = [replace(it, layer=replace(it.layer, in_weight_memory=1)) for it in drawn[:_TOGETHER]]
    assert wrong_layers(build(name, implementation, tmp_path), there) == []


def test_layers_are_of_all_kinds(drawn: list[Drawn]) -> None:
    """What the test above stands for: every mode with all bits, paddings, remainders, signs, scales and outputs."""
    layers = [it.layer for it in drawn]
    assert {(it.mode, it.weight_bits) for it in layers} == {
        (mode, bits) for mode in range(3) for bits in range(2, 9)
    }
    assert {(it.mode, it.input_is_signed, it.scale_bits) for it in layers} == {
        (mode, signed, bits) for mode in range(3) for signed in range(2) for bits in (0, 8, 32)
    }
    assert {(it.scale_bits, it.is_rectified, it.output_bits) for it in layers} == {
        (bits, rectified, output)
        for bits in (8, 32)
        for rectified in range(2)
        for output in (8, 32)
    } | {(0, 0, 32)}
    assert {it.output_height % 6 for it in layers} == {*range(6)}
    assert {it.pad_bottom for it in layers} == {it.pad_left for it in layers} == {0, 1, 2}
    assert {it.input_height > 6 for it in layers} == {it.input_channels > 32 for it in layers}
    assert all(it.kind == ENCODE for it in layers)
    changed = [np.count_nonzero(it.before != it.after) for it in drawn]
    assert min(changed) > 0
