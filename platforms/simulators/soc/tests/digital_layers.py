"""Layers for DIANA's digital accelerator at random, near the borders of its array, and their jobs."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np
from digital_cycles import compute_cycles, job_cycles
from digital_model import (
    LANES,
    Connected,
    Convolution,
    addition_words,
    connect,
    connected_words,
    convolution_words,
    convolve,
    image_of,
    pack_connected,
    pack_convolution,
    pack_depthwise,
    pad,
    requantize,
    rows_of,
    swap,
)
from digital_programs import Program
from numpy.typing import NDArray

Int8 = NDArray[np.int8]

_KERNELS = (1, 3, 5, 7)


@dataclass(frozen=True)
class Addition:
    """elements: of each operand; in_place: the sums lie where the first operand was."""

    elements: int
    shift: int
    in_place: bool


Layer = Convolution | Connected | Addition


@dataclass(frozen=True)
class Placed:
    """A layer in a program: where its outputs will be, what they must be, and what its jobs take, one by one."""

    layer: Layer
    place: int
    size: int
    expected: Int8
    read: Callable[[bytes], Int8]
    cycles: list[int]


def random_layer(generator: Random, number: int) -> Layer:
    """Kinds in turn by `number`: of eight, four convolutions, two of them depthwise, and two each of the others."""
    if number % 4 == 2:
        return Connected(
            generator.choice([generator.randint(1, 300), 16, 17]),
            generator.randint(1, LANES),
            shift=generator.randint(0, 31),
            relu=generator.random() < 0.5,
        )
    if number % 4 == 3:
        elements = generator.choice([generator.randint(1, 2000), 16, 17])
        return Addition(elements, generator.choice([0, 1, 1, 2, 9, 31]), generator.random() < 0.3)
    return _random_convolution(generator, depthwise=number % 8 == 1)


def _random_convolution(generator: Random, depthwise: bool) -> Convolution:
    kernel = (generator.choice(_KERNELS), generator.choice(_KERNELS))
    stride = generator.choice([1, 1, 2])
    top, bottom = (generator.randint(0, kernel[0] // 2) for _ in range(2))
    side = generator.randint(0, kernel[1] // 2)
    outputs = generator.choice([generator.randint(1, 40), 16, 17])
    return Convolution(
        inputs=outputs if depthwise else generator.choice([generator.randint(1, 24), 1, 3, 16]),
        outputs=outputs,
        height=generator.randint(max(1, kernel[0] - top - bottom), 12),
        width=generator.choice([generator.randint(max(1, kernel[1] - 2 * side), 40), 15, 16, 17]),
        kernel=kernel,
        stride=stride,
        top=top,
        bottom=bottom,
        side=side,
        shift=generator.choice([generator.randint(0, 12), generator.randint(0, 31)]),
        relu=generator.random() < 0.5,
        depthwise=depthwise,
    )


def _numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> Int8:
    return rng.integers(-128, 128, shape, np.int8)


def _biases(rng: np.random.Generator, size: int) -> NDArray[np.int32]:
    return (rng.integers(-(2**31), 2**31, size) >> int(rng.integers(0, 24))).astype(np.int32)


def place(program: Program, layer: Layer, rng: np.random.Generator) -> Placed:
    """Puts tensors at random into the program, and the layer's jobs behind those that it has."""
    if isinstance(layer, Addition):
        return _place_addition(program, layer, rng)
    if isinstance(layer, Connected):
        return _place_connected(program, layer, rng)
    return (
        _place_depthwise(program, layer, rng)
        if layer.depthwise
        else _place_convolution(program, layer, rng)
    )


def _place_image(
    program: Program, layer: Convolution, rng: np.random.Generator
) -> tuple[Int8, int]:
    """What lies between the rows must not matter."""
    image = _numbers(rng, (layer.inputs, layer.height, layer.width))
    return image, program.place(rows_of(image, fill=int(rng.integers(-128, 128))))


def _image_reader(layer: Convolution) -> Callable[[bytes], Int8]:
    height, width = layer.output_height, layer.output_width
    size = layer.outputs * layer.output_plane
    return lambda content: image_of(content[:size], layer.outputs, height, width)


def _place_convolution(program: Program, layer: Convolution, rng: np.random.Generator) -> Placed:
    image, place_in = _place_image(program, layer, rng)
    weights, biases = _numbers(rng, layer.weight_shape), _biases(rng, layer.outputs)
    size = pad(layer.outputs) * layer.output_plane
    place_out = program.reserve(size)
    packed = pack_convolution(weights, biases)
    words = convolution_words(layer, place_in, place_out)
    program.steps.append(program.configure(0x800, 15) | program.convolution(packed, words))
    expected = convolve(layer, image, weights, biases)
    cycles = [job_cycles(compute_cycles(layer), len(packed))]
    return Placed(layer, place_out, size, expected, _image_reader(layer), cycles)


def _place_depthwise(program: Program, layer: Convolution, rng: np.random.Generator) -> Placed:
    """A job for each channel, which loads its weights from a place between those of others, as DORY does."""
    image, place_in = _place_image(program, layer, rng)
    weights, biases = _numbers(rng, layer.weight_shape), _biases(rng, layer.outputs)
    size = (layer.outputs + LANES - 1) * layer.output_plane
    place_out = program.reserve(size)
    group_bytes = LANES * layer.kernel[0] * layer.kernel[1] + 4 * LANES
    packed = program.put(pack_depthwise(weights, biases) + bytes(LANES))
    for channel in range(layer.outputs):
        words = convolution_words(
            layer,
            place_in + channel * layer.input_plane,
            place_out + channel * layer.output_plane,
        )
        job = program.convolution(b"", words)
        job[0x40] = packed + channel // 4 * group_bytes + 4 * (channel % 4)
        job[0x44] = group_bytes // 4
        program.steps.append((program.configure(0x800, 15) if channel == 0 else {}) | job)
    expected = convolve(layer, image, weights, biases)
    each = job_cycles(compute_cycles(layer) // layer.outputs, group_bytes)
    reader = _image_reader(layer)
    return Placed(layer, place_out, size, expected, reader, [each] * layer.outputs)


def _place_connected(program: Program, layer: Connected, rng: np.random.Generator) -> Placed:
    vector = _numbers(rng, (layer.inputs,))
    weights, biases = _numbers(rng, (layer.outputs, layer.inputs)), _biases(rng, layer.outputs)
    padded = np.zeros(pad(layer.inputs), np.int8)
    padded[: layer.inputs] = vector
    place_in = program.place(swap(padded.tobytes()))
    place_out = program.reserve(pad(layer.outputs))
    packed = pack_connected(weights, biases)
    words = connected_words(layer, place_in, place_out)
    program.steps.append(program.configure() | program.connected(packed, words))
    expected = connect(layer, vector, weights, biases)
    cycles = [job_cycles(compute_cycles(layer), len(packed))]
    return Placed(
        layer, place_out, pad(layer.outputs), expected, _vector_reader(layer.outputs), cycles
    )


def _vector_reader(elements: int) -> Callable[[bytes], Int8]:
    return lambda content: np.frombuffer(swap(content), np.int8)[:elements]


def _place_addition(program: Program, layer: Addition, rng: np.random.Generator) -> Placed:
    operands = _numbers(rng, (2, pad(layer.elements)))
    places = [program.place(swap(operand.tobytes())) for operand in operands]
    size = pad(layer.elements)
    place_out = places[0] if layer.in_place else program.reserve(size)
    words = addition_words(layer.elements, (places[0], places[1]), place_out, layer.shift)
    program.steps.append(program.configure() | program.convolution(b"", words))
    sums = operands.astype(np.int64).sum(axis=0)[: layer.elements]
    expected = requantize(sums, layer.shift, relu=False)
    cycles = [job_cycles(4 * size // LANES, 0)]
    return Placed(layer, place_out, size, expected, _vector_reader(layer.elements), cycles)
