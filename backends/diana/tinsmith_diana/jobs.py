"""Layers as DIANA's digital accelerator is told of them: the 40 words that kernels/diana repeats as jobs, and cycles.

The instruction's fields are those of the vendor's driver library (ABurrello/dory-hal). The cycles are MATCH's cost
model of DIANA for convolutions (eml-eda/match), and for the others what the state machine of its sister chip takes
(KULeuven-MICAS/tinyvers), scaled from 8 lanes to 16.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tinsmith_diana.joining import WEIGHT_MEMORY_BYTES as WEIGHT_MEMORY_BYTES
from tinsmith_diana.joining import Features, least_parts, most_joined
from tinsmith_diana.layouts import BANK_BYTES, BANKS, LANES, padded, plane_bytes
from tinsmith_diana.packing import (
    SLOTS,
    convolution_bytes,
    depthwise_group_bytes,
    fully_connected_bytes,
)

WORDS = 40
L1_BYTES = BANKS * BANK_BYTES
LARGEST_SHIFT = 31
MOST_PADDING = 15
"""Of each of the four bits of the word of zero padding."""

_CACHED = 4096
_OUTPUT_IN_PIXELS, _OUTPUT_IN_ROWS = 1, 2

# Cycles: behind each row of a window and channel; of a block of 16 x 16 outputs (4 for bytes of biases, bias, shift, 16
# rows out, clear); of a block of 16 fully connected outputs; of 16 added elements; of a load, a byte.
_PASS_CYCLES, _BLOCK_CYCLES, _BLOCK_OF_OUTPUTS, _ADDED_CYCLES = 2, 23, 20, 4
_BYTES_A_CYCLE = 16

_BEGIN_CYCLES = 100
"""Of the accelerator, from a trigger to its first load or its computing: an assumption, as for the simulator."""
_START_CYCLES, _NEXT_CYCLES = 178, 38
"""Of the core: start and wait of a layer, and from one of its jobs to the next, as measured of kernels/diana."""
_JOINED_START_CYCLES, _JOINED_NEXT_CYCLES = 300, 85
"""The same where runs are joined: of a layer, and of each job."""
_LISTED_CYCLES, _LISTED_RUN_CYCLES = 45, 20
"""Of lists: of each instruction a layer, and of each run, of which the accelerator's are 11."""
COPY_CYCLES = 36
"""Of a copy between L1 and L2 besides 16 bytes a cycle: fitted in the same way; MATCH has 70."""


class Mode(IntEnum):
    """Word 0 of an instruction."""

    FULLY_CONNECTED = 0
    CONVOLUTION = 1
    ADDITION = 3


@dataclass(frozen=True)
class Convolution:
    """input, output: height, width, channels. window: height, width, each of 1, 3, 5, 7. stride: 1 or 2. padding: rows
    of zeros above and below, columns on both sides alike. shift: 0 to 31, to the right. relu: clips to [0, 127].
    gives_pixels: the output has channels last, 16 of them in a bank; of more than 64 channels by one job alone.
    features: see `joined`. in_planes: planes of the input are padded, as `DianaPlanes` has them.
    """

    input: tuple[int, int, int]
    output: tuple[int, int, int]
    window: tuple[int, int]
    stride: int
    padding: tuple[int, int, int]
    shift: int
    relu: bool
    is_depthwise: bool = False
    gives_pixels: bool = False
    features: Features = frozenset()
    in_planes: bool = False

    @property
    def plane_bytes(self) -> tuple[int, int]:
        """Of a channel of the input, and of the output."""
        (rows, columns, _), (height, width, _) = self.input, self.output
        of_input = plane_bytes(rows, columns) if self.in_planes else rows * padded(columns)
        return of_input, height * padded(width)

    @property
    def weight_bytes(self) -> int:
        """Of each run."""
        taps = self.window[0] * self.window[1]
        if self.is_depthwise:
            return depthwise_group_bytes(taps)
        return convolution_bytes(self.output[2], taps * self.input[2]) // self.runs

    @property
    def runs(self) -> int:
        """How often the instruction runs: for each channel of a depthwise layer; else as few equal parts of the
        outputs as the memory for weights allows.
        """
        if self.is_depthwise:
            return self.output[2]
        taps = self.window[0] * self.window[1] * self.input[2]
        return least_parts(padded(self.output[2]) // LANES, convolution_bytes(LANES, taps))

    @property
    def joined(self) -> int:
        """Channels of a depthwise layer that a job computes at most, where the array may loop over them or takes
        several instructions; else 1. They have one place in their groups of four, as weights of the other places lie
        between theirs. What is written behind the result has to fit the L1 memory, too.
        """
        of_input, of_output = self.plane_bytes
        channels = self.output[2]
        planes = channels + SLOTS * (LANES - 1)
        if not self.is_depthwise or channels * of_input + planes * of_output > L1_BYTES:
            return 1
        return min(most_joined(self.features, self.weight_bytes, loops=self.loops), self._groups)

    @property
    def loops(self) -> bool:
        """Whether one instruction may go over the channels of a job."""
        return self.is_depthwise and "channel-loops" in self.features

    @property
    def jobs(self) -> int:
        """A depthwise layer's channels, or fewer if they are joined; else a run is one."""
        if not self.is_depthwise:
            return self.runs
        of_places = (-(-(self.output[2] - place) // SLOTS) for place in range(SLOTS))
        return sum(-(-channels // self.joined) for channels in of_places)

    @property
    def planes_behind(self) -> int:
        """Planes behind the result that a job writes, too, as it always computes 16 channels; joined ones lie four
        planes apart.
        """
        channels = self.output[2]
        if not self.is_depthwise:
            return padded(channels) - channels
        return (LANES - 1) * (SLOTS if self.joined > 1 else 1)

    @property
    def _groups(self) -> int:
        return -(-self.output[2] // SLOTS)


@dataclass(frozen=True)
class FullyConnected:
    """Vectors of int8. features: whether a run computes more than 16 outputs, and a job is several runs."""

    inputs: int
    outputs: int
    shift: int
    relu: bool
    features: Features = frozenset()

    loops = False

    @property
    def runs(self) -> int:
        """One for each 16 outputs, as no driver of the chip asks for more at once; of whole vectors as few equal parts
        as the memory for weights allows.
        """
        blocks = padded(self.outputs) // LANES
        is_whole = "whole-vectors" in self.features
        return (
            least_parts(blocks, fully_connected_bytes(LANES, self.inputs)) if is_whole else blocks
        )

    @property
    def blocks(self) -> int:
        """Of 16 outputs of a run."""
        return padded(self.outputs) // LANES // self.runs

    @property
    def joined(self) -> int:
        """Runs that are a job at most."""
        return min(most_joined(self.features, self.weight_bytes, loops=False), self.runs)

    @property
    def jobs(self) -> int:
        """As many as runs, or fewer if they are joined."""
        return -(-self.runs // self.joined)

    @property
    def weight_bytes(self) -> int:
        """Of each run."""
        return fully_connected_bytes(LANES * self.blocks, self.inputs)


@dataclass(frozen=True)
class Addition:
    """Of two operands of `size_bytes` each, a multiple of 16, padding included."""

    size_bytes: int
    shift: int

    runs = joined = jobs = 1
    loops = False
    weight_bytes = 0


Work = Convolution | FullyConnected | Addition


def record(work: Work) -> NDArray[np.uint32]:
    """The words of a layer: 0 to 31 the instruction without its three addresses; 32 how often it runs; 33 the bytes of
    weights that each run loads; 34 how many runs are a group; 35, 36 weights from one group, and in a group from one
    run, to the next; 37, 38 the input, the output from one run to the next; all in bytes. 39 how many runs of one place
    in their groups are a job at most, if not each is one.
    """
    match work:
        case Convolution():
            fields = _convolution(work)
        case FullyConnected():
            fields = {0: Mode.FULLY_CONNECTED, 4: padded(work.inputs) // LANES, 5: work.blocks}
            fields |= {14: int(work.relu), 35: work.weight_bytes, 38: LANES * work.blocks}
        case Addition():
            fields = {0: Mode.ADDITION, 4: work.size_bytes // LANES}
    common = {
        15: _OUTPUT_IN_ROWS,
        18: 1,
        19: work.shift,
        32: work.runs,
        33: work.weight_bytes,
        34: 1,
        39: work.joined if work.joined > 1 else 0,
    }
    words = np.zeros(WORDS, np.uint32)
    for index, value in (common | fields).items():
        words[index] = value
    return words


def _convolution(work: Convolution) -> dict[int, int]:
    (rows, columns, channels), (height, width, outputs) = work.input, work.output
    of_input, of_output = work.plane_bytes
    top, bottom, side = work.padding
    blocks = padded(outputs) // LANES // work.runs
    fields = {
        0: Mode.CONVOLUTION,
        4: 1 if work.is_depthwise else channels,
        5: 1 if work.is_depthwise else blocks,
        6: columns,
        7: rows,
        8: padded(columns),
        9: of_input,
        10: work.window[1],
        11: work.window[0],
        12: padded(width) // LANES,
        13: height,
        14: int(work.relu),
        16: of_output,
        17: 1,
        20: side | top << 8 | bottom << 12,
        24: int(work.stride == 2),
        35: work.weight_bytes,
    }
    if work.is_depthwise:
        fields |= {34: SLOTS, 36: LANES // SLOTS, 37: of_input, 38: of_output}
        if work.joined == 1:
            return fields
        fields |= {16: SLOTS * of_output}
        looped = {9: SLOTS * of_input, 22: work.weight_bytes, 23: work.joined}
        return fields | (looped if work.loops else {})
    if work.gives_pixels:
        return fields | {15: _OUTPUT_IN_PIXELS, 38: blocks * BANK_BYTES}
    return fields | {38: blocks * LANES * of_output}


def loaded_bytes(work: Work) -> int:
    """Bytes of weights that all jobs load together."""
    return work.runs * work.weight_bytes


@lru_cache(maxsize=_CACHED)
def compute_cycles(work: Work) -> int:
    """Of all jobs, without triggers and loads."""
    match work:
        case Convolution():
            return _convolution_cycles(work)
        case FullyConnected():
            blocks = padded(work.outputs) // LANES
            return blocks * (padded(work.inputs) // LANES + _BLOCK_OF_OUTPUTS)
        case Addition():
            return work.size_bytes // LANES * _ADDED_CYCLES


def cycles(work: Work) -> int:
    """With loads of weights, which precede the computing of their job, and what starts the jobs."""
    return _core_cycles(work) + _array_cycles(work)


def start_cycles(work: Work) -> int:
    """Those of them until the last job has begun, in which the core polls."""
    return _core_cycles(work) + _array_cycles(work) * (work.jobs - 1) // work.jobs


def _array_cycles(work: Work) -> int:
    """Of the accelerator, from triggers on."""
    return work.jobs * _BEGIN_CYCLES + loaded_bytes(work) // _BYTES_A_CYCLE + compute_cycles(work)


def _core_cycles(work: Work) -> int:
    """Of the core that starts them, and of the instructions behind a job's first one."""
    if work.joined == 1:
        return _START_CYCLES + (work.jobs - 1) * _NEXT_CYCLES
    of_jobs = _JOINED_START_CYCLES + work.jobs * _JOINED_NEXT_CYCLES
    listed = 0 if work.loops else _LISTED_CYCLES * work.joined + _LISTED_RUN_CYCLES * work.runs
    return of_jobs + listed


def _convolution_cycles(work: Convolution) -> int:
    """Window rows that lie in zero padding are left out."""
    height, width, outputs = work.output
    channels = 1 if work.is_depthwise else work.input[2]
    of_rows = sum(
        block_cycles(channels * _rows_inside(work, row), work.window[1]) for row in range(height)
    )
    blocks = outputs if work.is_depthwise else padded(outputs) // LANES
    return blocks * (padded(width) // LANES) * of_rows


def block_cycles(rows: int, columns: int) -> int:
    """Of 16 columns of 16 outputs. rows: of a window, of all channels that an output reads; columns: of the window."""
    return rows * (columns + _PASS_CYCLES) + _BLOCK_CYCLES


def _rows_inside(work: Convolution, row: int) -> int:
    """Of the window of an output's row, how many lie in the image."""
    first = row * work.stride - work.padding[0]
    return max(0, min(first + work.window[0], work.input[0]) - max(first, 0))
