"""Layers of DIANA's digital accelerator in numpy, from logical tensors, and their bytes in its memories.

Sources: HTVM's patterns (arithmetic), DORY and its driver library (layouts, instructions), MATCH (cycles).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]

LANES = 16
STOP = [0] * 18 + [1] + [0] * 13


@dataclass(frozen=True)
class Convolution:
    """height, width: of the input. side: zeros on the left, and on the right. depthwise: outputs == inputs."""

    inputs: int
    outputs: int
    height: int
    width: int
    kernel: tuple[int, int] = (3, 3)
    stride: int = 1
    top: int = 1
    bottom: int = 1
    side: int = 1
    shift: int = 4
    relu: bool = False
    depthwise: bool = False
    channels_last: bool = False

    @property
    def output_height(self) -> int:
        return (self.height + self.top + self.bottom - self.kernel[0]) // self.stride + 1

    @property
    def output_width(self) -> int:
        return (self.width + 2 * self.side - self.kernel[1]) // self.stride + 1

    @property
    def input_plane(self) -> int:
        """In bytes, as `output_plane`."""
        return self.height * pad(self.width)

    @property
    def output_plane(self) -> int:
        return self.output_height * pad(self.output_width)

    @property
    def weight_shape(self) -> tuple[int, int, int, int]:
        return (self.outputs, 1 if self.depthwise else self.inputs, *self.kernel)


@dataclass(frozen=True)
class Connected:
    """A fully connected layer."""

    inputs: int
    outputs: int
    shift: int = 4
    relu: bool = False


Mode = Literal[0, 1, 3]


def pad(size: int, to: int = LANES) -> int:
    return -(-size // to) * to


def requantize(sums: NDArray[np.int64], shift: int, relu: bool) -> Int8:
    """What 32 bits keep of the sums, shifted to the right, rounded down, and clipped to 8 bits."""
    wrapped = sums.astype(np.uint64).astype(np.uint32).astype(np.int32)
    return np.clip(wrapped >> shift, 0 if relu else -128, 127).astype(np.int8)


def convolve(layer: Convolution, image: Int8, weights: Int8, biases: Int32) -> Int8:
    """image: (inputs, height, width), weights as weight_shape, biases: (outputs,). Returns (outputs, height, width)."""
    around = ((0, 0), (layer.top, layer.bottom), (layer.side, layer.side))
    padded = np.pad(image.astype(np.int64), around)
    height, width = layer.output_height, layer.output_width
    sums = np.broadcast_to(biases[:, None, None].astype(np.int64), (len(biases), height, width))
    for y in range(layer.kernel[0]):
        for x in range(layer.kernel[1]):
            rows = slice(y, y + (height - 1) * layer.stride + 1, layer.stride)
            columns = slice(x, x + (width - 1) * layer.stride + 1, layer.stride)
            window, taps = padded[:, rows, columns], weights[:, :, y, x].astype(np.int64)
            if layer.depthwise:
                sums = sums + window * taps[:, 0, None, None]
            else:
                sums = sums + np.einsum("kc,chw->khw", taps, window)
    return requantize(sums, layer.shift, layer.relu)


def connect(layer: Connected, vector: Int8, weights: Int8, biases: Int32) -> Int8:
    """vector: (inputs,), weights: (outputs, inputs)."""
    sums = weights.astype(np.int64) @ vector.astype(np.int64) + biases
    return requantize(sums, layer.shift, layer.relu)


def swap(content: bytes) -> bytes:
    """Element i goes to byte i ^ 3. A multiple of 4 bytes."""
    return np.frombuffer(content, np.uint8).reshape(-1, 4)[:, ::-1].tobytes()


def rows_of(image: Int8, fill: int = 0) -> bytes:
    """(channels, height, width) as it lies in L1: rows padded to 16 elements."""
    channels, height, width = image.shape
    rows = np.full((channels, height, pad(width)), fill, np.int8)
    rows[:, :, :width] = image
    return swap(rows.tobytes())


def image_of(content: bytes, channels: int, height: int, width: int) -> Int8:
    """What rows_of() takes, of its bytes."""
    rows = np.frombuffer(swap(content), np.int8).reshape(channels, height, pad(width))
    return rows[:, :, :width]


def _bias_rows(biases: Int32, lanes: int) -> bytes:
    """Row b: byte b of each bias."""
    wide = np.zeros(lanes, "<i4")
    wide[: len(biases)] = biases
    return wide.view(np.uint8).reshape(lanes, 4).T.tobytes()


def pack_convolution(weights: Int8, biases: Int32) -> bytes:
    outputs = len(weights)
    packed = b""
    for first in range(0, outputs, LANES):
        group = np.zeros((LANES, *weights.shape[1:]), np.int8)
        group[: outputs - first] = weights[first : first + LANES]
        packed += group.transpose(1, 2, 3, 0).tobytes()
        packed += _bias_rows(biases[first : first + LANES], LANES)
    return swap(packed)


def pack_depthwise(weights: Int8, biases: Int32) -> bytes:
    """Four channels in a row of 16 bytes, each in the first of its four lanes."""
    packed = b""
    for first in range(0, len(weights), 4):
        channels = weights[first : first + 4, 0]
        rows = np.zeros((*channels.shape[1:], 4, 4), np.int8)
        rows[:, :, : len(channels), 0] = channels.transpose(1, 2, 0)
        spread = np.zeros(LANES, np.int32)
        spread[: 4 * len(channels) : 4] = biases[first : first + 4]
        packed += rows.tobytes() + _bias_rows(spread, LANES)
    return swap(packed)


def pack_each_channel(weights: Int8, biases: Int32) -> bytes:
    """Depthwise, for instructions that find their channel at a row of its own: lane 0 of 16."""
    pairs = zip(weights, biases, strict=True)
    return b"".join(pack_convolution(w[None], np.array([b], np.int32)) for w, b in pairs)


def pack_connected(weights: Int8, biases: Int32) -> bytes:
    outputs, inputs = weights.shape
    padded = np.zeros((pad(outputs), pad(inputs)), np.int8)
    padded[:outputs, :inputs] = weights
    wide = np.zeros(pad(outputs), np.int64)
    wide[:outputs] = biases
    packed = b""
    for first in range(0, outputs, LANES):
        group = padded[first : first + LANES]
        packed += group.reshape(LANES, -1, LANES).swapaxes(0, 1).tobytes()
        each = [int(bias).to_bytes(LANES, "little", signed=True) for bias in wide[first:][:LANES]]
        packed += b"".join(each)
    return swap(packed)


def convolution_words(
    layer: Convolution, input_place: int, output_place: int, weights: int = 0, **changes: int
) -> list[int]:
    """Of an instruction; of depthwise layers: of one channel. Places: bytes of L1 and of the weight memory.

    changes: words by their numbers, as w5=2.
    """
    padding = layer.side | layer.top << 8 | layer.bottom << 12
    words = [1, weights, input_place, output_place]
    words += [1, 1] if layer.depthwise else [layer.inputs, pad(layer.outputs) // LANES]
    words += [layer.width, layer.height, pad(layer.width), layer.input_plane]
    words += [layer.kernel[1], layer.kernel[0]]
    words += [pad(layer.output_width) // LANES, layer.output_height]
    words += [int(layer.relu), 1 if layer.channels_last else 2, layer.output_plane]
    words += [1, 0, layer.shift, padding, 0, 0, 0, layer.stride - 1]
    return _changed(words, changes)


def connected_words(
    layer: Connected, input_place: int, output_place: int, weights: int = 0, **changes: int
) -> list[int]:
    words = [0, weights, input_place, output_place]
    words += [pad(layer.inputs) // LANES, pad(layer.outputs) // LANES]
    words += [0] * 8 + [int(layer.relu), 2, 0, 0, 0, layer.shift]
    return _changed(words, changes)


def addition_words(
    elements: int, operands: tuple[int, int], output_place: int, shift: int, **changes: int
) -> list[int]:
    words = [3, operands[0], operands[1], output_place, pad(elements) // LANES]
    return _changed(words + [0] * 14 + [shift], changes)


def _changed(words: list[int], changes: dict[str, int]) -> list[int]:
    words = words + [0] * (32 - len(words))
    for name, value in changes.items():
        words[int(name[1:])] = value
    return words
