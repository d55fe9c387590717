"""One job of N-EUREKA: its sizes, the words of its registers, and the cycles that it takes.

Which word is which, pulp-nnx's hardware abstraction says; kernels/neureka/encode.c gives the same words. The cycles are
those of the simulator's device (platforms/simulators/soc/README.md) without conflicts in banks, the same wherever the
weights lie: it reads a word a cycle from either memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tinsmith_neureka.packing import WORD_BYTES, Mode

SIDE = 6
"""Height and width of a tile of the output."""
OUTPUT_CHANNELS = 32
"""Of a tile; depthwise as many as the input's."""
LARGEST_EXTENT = (1 << 16) - 1

_CACHED = 4096

_OFFSETS_WEIGHTS, _NORMALIZES, _PREFETCHES = 1 << 15, 1 << 4, 1 << 10
_FROM_WEIGHT_MEMORY = 1 << 9
_IDENTITY, _BIASES, _SIGNED_INPUT = 1 << 23, 1 << 25, 1 << 26
_SCALES_OF_32_BITS = 2 << 12

# The terms of the simulator's table, in cycles: of loads, before weights with prefetch, behind weights of 3x3, from a
# load in their shadow to what follows, of scales and biases beside one cycle a channel, behind outputs of 1x1.
_LOAD_BEGIN, _LOAD_1X1 = 6, 6 + SIDE * SIDE + 6
_PREPARATION = {Mode.CONV_1X1: 7, Mode.CONV_3X3: 6, Mode.DEPTHWISE_3X3: 34}
_END_3X3, _HANDOVER, _STORE_END_1X1 = 8, 9, 3
_NORMALIZATION = 9 + 4 + 8


@dataclass(frozen=True)
class Job:
    """A convolution of int8 tensors that lie densely, with 32-bit scales, biases and an int8 result.

    input, output: height, width, channels. step: from one pixel of the input that is read to the next, down and across;
    of 3x3 windows 1. padding: top, right, bottom, left, 0 to 2 each, of 1x1 all 0. pad_value: in [-128, 127]. bits: of
    each weight, 2 to 8; its stored integer has `offset` added. shift: 0 to 31, to the right. in_weight_memory: whether
    the weights lie beside the accelerator rather than in the cluster's memory. pixel_bytes: from one pixel of the input
    to the next, which share bytes if it is less than their channels; 0 where they lie densely.
    """

    mode: Mode
    input: tuple[int, int, int]
    output: tuple[int, int, int]
    step: tuple[int, int]
    padding: tuple[int, int, int, int]
    pad_value: int
    bits: int
    shift: int
    in_weight_memory: bool = False
    pixel_bytes: int = 0

    @property
    def offset(self) -> int:
        """What the accelerator adds to stored weights, so that they are those of two's complement."""
        return -(1 << (self.bits - 1))

    @property
    def channel_tiles(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Channels of each tile of the output, and of the input."""
        inputs = _tiles(self.input[2], self.mode.input_channels)
        if self.mode is Mode.DEPTHWISE_3X3:
            return inputs, inputs
        return _tiles(self.output[2], OUTPUT_CHANNELS), inputs


def padding_is_known(output: int, behind: int) -> bool:
    """Whether padding behind an extent of the output reaches its last tile alone, which is all that knows of it."""
    return output <= SIDE or behind <= _tiles(output, SIDE)[-1]


def words(job: Job) -> NDArray[np.uint32]:
    """The 24 words, those of addresses 0."""
    margin = job.mode.side - 1
    outputs, inputs = job.channel_tiles
    rows, columns = (_tiles(extent, SIDE) for extent in job.output[:2])
    top, right, bottom, left = job.padding
    last = (rows[-1] + margin - bottom, columns[-1] + margin - right)
    per_channel = {
        Mode.CONV_3X3: job.bits * len(inputs),
        Mode.DEPTHWISE_3X3: 0,
        Mode.CONV_1X1: len(inputs),
    }
    configuration = (
        (job.bits - 1)
        | _NORMALIZES
        | job.mode << 5
        | _PREFETCHES
        | _SCALES_OF_32_BITS
        | _OFFSETS_WEIGHTS
        | job.shift << 16
        | _IDENTITY
        | _BIASES
        | _SIGNED_INPUT
        | (_FROM_WEIGHT_MEMORY if job.in_weight_memory else 0)
    )
    pixel = job.pixel_bytes or job.input[2]
    numbers = [
        *[0] * 6,
        job.step[1] * pixel,
        job.step[0] * job.input[1] * pixel,
        0,
        WORD_BYTES,
        job.output[2],
        job.output[1] * job.output[2],
        WORD_BYTES,
        WORD_BYTES * per_channel[job.mode],
        0,
        _halves(outputs[-1], inputs[-1]),
        _halves(rows[-1], columns[-1]),
        _halves(*last),
        _halves(len(outputs), len(inputs)),
        _halves(len(rows), len(columns)),
        top << 28 | right << 24 | bottom << 20 | left << 16 | job.pad_value & 0xFF,
        job.offset & 0xFFFFFFFF,
        0,
        configuration,
    ]
    return np.array(numbers, np.uint32)


@lru_cache(maxsize=_CACHED)
def cycles(job: Job) -> int:
    """From the trigger to the event."""
    outputs, inputs = job.channel_tiles
    rows, columns = (_tiles(extent, SIDE) for extent in job.output[:2])
    places = [(height, width) for height in rows for width in columns]
    parts = 1 if job.mode is Mode.DEPTHWISE_3X3 else len(inputs)
    of_size = {count: _cycles_of_channels(job, places, parts, count) for count in {*outputs}}
    return sum(of_size[channels] for channels in outputs)


def _cycles_of_channels(
    job: Job, places: Sequence[tuple[int, int]], parts: int, channels: int
) -> int:
    """Of all tiles of some output channels: behind the first part, each load lies in the shadow of the weights before,
    and is handed over behind both. Nothing loads ahead for other output channels.
    """
    reads = channels if job.mode is Mode.CONV_1X1 else channels * job.bits
    weights = reads + (_END_3X3 if job.mode is Mode.CONV_3X3 else 0)
    loads = [_load_cycles(job, height, width) for height, width in places for _ in range(parts)]
    shadows = sum(max(weights + _HANDOVER, load) for load in loads[1:])
    outputs = sum(height * width for height, width in places)
    each = channels + _NORMALIZATION + (_STORE_END_1X1 if job.mode is Mode.CONV_1X1 else 0)
    prepared = loads[0] + len(loads) * _PREPARATION[job.mode]
    return prepared + shadows + weights + outputs + len(places) * each


def _load_cycles(job: Job, height: int, width: int) -> int:
    if job.mode is Mode.CONV_1X1:
        return _LOAD_1X1
    return _LOAD_BEGIN + (height + 2) * (width + 2)


def _tiles(extent: int, most: int) -> tuple[int, ...]:
    """Sizes, of which all but the last are `most`."""
    count = -(-extent // most)
    return (*[most] * (count - 1), extent - (count - 1) * most)


def _halves(upper: int, lower: int) -> int:
    return upper << 16 | lower
