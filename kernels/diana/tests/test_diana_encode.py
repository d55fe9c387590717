"""The words of layers that were worked out by hand, and what is refused."""

from dataclasses import replace

import pytest
from diana_encoder import NOTHING, WORDS, Encoder, encoder
from diana_steps import (
    ADDITION,
    CHANNEL_LOOPS,
    CONVOLUTION,
    DEPTHWISE,
    FULLY_CONNECTED,
    INSTRUCTION_LISTS,
    WHOLE_VECTORS,
    Step,
    layer,
)

_OK, _MODE, _SHAPE, _PADDING, _WEIGHTS, _OUTPUT, _MEMORY = range(7)
_NO_FURTHER = [0] * 7
_BANK = 0x10000

# DS-CNN's first layer as HTVM has it, and one of its depthwise layers, with 66 channels.
CONV = layer(
    CONVOLUTION,
    (10, 49, 1),
    (5, 25, 64),
    kernel=(5, 7),
    stride=2,
    pads=(2, 2, 3),
    shift=4,
    is_rectified=True,
)
DEPTH = layer(DEPTHWISE, (5, 25, 66), kernel=(3, 3), pads=(1, 1, 1), shift=31)
CONNECTED = layer(FULLY_CONNECTED, (1, 1, 636), (1, 1, 130), shift=7)
# MobileNet's last convolution, whose weights are more than the memory for them holds.
WIDE = layer(CONVOLUTION, (3, 3, 256))
# Rows of 16 pixels.
TALL = layer(CONVOLUTION, (1, 16, 1), gives_pixels=True)
SUM = layer(ADDITION, (7, 17, 3), shift=1)


@pytest.fixture(scope="module")
def encode(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return encoder(tmp_path_factory.mktemp("encode"))


def test_words_of_a_convolution(encode: Encoder) -> None:
    """Rows of 49 elements have 64 bytes, those of 25 have 32."""
    assert encode.encode(CONV) == (
        _OK,
        [
            *(1, 0, 0, 0, 1, 4),
            *(49, 10, 64, 640, 7, 5, 2, 5),
            *(1, 2, 160, 1, 1, 4, 0x2203),
            *(0, 0, 0, 1, *_NO_FURTHER),
            *(1, 64 * (35 + 4), 1, 64 * (35 + 4), 0, 0, 64 * 160, 0),
        ],
    )


def test_words_of_a_convolution_that_gives_pixels(encode: Encoder) -> None:
    """The layout alone differs; several jobs write a block, or two, of 16 channels to the next banks."""
    plain, pixels = (encode.encode(replace(CONV, gives_pixels=given)) for given in (0, 1))
    wanted = {**dict(enumerate(plain[1])), 15: 1, 38: 4 * _BANK}
    assert (pixels[0], dict(enumerate(pixels[1]))) == (_OK, wanted)
    wide = replace(WIDE, input_channels=2000, output_channels=64, gives_pixels=1)
    status, words = encode.encode(wide)
    assert status == _OK
    assert (words[5], words[32:39]) == (2, [2, 2 * 16 * 2004, 1, 2 * 16 * 2004, 0, 0, 2 * _BANK])


def test_words_of_a_depthwise_convolution(encode: Encoder) -> None:
    """A job for each channel; four of them share rows of weights."""
    assert encode.encode(DEPTH) == (
        _OK,
        [
            *(1, 0, 0, 0, 1, 1),
            *(25, 5, 32, 160, 3, 3, 2, 5),
            *(0, 2, 160, 1, 1, 31, 0x1101),
            *(0, 0, 0, 0, *_NO_FURTHER),
            *(66, 16 * 13, 4, 16 * 13, 4, 160, 160, 0),
        ],
    )


def _changed(encode: Encoder, layer: Step, features: int) -> dict[int, int]:
    """Words that are others with those features."""
    (status, plain), (other_status, other) = (
        encode.encode(replace(layer, features=given)) for given in (0, features)
    )
    assert (status, other_status) == (_OK, _OK)
    return {i: new for i, (old, new) in enumerate(zip(plain, other, strict=True)) if old != new}


def test_channels_of_one_place_in_their_groups_are_joined(encode: Encoder) -> None:
    """66 channels are 17 groups, of which a list has 16 and a loop all; planes of a place lie four planes apart."""
    assert _changed(encode, DEPTH, INSTRUCTION_LISTS) == {16: 4 * 160, 39: 16}
    looped = {9: 4 * 160, 16: 4 * 160, 22: 16 * 13, 23: 17, 39: 17}
    assert _changed(encode, DEPTH, CHANNEL_LOOPS) == looped
    assert _changed(encode, DEPTH, CHANNEL_LOOPS | INSTRUCTION_LISTS) == looped
    assert _changed(encode, DEPTH, WHOLE_VECTORS) == {}


def test_channels_are_joined_as_far_as_there_is_room(encode: Encoder) -> None:
    """The weight memory takes 77 of 7x7; four channels have no second group; 60 planes of 32x96 have no room beside
    40.
    """
    wide = layer(DEPTHWISE, (5, 16, 400), kernel=(7, 7), pads=(3, 3, 3))
    assert _changed(encode, wide, CHANNEL_LOOPS)[39] == 65_536 // (16 * 53)
    few = layer(DEPTHWISE, (5, 16, 4), kernel=(3, 3), pads=(1, 1, 1))
    assert _changed(encode, few, CHANNEL_LOOPS | INSTRUCTION_LISTS) == {}
    large = layer(DEPTHWISE, (32, 96, 20), kernel=(3, 3), pads=(1, 1, 1))
    assert _changed(encode, large, CHANNEL_LOOPS | INSTRUCTION_LISTS) == {}


def test_fully_connected_outputs_are_as_few_jobs_as_weights_allow(encode: Encoder) -> None:
    """Nine blocks of 41 * 256 bytes: three thirds of three, or six and three by lists."""
    block = 41 * 256
    whole = {5: 3, 32: 3, 33: 3 * block, 35: 3 * block, 38: 3 * 16}
    assert _changed(encode, CONNECTED, WHOLE_VECTORS) == whole
    assert _changed(encode, CONNECTED, INSTRUCTION_LISTS) == {39: 6}
    small = replace(CONNECTED, input_channels=64, output_channels=320)
    assert _changed(encode, small, INSTRUCTION_LISTS) == {39: 16}
    assert _changed(encode, small, INSTRUCTION_LISTS | WHOLE_VECTORS)[5] == 20


def test_words_of_a_fully_connected_layer(encode: Encoder) -> None:
    """636 inputs are 40 blocks, 130 outputs 9 jobs of 16."""
    assert encode.encode(CONNECTED) == (
        _OK,
        [
            *(0, 0, 0, 0, 40, 1),
            *([0] * 8),
            *(0, 2, 0, 1, 1, 7, 0),
            *(0, 0, 0, 0, *_NO_FURTHER),
            *(9, 256 * 41, 1, 256 * 41, 0, 0, 16, 0),
        ],
    )


def test_words_of_an_addition(encode: Encoder) -> None:
    """3 planes of 7 rows of two vectors."""
    status, words = encode.encode(SUM)
    assert status == _OK
    assert {i: word for i, word in enumerate(words) if word} == {
        **{0: 3, 4: 42, 18: 1, 19: 1},
        **{32: 1, 34: 1},
    }


def test_a_convolution_with_many_weights_is_several_equal_jobs(encode: Encoder) -> None:
    """66560 bytes are two jobs of 128 outputs; 17 blocks of which but 15 fit are 17 jobs."""
    status, words = encode.encode(WIDE)
    assert status == _OK
    assert (words[5], words[32:39]) == (8, [2, 33280, 1, 33280, 0, 0, 128 * 48])
    status, words = encode.encode(replace(WIDE, output_channels=272))
    assert status == _OK
    assert (words[5], words[32:39]) == (1, [17, 4160, 1, 4160, 0, 0, 16 * 48])


@pytest.mark.parametrize(
    ("refused", "status"),
    [
        (replace(CONV, mode=4), _MODE),
        (replace(CONV, input_channels=0), _SHAPE),
        (replace(CONV, output_channels=65536), _SHAPE),
        (replace(CONV, output_height=6), _SHAPE),
        (replace(CONV, output_width=26), _SHAPE),
        (replace(CONV, kernel_height=4), _SHAPE),
        (replace(CONV, kernel_width=9), _SHAPE),
        (replace(CONV, stride=3), _SHAPE),
        (replace(CONV, pad_top=5), _PADDING),
        (replace(CONV, pad_bottom=5), _PADDING),
        (replace(CONV, pad_width=7), _PADDING),
        (replace(CONV, shift=32), _OUTPUT),
        (replace(CONV, input_height=2, pad_top=0, pad_bottom=0), _SHAPE),
        (replace(DEPTH, output_channels=64), _SHAPE),
        (replace(CONNECTED, input_width=2, output_width=2), _SHAPE),
        (replace(CONNECTED, kernel_width=3, pad_width=1), _SHAPE),
        (replace(CONNECTED, input_channels=4081), _WEIGHTS),
        (replace(WIDE, input_channels=4093), _WEIGHTS),
        (replace(SUM, output_channels=4), _SHAPE),
        (replace(SUM, is_rectified=1), _OUTPUT),
        (replace(SUM, input_channels=1171, output_channels=1171), _MEMORY),
        (replace(DEPTH, input_channels=1624, output_channels=1624), _MEMORY),
        *[(replace(it, gives_pixels=1), _OUTPUT) for it in (DEPTH, CONNECTED, SUM)],
        # Weights of five blocks of 16 channels are of one job, and pixels of two blocks stay in their banks.
        (replace(WIDE, input_channels=816, output_channels=80, gives_pixels=1), _WEIGHTS),
        (replace(TALL, output_height=257, input_height=257, output_channels=17), _MEMORY),
        (replace(TALL, output_height=1025, input_height=1025, output_channels=16), _MEMORY),
    ],
)
def test_what_the_accelerator_cannot_do_is_refused(
    refused: Step, status: int, encode: Encoder
) -> None:
    assert encode.encode(refused) == (status, [NOTHING] * WORDS)


@pytest.mark.parametrize(
    "possible",
    [
        replace(CONNECTED, input_channels=4080),
        replace(WIDE, input_channels=4092),
        replace(SUM, input_channels=1170, output_channels=1170),
        replace(DEPTH, input_channels=1623, output_channels=1623),
        replace(CONV, pad_top=4, pad_bottom=0),
        replace(WIDE, input_channels=815, output_channels=80, gives_pixels=1),
        replace(TALL, output_height=256, input_height=256, output_channels=17),
        replace(TALL, output_height=1024, input_height=1024, output_channels=16),
    ],
)
def test_what_is_just_possible_is_encoded(possible: Step, encode: Encoder) -> None:
    assert encode.encode(possible)[0] == _OK
