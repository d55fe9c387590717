"""The words of layers that were worked out by hand, and what is refused."""

import pytest
from registers import Encoder, Job, Layer, Places, addresses_of, encoder, words_of

_OK, _MODE, _SHAPE, _PADDING, _WEIGHTS, _OUTPUT = range(6)
_NOTHING = 0xA5A5A5A5


@pytest.fixture(scope="module")
def encode(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return encoder(tmp_path_factory.mktemp("encode"))


def conv_3x3(**changes: object) -> Layer:
    """int8, 12x12x56 to 64 channels in four tiles, a padding of one pixel, scales of 32 bits, ReLU, prefetch."""
    fields: dict[str, object] = {
        **{"mode": 0, "input_height": 12, "input_width": 12, "input_channels": 56},
        **{"output_height": 12, "output_width": 12, "output_channels": 64},
        **{"input_row_bytes": 12 * 56, "input_pixel_bytes": 56},
        **{"output_row_bytes": 12 * 64, "output_pixel_bytes": 64},
        **{"pad_top": 1, "pad_right": 1, "pad_bottom": 1, "pad_left": 1, "pad_value": -128},
        **{"input_is_signed": True, "weight_bits": 8, "weight_offset": -128, "prefetches": True},
        **{"scale_bits": 32, "shift": 5, "is_rectified": True, "output_bits": 8},
        "places": Places(0x10001000, 0x10002000, 0x10003000, 0x10004000, 0x10005000),
    }
    return Layer(**fields | changes)


def conv_1x1(**changes: object) -> Layer:
    """uint8, 18x18x65 to sums of 33 channels, four bits, from the weight memory."""
    fields: dict[str, object] = {
        **{"mode": 2, "input_height": 18, "input_width": 18, "input_channels": 65},
        **{"output_height": 18, "output_width": 18, "output_channels": 33},
        **{"input_row_bytes": 18 * 80, "input_pixel_bytes": 80},
        **{"output_row_bytes": 18 * 132, "output_pixel_bytes": 132},
        **{"weight_bits": 4, "weight_offset": -8, "in_weight_memory": True},
        **{"output_bits": 32},
        "places": Places(0x10001000, 0x10523400, None, None, 0x10005000),
    }
    return Layer(**fields | changes)


def depthwise(**changes: object) -> Layer:
    """uint8, 57 channels, 8x4 to 7x4 pixels, padding at the top and twice at the right, scales of 8 bits."""
    fields: dict[str, object] = {
        **{"mode": 1, "input_height": 8, "input_width": 4, "input_channels": 57},
        **{"output_height": 7, "output_width": 4, "output_channels": 57},
        **{"input_row_bytes": 300, "input_pixel_bytes": 57},
        **{"output_row_bytes": 228, "output_pixel_bytes": 57},
        **{"pad_top": 1, "pad_right": 2, "pad_value": 7},
        **{"weight_bits": 5, "weight_offset": -3, "scale_bits": 8, "shift": 31, "output_bits": 8},
        "places": Places(0x10001000, 0x10002000, 0x10003000, None, 0x10005000),
    }
    return Layer(**fields | changes)


def test_words_of_a_3x3_convolution(encode: Encoder) -> None:
    job = Job()
    assert encode.encode(conv_3x3(), job) == _OK
    assert words_of(job) == [
        *(0x10002000, 0x10001000 - 12 * 56 - 56, 0x10005000, 0x10003000, 0, 0x10004000),
        *(56, 672, 0),
        *(32, 64, 768),
        *(32, 32 * 8 * 2, 0),
        *(32 << 16 | 28, 6 << 16 | 6, 7 << 16 | 7),
        *(2 << 16 | 2, 2 << 16 | 2),
        0x1111_0080,
        0xFFFF_FF80,
        0,
        # 8 bits, normalized, prefetch, scales of 32 bits, offset, shift, biases, signed.
        7 | 1 << 4 | 1 << 10 | 2 << 12 | 1 << 15 | 5 << 16 | 1 << 25 | 1 << 26,
    ]


def test_words_of_sums_of_1x1_from_the_weight_memory(encode: Encoder) -> None:
    job = Job()
    assert encode.encode(conv_1x1(), job) == _OK
    assert words_of(job) == [
        *(0x123400, 0x10001000, 0x10005000, 0, 0, 0),
        *(80, 1440, 0),
        *(32, 132, 2376),
        *(32, 32 * 3, 0),
        *(1 << 16 | 1, 6 << 16 | 6, 6 << 16 | 6),
        *(2 << 16 | 3, 3 << 16 | 3),
        0,
        0xFFFF_FFF8,
        0,
        # 4 bits, 1x1, weight memory, offset, 32 bits out, identity.
        3 | 2 << 5 | 1 << 9 | 1 << 15 | 2 << 21 | 1 << 23,
    ]


def test_words_of_a_depthwise_convolution(encode: Encoder) -> None:
    """Tiles of 28 channels on both sides; the last row of tiles has one row, the only column no column of padding."""
    job = Job()
    assert encode.encode(depthwise(), job) == _OK
    assert words_of(job) == [
        *(0x10002000, 0x10001000 - 300, 0x10005000, 0x10003000, 0, 0),
        *(57, 300, 0),
        *(32, 57, 228),
        *(32, 0, 0),
        *(1 << 16 | 1, 1 << 16 | 4, 3 << 16 | 4),
        *(3 << 16 | 3, 2 << 16 | 1),
        1 << 28 | 2 << 24 | 7,
        0xFFFF_FFFD,
        0,
        # 5 bits, normalized, depthwise, offset, shift, identity.
        4 | 1 << 4 | 1 << 5 | 1 << 15 | 31 << 16 | 1 << 23,
    ]


@pytest.mark.parametrize("layer", [conv_3x3(), conv_1x1(), depthwise()])
def test_an_encoded_job_at_other_places_is_the_layer_there(layer: Layer, encode: Encoder) -> None:
    """Addresses beyond 32 bits keep their upper halves."""
    has_biases = layer.places.biases is not None
    there = [0x7F0010010001, 0x7F0010480020, 0x7F0010030004, 0x7F0010040004, 0x7F0010050007]
    places = Places(*there[:3], there[3] if has_biases else None, there[4])
    moved, encoded = Job(), Job()
    assert encode.encode(layer, moved) == _OK
    encode.place(moved, places)
    layer.places = places
    assert encode.encode(layer, encoded) == _OK
    assert words_of(moved) == words_of(encoded)
    assert addresses_of(moved) == addresses_of(encoded)
    assert addresses_of(moved)[2] == there[4]


@pytest.mark.parametrize(
    ("layer", "status"),
    [
        (conv_3x3(mode=3), _MODE),
        (conv_3x3(input_height=13), _SHAPE),
        (conv_3x3(output_width=10), _SHAPE),
        (conv_3x3(input_channels=0), _SHAPE),
        (conv_3x3(output_channels=65536), _SHAPE),
        (depthwise(output_channels=58), _SHAPE),
        (conv_3x3(pad_top=3, input_height=10), _PADDING),
        (conv_3x3(pad_value=128), _PADDING),
        (depthwise(pad_value=-1), _PADDING),
        (depthwise(pad_value=256), _PADDING),
        (conv_1x1(pad_left=1, input_width=17), _PADDING),
        # The tile before the last one would read a row that is not there.
        (depthwise(pad_bottom=2, input_height=6), _PADDING),
        (conv_3x3(weight_bits=1), _WEIGHTS),
        (conv_3x3(weight_bits=9), _WEIGHTS),
        (conv_3x3(scale_bits=16), _OUTPUT),
        (conv_3x3(shift=32), _OUTPUT),
        (conv_3x3(output_bits=16), _OUTPUT),
        (conv_1x1(output_bits=8), _OUTPUT),
        (conv_1x1(shift=1), _OUTPUT),
        (conv_1x1(is_rectified=True), _OUTPUT),
        (conv_1x1(places=Places(1, 1, None, 1, 1)), _OUTPUT),
    ],
)
def test_what_the_accelerator_cannot_do_is_refused(
    layer: Layer, status: int, encode: Encoder
) -> None:
    job = Job()
    job.words[:] = [_NOTHING] * 24
    assert encode.encode(layer, job) == status
    assert words_of(job) == [_NOTHING] * 24


@pytest.mark.parametrize(
    "layer",
    [
        depthwise(pad_bottom=1, input_height=7),
        # Of one row of tiles the padding may be all but one row of what the tile reads.
        depthwise(pad_top=0, pad_bottom=2, input_height=1, output_height=1),
        conv_3x3(pad_value=127),
        conv_3x3(input_channels=65535),
    ],
)
def test_what_is_just_possible_is_encoded(layer: Layer, encode: Encoder) -> None:
    assert encode.encode(layer, Job()) == _OK
