"""AnalogConv2D: a convolution as an array of analog multipliers computes it, with the rounding of its converters.

The arithmetic is that of DIANA's analog core, as HTVM's pattern `aconv2d` and diana-quantlib have it. What the hardware
has no room for is nothing of the operator: any board computes it, by plain C.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import EvaluationError, GraphError
from tinsmith_ir.operators import Array, Operand, Operator, Types, checks
from tinsmith_ir.operators.base import Restriction, required
from tinsmith_ir.operators.weighted import accumulate
from tinsmith_ir.operators.windows import (
    Padding2D,
    Pair,
    pad_spatial,
    spatial,
    taps,
    window_output_size,
    windows_read,
)
from tinsmith_ir.types import TensorType

ROWS = 1152
"""Of the array: so many products are added before a converter sees their sum."""
INPUT_MIN, INPUT_MAX = -64, 63
CONVERTED_MIN, CONVERTED_MAX = -32, 31
"""What a converter of 6 bits gives."""
LARGEST_GAIN = 1 << 17
"""From which on any sum of ROWS products is converted to -1 or 0."""
LARGEST_SHIFT = 31
LARGEST_ADDEND_SHIFT = 15
_LARGEST_CHUNKS = 1 << 18
"""So that (a * multiplier + addend) stays in 32 bits."""
_SCALES = ("multipliers", "addends")


@dataclass(frozen=True, kw_only=True)
class AnalogConv2D(Operator):
    """input (N,H,W,C) * weights (O,kh,kw,C) -> (N,OH,OW,O): channel o is
    clip((a * multipliers[o] + addends[o] * 2**addend_shift) >> shift), where
    a = sum over chunks of clip(floor(acc / gain), -32, 31).

    acc is the sum of products over the channels of a chunk, `chunk_channels` of them; the last chunk may have fewer.
    The shift rounds down. The clip is to `bits`, 7 or 8: to [-64, 63] or [-128, 127], and with `rectified` from 0 on.

    input: int8, of which elements have 7 bits, -64 to 63; zero point 0. weights: -1, 0, 1 as int8; multipliers,
    addends: int8 (O,); these without quantization, as the scale of the result says what its integers are. result:
    int8, zero point 0. padding: (top, bottom, left, right) of zeros. A fully connected layer is a convolution of one
    pixel.
    """

    gain: int
    chunk_channels: int
    shift: int = 0
    addend_shift: int = 0
    bits: int = 8
    rectified: bool = False
    stride: Pair = (1, 1)
    padding: Padding2D = (0, 0, 0, 0)

    mnemonic: ClassVar[str] = "analog_conv2d"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("input"),
        Operand("weights"),
        Operand("multipliers"),
        Operand("addends"),
    )

    @property
    def clip(self) -> tuple[int, int]:
        """The smallest and the largest result."""
        end = 1 << (self.bits - 1)
        return (0 if self.rectified else -end), end - 1

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(N, OH, OW, O); a multiplier and an addend for each output channel."""
        input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
        checks.check_rank(input_, 4, "input")
        checks.check_rank(weights, 4, "weights")
        channels = weights.shape[0]
        if weights.shape[3] != input_.shape[3]:
            raise GraphError(
                f"expected weights of {input_.shape[3]} input channels, in one group, got {weights.shape[3]}"
            )
        for index, name in enumerate(_SCALES, start=2):
            shape = checks.present(inputs, index, name).shape
            if shape != (channels,):
                raise GraphError(f"expected {name} of shape {(channels,)}, got {shape}")
        height, width = window_output_size(
            spatial(input_.shape), spatial(weights.shape), self.stride, (1, 1), self.padding
        )
        return (TensorType((input_.shape[0], height, width, channels), DType.INT8),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8; attributes that the array has: chunks of at most ROWS rows, shifts, bits."""
        for name, value, low, high in (
            ("gain", self.gain, 1, LARGEST_GAIN),
            ("shift", self.shift, 0, LARGEST_SHIFT),
            ("addend_shift", self.addend_shift, 0, LARGEST_ADDEND_SHIFT),
            ("bits", self.bits, 7, 8),
        ):
            if not low <= value <= high:
                raise GraphError(f"expected {name} from {low} to {high}, got {value}")
        input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
        _check_chunks(self.chunk_channels, weights)
        for type_, name in ((input_, "input"), (outputs[0], "result")):
            checks.check_dtype(type_, (DType.INT8,), name)
            zero_point = checks.check_quantized(type_, name).zero_point
            if zero_point:
                raise GraphError(f"expected {name} of zero point 0, got {zero_point}")
        for index, name in enumerate(("weights", *_SCALES), start=1):
            type_ = checks.present(inputs, index, name)
            checks.check_dtype(type_, (DType.INT8,), name)
            if type_.quantization is not None:
                raise GraphError(f"expected {name} without quantization, got some")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One matrix product for each chunk. Raises EvaluationError for inputs of more than 7 bits, or other weights
        than ternary ones.
        """
        array, weights, *scales = (required(arrays, index).astype(np.int64) for index in range(4))
        _check_within(array, INPUT_MIN, INPUT_MAX, "an input")
        _check_within(weights, -1, 1, "weights")
        multipliers, addends = scales
        total = _converted_sums(self, array, weights, spatial(outputs[0].shape))
        scaled = total * multipliers + (addends << self.addend_shift)
        return (np.clip(scaled >> self.shift, *self.clip).astype(np.int8),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere but where all windows see nothing but padding."""
        input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
        sizes = spatial(outputs[0].shape), spatial(input_.shape), spatial(weights.shape)
        seen = windows_read(box, *sizes, self.stride, (1, 1), self.padding)
        if seen is None:
            return None
        channels = box.ranges[3]
        boxes = (
            Box((box.ranges[0], seen.rows, seen.columns, (0, input_.shape[3]))),
            Box.whole(weights.shape).with_range(0, *channels),
            Box((channels,)),
            Box((channels,)),
        )
        return Restriction(replace(self, padding=seen.padding), boxes)

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """One for each output element and weight it sees, padding included."""
        weights = checks.present(inputs, 1, "weights")
        return outputs[0].elements * (weights.elements // outputs[0].shape[-1])


def chunk_channels(height: int, width: int) -> int:
    """How many channels the array adds up at once, of windows of so many rows and columns; 0 if not even one."""
    return ROWS // (height * width)


def _chunk_sums(
    operator: AnalogConv2D, array: NDArray[np.int64], weights: NDArray[np.int64], size: Pair
) -> list[NDArray[np.int64]]:
    """What the converters see: of each chunk the sums of products, (N, OH, OW, O). size: (OH, OW)."""
    padded = pad_spatial(array, operator.padding, 0)
    views = taps(padded, spatial(weights.shape), operator.stride, (1, 1), size)
    windows = np.stack([view for _, _, view in views], axis=3)
    found: list[NDArray[np.int64]] = []
    for first in range(0, weights.shape[3], operator.chunk_channels):
        channels = slice(first, first + operator.chunk_channels)
        columns, rows = windows[..., channels], weights[..., channels]
        sums = accumulate(
            columns.reshape(*columns.shape[:3], -1), rows.reshape(weights.shape[0], -1)
        )
        found.append(sums.astype(np.int64))
    return found


def _converted_sums(
    operator: AnalogConv2D, array: NDArray[np.int64], weights: NDArray[np.int64], size: Pair
) -> NDArray[np.int64]:
    """What the converters give, the chunks added."""
    parts = [
        np.clip(sums // operator.gain, CONVERTED_MIN, CONVERTED_MAX)
        for sums in _chunk_sums(operator, array, weights, size)
    ]
    return np.sum(parts, axis=0)


def _check_chunks(channels: int, weights: TensorType) -> None:
    most = chunk_channels(*spatial(weights.shape))
    if not 1 <= channels <= most:
        window = "x".join(map(str, spatial(weights.shape)))
        raise GraphError(
            f"expected chunk_channels from 1 to {most}, which fill {ROWS} rows with windows of {window}, got {channels}"
            if most
            else f"expected a window of at most {ROWS} taps, the rows of the array, got {window}"
        )
    chunks = -(-weights.shape[3] // channels)
    if chunks > _LARGEST_CHUNKS:
        raise GraphError(f"expected at most {_LARGEST_CHUNKS} chunks, got {chunks}")


def _check_within(array: NDArray[np.int64], low: int, high: int, name: str) -> None:
    least, most = int(array.min()), int(array.max())
    if least < low or most > high:
        raise EvaluationError(
            f"expected {name} of analog_conv2d in [{low}, {high}], got {least} to {most}"
        )
