"""Layers for DIANA's analog array, drawn at random, with the windows of the banks before and after.

By the definition of a convolution, and the layouts that DORY's code for DIANA and the AiMC SDK show.
"""

from dataclasses import dataclass, replace

import numpy as np
from analog_steps import (
    BANKS,
    LAYER,
    NONE,
    PARTIAL,
    QUANTIZE,
    RECTIFY,
    RESIDUAL,
    SCALE,
    WEIGHT_BYTES,
    WINDOW_BYTES,
    Bytes,
    Layer,
    Step,
)
from diana_layouts import Integers, swapped

GAIN = 16
LANES, PIXEL, LINE, ROWS, BLOCK = 16, 64, 128, 1152, 64

SEQUENCES = (
    0,
    PARTIAL,
    RECTIFY | QUANTIZE,
    SCALE | QUANTIZE,
    RESIDUAL,
    RESIDUAL | RECTIFY | QUANTIZE,
    SCALE | RECTIFY | QUANTIZE,
    PARTIAL | SCALE | RECTIFY | QUANTIZE,
    SCALE | RESIDUAL | RECTIFY | QUANTIZE,
)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A layer in a step, what it reads from L2, and the windows."""

    step: Step
    weights: bytes
    scales: bytes
    before: Bytes
    after: Bytes


class Windows:
    """Images at increasing places of windows full of other bytes."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._end = 0
        self.bytes = random.integers(0, 256, (BANKS, WINDOW_BYTES), np.uint8)

    def room(self, image: Integers) -> int:
        begin = self._end + LANES * int(self._random.integers(0, 3))
        self._end = begin + LANES * image.shape[1] * image.shape[2] * -(-image.shape[0] // PIXEL)
        assert self._end <= WINDOW_BYTES
        return begin

    def holding(self, image: Integers) -> int:
        place = self.room(image)
        write_image(self.bytes, place, image)
        return place


def write_image(windows: Bytes, place: int, image: Integers) -> None:
    """image: [channels, rows, columns], a multiple of 16 channels; 16 of a pixel in a word of a bank."""
    pixels = image.reshape(image.shape[0], -1).T
    words = -(-image.shape[0] // PIXEL)
    for block in range(image.shape[0] // LANES):
        lanes = swapped(pixels[:, LANES * block : LANES * (block + 1)]).reshape(-1, LANES)
        for pixel, word in enumerate(lanes):
            first = place + LANES * (pixel * words + block // BANKS)
            windows[block % BANKS, first : first + LANES] = word


def lanes(tensor: Integers) -> Integers:
    """With zeros behind, to a multiple of 16 channels."""
    return np.pad(tensor, [(0, -tensor.shape[0] % LANES), *[(0, 0)] * (tensor.ndim - 1)])


def lines_of(weights: Integers, first_block: int) -> bytes:
    """weights: [outputs, inputs, rows, columns] of -1, 0 and 1. Two lines of bits for each row of the array."""
    rows = weights.reshape(weights.shape[0], -1).T
    padded = np.zeros((-(-len(rows) // 16) * 16, -(-rows.shape[1] // LINE) * LINE), np.int64)
    padded[: len(rows), : rows.shape[1]] = rows
    array = padded[::-1].copy()
    for number, row in enumerate(array):
        block = first_block + number // BLOCK
        if not 6 <= block <= 11:
            row[0::2] *= -1
        if block <= 8:
            row[1::2] *= -1
    bits = np.stack([array == 1, array == -1], axis=1)
    return swapped(np.packbits(bits, axis=2)).tobytes()


def packets_of(scales: Integers, offsets: Integers) -> bytes:
    """Of 16 outputs their scales, then their offsets."""
    both = np.stack([scales.reshape(-1, LANES), offsets.reshape(-1, LANES)], axis=1)
    return swapped(both).tobytes()


def converted(layer: Layer, image: Integers, weights: Integers) -> Integers:
    pads = (0, 0), (layer.pad_top, layer.pad_bottom), (layer.pad_left, layer.pad_right)
    kernel = layer.kernel_height, layer.kernel_width
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(image, pads), kernel, (1, 2))
    kept = windows[:, :: layer.stride, :: layer.stride]
    return np.clip(np.einsum("cyxij,kcij->kyx", kept, weights) // GAIN, -32, 31)


def processed(
    layer: Layer, values: Integers, partial: Integers, scaling: Integers, residual: Integers
) -> Integers:
    """scaling: [2, channels], scales and offsets."""
    if layer.steps & PARTIAL:
        values = values + partial
    if layer.steps & SCALE:
        scales, offsets = scaling[:, :, None, None]
        values = values * scales + (offsets << layer.offset_shift)
    if layer.steps & RESIDUAL:
        values = values + (residual << layer.residual_shift)
    if layer.steps & RECTIFY:
        values = np.maximum(values, 0)
    if layer.steps & QUANTIZE:
        values = values >> layer.shift
    return np.clip(values, -128, 127)


def draw(seed: int) -> Drawn:
    """A layer that the array can do; steps behind the converters take turns."""
    random = np.random.default_rng(seed)
    layer = _shape(random, SEQUENCES[seed % len(SEQUENCES)])
    shape = layer.input_channels, layer.input_height, layer.input_width
    image = random.integers(-64, 64, shape)
    weights = random.integers(
        -1, 2, (layer.output_channels, shape[0], layer.kernel_height, layer.kernel_width)
    )
    weights *= random.random(weights.shape) < random.choice([0.05, 0.3, 1.0])
    results = lanes(converted(layer, image, weights))
    partial, residual = random.integers(-128, 128, (2, *results.shape))
    scaling = random.integers(-128, 128, (2, len(results)))
    windows = Windows(random)
    step = Step(LAYER, layer=layer, weights=0, input=windows.holding(lanes(image)))
    if layer.steps & PARTIAL:
        step = replace(step, partial=windows.holding(partial))
    if layer.steps & RESIDUAL:
        step = replace(step, residual=windows.holding(residual))
    operand = step.residual if layer.steps & RESIDUAL else step.partial
    in_place = operand != NONE and random.random() < 0.3
    step = replace(step, output=operand if in_place else windows.room(results))
    scales = packets_of(*scaling) if layer.steps & SCALE else b""
    step = replace(step, scales=0) if scales else step
    after = windows.bytes.copy()
    write_image(after, step.output, processed(layer, results, partial, scaling, residual))
    return Drawn(step, lines_of(weights, layer.first_block), scales, windows.bytes, after)


def _shape(random: np.random.Generator, steps: int) -> Layer:
    while True:
        layer = _any_shape(random, steps)
        rows = layer.input_channels * layer.kernel_height * layer.kernel_width
        taken = layer.input_channels * layer.kernel_height
        taken *= layer.kernel_width + (layer.unroll - 1) * layer.stride
        below = ROWS - BLOCK * layer.first_block
        line_bytes = -(-layer.output_channels // LINE) * LINE // 8
        fits = (
            max(taken, -(-rows // 16) * 16) <= below and rows * 2 * line_bytes < WEIGHT_BYTES - 512
        )
        if fits and layer.output_channels * layer.unroll <= 512 and layer.output_width > 0:
            return layer


def _any_shape(random: np.random.Generator, steps: int) -> Layer:
    """output_width is 0 if evaluations do not give it."""
    sides = [_choice(random, [1, 1, 3, 5, 7]) for _ in range(2)]
    top, bottom, left, right = (_below(random, min(4, sides[axis])) for axis in (0, 0, 1, 1))
    stride, unroll = _choice(random, [1, 2]), _choice(random, [1, 1, 2, 4])
    least = max(1, sides[0] - top - bottom)
    height = least + _below(random, 10 - least)
    evaluated = unroll * (1 + _below(random, 8 // unroll))
    width = max(1, (evaluated - 1) * stride + sides[1] - left - right)
    output_width = (width + left + right - sides[1]) // stride + 1
    return Layer(
        input_height=height,
        input_width=width,
        input_channels=_choice(random, [1 + _below(random, 24), 1 + _below(random, 150), 16, 64]),
        output_height=(height + top + bottom - sides[0]) // stride + 1,
        output_width=output_width if output_width % unroll == 0 else 0,
        output_channels=_choice(random, [1 + _below(random, 24), 1 + _below(random, 200), 16, 64]),
        kernel_height=sides[0],
        kernel_width=sides[1],
        stride=stride,
        pad_top=top,
        pad_bottom=bottom,
        pad_left=left,
        pad_right=right,
        unroll=unroll,
        first_block=_choice(random, [0, _below(random, 16)]),
        first_packet=_below(random, 19) if steps & SCALE else 0,
        steps=steps,
        shift=_below(random, 9) if steps & QUANTIZE else 0,
        residual_shift=_below(random, 8),
        offset_shift=_below(random, 8),
    )


def _below(random: np.random.Generator, end: int) -> int:
    return int(random.integers(0, end))


def _choice(random: np.random.Generator, some: list[int]) -> int:
    return some[_below(random, len(some))]
