"""Jobs of DIANA's analog accelerator: registers, and layers with tensors at random."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import diana_programs
import numpy as np
from analog_model import (
    BLOCK,
    CHIP,
    COLUMNS,
    ROWS,
    STOP,
    Chip,
    Int8,
    Layer,
    Post,
    Tensors,
    compute,
    instruction,
    pack_scales,
    pack_weights,
    put_image,
    words_of,
)
from diana_programs import ANALOG, Accelerator, Writes

WEIGHTS, SCALES, IM_ADDR, IM_N, ACT_N, CONF_ADDR, CONF_N = 0x40, 0x44, 0x48, 0x4C, 0x54, 0x58, 0x5C
OPERATION = 0x6C
CONTROL = (0x3000000, 0x303001F)

# What the chip can do behind the converters.
SEQUENCES = (
    Post(),
    Post(partial=True),
    Post(relu=True, quantize=True),
    Post(scales=True, quantize=True),
    Post(residual=True),
    Post(residual=True, relu=True, quantize=True),
    Post(partial=True, scales=True, relu=True, quantize=True),
    Post(scales=True, relu=True, quantize=True),
    Post(scales=True, residual=True, relu=True, quantize=True),
)


@dataclass
class Program(diana_programs.Program):
    """Of the analog accelerator. expected: L1 behind all jobs."""

    accelerator: Accelerator = ANALOG
    expected: bytearray = field(default_factory=bytearray)

    def put_instructions(self, *instructions: Sequence[int]) -> int:
        """Those, and the one that stops."""
        halves = [half for one in (*instructions, STOP) for half in one]
        return self.put(b"".join(half.to_bytes(2, "little") for half in halves))

    def job(self, weights: bytes, scales: bytes, *instructions: Sequence[int]) -> Writes:
        return {
            OPERATION: 0,
            CONF_ADDR: self.put_words([*CONTROL, *[0] * 14]),
            CONF_N: 16,
            IM_ADDR: self.put_instructions(*instructions),
            IM_N: 16 * (len(instructions) + 1),
            WEIGHTS: self.put(weights),
            SCALES: self.put(scales),
        }

    def reserve_image(self, shape: tuple[int, int, int]) -> int:
        """In as many banks as it wants; the place in the first."""
        place = self.reserve(16 * words_of(shape))
        assert self.used <= diana_programs.L1_BYTES // 4, "a bank is full"
        return place

    def place_image(self, image: Int8) -> int:
        place = self.reserve_image((image.shape[0], image.shape[1], image.shape[2]))
        put_image(self.l1, place, image)
        return place

    def expect(self, place: int, image: Int8) -> None:
        if not self.expected:
            self.expected = bytearray(self.l1)
        put_image(self.expected, place, image)


def draw(layer: Layer, rng: np.random.Generator) -> Tensors:
    """Inputs of 7 bits, sparse weights in some, so that not all sums are clipped."""
    shape = layer.output_shape
    weights = rng.integers(-1, 2, (layer.outputs, layer.channels, *layer.kernel), np.int8)
    weights *= rng.random(weights.shape) < rng.choice([0.05, 0.3, 1.0])
    return Tensors(
        rng.integers(-64, 64, (layer.channels, layer.height, layer.width), np.int8),
        weights,
        *(rng.integers(-128, 128, shape, np.int8) for _ in range(2)),
        *(rng.integers(-128, 128, shape[0], np.int8) for _ in range(2)),
    )


def place(
    program: Program,
    layer: Layer,
    tensors: Tensors,
    chip: Chip = CHIP,
    init: bool = True,
    **changes: int,
) -> int:
    """Puts the tensors into the program, and the layer's job behind those that it has. Returns the output's place.

    init: loads weights and scales; they are in the array else. changes: words of the instruction, as w5=2.
    """
    post = layer.post
    place_in = program.place_image(tensors.image)
    partial = program.place_image(tensors.partial) if post.partial else 0
    residual = program.place_image(tensors.residual) if post.residual else 0
    place_out = program.reserve_image(layer.output_shape)
    words = instruction(layer, (place_in, place_out), (partial, residual), init, **changes)
    weights = pack_weights(layer, tensors.weights, chip) if init else b""
    scales = pack_scales(tensors.scales, tensors.offsets) if init and post.scales else b""
    program.steps.append(program.job(weights, scales, words))
    return place_out


def one(layer: Layer, **changes: int) -> Program:
    """A program with nothing but this layer."""
    program = Program()
    place(program, layer, draw(layer, np.random.default_rng(8)), CHIP, True, **changes)
    return program


def checked(layers: Sequence[Layer], rng: np.random.Generator, chip: Chip = CHIP) -> Program:
    """Layers one after the other, in an L1 full of numbers, and what L1 is behind them."""
    program = Program()
    program.l1[:] = rng.integers(0, 256, len(program.l1), np.uint8).tobytes()
    drawn = [draw(layer, rng) for layer in layers]
    pairs = zip(layers, drawn, strict=True)
    places = [place(program, layer, tensors, chip) for layer, tensors in pairs]
    for layer, tensors, place_out in zip(layers, drawn, places, strict=True):
        program.expect(place_out, compute(layer, tensors, chip))
    return program


def random_layer(generator: Random, number: int) -> Layer:
    """Kinds by `number`: what is behind the converters in turn, every third fully connected or pointwise."""
    kernel = (
        (1, 1) if number % 3 == 0 else (generator.choice([1, 3, 5, 7]), generator.choice([1, 3]))
    )
    pads = tuple(generator.randint(0, min(3, kernel[axis] // 2)) for axis in (0, 0, 1, 1))
    taps = kernel[0] * kernel[1]
    channels = generator.choice(
        [generator.randint(1, min(ROWS // taps, 200)), 16, 17, ROWS // taps]
    )
    channels = min(channels, 1023, ROWS // taps)
    unroll = generator.choice([1, 1, 2, 4])
    stride = generator.choice([1, 1, 2])
    while channels * kernel[0] * (kernel[1] + (unroll - 1) * stride) > ROWS:
        unroll //= 2
    largest = 2 if channels > 200 else 6
    width = generator.randint(max(1, kernel[1] - pads[2] - pads[3]), largest + 4) + stride * (
        unroll - 1
    )
    sequence = SEQUENCES[number % len(SEQUENCES)]
    spare = (
        ROWS - max(channels * kernel[0] * (kernel[1] + (unroll - 1) * stride), channels * taps + 16)
    ) // BLOCK
    return Layer(
        channels,
        generator.choice([generator.randint(1, 80), 16, 128, COLUMNS // unroll])
        if number % 2
        else 24,
        generator.randint(max(1, kernel[0] - pads[0] - pads[1]), largest + 3),
        width,
        kernel,
        stride,
        (pads[0], pads[1], pads[2], pads[3]),
        unroll,
        generator.randint(0, max(0, min(15, spare))),
        Post(
            sequence.partial,
            sequence.scales,
            sequence.residual,
            sequence.relu,
            sequence.quantize,
            generator.randint(0, 6) if sequence.quantize else 0,
            generator.randint(0, 5),
            generator.randint(0, 5),
        ),
    )
