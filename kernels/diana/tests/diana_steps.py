"""What layers.c is told to do: starts, waits and copies, weights, and the image that they work on."""

import struct
from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

IMAGE_BYTES = 0xA000
WEIGHT_BYTES = 0x12000
STEPS = 8
NONE = 0xFFFFFFFF
ENCODE, START, WAIT, COPY_IN, COPY_OUT, WAIT_FOR_COPY, TOUCH, COPY_OUT_OF_BANKS = range(1, 9)
TRY_COPY_IN, TRY_COPY_OUT = 9, 10
CONVOLUTION, DEPTHWISE, FULLY_CONNECTED, ADDITION = range(4)
CHANNEL_LOOPS, INSTRUCTION_LISTS, WHOLE_VECTORS = 1, 2, 4
_ALIGNMENT = 16


@dataclass(frozen=True)
class Array:
    """Where it begins, and how many bytes from there on a layer may touch."""

    offset: int = NONE
    bytes: int = 0


@dataclass(frozen=True)
class Step:
    """As in layers.c."""

    kind: int = 0
    slot: int = 0
    far: int = 0
    mode: int = CONVOLUTION
    input_height: int = 1
    input_width: int = 1
    input_channels: int = 1
    output_height: int = 1
    output_width: int = 1
    output_channels: int = 1
    kernel_height: int = 1
    kernel_width: int = 1
    stride: int = 1
    pad_top: int = 0
    pad_bottom: int = 0
    pad_width: int = 0
    shift: int = 0
    is_rectified: int = 0
    gives_pixels: int = 0
    features: int = 0
    rows: int = 0
    banks: int = 0
    weights: Array = field(default_factory=Array)
    input: Array = field(default_factory=Array)
    operand: Array = field(default_factory=Array)
    output: Array = field(default_factory=Array)

    @property
    def numbers(self) -> list[int]:
        plain = [value for value in astuple(self) if isinstance(value, int)]
        arrays = [self.weights, self.input, self.operand, self.output]
        return [*plain, *(number for array in arrays for number in (array.offset, array.bytes))]


Shape = tuple[int, int, int]
"""Height, width and channels."""


def layer(
    mode: int,
    shape: Shape,
    output_shape: Shape | None = None,
    *,
    kernel: tuple[int, int] = (1, 1),
    stride: int = 1,
    pads: Shape = (0, 0, 0),
    shift: int = 0,
    is_rectified: bool = False,
    gives_pixels: bool = False,
    slot: int = 0,
) -> Step:
    """A layer to encode. output_shape: as the input's if there is none. pads: top, bottom, and width."""
    output_height, output_width, output_channels = output_shape or shape
    return Step(
        ENCODE,
        slot,
        mode=mode,
        input_height=shape[0],
        input_width=shape[1],
        input_channels=shape[2],
        output_height=output_height,
        output_width=output_width,
        output_channels=output_channels,
        kernel_height=kernel[0],
        kernel_width=kernel[1],
        stride=stride,
        pad_top=pads[0],
        pad_bottom=pads[1],
        pad_width=pads[2],
        shift=shift,
        is_rectified=int(is_rectified),
        gives_pixels=int(gives_pixels),
    )


def given(steps: list[Step], weights: NDArray[np.uint8], image: NDArray[np.uint8]) -> bytes:
    """The input of a run of layers.c. weights: WEIGHT_BYTES or fewer; image: IMAGE_BYTES."""
    padded = [*steps, *[Step()] * (STEPS - len(steps))]
    words = [number for step in padded for number in step.numbers]
    head = struct.pack(f"<{len(words)}I", *words)
    gap = bytes(-len(head) % _ALIGNMENT)
    rest = bytes(WEIGHT_BYTES - weights.size)
    return head + gap + weights.tobytes() + rest + image.tobytes()
