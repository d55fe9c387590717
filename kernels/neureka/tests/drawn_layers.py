"""Layers for N-EUREKA, drawn at random, with the image of a memory that they lie in before and after."""

from dataclasses import dataclass, replace

import numpy as np
from job_steps import ENCODE, IMAGE_BYTES, Array, Step
from numpy.typing import NDArray
from tinsmith_neureka import Mode, packed_weights

_SIDE = 13
_CHANNELS = 60
_SMALL = 5
_ALIGNMENT = 4

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A layer that is to be encoded, and the image before and after."""

    layer: Step
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]


class _Image:
    """Arrays at increasing places of a memory full of other bytes."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._end = 0
        self.bytes = random.integers(0, 256, IMAGE_BYTES, np.uint8)

    def room(self, size: int, alignment: int = _ALIGNMENT) -> Array:
        begin = self._end + int(self._random.integers(0, 40))
        begin += -begin % alignment
        self._end = begin + size
        assert self._end <= IMAGE_BYTES
        return Array(begin, size)

    def holding(self, data: NDArray[np.generic]) -> Array:
        array = self.room(data.nbytes)
        self.bytes[array.offset : array.offset + array.bytes] = data.reshape(-1).view(np.uint8)
        return array


def _of_image(
    image: NDArray[np.uint8], array: Array, shape: tuple[int, ...], strides: tuple[int, ...]
) -> NDArray[np.uint8]:
    """The bytes of rows of pixels in an image, which writing changes."""
    return np.lib.stride_tricks.as_strided(image[array.offset :], shape, strides)


def draw(seed: int) -> Drawn:
    """A layer that the accelerator can do. Small ones are as frequent as ones of several tiles."""
    random = np.random.default_rng(seed)
    layer = _with_strides(random, _with_scales(random, _with_shape(random, Step(ENCODE))))
    inputs, weights = _input(random, layer), _weights(random, layer)
    scales, biases = _scales(random, layer)
    values = wrapped(_sums(layer, inputs, weights))
    if layer.scale_bits:
        values = wrapped(values * scales.astype(np.int64) + biases)
        layer = replace(layer, shift=_shift(random, values))
    image = _Image(random)
    packed = packed_weights(weights, Mode(layer.mode), layer.weight_bits, layer.weight_offset)
    layer = replace(
        layer,
        input=image.room(_extent(layer, "input"), 1),
        weights=image.holding(packed),
        scales=image.holding(scales) if layer.scale_bits else Array(),
        biases=image.holding(biases.astype(np.int32)) if biases.any() else Array(),
        output=image.room(_extent(layer, "output"), layer.output_bits // 8),
    )
    _view(layer, image.bytes, "input")[:] = inputs.astype(np.uint8)
    after = image.bytes.copy()
    outputs = _outputs(layer, values)
    _view(layer, after, "output")[:] = outputs.view(np.uint8).reshape(*outputs.shape[:2], -1)
    return Drawn(layer, image.bytes, after)


def _size(random: np.random.Generator, most: int) -> int:
    return int(random.integers(1, (most if random.random() < 0.5 else _SMALL) + 1))


def _with_shape(random: np.random.Generator, layer: Step) -> Step:
    mode = Mode(int(random.integers(3)))
    channels = _size(random, _CHANNELS)
    is_depthwise = mode is Mode.DEPTHWISE_3X3
    height, pad_top, pad_bottom = _side(random, mode)
    width, pad_left, pad_right = _side(random, mode)
    margin = mode.side - 1
    return replace(
        layer,
        mode=int(mode),
        input_channels=channels,
        output_channels=channels if is_depthwise else _size(random, _CHANNELS),
        output_height=height,
        output_width=width,
        input_height=height + margin - pad_top - pad_bottom,
        input_width=width + margin - pad_left - pad_right,
        pad_top=pad_top,
        pad_right=pad_right,
        pad_bottom=pad_bottom,
        pad_left=pad_left,
        prefetches=int(random.integers(2)),
    )


def _side(random: np.random.Generator, mode: Mode) -> tuple[int, int, int]:
    """Outputs in a direction, padding before and behind; as much of it as there may be."""
    size = _size(random, _SIDE)
    if mode is Mode.CONV_1X1:
        return size, 0, 0
    most = min(2, size + 1)
    before = int(random.integers(most + 1))
    remainder = (size - 1) % 6 + 1
    behind = int(random.integers(min(most, size + 1 - before) + 1))
    return size, before, min(behind, remainder) if size > 6 else behind


def _with_scales(random: np.random.Generator, layer: Step) -> Step:
    bits = int(random.integers(2, 9))
    scale_bits = int(random.choice([0, 8, 32]))
    is_signed = int(random.integers(2))
    lowest = -128 if is_signed else 0
    offsets = [-(1 << (bits - 1)), 0, int(random.integers(-300, 300))]
    return replace(
        layer,
        weight_bits=bits,
        weight_offset=int(random.choice(offsets)),
        input_is_signed=is_signed,
        pad_value=int(random.integers(lowest, lowest + 256)),
        scale_bits=scale_bits,
        is_rectified=int(random.integers(2)) if scale_bits else 0,
        output_bits=int(random.choice([8, 8, 32])) if scale_bits else 32,
    )


def _with_strides(random: np.random.Generator, layer: Step) -> Step:
    """Channels, pixels and rows with gaps between them, of outputs of 32 bits in whole words."""
    unit = layer.output_bits // 8
    gaps = [int(gap) for gap in random.choice([0, 0, 1, 7], 4)]
    pixel = layer.input_channels + gaps[0]
    output_pixel = unit * (layer.output_channels + gaps[1])
    return replace(
        layer,
        input_pixel_bytes=pixel,
        input_row_bytes=layer.input_width * pixel + gaps[2],
        output_pixel_bytes=output_pixel,
        output_row_bytes=layer.output_width * output_pixel + unit * gaps[3],
    )


def _extent(layer: Step, name: str) -> int:
    """Bytes from the first of an input or output to the last."""
    (height, width, channels), (row, pixel, _) = _shape_and_strides(layer, name)
    return (height - 1) * row + (width - 1) * pixel + channels


def _view(layer: Step, image: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
    array = layer.input if name == "input" else layer.output
    return _of_image(image, array, *_shape_and_strides(layer, name))


def _shape_and_strides(layer: Step, name: str) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """In bytes."""
    if name == "input":
        shape = layer.input_height, layer.input_width, layer.input_channels
        return shape, (layer.input_row_bytes, layer.input_pixel_bytes, 1)
    channels = layer.output_channels * layer.output_bits // 8
    shape = layer.output_height, layer.output_width, channels
    return shape, (layer.output_row_bytes, layer.output_pixel_bytes, 1)


def _input(random: np.random.Generator, layer: Step) -> Integers:
    lowest = -128 if layer.input_is_signed else 0
    shape = layer.input_height, layer.input_width, layer.input_channels
    return random.integers(lowest, lowest + 256, shape)


def _weights(random: np.random.Generator, layer: Step) -> Integers:
    """As tinsmith_ir has them."""
    mode = Mode(layer.mode)
    rows = 1 if mode is Mode.DEPTHWISE_3X3 else layer.output_channels
    shape = rows, mode.side, mode.side, layer.input_channels
    lowest = layer.weight_offset
    return random.integers(lowest, lowest + (1 << layer.weight_bits), shape)


def _scales(
    random: np.random.Generator, layer: Step
) -> tuple[NDArray[np.uint8 | np.int32], Integers]:
    """Scales and biases, which are all 0 where the layer has none; of some layers so large that products wrap."""
    channels = layer.output_channels
    none = np.zeros(channels, np.int64)
    if layer.scale_bits == 0:
        return np.zeros(channels, np.uint8), none
    biases = random.integers(-(1 << 20), 1 << 20, channels) if random.random() < 0.7 else none
    if layer.scale_bits == 8:
        return random.integers(0, 256, channels, np.uint8), biases
    most = 1 << int(random.choice([10, 31]))
    return random.integers(-most, most, channels, np.int32), biases


def _shift(random: np.random.Generator, values: Integers) -> int:
    """Mostly one that brings half of the values into 8 bits, else any."""
    if random.random() < 0.1:
        return int(random.integers(32))
    bits = int(np.median(np.abs(values))).bit_length()
    return min(max(bits - 6 + int(random.integers(-1, 2)), 0), 31)


def _sums(layer: Step, inputs: Integers, weights: Integers) -> Integers:
    """By the definition of a convolution, from weights that were never packed."""
    pads = (layer.pad_top, layer.pad_bottom), (layer.pad_left, layer.pad_right), (0, 0)
    padded = np.pad(inputs, pads, constant_values=layer.pad_value)
    side = Mode(layer.mode).side
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), (0, 1))
    if layer.mode == Mode.DEPTHWISE_3X3:
        return np.einsum("hwcyx,yxc->hwc", windows, weights[0])
    return np.einsum("hwcyx,oyxc->hwo", windows, weights)


def wrapped(values: Integers) -> Integers:
    return (values + (1 << 31)) % (1 << 32) - (1 << 31)


def _outputs(layer: Step, values: Integers) -> NDArray[np.int32 | np.uint8]:
    """Of values that are scaled and biased, if the layer scales."""
    if layer.is_rectified:
        values = np.maximum(values, 0)
    shifted = values >> layer.shift
    if layer.output_bits == 32:
        return np.ascontiguousarray(shifted.astype(np.int32))
    lowest = 0 if layer.is_rectified else -128
    return np.ascontiguousarray(np.clip(shifted, lowest, lowest + 255).astype(np.uint8))
