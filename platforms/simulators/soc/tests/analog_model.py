"""Layers of DIANA's analog accelerator in numpy, from logical tensors, and their bytes in its memories.

Sources: HTVM's pattern and diana-quantlib (arithmetic), DORY and the AiMC SDK (layouts, instructions).
"""

from dataclasses import dataclass

import numpy as np
from digital_model import pad, swap
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
Int64 = NDArray[np.int64]

ROWS, COLUMNS, BLOCK = 1152, 512, 64
CHANNELS = 16  # of a word of 16 bytes
_BANK = 0x10000


@dataclass(frozen=True)
class Chip:
    """What nobody is sure of, as the accelerator's constants say it."""

    gain: int = 16
    bits: int = 8
    symmetric: bool = False
    rows_by_tap: bool = False
    signs: bool = True
    line: int = 128


CHIP = Chip()


@dataclass(frozen=True)
class Post:
    """What is done behind the converters, with shifts."""

    partial: bool = False
    scales: bool = False
    residual: bool = False
    relu: bool = False
    quantize: bool = False
    shift: int = 0
    residual_shift: int = 0
    offset_shift: int = 0


NOTHING = Post()


@dataclass(frozen=True)
class Layer:
    """height, width: of the input. pads: top, bottom, left, right. block: of 64 rows, where it lies in the array."""

    channels: int
    outputs: int
    height: int = 1
    width: int = 1
    kernel: tuple[int, int] = (1, 1)
    stride: int = 1
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    unroll: int = 1
    block: int = 0
    post: Post = NOTHING

    @property
    def rows(self) -> int:
        return self.channels * self.kernel[0] * self.kernel[1]

    @property
    def lines(self) -> int:
        """Of the weights in L2, two for each row."""
        return pad(2 * self.rows, 32)

    @property
    def output_height(self) -> int:
        return (self.height + self.pads[0] + self.pads[1] - self.kernel[0]) // self.stride + 1

    @property
    def output_width(self) -> int:
        """A multiple of the columns that an evaluation gives."""
        whole = (self.width + self.pads[2] + self.pads[3] - self.kernel[1]) // self.stride + 1
        return whole // self.unroll * self.unroll

    @property
    def output_shape(self) -> tuple[int, int, int]:
        """With the channels that pad a word."""
        return (pad(self.outputs), self.output_height, self.output_width)


@dataclass(frozen=True)
class Tensors:
    """image: (channels, height, width). weights: (outputs, channels, *kernel). partial, residual: as output_shape.

    scales, offsets: of each output, those that pad a word with them.
    """

    image: Int8
    weights: Int8
    partial: Int8
    residual: Int8
    scales: Int8
    offsets: Int8


def convert(layer: Layer, tensors: Tensors, chip: Chip = CHIP) -> Int64:
    """The converters' results, of output_shape."""
    top, bottom, left, right = layer.pads
    padded = np.pad(tensors.image.astype(np.int64), ((0, 0), (top, bottom), (left, right)))
    channels, height, width = layer.output_shape
    sums = np.zeros((channels, height, width), np.int64)
    for y in range(layer.kernel[0]):
        for x in range(layer.kernel[1]):
            rows = slice(y, y + (height - 1) * layer.stride + 1, layer.stride)
            columns = slice(x, x + (width - 1) * layer.stride + 1, layer.stride)
            taps = tensors.weights[:, :, y, x].astype(np.int64)
            sums[: layer.outputs] += np.einsum("kc,chw->khw", taps, padded[:, rows, columns])
    return np.clip(sums // chip.gain, -32, 31)


def compute(layer: Layer, tensors: Tensors, chip: Chip = CHIP) -> Int8:
    """What is written, of output_shape."""
    post = layer.post
    values = convert(layer, tensors, chip)
    if post.partial:
        values = values + tensors.partial
    if post.scales:
        offsets = tensors.offsets.astype(np.int64) * 2**post.offset_shift
        values = values * tensors.scales[:, None, None] + offsets[:, None, None]
    if post.residual:
        values = values + tensors.residual.astype(np.int64) * 2**post.residual_shift
    if post.relu:
        values = np.maximum(values, 0)
    bits = chip.bits if post.quantize else 8
    most = 2 ** (bits - 1) - 1
    least = -most if chip.symmetric and post.quantize else -most - 1
    shifted = values // 2**post.shift if post.quantize else values
    return np.clip(shifted, least, most).astype(np.int8)


def pack_weights(layer: Layer, weights: Int8, chip: Chip = CHIP) -> bytes:
    """Bit lines as they lie in L2."""
    axes = (2, 3, 1, 0) if chip.rows_by_tap else (1, 2, 3, 0)
    matrix = weights.transpose(axes).reshape(layer.rows, layer.outputs)
    cells = np.zeros((layer.lines // 2, pad(layer.outputs, chip.line)), np.int8)
    cells[len(cells) - layer.rows :, : layer.outputs] = matrix[::-1]
    if chip.signs:
        block = layer.block + np.arange(len(cells)) // BLOCK
        cells[np.ix_((block < 6) | (block > 11), np.arange(0, cells.shape[1], 2))] *= -1
        cells[np.ix_(block <= 8, np.arange(1, cells.shape[1], 2))] *= -1
    lines = np.stack([np.packbits(cells == sign, axis=1) for sign in (1, -1)], axis=1)
    return swap(lines.tobytes())


def pack_scales(scales: Int8, offsets: Int8) -> bytes:
    """For each 16 outputs their scales, then their offsets."""
    both = np.stack([scales.reshape(-1, CHANNELS), offsets.reshape(-1, CHANNELS)], axis=1)
    return swap(both.tobytes())


def words_of(shape: tuple[int, int, int]) -> int:
    """That an image takes in a bank."""
    channels, height, width = shape
    return height * width * -(-channels // BLOCK)


def put_image(memory: bytearray, place: int, image: Int8) -> None:
    """Channels last: 16 in a word of a bank, 64 in four, then the next word. place: byte in the first bank."""
    channels, height, width = image.shape
    blocks = -(-channels // BLOCK)
    flat = image.reshape(channels, height * width)
    for channel in range(channels):
        bank, lane = channel % BLOCK // CHANNELS, channel % CHANNELS
        first = place + _BANK * bank + CHANNELS * (channel // BLOCK) + (lane ^ 3)
        for pixel in range(height * width):
            memory[first + CHANNELS * blocks * pixel] = int(flat[channel, pixel]) & 0xFF


def instruction(
    layer: Layer,
    places: tuple[int, int],
    operands: tuple[int, int] = (0, 0),
    init: bool = True,
    **changes: int,
) -> list[int]:
    """Words of 16 bits. places: bytes of L1 of input and output; operands: of partial sums and residual.

    init: loads weights, and scales if it has them. changes: words by their numbers, as w5=2.
    """
    post = layer.post
    done = [False, post.quantize, post.relu, post.residual, post.scales, post.partial]
    words = [sum(1 << bit for bit, is_done in enumerate(done) if not is_done), 0]
    words += [place // 16 for place in (*places, *operands)]
    words += [0, layer.channels, layer.outputs, layer.width, layer.height, 7]
    words += [layer.kernel[1] | layer.kernel[0] << 4]
    words += [layer.output_width // layer.unroll, layer.output_height, layer.unroll, layer.stride]
    top, bottom, left, right = layer.pads
    words += [bottom | top << 2 | right << 4 | left << 6, -(-layer.channels // BLOCK)]
    words += [5 | layer.block << 9 | init << 13 | (init and post.scales) << 14]
    used = -(-layer.outputs // 32)
    words += [0xFFFF << (16 - used) & 0xFFFF, 0x0100, 0xF000, 0, 0x0084]
    words += [layer.lines, pad(layer.outputs) // CHANNELS]
    words += [post.shift | post.residual_shift << 8 | post.offset_shift << 12]
    words += [0] * (32 - len(words))
    for name, value in changes.items():
        words[int(name[1:])] = value
    return words


# As DORY writes it.
STOP = [0x3F] + [0] * 10 + [7] + [0] * 3 + [1, 0, 0, 1, 5, 1, 0x010A, 0xF001, 0, 0x84] + [0] * 7
