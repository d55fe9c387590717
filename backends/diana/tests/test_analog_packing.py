"""Bytes and words of layers of the analog accelerator: by what its header says, and as the C encoder has them."""

import ctypes
import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_c.testing import host_compiler
from tinsmith_diana.analog.jobs import AnalogConvolution, record
from tinsmith_diana.analog.packing import packed_lines, packed_scales

Integers = NDArray[np.int64]
_SCALE, _RECTIFY, _QUANTIZE = 8, 2, 1
_INSTRUCTION_WORDS = 16

_WORKS = [
    AnalogConvolution((5, 8, 3), (5, 8, 20), (3, 3), 1, (1, 1, 1, 1), 4, 0, True),
    AnalogConvolution((5, 8, 65), (5, 8, 512), (1, 1), 1, (0, 0, 0, 0), 31, 15, False),
    AnalogConvolution((9, 7, 17), (4, 4, 33), (5, 1), 2, (2, 1, 0, 0), 0, 3, False),
    AnalogConvolution((10, 7, 20), (8, 8, 1), (7, 5), 1, (1, 3, 2, 3), 9, 1, True),
    AnalogConvolution((1, 1, 1000), (1, 1, 10), (1, 1), 1, (0, 0, 0, 0), 2, 2, False),
]


def weight_at(packed: NDArray[np.int8], shape: tuple[int, ...], index: tuple[int, ...]) -> int:
    """What the array holds for weight (output, window row, window column, input channel), read bit by bit."""
    outputs, height, width, channels = shape
    output, ky, kx, channel = index
    line_bytes = -(-outputs // 128) * 16
    rows = -(-height * width * channels // 16) * 16
    row = rows - 1 - ((channel * height + ky) * width + kx)
    byte, bit = (output // 8) ^ 3, 7 - output % 8
    lines = packed.view(np.uint8).reshape(rows, 2, line_bytes)
    ones, minus_ones = (int(lines[row, sign, byte]) >> bit & 1 for sign in (0, 1))
    block = row // 64
    is_negated = block <= 8 if output % 2 else not 6 <= block <= 11
    return (minus_ones - ones) if is_negated else (ones - minus_ones)


@pytest.mark.parametrize(
    "shape", [(1, 1, 1, 1), (17, 3, 3, 5), (130, 1, 1, 3), (6, 3, 3, 128), (3, 7, 5, 32)]
)
def test_each_weight_is_where_the_header_says(shape: tuple[int, int, int, int]) -> None:
    weights = np.random.default_rng(shape[0]).integers(-1, 2, shape)
    packed = packed_lines(weights)
    for index in itertools.product(*map(range, shape)):
        assert weight_at(packed, shape, index) == weights[index], index
    # Nothing else is set: a bit is one of as many weights.
    bits = np.unpackbits(packed.view(np.uint8)).sum()
    assert bits == np.count_nonzero(weights)


def test_a_weight_by_hand() -> None:
    """Row 15 of the array, behind 15 that pad; its cell is in the first block, where all are negated."""
    packed = packed_lines(np.full((1, 1, 1, 1), 1)).view(np.uint8)
    assert packed.size == 16 * 2 * 16
    assert np.flatnonzero(packed).tolist() == [15 * 32 + 16 + 3]
    assert packed[15 * 32 + 16 + 3] == 0x80


def test_scales_of_16_outputs_stand_in_front_of_their_addends() -> None:
    multipliers, addends = np.arange(1, 19), -np.arange(1, 19)
    packed = packed_scales(multipliers, addends).reshape(2, 2, 16)
    assert packed[0, 0, :5].tolist() == [4, 3, 2, 1, 8]
    assert packed[0, 1, :5].tolist() == [-4, -3, -2, -1, -8]
    assert packed[1, 0].tolist() == [0, 0, 18, 17, *[0] * 12]
    assert packed[1, 1].tolist() == [0, 0, -18, -17, *[0] * 12]


@pytest.fixture(scope="module")
def encoder(kernels_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """analog_encode.c of kernels/diana."""
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    library = tmp_path_factory.mktemp("encode") / "encode.so"
    room = kernels_folder / "diana"
    headers = [f"-I{room / 'include'}", f"-I{kernels_folder / 'include'}"]
    command = [compiler, "-std=c11", "-shared", "-fPIC", *headers, str(room / "analog_encode.c")]
    subprocess.run([*command, "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize("work", _WORKS, ids=str)
def test_words_are_those_of_the_encoder(work: AnalogConvolution, encoder: ctypes.CDLL) -> None:
    steps = _SCALE | _QUANTIZE | (_RECTIFY if work.is_rectified else 0)
    sizes = [*work.input, *work.output, *work.window, work.stride, *work.padding]
    fields = [*sizes, work.unroll, 0, 0, steps, work.shift, 0, work.addend_shift]
    words = (ctypes.c_uint32 * _INSTRUCTION_WORDS)()
    layer = (ctypes.c_uint32 * len(fields))(*fields)
    assert encoder.tinsmith_diana_analog_encode(layer, words) == 0
    assert record(work)[:_INSTRUCTION_WORDS].tolist() == list(words)


def test_images_and_their_copies_by_hand() -> None:
    """Three channels lie in one bank, 40 pixels of 16 bytes; 20 in two, so the place goes on to the last bank."""
    first, second, *_ = _WORKS
    assert record(first)[_INSTRUCTION_WORDS:].tolist() == [40, 1, 40, 2, 640, 0]
    assert first.l1_bytes == 640 + 640 + 3 * 65_536
    # Two words of all banks a pixel, and eight.
    assert record(second)[_INSTRUCTION_WORDS:].tolist() == [80, 4, 320, 4, 1280, 0]
    assert second.l1_bytes == 1280 + 5120 + 3 * 65_536
    # An odd number of rows of one bank: copies take two at a time.
    odd = AnalogConvolution((3, 3, 16), (3, 3, 4), (1, 1), 1, (0, 0, 0, 0), 0, 0, False)
    assert record(odd)[_INSTRUCTION_WORDS:].tolist() == [9, 1, 9, 1, 160, 0]
    assert odd.l1_bytes == 320


def test_evaluations_are_as_wide_as_the_array_has_room() -> None:
    unrolls = [work.unroll for work in _WORKS]
    # 3 * 3 * (3 + 7) rows, 8 * 20 columns; 512 columns; 17 * 5 * (1 + 3 * 2) rows; 20 * 7 * (5 + 3) rows; one pixel.
    assert unrolls == [8, 1, 4, 4, 1]
