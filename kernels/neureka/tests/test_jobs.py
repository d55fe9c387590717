"""Jobs: in the order of their starts, two under way, waited for in any order, as late or as early as may be."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from job_steps import (
    COPY,
    ENCODE,
    IMAGE_BYTES,
    PLACE,
    START,
    TOUCH,
    WAIT,
    Array,
    Step,
    given,
)
from numpy.typing import NDArray
from places import PLACES, build
from tinsmith_emulators import run
from tinsmith_neureka import Mode, packed_weights
from tinsmith_toolchains import Firmware

_ROWS, _COLUMNS = 24, 40
_PIXELS = _ROWS * _COLUMNS
_WEIGHTS, _SCALES = Array(0, 32), Array(64, 1)
_INPUT = 128
_SEEN, _SEEN_BYTES = 0x2000, 16
_NUMBERS = np.arange(_PIXELS) % 97 + 1
_LATE, _EARLY = "host", "host_early"


def doubling(job: int, source: int, to: int) -> Step:
    """A layer of one channel whose outputs are its inputs times 2; source, to: numbers of arrays."""
    return Step(
        ENCODE,
        job=job,
        mode=2,
        input_height=_ROWS,
        input_width=_COLUMNS,
        output_height=_ROWS,
        output_width=_COLUMNS,
        input_row_bytes=_COLUMNS,
        input_pixel_bytes=1,
        output_row_bytes=_COLUMNS,
        output_pixel_bytes=1,
        weight_bits=2,
        weight_offset=-1,
        scale_bits=8,
        output_bits=8,
        input=array(source),
        weights=_WEIGHTS,
        scales=_SCALES,
        output=array(to),
        input_is_signed=1,
    )


def array(number: int) -> Array:
    return Array(_INPUT + _PIXELS * number, _PIXELS)


def look(slot: int, number: int) -> Step:
    """Keeps what the core sees of the end of an array by now, which the last tile of a job writes."""
    return Step(COPY, input=end_of(array(number)), output=seen(slot))


def end_of(whole: Array) -> Array:
    return Array(whole.offset + whole.bytes - _SEEN_BYTES, _SEEN_BYTES)


def seen(slot: int) -> Array:
    return Array(_SEEN + _SEEN_BYTES * slot, _SEEN_BYTES)


def start_image() -> NDArray[np.uint8]:
    """Array 0 counts from 1 on, again and again."""
    image = np.full(IMAGE_BYTES, 0x55, np.uint8)
    image[:32] = packed_weights(np.full((1, 1, 1, 1), 2), Mode.CONV_1X1, 2, -1)
    image[_SCALES.offset] = 1
    image[_INPUT : _INPUT + _PIXELS] = _NUMBERS
    return image


def after(*factors: int, looks: tuple[int, ...] = ()) -> NDArray[np.uint8]:
    """The image whose arrays from 1 on hold array 0 times so much, clipped to int8. looks: at which arrays."""
    image = start_image()
    for number, factor in enumerate(factors, 1):
        numbers = np.minimum(_NUMBERS * factor, 127)
        image[array(number).offset :][:_PIXELS] = numbers
    for slot, number in enumerate(looks):
        image[seen(slot).offset :][:_SEEN_BYTES] = image[end_of(array(number)).offset :][
            :_SEEN_BYTES
        ]
    return image


@pytest.fixture(params=PLACES, ids="-".join)
def firmware(request: pytest.FixtureRequest, tmp_path: Path) -> Firmware:
    place: tuple[str, str] = request.param
    return build(*place, tmp_path)


def image_after(firmware: Firmware, steps: list[Step]) -> NDArray[np.uint8]:
    (output,) = run(firmware, firmware.target, [given(steps, start_image())]).outputs
    return np.frombuffer(output, np.uint8)


def test_jobs_run_in_the_order_of_their_starts(firmware: Firmware) -> None:
    """The second reads what the first writes; it alone is waited for at first."""
    started = [doubling(0, 0, 1), Step(START, 0), doubling(1, 1, 2), Step(START, 1)]
    waits = [Step(WAIT, 1), look(0, 2), Step(WAIT, 0), Step(WAIT, 1)]
    assert np.array_equal(image_after(firmware, [*started, *waits]), after(2, 4, looks=(2,)))


def test_each_job_is_waited_for_while_another_is_under_way(firmware: Firmware) -> None:
    started = [doubling(0, 0, 1), doubling(1, 1, 2), Step(START, 0), Step(START, 1)]
    waits = [Step(WAIT, 0), look(0, 1), Step(WAIT, 1), look(1, 2)]
    assert np.array_equal(image_after(firmware, [*started, *waits]), after(2, 4, looks=(1, 2)))


def test_a_third_start_waits_for_the_first_job(firmware: Firmware) -> None:
    """No wait but the last one's; to start takes less than such a job does."""
    encoded = [doubling(i, i, i + 1) for i in range(3)]
    started = [Step(START, i) for i in range(3)]
    image = image_after(firmware, [*encoded, *started, Step(WAIT, 2), look(0, 3)])
    assert np.array_equal(image, after(2, 4, 8, looks=(3,)))


def test_an_encoded_job_is_started_again_at_another_place(firmware: Firmware) -> None:
    """A start takes a copy: the record changes while the first job is under way."""
    there = replace(doubling(0, 1, 2), kind=PLACE)
    started = [doubling(0, 0, 1), Step(START, 0), there, Step(START, 0)]
    image = image_after(firmware, [*started, Step(WAIT, 0), look(0, 2)])
    assert np.array_equal(image, after(2, 4, looks=(2,)))


@pytest.mark.parametrize(("implementation", "first"), [(_LATE, -4), (_EARLY, 2)])
def test_the_twin_reads_as_late_or_as_early_as_it_may(
    implementation: str, first: int, tmp_path: Path
) -> None:
    """A program that writes the input of a job under way has two results, a race: 1 becomes -2."""
    touch = Step(TOUCH, at=_INPUT)
    steps = [doubling(0, 0, 1), Step(START, 0), touch, Step(WAIT, 0)]
    image = image_after(build("host", implementation, tmp_path), steps)
    assert image.view(np.int8)[array(1).offset] == first
