"""DIANA's digital accelerator: values against numpy, for layers at random; cycles; layouts; programs; copies."""

from pathlib import Path

import numpy as np
import pytest
from diana_programs import L1_BYTES, run
from digital_layers import Layer, Placed, place, random_layer
from digital_model import (
    Connected,
    Convolution,
    connected_words,
    convolution_words,
    convolve,
    pack_convolution,
    rows_of,
)
from digital_programs import Program
from support import count, read_trace, seeded

_LAYERS_AT_ONCE = 6


def _fill(program: Program, rng: np.random.Generator) -> None:
    program.l1[:] = rng.integers(0, 256, L1_BYTES, np.uint8).tobytes()


def _check_layers(layers: list[Layer], folder: Path) -> None:
    """One after the other, in one program: values, cycles of each job, and that nothing else of L1 changes."""
    rng = np.random.default_rng(seeded().randrange(2**32))
    program = Program()
    _fill(program, rng)
    placed = [place(program, layer, rng) for layer in layers]
    trace = folder / "trace.json"
    memory = bytearray(run(program, folder, "--trace", str(trace)))
    _check_values(placed, memory)
    for one in placed:
        memory[one.place : one.place + one.size] = program.l1[one.place : one.place + one.size]
    assert memory == program.l1, "bytes beside the outputs changed"
    _check_cycles(placed, trace)


def _check_values(placed: list[Placed], memory: bytearray) -> None:
    for one in placed:
        found = one.read(bytes(memory[one.place : one.place + one.size]))
        assert np.array_equal(found, one.expected), one.layer


def _check_cycles(placed: list[Placed], trace: Path) -> None:
    parts = ("set-up", "weights", "compute", "copy")
    slices = [job for job in read_trace(trace)["digital"] if not job.name.startswith(parts)]
    took = [job.ended - job.began for job in slices]
    assert took == [cycles for one in placed for cycles in one.cycles]


def test_random_layers_are_bit_exact_and_take_the_cycles_of_the_model(tmp_path: Path) -> None:
    generator = seeded()
    layers = [random_layer(generator, number) for number in range(count("DIANA", 48))]
    for first in range(0, len(layers), _LAYERS_AT_ONCE):
        _check_layers(layers[first : first + _LAYERS_AT_ONCE], tmp_path)


def test_element_i_lies_at_byte_i_xor_3(tmp_path: Path) -> None:
    """By hand: one channel, a kernel of one tap of 2 in lane 5, biases 100 * lane."""
    program = Program()
    program.l1[0:16] = bytes([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12])
    weights = bytearray(16 + 64)
    weights[5 ^ 3] = 2
    for lane in range(16):
        weights[16 + (lane ^ 3)] = 100 * lane & 0xFF
        weights[32 + (lane ^ 3)] = 100 * lane >> 8
    layer = Convolution(1, 16, 1, 16, (1, 1), top=0, bottom=0, side=0, shift=2)
    job = program.convolution(bytes(weights), convolution_words(layer, 0, 16))
    program.steps.append(program.configure(0x800, 15) | job)
    memory = run(program, tmp_path)
    for lane in range(16):
        for x in range(16):
            wanted = min((100 * lane + (2 * x if lane == 5 else 0)) >> 2, 127)
            assert memory[16 + 16 * lane + (x ^ 3)] == wanted, (lane, x)


def test_biases_of_fully_connected_layers_are_16_bytes_each(tmp_path: Path) -> None:
    """By hand: input 1 alone is 1; output k is its weight, k, and its bias, -3 * k."""
    program = Program()
    program.l1[1 ^ 3] = 1
    weights = bytearray(512)
    for k in range(16):
        weights[16 * k + (1 ^ 3)] = k
        for byte in range(16):
            weights[256 + 16 * k + (byte ^ 3)] = (-3 * k) >> 8 * byte & 0xFF
    job = program.connected(bytes(weights), connected_words(Connected(16, 16, shift=0), 0, 16))
    program.steps.append(program.configure() | job)
    memory = run(program, tmp_path)
    found = [int(np.int8(np.uint8(memory[16 + (k ^ 3)]))) for k in range(16)]
    assert found == [-2 * k for k in range(16)]


@pytest.mark.parametrize("outputs", [16, 48, 80])
def test_channels_last_lie_in_four_banks(outputs: int, tmp_path: Path) -> None:
    """Sixteen channels of a pixel in a word of a bank, 64 in four banks, then the next word."""
    layer = Convolution(3, outputs, 5, 16, channels_last=True)
    rng = np.random.default_rng(7)
    program = Program()
    image = rng.integers(-128, 128, (3, 5, 16), np.int8)
    weights = rng.integers(-128, 128, layer.weight_shape, np.int8)
    biases = rng.integers(-500, 500, outputs).astype(np.int32)
    place_in = program.place(rows_of(image))
    place_out = program.reserve(1)
    words = convolution_words(layer, place_in, place_out)
    packed = pack_convolution(weights, biases)
    program.steps.append(program.configure(0x800, 15) | program.convolution(packed, words))
    memory = run(program, tmp_path)
    expected = convolve(layer, image, weights, biases)
    blocks = -(-outputs // 64)
    for pixel in range(5 * 16):
        for channel in range(outputs):
            word = pixel * blocks + channel // 64
            bank = channel % 64 // 16
            byte = place_out + 0x10000 * bank + 16 * word + (channel % 16 ^ 3)
            wanted = int(expected[channel, pixel // 16, pixel % 16])
            assert memory[byte] == wanted & 0xFF, (pixel, channel)
