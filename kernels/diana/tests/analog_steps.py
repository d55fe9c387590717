"""What analog_layers.c is told to do: layers and copies, weights, scales, and the windows that they work on."""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

STEPS = 8
BANKS = 4
WINDOW_BYTES, WEIGHT_BYTES, SCALE_BYTES, FAR_BYTES = 0x3000, 0xA000, 0x400, 0x1000
NONE = 0xFFFFFFFF
LAYER, COPY_IN, COPY_OUT = 1, 2, 3
PARTIAL, SCALE, RESIDUAL, RECTIFY, QUANTIZE = 16, 8, 4, 2, 1


@dataclass(frozen=True)
class Layer:
    """tinsmith_diana_analog_layer_t."""

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
    pad_left: int = 0
    pad_right: int = 0
    unroll: int = 1
    first_block: int = 0
    first_packet: int = 0
    steps: int = 0
    shift: int = 0
    residual_shift: int = 0
    offset_shift: int = 0

    @property
    def numbers(self) -> list[int]:
        return list(vars(self).values())


@dataclass(frozen=True)
class Step:
    """As in analog_layers.c."""

    kind: int = 0
    far: int = 0
    rows: int = 0
    banks: int = 0
    layer: Layer = Layer()
    weights: int = NONE
    scales: int = NONE
    input: int = 0
    partial: int = NONE
    residual: int = NONE
    output: int = 0

    @property
    def numbers(self) -> list[int]:
        places = [self.weights, self.scales, self.input, self.partial, self.residual, self.output]
        return [self.kind, self.far, self.rows, self.banks, *self.layer.numbers, *places]


def given(
    steps: list[Step], weights: bytes, scales: bytes, windows: Bytes, far: bytes = b""
) -> bytes:
    """The input of a run. weights, scales, far: as many bytes as there are, or fewer.

    windows: [BANKS, WINDOW_BYTES].
    """
    padded = [*steps, *[Step()] * (STEPS - len(steps))]
    words = [number for step in padded for number in step.numbers]
    head = struct.pack(f"<{len(words)}I", *words)
    gap = bytes(-len(head) % 16)
    sized = [(weights, WEIGHT_BYTES), (scales, SCALE_BYTES)]
    constants = b"".join(it + bytes(size - len(it)) for it, size in sized)
    return head + gap + constants + windows.tobytes() + far + bytes(FAR_BYTES - len(far))


def windows_of(output: Bytes) -> Bytes:
    """Of what a run leaves: [BANKS, WINDOW_BYTES]."""
    return output[: BANKS * WINDOW_BYTES].reshape(BANKS, WINDOW_BYTES)


def far_of(output: Bytes) -> Bytes:
    return output[BANKS * WINDOW_BYTES :]
