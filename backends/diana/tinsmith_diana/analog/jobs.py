"""Layers as DIANA's analog accelerator is told of them: the words that kernels/diana starts a layer from, and cycles.

The instruction's fields are those of the AiMC SDK and of the vendor's driver library (ABurrello/dory-hal). The cycles
are those of the simulator's model: PLiNIO's (eml-eda/plinio) for weights, and what fits HTVM's latencies for the array.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tinsmith_diana.analog.array import COLUMNS
from tinsmith_diana.analog.operator import ROWS
from tinsmith_diana.analog.packing import LINES_A_LOAD
from tinsmith_diana.jobs import COPY_CYCLES
from tinsmith_diana.layouts import (
    BANK_BYTES,
    BANKED,
    BANKS,
    COPIED_BYTES,
    LANES,
    banks,
    pixel_bytes,
    pixel_words,
)

INSTRUCTION_BYTES = 64
"""Of a record, at its beginning."""
_HALVES = 32
_UNROLLS = (8, 4, 2, 1)
_COLUMN_BLOCK = 32
_ALL_COLUMN_BLOCKS = 16

# What is left out of an instruction whose steps are none, and where its steps begin; the steps, and what public sources
# always write.
_SKIPS, _FIRST_STEP = 0x3F, 1
_SCALE, _RECTIFY, _QUANTIZE = 1 << 3, 1 << 1, 1 << 0
_PRECISION, _BYTES, _TIMING, _GOES_ON, _RESERVED = 7, 5, 0x0100, 0xF000, 0x84

# Cycles: of a job's configuration, instructions and loads of nothing; of a load of weights, or of scales; of a line; of
# an evaluation of 1x1 windows, and of larger ones.
_SET_UP_CYCLES, _LOAD_CYCLES, _LINE_CYCLES = 48, 11, 4
_POINT_CYCLES, _WINDOW_CYCLES = 163, 105
_CLIP_CYCLES = 19
"""Of the core, of 16 bytes."""


@dataclass(frozen=True)
class AnalogConvolution:
    """input, output: height, width, channels. window: height, width, each of 1, 3, 5, 7. stride: 1 or 2. padding: rows
    and columns of zeros: above, below, left, right. shift: 0 to 31, to the right. addend_shift: 0 to 15, to the left.
    is_narrow: the core clips results to 7 bits when they have come.
    """

    input: tuple[int, int, int]
    output: tuple[int, int, int]
    window: tuple[int, int]
    stride: int
    padding: tuple[int, int, int, int]
    shift: int
    addend_shift: int
    is_rectified: bool
    is_narrow: bool = False

    @property
    def rows(self) -> int:
        """Of the array, that weights take."""
        return self.input[2] * self.window[0] * self.window[1]

    @property
    def lines(self) -> int:
        """Of bits, two for each row, that a job loads."""
        return -(-2 * self.rows // LINES_A_LOAD) * LINES_A_LOAD

    @property
    def packets(self) -> int:
        """Of scales, for 16 outputs each."""
        return -(-self.output[2] // LANES)

    @property
    def unroll(self) -> int:
        """Columns of outputs of one evaluation: as many as the array has room for, which divide the result's width.
        The accelerator makes the copies of weights itself, each by a stride farther.
        """
        return next(found for found in _UNROLLS if self._has_room(found))

    @property
    def output_begin(self) -> int:
        """Where the output lies behind the input, in each bank."""
        return _in_bank(self.input)

    @property
    def l1_bytes(self) -> int:
        """From the input's first byte to the output's last one. Where an image lies in several banks, to the same place
        of the last bank: so it fits the memory just where both begin in the first one and end there.
        """
        in_bank = self.output_begin + _in_bank(self.output)
        several = max(banks(self.input[2]), banks(self.output[2])) > 1
        return in_bank + ((BANKS - 1) * BANK_BYTES if several else 0)

    def _has_room(self, unroll: int) -> bool:
        taken = self.input[2] * self.window[0] * (self.window[1] + (unroll - 1) * self.stride)
        has_columns = self.output[2] * unroll <= COLUMNS
        return unroll == 1 or (self.output[1] % unroll == 0 and taken <= ROWS and has_columns)


def copied_rows(image: tuple[int, int, int]) -> int:
    """Of a copy of an image, of 16 bytes for each of its banks."""
    height, width, channels = image
    return height * width * pixel_words(channels)


def _in_bank(image: tuple[int, int, int]) -> int:
    """Bytes of each of an image's banks, with what copies move too much."""
    return -(-copied_rows(image) * LANES // COPIED_BYTES) * COPIED_BYTES


def record(work: AnalogConvolution) -> NDArray[np.uint32]:
    """The words of a layer: 0 to 15 the instruction without its places; 16, 17 rows and banks of the input's copy, 18,
    19 of the output's; 20 where the output lies behind the input in L1, in bytes; 21 whether the core clips it.
    """
    halves = _instruction(work)
    words = [halves.get(i, 0) | halves.get(i + 1, 0) << 16 for i in range(0, _HALVES, 2)]
    copies = [
        number
        for image in (work.input, work.output)
        for number in (copied_rows(image), banks(image[2]))
    ]
    return np.array([*words, *copies, work.output_begin, work.is_narrow], np.uint32)


def _instruction(work: AnalogConvolution) -> dict[int, int]:
    """Halves of words by their number."""
    (rows, columns, channels), (height, width, outputs) = work.input, work.output
    above, below, left, right = work.padding
    steps = _SCALE | _QUANTIZE | (_RECTIFY if work.is_rectified else 0)
    used = -(-outputs // _COLUMN_BLOCK)
    return {
        0: _SKIPS ^ steps << _FIRST_STEP,
        7: channels,
        8: outputs,
        9: columns,
        10: rows,
        11: _PRECISION,
        12: work.window[1] | work.window[0] << 4,
        13: width // work.unroll,
        14: height,
        15: work.unroll,
        16: work.stride,
        17: below | above << 2 | right << 4 | left << 6,
        18: -(-channels // BANKED),
        19: _BYTES,
        20: ((1 << used) - 1) << (_ALL_COLUMN_BLOCKS - used),
        21: _TIMING,
        22: _GOES_ON,
        24: _RESERVED,
        25: work.lines,
        26: work.packets,
        27: work.shift | work.addend_shift << 12,
    }


def cycles(work: AnalogConvolution) -> int:
    """Of the job with its loads, of copies of both images, and of the core's clip."""
    return job_cycles(work) + start_cycles(work) + wait_cycles(work)


def job_cycles(work: AnalogConvolution) -> int:
    """Of the job with its loads."""
    height, width, _ = work.output
    of_one = _POINT_CYCLES if work.window == (1, 1) else _WINDOW_CYCLES
    loads = 2 * _LOAD_CYCLES + _LINE_CYCLES * work.lines + 2 * work.packets
    return _SET_UP_CYCLES + loads + height * (width // work.unroll) * of_one


def start_cycles(work: AnalogConvolution) -> int:
    """Of the copy of the input, which the start waits for."""
    return COPY_CYCLES + _words(work.input)


def wait_cycles(work: AnalogConvolution) -> int:
    """Of the copy of the output and of the core's clip, which the wait makes."""
    clip = _words(work.output) * _CLIP_CYCLES if work.is_narrow else 0
    return COPY_CYCLES + _words(work.output) + clip


def _words(image: tuple[int, int, int]) -> int:
    """Of 16 bytes, which a copy moves in a cycle."""
    return image[0] * image[1] * pixel_bytes(image[2]) // LANES
