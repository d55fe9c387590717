"""Images in another size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType

FRACTION_BITS = 10
"""Of places that integers are interpolated at."""
_ONE = 1 << FRACTION_BITS
_MOST = 1 << 20
_DISTANCE = 128
"""From int8 to the uint8 that it stands for."""


@dataclass(frozen=True)
class Places:
    """Where the elements of a result lie along an axis of the input: between `low` and `high`, `above` behind `low`.

    In TFLite's order of operations: of integers in units of 1/1024, of float32 in float32.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    above: Array


@dataclass(frozen=True)
class ResizeBilinear(Operator):
    """Height and width become `size`, each element a mean of up to four by their distance, as in TFLite.

    align_corners: the first and last elements stay where they are. half_pixel_centers: elements lie in the
    middle of what they cover. Not both. in_float32: int8 that stands for uint8, as TFLite interpolates that: the bytes
    in float32, rounded half up.
    """

    mnemonic: ClassVar[str] = "resize_bilinear"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    size: tuple[int, int] = (1, 1)
    align_corners: bool = False
    half_pixel_centers: bool = False
    in_float32: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's batch and channels, its dtype and quantization."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_rank(input_, 4, "input")
        if not 1 <= min(self.size) <= max(self.size) <= _MOST:
            raise GraphError(f"expected a size of 1 to {_MOST}, got {self.size}")
        if self.align_corners and self.half_pixel_centers:
            raise GraphError("expected align_corners or half_pixel_centers, got both")
        return (input_.with_shape((input_.shape[0], *self.size, input_.shape[3])),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 all quantized alike, of at most 2**20 rows and columns."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_numbers(input_, "input")
        checks.check_same_quantization(input_, outputs[0], "input and result")
        if self.in_float32 and input_.dtype is not DType.INT8:
            raise GraphError(f"expected i8 to interpolate in float32, got {input_.dtype.value}")
        if max(input_.shape[1:3]) > _MOST:
            raise GraphError(f"expected at most {_MOST} rows and columns, got {input_.shape}")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The sum of four products, in the order of rows within columns."""
        array, dtype = required(arrays, 0), outputs[0].dtype
        rows, columns = (
            self.places(was, becomes, DType.FLOAT32 if self.in_float32 else dtype)
            for was, becomes in zip(array.shape[1:3], self.size, strict=True)
        )
        if dtype is DType.FLOAT32:
            # TFLite adds an offset of 0, which turns -0.0 to 0.0, as beginning with 0 does here.
            return (_interpolated(array, rows, columns, np.float32(1)),)
        if self.in_float32:
            stored = array.astype(np.float32) + np.float32(_DISTANCE)
            raised = np.add(_interpolated(stored, rows, columns, np.float32(1)), np.float32(0.5))
            return (np.subtract(raised.astype(np.int32), _DISTANCE).astype(np.int8),)
        total = _interpolated(array.astype(np.int64), rows, columns, np.int64(_ONE))
        return (_rounded(total.astype(np.int64)).astype(dtype.numpy),)

    def places(self, was: int, becomes: int, dtype: DType) -> Places:
        """Of an axis; see ComputeInterpolationValues in TFLite's resize_bilinear.h."""
        indices = np.arange(becomes)
        if dtype is DType.FLOAT32:
            scale = self.scale_f32(was, becomes)
            places = indices.astype(np.float32)
            half = np.float32(0.5)
            scaled = (places + half) * scale - half if self.half_pixel_centers else places * scale
            low = np.floor(scaled).astype(np.int64)
            high = np.ceil(scaled).astype(np.int64)
        else:
            step = self.scale(was, becomes)
            scaled = indices * step
            if self.half_pixel_centers:
                scaled = scaled + step // 2 - _ONE // 2
            # Below 0 both are 0: C's division cuts towards it, and so does the bound.
            low, high = scaled >> FRACTION_BITS, (scaled + _ONE - 1) >> FRACTION_BITS
        low = np.clip(low, 0, was - 1)
        high = np.clip(high, 0, was - 1)
        if dtype is DType.FLOAT32:
            return Places(low, high, scaled.astype(np.float32) - low.astype(np.float32))
        return Places(low, high, scaled - low * _ONE)

    def scale(self, was: int, becomes: int) -> int:
        """Of integers: elements of the input from one of the result to the next, times 1024."""
        if self.align_corners and becomes > 1:
            was, becomes = was - 1, becomes - 1
        return (_ONE * was + becomes // 2) // becomes

    def scale_f32(self, was: int, becomes: int) -> np.float32:
        """Of float32: elements of the input from one of the result to the next."""
        if self.align_corners and becomes > 1:
            was, becomes = was - 1, becomes - 1
        return np.float32(was) / np.float32(becomes)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Between images and channels: rows and columns depend on the size of the whole."""
        shape = checks.present(inputs, 0, "input").shape
        whole = Box.whole(outputs[0].shape)
        if box.ranges[1:3] != whole.ranges[1:3]:
            return None
        inside = Box.whole(shape).ranges[1:3]
        return Restriction(self, (Box((box.ranges[0], *inside, box.ranges[3])),))


def _interpolated(array: Array, rows: Places, columns: Places, one: np.generic) -> Array:
    """The sum of an image's four neighbours of each place, times their weights."""
    down, right = rows.above[:, None, None], columns.above[:, None]
    total: Array = np.zeros((), array.dtype)
    for x, across in ((columns.low, np.subtract(one, right)), (columns.high, right)):
        for y, along in ((rows.low, np.subtract(one, down)), (rows.high, down)):
            weighted = np.multiply(array[:, y][:, :, x], along)
            total = np.add(total, np.multiply(weighted, across))
    return total


def _rounded(total: NDArray[np.int64]) -> NDArray[np.int64]:
    """Without the fractions of both weights, ties away from zero."""
    bits = 2 * FRACTION_BITS
    magnitude = (np.abs(total) + (1 << (bits - 1))) >> bits
    return np.where(total < 0, -magnitude, magnitude)
