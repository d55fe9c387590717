"""The back end writes the words of jobs itself: they are those of encode.c."""

import numpy as np
import pytest
from registers import Encoder, Job, Layer, Places, encoder, words_of
from tinsmith_neureka import Mode, jobs

_JOBS = 300
_PLACED = 6  # words of addresses


@pytest.fixture(scope="module")
def encode(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return encoder(tmp_path_factory.mktemp("encode"))


def drawn_job(seed: int) -> jobs.Job:
    """One that encode.c knows: with steps of 1, and padding that the last tile has."""
    random = np.random.default_rng(seed)
    mode = Mode(int(random.integers(3)))
    height, top, bottom = _extent(random, mode)
    width, left, right = _extent(random, mode)
    inputs, outputs = (int(count) for count in random.integers(1, 100, 2))
    margin = mode.side - 1
    return jobs.Job(
        mode,
        (height + margin - top - bottom, width + margin - left - right, inputs),
        (height, width, inputs if mode is Mode.DEPTHWISE_3X3 else outputs),
        (1, 1),
        (top, right, bottom, left),
        int(random.integers(-128, 128)),
        int(random.integers(2, 9)),
        int(random.integers(32)),
    )


def _extent(random: np.random.Generator, mode: Mode) -> tuple[int, int, int]:
    """Outputs, padding before and behind."""
    output = int(random.integers(1, 20))
    if mode is Mode.CONV_1X1:
        return output, 0, 0
    before, behind = (int(pad) for pad in random.integers(0, 3, 2))
    fits = jobs.padding_is_known(output, behind) and before + behind < output + 2
    return (output, before, behind) if fits else (output, 0, 0)


def encoded(encode: Encoder, job: jobs.Job) -> list[int]:
    """The words of encode.c, those of addresses 0."""
    input_height, input_width, input_channels = job.input
    output_height, output_width, output_channels = job.output
    top, right, bottom, left = job.padding
    layer = Layer(
        mode=int(job.mode),
        input_height=input_height,
        input_width=input_width,
        input_channels=input_channels,
        output_height=output_height,
        output_width=output_width,
        output_channels=output_channels,
        input_row_bytes=input_width * input_channels,
        input_pixel_bytes=input_channels,
        output_row_bytes=output_width * output_channels,
        output_pixel_bytes=output_channels,
        pad_top=top,
        pad_right=right,
        pad_bottom=bottom,
        pad_left=left,
        pad_value=job.pad_value,
        input_is_signed=True,
        weight_bits=job.bits,
        weight_offset=job.offset,
        prefetches=True,
        scale_bits=32,
        shift=job.shift,
        output_bits=8,
        places=Places(*[0x1000] * 5),
    )
    written = Job()
    assert encode.encode(layer, written) == 0
    return [0] * _PLACED + words_of(written)[_PLACED:]


def test_words_are_those_of_the_driver(encode: Encoder) -> None:
    drawn = [drawn_job(seed) for seed in range(_JOBS)]
    wrong = [job for job in drawn if jobs.words(job).tolist() != encoded(encode, job)]
    assert wrong == []
    assert {job.mode for job in drawn} == {*Mode}
    assert {pad for job in drawn for pad in job.padding} == {0, 1, 2}
