"""Layers for DIANA's digital array, drawn at random, with the image of a memory before and after."""

from dataclasses import dataclass, replace

import numpy as np
from diana_layouts import (
    LANES,
    Bytes,
    Integers,
    conv_weights,
    depthwise_weights,
    fc_weights,
    padded,
    swapped,
)
from diana_steps import (
    ADDITION,
    CONVOLUTION,
    DEPTHWISE,
    FULLY_CONNECTED,
    IMAGE_BYTES,
    Array,
    Step,
)
from diana_steps import layer as layer_of
from numpy.typing import NDArray

_SIDE, _SMALL_SIDE = 37, 9
_CHANNELS = 20
_BANKS = 4
_GROUP = 4
"""Channels of a depthwise layer of which each has a job of its own if jobs have several."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A layer that is to be encoded. after: of `before`, where `is_known`; elsewhere anything."""

    layer: Step
    weights: Bytes
    before: Bytes
    after: Bytes
    is_known: NDArray[np.bool_]

    def is_right(self, image: Bytes) -> bool:
        return bool(np.array_equal(image[self.is_known], self.after[self.is_known]))


@dataclass(frozen=True, eq=False)
class DrawnPixels(Drawn):
    """A convolution that gives pixels, of which `layer.output` is the first bank. rows, banks: of a copy of all of them
    out of the banks. copied: where they are to be copied again.
    """

    rows: int
    banks: int
    copied: Array


class _Image:
    """Arrays at increasing places of a memory full of other bytes."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._end = 0
        self.bytes = random.integers(0, 256, IMAGE_BYTES, np.uint8)

    def room(self, size: int) -> Array:
        begin = self._end + LANES * int(self._random.integers(0, 3))
        self._end = begin + -(-size // LANES) * LANES
        assert self._end <= IMAGE_BYTES
        return Array(begin, size)

    def holding(self, data: Bytes) -> Array:
        array = self.room(data.size)
        self.bytes[array.offset : array.offset + array.bytes] = data
        return array


def draw(seed: int) -> Drawn:
    """A layer that the array can do; the four modes take turns."""
    random = np.random.default_rng(seed)
    return _of_shape(random, _shape(random, seed % 4))


def draw_joined(seed: int, features: int) -> Drawn:
    """Depthwise and fully connected layers in turn, small ones and those that are several jobs in any case."""
    random = np.random.default_rng([seed, 0x10])
    mode = DEPTHWISE if seed % 2 else FULLY_CONNECTED
    make = _large_shape if random.random() < 0.5 else _shape
    return _of_shape(random, replace(make(random, mode), features=features))


def _of_shape(random: np.random.Generator, layer: Step) -> Drawn:
    layer = replace(layer, is_rectified=int(random.integers(2)))
    if layer.mode == ADDITION:
        layer = replace(layer, is_rectified=0, shift=int(random.choice([0, 1, 1, 2, 9])))
    shape = layer.input_channels, layer.input_height, layer.input_width
    inputs, others = random.integers(-128, 128, (2, *shape))
    weights, biases = _constants(random, layer)
    sums = _sums(layer, inputs, others, weights, biases)
    if layer.mode != ADDITION:
        layer = replace(layer, shift=_shift(random, sums))
    return _drawn(
        random, layer, _packed(layer, weights, biases), [inputs, others], _outputs(layer, sums)
    )


def draw_pixels(seed: int) -> DrawnPixels:
    """A small convolution of one to seven blocks of 16 channels."""
    random = np.random.default_rng([seed, 0x9])
    height, width = _size(random, 2, 4), _size(random, 18, _SIDE)
    kernel, stride = int(random.choice([1, 1, 3])), int(random.integers(1, 3))
    shape = (height - 1) // stride + 1, (width - 1) // stride + 1, _size(random, 40, 110)
    layer = layer_of(
        CONVOLUTION,
        (height, width, _size(random, 5, _CHANNELS)),
        shape,
        kernel=(kernel, kernel),
        stride=stride,
        pads=(kernel // 2, kernel // 2, kernel // 2),
        is_rectified=random.random() < 0.3,
        gives_pixels=True,
    )
    inputs = random.integers(-128, 128, (layer.input_channels, height, width))
    weights, biases = _constants(random, layer)
    sums = _sums(layer, inputs, inputs, weights, biases)
    layer = replace(layer, shift=_shift(random, sums))
    pixels, known = _pixel_bytes(_outputs(layer, sums))
    banks = min(_BANKS, -(-shape[2] // LANES))
    image = _Image(random)
    packed = conv_weights(weights, biases)
    places = {
        "weights": Array(0, packed.size),
        "input": image.holding(_image_bytes(random, layer, inputs)),
    }
    output, copied = image.room(pixels.size // banks), image.room(pixels.size)
    after, is_known = image.bytes.copy(), np.ones(IMAGE_BYTES, np.bool_)
    is_known[output.offset :][: output.bytes] = False
    after[copied.offset :][: copied.bytes] = pixels
    is_known[copied.offset :][: copied.bytes] = known
    layer = replace(layer, **places, output=output)
    rows = output.bytes // LANES
    return DrawnPixels(layer, packed, image.bytes, after, is_known, rows, banks, copied)


def _drawn(
    random: np.random.Generator,
    layer: Step,
    packed: Bytes,
    operands: list[Integers],
    outputs: Integers,
) -> Drawn:
    image = _Image(random)
    places = [image.holding(_image_bytes(random, layer, it)) for it in operands]
    expected, known = _output_bytes(layer, outputs)
    output = image.room(expected.size)
    after, is_known = image.bytes.copy(), np.ones(IMAGE_BYTES, np.bool_)
    after[output.offset :][: expected.size] = expected
    is_known[output.offset :][: expected.size] = known
    is_addition = layer.mode == ADDITION
    layer = replace(
        layer,
        weights=Array() if is_addition else Array(0, packed.size),
        input=places[0],
        operand=places[1] if is_addition else Array(),
        output=output,
    )
    return Drawn(layer, packed, image.bytes, after, is_known)


def _size(random: np.random.Generator, small: int, most: int) -> int:
    return int(random.integers(1, (most if random.random() < 0.5 else small) + 1))


def _shape(random: np.random.Generator, mode: int) -> Step:
    if mode == FULLY_CONNECTED:
        inputs, outputs = _size(random, 20, 300), _size(random, 20, 100)
        return layer_of(mode, (1, 1, inputs), (1, 1, outputs))
    channels = _size(random, 5, _CHANNELS if mode != DEPTHWISE else 10)
    if mode == ADDITION:
        return layer_of(mode, (_size(random, 3, 12), _size(random, 3, _SIDE), channels))
    stride = int(random.integers(1, 3))
    height, kernel_height, pads = _axis(random, _SMALL_SIDE)
    width, kernel_width, (pad_width, _) = _axis(random, _SIDE, is_symmetric=True)
    output_channels = channels if mode == DEPTHWISE else _size(random, 8, 40)
    output_height = (height + sum(pads) - kernel_height) // stride + 1
    output_width = (width + 2 * pad_width - kernel_width) // stride + 1
    return layer_of(
        mode,
        (height, width, channels),
        (output_height, output_width, output_channels),
        kernel=(kernel_height, kernel_width),
        stride=stride,
        pads=(*pads, pad_width),
    )


def _large_shape(random: np.random.Generator, mode: int) -> Step:
    """Of more than a list of instructions, or than the memory for weights, can hold."""
    if mode == FULLY_CONNECTED:
        return layer_of(
            mode,
            (1, 1, int(random.integers(150, 190))),
            (1, 1, int(random.integers(250, 320))),
        )
    channels, kernel = int(random.integers(60, 150)), int(random.choice([1, 3]))
    shape = int(random.integers(1, 4)), _size(random, 6, 16), channels
    half = kernel // 2
    return layer_of(mode, shape, kernel=(kernel, kernel), pads=(half, half, half))


def _axis(
    random: np.random.Generator, most: int, *, is_symmetric: bool = False
) -> tuple[int, int, tuple[int, int]]:
    """Size, kernel, and padding before and behind, mostly half of the kernel; there is at least one output."""
    while True:
        size, kernel = _size(random, 6, most), int(random.choice([1, 3, 5, 7]))
        before, behind = kernel // 2, kernel // 2
        if random.random() < 0.4:
            before, behind = (int(it) for it in random.integers(0, kernel, 2))
        if is_symmetric:
            behind = before
        if size + before + behind >= kernel:
            return size, kernel, (before, behind)


def _constants(random: np.random.Generator, layer: Step) -> tuple[Integers, Integers]:
    """Weights [outputs, inputs, rows, columns], of depthwise layers one input; biases, few of which make sums wrap."""
    inputs = 1 if layer.mode == DEPTHWISE else layer.input_channels
    shape = layer.output_channels, inputs, layer.kernel_height, layer.kernel_width
    most = 1 << int(random.choice([8, 16, 31], p=[0.4, 0.5, 0.1]))
    return random.integers(-128, 128, shape), random.integers(-most, most, layer.output_channels)


def _packed(layer: Step, weights: Integers, biases: Integers) -> Bytes:

    if layer.mode == CONVOLUTION:
        return conv_weights(weights, biases)
    if layer.mode == DEPTHWISE:
        return depthwise_weights(weights[:, 0], biases)
    if layer.mode == FULLY_CONNECTED:
        return fc_weights(weights[:, :, 0, 0], biases)
    return np.zeros(0, np.uint8)


def _sums(
    layer: Step, inputs: Integers, others: Integers, weights: Integers, biases: Integers
) -> Integers:
    """By the definition of a convolution, from weights that were never packed; [channels, rows, columns]."""
    if layer.mode == ADDITION:
        return inputs + others
    pads = (0, 0), (layer.pad_top, layer.pad_bottom), (layer.pad_width, layer.pad_width)
    kernel = layer.kernel_height, layer.kernel_width
    image = np.pad(inputs, pads)
    windows = np.lib.stride_tricks.sliding_window_view(image, kernel, (1, 2))
    kept = windows[:, :: layer.stride, :: layer.stride]
    if layer.mode == DEPTHWISE:
        sums = np.einsum("cyxij,cij->cyx", kept, weights[:, 0])
    else:
        sums = np.einsum("cyxij,kcij->kyx", kept, weights)
    return _wrapped(sums + biases.reshape(-1, 1, 1))


def _wrapped(values: Integers) -> Integers:
    return (values + (1 << 31)) % (1 << 32) - (1 << 31)


def _shift(random: np.random.Generator, sums: Integers) -> int:
    """Mostly one that brings half of the sums into 8 bits, else any."""
    if random.random() < 0.1:
        return int(random.integers(32))
    bits = int(np.median(np.abs(sums))).bit_length()
    return min(max(bits - 6 + int(random.integers(-1, 2)), 0), 31)


def _outputs(layer: Step, sums: Integers) -> Integers:
    return np.clip(sums >> layer.shift, 0 if layer.is_rectified else -128, 127)


def _image_bytes(random: np.random.Generator, layer: Step, tensor: Integers) -> Bytes:
    """Anything behind rows, which nobody may read; a vector's channels end in zeros."""
    if layer.mode == FULLY_CONNECTED:
        return swapped(padded(tensor.ravel(), 0))
    rows = random.integers(-128, 128, padded(tensor, 2).shape)
    rows[:, :, : tensor.shape[2]] = tensor
    return swapped(rows)


def _output_bytes(layer: Step, outputs: Integers) -> tuple[Bytes, NDArray[np.bool_]]:
    """All that is written, and whether it is known: not behind rows, nor in planes behind those of the output."""
    if layer.mode == FULLY_CONNECTED:
        vector = padded(outputs.ravel(), 0)
        return swapped(vector), swapped(np.arange(vector.size) < outputs.size) != 0
    planes = outputs.shape[0]
    if layer.mode == DEPTHWISE:
        planes += (LANES - 1) * (_GROUP if layer.features and planes > _GROUP else 1)
    elif layer.mode == CONVOLUTION:
        planes += -planes % LANES
    channels, rows, columns = outputs.shape
    whole = np.zeros((planes, rows, columns + -columns % LANES), np.int64)
    known = np.zeros_like(whole)
    whole[:channels, :, :columns] = outputs
    known[:channels, :, :columns] = 1
    return swapped(whole), swapped(known) != 0


def _pixel_bytes(outputs: Integers) -> tuple[Bytes, NDArray[np.bool_]]:
    """A word of all banks after the other, of less than four blocks of channels one of as many banks; and what is
    known: nothing behind channels and rows.
    """
    channels, rows, columns = outputs.shape
    lanes = channels + -channels % LANES
    lanes += -lanes % (_BANKS * LANES) if lanes > _BANKS * LANES else 0
    whole = np.zeros((rows, columns + -columns % LANES, lanes), np.int64)
    known = np.zeros_like(whole)
    whole[:, :columns, :channels] = np.moveaxis(outputs, 0, 2)
    known[:, :columns, :channels] = 1
    return swapped(whole), swapped(known) != 0
