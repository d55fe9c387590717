"""What layers.c is told to do: starts and waits of jobs, and the image of a memory that they work on."""

import struct
from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

IMAGE_BYTES = 0x1C000
NONE = 0xFFFFFFFF
_STEPS = 8


@dataclass(frozen=True)
class Array:
    """Of the image: where it begins, and how many bytes from there on a job may touch."""

    offset: int = NONE
    bytes: int = 0


@dataclass(frozen=True)
class Step:
    """As in layers.c."""

    kind: int
    job: int = 0
    at: int = 0
    mode: int = 0
    input_height: int = 1
    input_width: int = 1
    input_channels: int = 1
    output_height: int = 1
    output_width: int = 1
    output_channels: int = 1
    input_row_bytes: int = 0
    input_pixel_bytes: int = 0
    output_row_bytes: int = 0
    output_pixel_bytes: int = 0
    pad_top: int = 0
    pad_right: int = 0
    pad_bottom: int = 0
    pad_left: int = 0
    pad_value: int = 0
    input_is_signed: int = 0
    weight_bits: int = 8
    weight_offset: int = 0
    in_weight_memory: int = 0
    prefetches: int = 0
    scale_bits: int = 0
    shift: int = 0
    is_rectified: int = 0
    output_bits: int = 32
    input: Array = field(default_factory=Array)
    weights: Array = field(default_factory=Array)
    scales: Array = field(default_factory=Array)
    biases: Array = field(default_factory=Array)
    output: Array = field(default_factory=Array)

    @property
    def numbers(self) -> list[int]:
        plain = [value for value in astuple(self) if isinstance(value, int)]
        arrays = [self.input, self.weights, self.scales, self.biases, self.output]
        return [*plain, *(number for array in arrays for number in (array.offset, array.bytes))]


ENCODE, PLACE, START, WAIT, TOUCH, COPY = range(1, 7)


def given(steps: list[Step], image: NDArray[np.uint8]) -> bytes:
    """The input of a run of layers.c."""
    padded = [*steps, *[Step(0)] * (_STEPS - len(steps))]
    words = [number & NONE for step in padded for number in step.numbers]
    return struct.pack(f"<{len(words)}I", *words) + image.tobytes()
