"""Layers of N-EUREKA in numpy, written from what is published of its registers and its memory layout.

Sources: pulp-nnx (registers, weight layout, wrap-around of 32 bits), N-EUREKA's paper (tiles, channels).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Mode = Literal["3x3", "depthwise", "1x1"]
_MODES: tuple[Mode, ...] = ("3x3", "depthwise", "1x1")

TILE = 6
_WORD_BYTES = 32


@dataclass(frozen=True)
class Padding:
    """Rows and columns around the input, and what they hold: -128 to 255, as the input's type allows."""

    top: int = 0
    right: int = 0
    bottom: int = 0
    left: int = 0
    value: int = 0


@dataclass(frozen=True)
class Layer:
    """A convolution of stride 1. height, width: of the output.

    weight_bits: 2 to 8. offset: is added to the unsigned weights. norm_bits: of scales, 8 or 32; 0: the accumulators
    are the output, of 32 bits. output_bits: 8 or 32.
    input_gap, output_gap: bytes between one pixel's channels and the next one's.
    """

    mode: Mode
    height: int
    width: int
    inputs: int
    outputs: int
    weight_bits: int = 8
    offset: int = -128
    signed: bool = False
    padding: Padding = Padding()
    norm_bits: int = 32
    bias: bool = True
    relu: bool = True
    output_bits: int = 8
    shift: int = 16
    prefetch: bool = False
    linear: bool = False
    weights_in_memory: bool = False
    input_gap: int = 0
    output_gap: int = 0

    @property
    def border(self) -> int:
        """What a kernel needs around a pixel, in all."""
        return 0 if self.mode == "1x1" else 2

    @property
    def input_shape(self) -> tuple[int, int, int]:
        """Height, width, channels, without padding."""
        height = self.height + self.border - self.padding.top - self.padding.bottom
        width = self.width + self.border - self.padding.left - self.padding.right
        return height, width, self.inputs

    @property
    def input_tile(self) -> int:
        return 32 if self.mode == "1x1" else 28

    @property
    def output_tile(self) -> int:
        return 28 if self.mode == "depthwise" else 32


@dataclass(frozen=True)
class Tensors:
    """input: (h, w, c) as int64. weights: (outputs, inputs, k, k) or (channels, 1, 3, 3), unsigned.

    scales: unsigned, biases: of 32 bits; one for each output channel.
    """

    input: NDArray[np.int64]
    weights: NDArray[np.int64]
    scales: NDArray[np.int64]
    biases: NDArray[np.int64]


@dataclass(frozen=True)
class Addresses:
    """Of the arrays in L1; `input` is that of its first pixel, padding not counted."""

    input: int
    output: int
    weights: int
    scales: int
    biases: int


def draw(layer: Layer, rng: np.random.Generator) -> Tensors:
    least, most = (-128, 127) if layer.signed else (0, 255)
    kernel = 1 if layer.mode == "1x1" else 3
    inputs = 1 if layer.mode == "depthwise" else layer.inputs
    shape = (layer.outputs, inputs, kernel, kernel)
    most_scale = 2**8 if layer.norm_bits == 8 else 2 ** int(rng.integers(4, 33))
    return Tensors(
        rng.integers(least, most + 1, layer.input_shape),
        rng.integers(0, 2**layer.weight_bits, shape),
        rng.integers(0, most_scale, layer.outputs),
        rng.integers(-(2**31), 2**31, layer.outputs) >> int(rng.integers(0, 24)),
    )


def wrap(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """What 32 bits keep of them."""
    return values.astype(np.uint64).astype(np.uint32).astype(np.int32).astype(np.int64)


def run_layer(layer: Layer, tensors: Tensors) -> NDArray[np.int64]:
    """The output, (height, width, outputs)."""
    p = layer.padding
    around = ((p.top, p.bottom), (p.left, p.right), (0, 0))
    padded = np.pad(tensors.input, around, constant_values=p.value)
    weights = tensors.weights + layer.offset
    sums = np.zeros((layer.height, layer.width, layer.outputs), np.int64)
    for y in range(weights.shape[2]):
        for x in range(weights.shape[3]):
            window = padded[y : y + layer.height, x : x + layer.width]
            tap = weights[:, :, y, x]
            sums += window * tap[:, 0] if layer.mode == "depthwise" else window @ tap.T
    return _normalize(layer, wrap(sums), tensors)


def _normalize(layer: Layer, sums: NDArray[np.int64], tensors: Tensors) -> NDArray[np.int64]:
    if layer.norm_bits == 0:
        return sums
    # Products of 32 bits wrap in 64 bits, which leaves their lowest 32 bits alone.
    scaled = wrap(sums * tensors.scales)
    biased = wrap(scaled + tensors.biases) if layer.bias else scaled
    shifted = (np.maximum(biased, 0) if layer.relu else biased) >> layer.shift
    if layer.output_bits == 32:
        return shifted
    return np.clip(shifted, 0, 255) if layer.relu else np.clip(shifted, -128, 127)


def pack_weights(layer: Layer, weights: NDArray[np.int64]) -> bytes:
    """Words of 256 bits: 3x3 and depthwise [9 taps][28 channels] of one bit, 1x1 [8 groups][8 bits][4 channels]."""
    channels = weights.swapaxes(0, 1) if layer.mode == "depthwise" else weights
    words = bytearray()
    for channel in channels:
        for start in range(0, channel.shape[0], layer.input_tile):
            part = np.zeros((layer.input_tile, *channel.shape[1:]), np.int64)
            taken = channel[start : start + layer.input_tile]
            part[: len(taken)] = taken
            words += (
                _words_1x1(part) if layer.mode == "1x1" else _words_3x3(part, layer.weight_bits)
            )
    return bytes(words)


def _words_1x1(part: NDArray[np.int64]) -> bytes:
    groups = part.reshape(8, 1, 4)
    bits = groups >> np.arange(8).reshape(1, 8, 1) & 1
    return np.packbits(bits.astype(np.uint8).reshape(-1), bitorder="little").tobytes()


def _words_3x3(part: NDArray[np.int64], weight_bits: int) -> bytes:
    words = b""
    for bit in range(weight_bits):
        bits = (part >> bit & 1).reshape(len(part), 9).T.reshape(-1)
        packed = np.packbits(bits.astype(np.uint8), bitorder="little").tobytes()
        words += packed.ljust(_WORD_BYTES, b"\0")
    return words


def _tiles(size: int, tile: int) -> tuple[int, int]:
    """How many, and the size of the last one, which is never 0."""
    number = -(-size // tile)
    return number, size - (number - 1) * tile


def _halves(upper: int, lower: int) -> int:
    return upper << 16 | lower


def registers(layer: Layer, addresses: Addresses) -> list[int]:
    """The 24 words of a job."""
    input_pixel = layer.inputs + layer.input_gap
    input_row = input_pixel * layer.input_shape[1]
    output_pixel = layer.outputs * layer.output_bits // 8 + layer.output_gap
    ko, last_ko = _tiles(layer.outputs, layer.output_tile)
    ki, last_ki = _tiles(layer.inputs, layer.input_tile)
    ho, last_ho = _tiles(layer.height, TILE)
    wo, last_wo = _tiles(layer.width, TILE)
    p = layer.padding
    words = {"1x1": 1, "3x3": layer.weight_bits, "depthwise": 0}[layer.mode]
    sides = p.top << 28 | p.right << 24 | p.bottom << 20 | p.left << 16 | (p.value & 0xFF)
    return [
        addresses.weights,
        addresses.input - p.top * input_row - p.left * input_pixel,
        addresses.output,
        addresses.scales,
        0,
        addresses.biases,
        *(input_pixel, input_row, 0),
        *(_WORD_BYTES, output_pixel, output_pixel * layer.width),
        *(_WORD_BYTES, _WORD_BYTES * words * ki, 0),
        _halves(last_ko, last_ki),
        _halves(last_ho, last_wo),
        _halves(last_ho + layer.border - p.bottom, last_wo + layer.border - p.right),
        _halves(ko, ki),
        _halves(ho, wo),
        sides,
        layer.offset & 0xFFFFFFFF,
        0,
        _configuration(layer),
    ]


def _configuration(layer: Layer) -> int:
    flags = {
        4: layer.norm_bits != 0,
        7: layer.linear,
        9: layer.weights_in_memory,
        10: layer.prefetch,
        15: True,
        23: not layer.relu,
        25: layer.bias,
        26: layer.signed,
    }
    fields = {
        0: layer.weight_bits - 1,
        5: _MODES.index(layer.mode),
        12: 2 if layer.norm_bits == 32 else 0,
        16: layer.shift,
        21: 2 if layer.output_bits == 32 else 0,
    }
    return sum(on << bit for bit, on in flags.items()) | sum(v << bit for bit, v in fields.items())
