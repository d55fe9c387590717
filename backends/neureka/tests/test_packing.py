"""Packed weights: bits where the accelerator looks for them, nothing lost, and refusals that say why."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_neureka import Mode, PackingError, packed_bytes, packed_weights, unpacked_weights

_WORD_BITS = 256
_SHAPES = [
    (Mode.CONV_3X3, (1, 3, 3, 1)),
    (Mode.CONV_3X3, (3, 3, 3, 28)),
    (Mode.CONV_3X3, (2, 3, 3, 61)),
    (Mode.DEPTHWISE_3X3, (1, 3, 3, 5)),
    (Mode.DEPTHWISE_3X3, (1, 3, 3, 57)),
    (Mode.CONV_1X1, (1, 1, 1, 1)),
    (Mode.CONV_1X1, (5, 1, 1, 32)),
    (Mode.CONV_1X1, (3, 1, 1, 71)),
]


def random_weights(shape: Sequence[int], bits: int, offset: int) -> NDArray[np.int64]:
    random = np.random.default_rng(sum(shape) + bits)
    return random.integers(offset, offset + (1 << bits), tuple(shape))


def bit_at(packed: NDArray[np.uint8], word: int, place: int) -> int:
    return int(packed[word * 32 + place // 8]) >> place % 8 & 1


def stored_at(
    packed: NDArray[np.uint8], mode: Mode, bits: int, at: Sequence[int], tiles: int
) -> int:
    """The stored weight of (row, y, x, channel), bit by bit as the facts' text says."""
    row, y, x, channel = at
    found = 0
    for bit in range(bits):
        if mode is Mode.CONV_1X1:
            word, place = (
                row * tiles + channel // 32,
                channel % 32 // 4 * 32 + bit * 4 + channel % 4,
            )
        else:
            word = (row * tiles + channel // 28) * bits + bit
            place = (3 * y + x) * 28 + channel % 28
        found |= bit_at(packed, word, place) << bit
    return found


def test_bits_of_a_word_of_1x1_by_hand() -> None:
    """Channels 0 to 5 of four bits: the first four share a half byte for each bit, the others begin at byte 4."""
    weights = np.array([1, 2, 4, 15, 8, 3]).reshape(1, 1, 1, 6)
    packed = packed_weights(weights, Mode.CONV_1X1, 4, 0)
    # Bit 0: channels 0 and 3; bit 1: 1 and 3; bit 2: 2 and 3; bit 3: 3 alone. Then bit 0 and 1: channel 5; bit 3: 4.
    assert packed.tolist() == [0xA9, 0x8C, 0, 0, 0x22, 0x10, *[0] * 26]


def test_bits_of_words_of_3x3_by_hand() -> None:
    """Two channels of two bits, offset -2: the pixels lie 28 bits apart, each bit of a weight in a word of its own."""
    weights = np.full((1, 3, 3, 2), -2)
    weights[0, 0, 0] = [-1, 0]
    weights[0, 0, 1] = [1, -2]
    weights[0, 2, 2] = [-2, 1]
    packed = packed_weights(weights, Mode.CONV_3X3, 2, -2)
    low, high = np.unpackbits(packed, bitorder="little").reshape(2, _WORD_BITS)
    assert np.flatnonzero(low).tolist() == [0, 28, 8 * 28 + 1]
    assert np.flatnonzero(high).tolist() == [1, 28, 8 * 28 + 1]


def test_depthwise_channels_share_words_by_28() -> None:
    weights = np.zeros((1, 3, 3, 30), np.int64)
    weights[0, 1, 1, 29] = 2
    packed = packed_weights(weights, Mode.DEPTHWISE_3X3, 2, 0)
    words = np.unpackbits(packed, bitorder="little").reshape(4, _WORD_BITS)
    assert np.argwhere(words).tolist() == [[3, 4 * 28 + 1]]


@pytest.mark.parametrize("bits", range(2, 9))
@pytest.mark.parametrize(("mode", "shape"), _SHAPES)
def test_every_bit_is_in_its_place_and_comes_back(
    mode: Mode, shape: Sequence[int], bits: int
) -> None:
    offset = -(1 << (bits - 1))
    weights = random_weights(shape, bits, offset)
    packed = packed_weights(weights, mode, bits, offset)
    tiles = -(-shape[3] // mode.input_channels)
    found = [stored_at(packed, mode, bits, at, tiles) + offset for at in np.ndindex(*weights.shape)]
    assert found == weights.reshape(-1).tolist()
    assert packed.size == packed_bytes(shape, mode, bits)
    back = unpacked_weights(packed, shape, mode, bits, offset)
    assert back.tolist() == weights.tolist()


@pytest.mark.parametrize(("mode", "shape"), _SHAPES)
def test_what_no_weight_needs_is_zero(mode: Mode, shape: Sequence[int]) -> None:
    """So that the same weights have the same bytes: of weights that store all ones, as many ones as bits."""
    bits = 5
    packed = packed_weights(np.full(shape, 31), mode, bits, 0)
    assert int(np.unpackbits(packed).sum()) == bits * int(np.prod(shape))


@pytest.mark.parametrize(
    ("mode", "shape", "wanted"),
    [
        (Mode.CONV_3X3, (64, 3, 3, 57), 64 * 3 * 4 * 32),
        (Mode.DEPTHWISE_3X3, (1, 3, 3, 57), 3 * 4 * 32),
        (Mode.CONV_1X1, (64, 1, 1, 65), 64 * 3 * 32),
    ],
)
def test_bytes_are_words_of_all_tiles(mode: Mode, shape: Sequence[int], wanted: int) -> None:
    assert packed_bytes(shape, mode, 4) == wanted


@pytest.mark.parametrize(
    ("weights", "mode", "bits", "offset", "message"),
    [
        (np.full((2, 1, 1, 3), 8), Mode.CONV_1X1, 4, -8, r"\[-8, 8\) .* got 8 at \(0, 0, 0, 0\)"),
        (np.full((2, 1, 1, 3), -1), Mode.CONV_1X1, 8, 0, r"\[0, 256\) .* got -1"),
        (np.zeros((2, 1, 1, 3), int), Mode.CONV_1X1, 1, 0, "2 to 8 bits, got 1"),
        (np.zeros((2, 1, 1, 3), int), Mode.CONV_1X1, 9, 0, "2 to 8 bits, got 9"),
        (
            np.zeros((2, 5, 5, 3), int),
            Mode.CONV_3X3,
            8,
            0,
            r"\(output channels, 3, 3, channels\) for",
        ),
        (np.zeros((2, 3, 3, 3), int), Mode.CONV_1X1, 8, 0, r"got \(2, 3, 3, 3\)"),
        (np.zeros((2, 3, 3, 3), int), Mode.DEPTHWISE_3X3, 8, 0, r"\(1, 3, 3, channels\)"),
        (np.zeros((2, 3, 3, 0), int), Mode.CONV_3X3, 8, 0, r"got \(2, 3, 3, 0\)"),
        (np.zeros((2, 3), int), Mode.CONV_1X1, 8, 0, r"got \(2, 3\)"),
    ],
)
def test_what_the_accelerator_cannot_hold_is_refused(
    weights: NDArray[np.int64], mode: Mode, bits: int, offset: int, message: str
) -> None:
    with pytest.raises(PackingError, match=message):
        packed_weights(weights, mode, bits, offset)


def test_bytes_of_another_layer_are_refused() -> None:
    packed = packed_weights(np.zeros((2, 1, 1, 3), int), Mode.CONV_1X1, 8, 0)
    with pytest.raises(PackingError, match=r"expected 96 bytes .* got 64"):
        unpacked_weights(packed, (3, 1, 1, 3), Mode.CONV_1X1, 8, 0)
