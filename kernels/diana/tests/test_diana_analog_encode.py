"""The words of layers of the analog accelerator that were worked out by hand, and what is refused."""

import ctypes
from dataclasses import dataclass, replace

import pytest
from analog_steps import PARTIAL, QUANTIZE, RECTIFY, RESIDUAL, SCALE, Layer
from diana_encoder import NOTHING, compiled

_OK, _SHAPE, _PADDING, _WEIGHTS, _OUTPUT, _MEMORY = 0, 2, 3, 4, 5, 6
_WORDS = 16

# One of ResNet's convolutions, two columns of outputs of an evaluation, and the like with more behind the converters.
CONV = Layer(32, 32, 16, 16, 16, 20, 3, 3, 2, 1, 0, 1, 0, unroll=2, first_block=3)
DONE = replace(
    CONV,
    steps=SCALE | RESIDUAL | RECTIFY | QUANTIZE,
    first_packet=5,
    shift=9,
    residual_shift=3,
    offset_shift=7,
)
CONNECTED = Layer(1, 1, 640, 1, 1, 128)


@dataclass(frozen=True)
class Encoder:
    library: ctypes.CDLL

    def encode(self, layer: Layer) -> tuple[int, list[int]]:
        """The status, and the words, all NOTHING before."""
        numbers = layer.numbers
        record = (ctypes.c_uint32 * _WORDS)(*[NOTHING] * _WORDS)
        it = (ctypes.c_uint32 * len(numbers))(*numbers)
        status = self.library.tinsmith_diana_analog_encode(ctypes.byref(it), ctypes.byref(record))
        return int(status), list(record)


@pytest.fixture(scope="module")
def encode(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return Encoder(compiled("analog_encode.c", tmp_path_factory.mktemp("encode")))


def _halves(words: list[int]) -> list[int]:
    return [half for word in words for half in (word & 0xFFFF, word >> 16)]


def test_words_of_a_convolution(encode: Encoder) -> None:
    """288 lines of 144 rows; 20 outputs are one block of 32 and two packets."""
    status, words = encode.encode(CONV)
    assert status == _OK
    assert _halves(words) == [
        *(0x3F, 0, 0, 0, 0, 0, 0),
        *(16, 20, 32, 32, 7, 0x33),
        *(8, 16, 2, 2),
        *(0b01_00_01_00, 1, 5 | 3 << 9, 0x8000, 0x0100, 0xF000),
        *(0, 0x0084, 288, 2, 0, 0, 0, 0, 0),
    ]


def test_words_of_what_is_behind_the_converters(encode: Encoder) -> None:
    status, words = encode.encode(DONE)
    halves = _halves(words)
    assert (status, halves[0], halves[6], halves[27]) == (_OK, 0b100001, 5, 0x7309)


def test_words_of_a_fully_connected_layer(encode: Encoder) -> None:
    """640 channels are ten blocks and 1280 lines."""
    status, words = encode.encode(CONNECTED)
    halves = _halves(words)
    assert (status, halves[18], halves[20], halves[25]) == (_OK, 10, 0xF000, 1280)


@pytest.mark.parametrize(
    ("refused", "status"),
    [
        (replace(CONV, input_channels=0), _SHAPE),
        (replace(CONV, input_channels=1024), _SHAPE),
        (replace(CONV, output_channels=513), _SHAPE),
        (replace(CONV, output_height=15), _SHAPE),
        (replace(CONV, output_width=17), _SHAPE),
        (replace(CONV, kernel_height=2), _SHAPE),
        (replace(CONV, kernel_width=9), _SHAPE),
        (replace(CONV, stride=3), _SHAPE),
        (replace(CONV, unroll=3), _SHAPE),
        (replace(CONV, unroll=0), _SHAPE),
        (replace(CONV, unroll=16), _SHAPE),
        (replace(CONV, input_width=30, output_width=15), _SHAPE),
        (replace(CONV, pad_top=3), _PADDING),
        (replace(CONV, pad_right=3), _PADDING),
        (replace(CONV, first_block=16), _WEIGHTS),
        (replace(CONV, output_channels=257), _WEIGHTS),
        (replace(CONV, first_block=15, input_channels=13), _WEIGHTS),
        (replace(CONNECTED, input_channels=1009, first_block=3), _WEIGHTS),
        (replace(CONV, steps=QUANTIZE), _OUTPUT),
        (replace(CONV, steps=PARTIAL | SCALE | QUANTIZE), _OUTPUT),
        (replace(CONV, steps=32), _OUTPUT),
        (replace(CONV, shift=32), _OUTPUT),
        (replace(CONV, residual_shift=16), _OUTPUT),
        (replace(CONV, offset_shift=16), _OUTPUT),
        (replace(CONV, first_packet=1), _OUTPUT),
        (replace(DONE, first_packet=31), _OUTPUT),
        (Layer(128, 129, 16, 128, 129, 8), _MEMORY),
        (Layer(64, 65, 64, 64, 65, 64), _MEMORY),
        (Layer(64, 64, 65, 64, 64, 64), _MEMORY),
    ],
)
def test_what_the_accelerator_cannot_do_is_refused(
    refused: Layer, status: int, encode: Encoder
) -> None:
    assert encode.encode(refused) == (status, [NOTHING] * _WORDS)


@pytest.mark.parametrize(
    "possible",
    [
        replace(CONV, output_channels=256),
        replace(CONV, first_block=15, input_channels=12),
        replace(CONNECTED, input_channels=960, first_block=3),
        replace(DONE, first_packet=30),
        Layer(128, 128, 16, 128, 128, 8),
        Layer(64, 64, 64, 64, 64, 64),
    ],
)
def test_what_is_just_possible_is_encoded(possible: Layer, encode: Encoder) -> None:
    assert encode.encode(possible)[0] == _OK
