"""float32 as 8-bit integers whose scale each run chooses anew: DynamicScale and DynamicQuantize.

What TFLite's "hybrid" kernels do in front of int8 weights. Behind them stand a sum of products, a Cast, and
products with the scales.
"""

import math
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
from tinsmith_ir.types import Quantization, TensorType

_LOW, _HIGH = -128, 127
_UNIT = Quantization.per_tensor(1.0, 0)


@dataclass(frozen=True)
class _Dynamic(Operator):
    """An operator that looks for the smallest and largest number of each row, an index of the first axis.

    symmetric: the integers go from -127 to 127, and 0 stands for 0; else from -128 to 127, which stand for the
    smallest and largest number (or 0), and one between them for 0. The arithmetic is that of TFLite's
    PortableSymmetricQuantizeFloats and PortableAsymmetricQuantizeFloats: limits and zero point in double, the
    rest in float32. A row of zeros has the scale 1.
    """

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    symmetric: bool = False

    def _check(self, inputs: Types) -> TensorType:
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, (DType.FLOAT32,), "input")
        if not input_.shape:
            raise GraphError("expected an input of at least one dimension, got a scalar")
        return input_

    def _scales(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], Array]:
        """(scale, zero point) of each row; numbers that are none count for neither limit."""
        low = np.fmin(np.fmin.reduce(rows, axis=1), np.float32(0))
        high = np.fmax(np.fmax.reduce(rows, axis=1), np.float32(0))
        if self.symmetric:
            limit = np.maximum(-low, high)
            scale = np.where(limit == 0, np.float32(1), limit / np.float32(_HIGH))
            return scale.astype(np.float32), np.zeros(len(rows), np.int64)
        low, high = low.astype(np.float64), high.astype(np.float64)
        is_zero = low == high
        wide = np.where(is_zero, 1.0, (high - low) / (_HIGH - _LOW))
        from_low, from_high = _LOW - low / wide, _HIGH - high / wide
        is_low = -_LOW + np.abs(low / wide) < _HIGH + np.abs(high / wide)
        real = np.asarray(np.where(is_low, from_low, from_high), np.float64)
        # A row with infinities has none; written so that the comparison is false, as in the kernels.
        bounded = np.where(real > _LOW, np.minimum(real, _HIGH), _LOW)
        zero_point = np.where(is_zero, 0, np.trunc(bounded + np.copysign(0.5, bounded)))
        return wide.astype(np.float32), zero_point.astype(np.int64)


@dataclass(frozen=True)
class DynamicScale(_Dynamic):
    """(B, ...) -> (B, 1, ..., 1): what one step of each row's integers stands for."""

    mnemonic: ClassVar[str] = "dynamic_scale"

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's rank, with all axes but the first of size 1."""
        shape = self._check(inputs).shape
        return (TensorType((shape[0], *(1,) * (len(shape) - 1)), DType.FLOAT32),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32 of at least one dimension."""
        self._check(inputs)
        checks.check_numbers(outputs[0], "result")

    @np.errstate(all="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Of each row."""
        scale, _ = self._scales(_rows(required(arrays, 0)))
        return (scale.reshape(outputs[0].shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By rows, which are read whole."""
        del outputs
        shape = checks.present(inputs, 0, "input").shape
        return Restriction(self, (Box.whole(shape).with_range(0, *box.ranges[0]),))


@dataclass(frozen=True)
class DynamicQuantize(_Dynamic):
    """(B, ...) -> int16 in steps of DynamicScale: each row's 8-bit integers minus their zero point, so that 0 is 0.

    round(x / scale + zero point), halves away from zero, clamped to 8 bits. The quotient is a product with the
    inverse of the scale in float32. NaN gives 0.
    """

    mnemonic: ClassVar[str] = "dynamic_quantize"

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape in int16, with the scale 1: the real one is known to the run alone."""
        return (TensorType(self._check(inputs).shape, DType.INT16, _UNIT),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32 of at least one dimension, to int16 of scale 1."""
        self._check(inputs)
        checks.check_same_quantization(self.infer(inputs)[0], outputs[0], "a scale of 1 and result")

    @np.errstate(all="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row."""
        rows = _rows(required(arrays, 0))
        scale, zero_point = self._scales(rows)
        if self.symmetric:
            limit = np.fmax.reduce(np.abs(rows), axis=1)
            inverse = np.float32(_HIGH) / limit
        else:
            inverse = np.float32(1) / scale
        offset = zero_point[:, None]
        real = rows * inverse[:, None].astype(np.float32) + offset.astype(np.float32)
        bounded = np.clip(real, -(2.0**20), 2.0**20).astype(np.float64)
        rounded = np.trunc(bounded + np.copysign(0.5, bounded))
        low = -_HIGH if self.symmetric else _LOW
        stored = np.where(np.isnan(rounded), offset, np.clip(rounded, low, _HIGH))
        return ((stored - offset).astype(np.int16).reshape(outputs[0].shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By whole rows alone: each of their numbers may set the scale."""
        shape = checks.present(inputs, 0, "input").shape
        del outputs
        if box.ranges[1:] != Box.whole(shape).ranges[1:]:
            return None
        return Restriction(self, (box,))


def _rows(array: Array) -> NDArray[np.float32]:
    return array.astype(np.float32).reshape(len(array), math.prod(array.shape[1:]))
