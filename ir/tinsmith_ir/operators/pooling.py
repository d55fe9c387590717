"""Pooling over windows of NHWC tensors; padding is left out of the average and of the maximum."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import (
    Array,
    Operand,
    Operator,
    PartialSums,
    Restriction,
    Trait,
    Types,
    required,
)
from tinsmith_ir.operators.partial_sums import AverageOfSums, summed_by_channel
from tinsmith_ir.operators.scaling import clamp, clamp_f32, larger_f32, rounded_mean
from tinsmith_ir.operators.windows import (
    Padding2D,
    Pair,
    pad_spatial,
    spatial,
    taps,
    window_output_size,
    windows_read,
)
from tinsmith_ir.parameters import pool_parameters
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Pool(Operator):
    """Shapes and types of both pools; the result has the input's quantization."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.FUSES_CLAMP})

    window: Pair = (1, 1)
    stride: Pair = (1, 1)
    padding: Padding2D = (0, 0, 0, 0)
    activation: Activation = Activation.NONE

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(N, OH, OW, C) with the input's dtype and quantization."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_rank(input_, 4, "input")
        top, bottom, left, right = self.padding
        height, width = window_output_size(
            spatial(input_.shape), self.window, self.stride, (1, 1), self.padding
        )
        if max(top, bottom) >= self.window[0] or max(left, right) >= self.window[1]:
            raise GraphError(f"expected padding below the window {self.window}, got {self.padding}")
        return (input_.with_shape((input_.shape[0], height, width, input_.shape[3])),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 with the result quantized as the input, and parameters."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_numbers(input_, "input")
        checks.check_same_quantization(input_, outputs[0], "input and result")
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `pool_parameters`."""
        pool_parameters(self, inputs, outputs[0])

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere: each window sees an element."""
        sizes = spatial(outputs[0].shape), spatial(checks.present(inputs, 0, "input").shape)
        seen = windows_read(box, *sizes, self.window, self.stride, (1, 1), self.padding)
        if seen is None:
            return None
        read = Box((box.ranges[0], seen.rows, seen.columns, box.ranges[3]))
        return Restriction(replace(self, padding=seen.padding), (read,))

    def work(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Each result reads its window."""
        return max(super().work(inputs, outputs), math.prod(self.window) * outputs[0].elements)

    def _views(self, array: Array, output: TensorType, fill: float) -> list[Array]:
        padded = pad_spatial(array, self.padding, fill)
        size = spatial(output.shape)
        return [view for _, _, view in taps(padded, self.window, self.stride, (1, 1), size)]


@dataclass(frozen=True)
class AveragePool2D(Pool):
    """The mean of each window's elements, padding not counted.

    Integers: (sum +- count / 2) / count truncated, which rounds halves away from zero; the zero
    point is not subtracted. int8 with `halves_up`: (sum + count / 2) / count rounded down: so TFLite does it for
    uint8, whose integers are never below zero. int8 and int16 with `halves_to_even`: of the elements less the zero
    point, halves to the even integer, before the zero point is added; so ONNX and PyTorch quantize a mean.
    float32: sum in row-major order, then one division.
    """

    mnemonic: ClassVar[str] = "average_pool2d"

    halves_up: bool = False
    halves_to_even: bool = False

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """As all pools; `halves_up` of int8 alone, `halves_to_even` of integers, and one of them."""
        super().verify(inputs, outputs)
        dtype = outputs[0].dtype
        if self.halves_up and dtype is not DType.INT8:
            raise GraphError(f"expected halves_up of i8 alone, got {dtype.value}")
        if self.halves_to_even and dtype is DType.FLOAT32:
            raise GraphError(f"expected halves_to_even of i8 or i16, got {dtype.value}")
        if self.halves_up and self.halves_to_even:
            raise GraphError("expected halves_up or halves_to_even, got both")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The mean of each window."""
        array, output = required(arrays, 0), outputs[0]
        count = self._counts(array.shape, output)
        if output.dtype is DType.FLOAT32:
            total = np.zeros(output.shape, np.float32)
            for view in self._views(array, output, 0.0):
                total += view.astype(np.float32)
            return (clamp_f32(total / count.astype(np.float32), self.activation),)
        acc = np.zeros(output.shape, np.int64)
        for view in self._views(array.astype(np.int64), output, 0):
            acc += view.astype(np.int64)
        p = pool_parameters(self, inputs, output)
        assert output.quantization is not None
        zero_point = output.quantization.zero_point if self.halves_to_even else None
        mean = rounded_mean(acc, count, zero_point, halves_up=self.halves_up)
        return (clamp(mean, 0, p.clamp_min, p.clamp_max, output.dtype),)

    def partial_sums(self, inputs: Types, outputs: Sequence[TensorType]) -> PartialSums | None:
        """Of one window over all of integers."""
        input_, output = checks.present(inputs, 0, "input"), outputs[0]
        is_whole = self.window == spatial(input_.shape) and not any(self.padding)
        if not is_whole:
            return None
        ends = AverageOfSums(
            math.prod(self.window),
            output.dtype,
            self.activation,
            self.halves_up,
            self.halves_to_even,
        )
        return summed_by_channel(input_, ends)

    def _counts(self, shape: tuple[int, ...], output: TensorType) -> NDArray[np.int64]:
        """How many real elements each window sees, (1, OH, OW, 1)."""
        ones = np.ones((1, *shape[1:3], 1), np.int64)
        counts = np.zeros((1, *output.shape[1:3], 1), np.int64)
        for view in self._views(ones, output, 0):
            counts += view.astype(np.int64)
        return counts


@dataclass(frozen=True)
class MaxPool2D(Pool):
    """The largest of each window's elements: (N,H,W,C) -> (N,OH,OW,C).

    window, stride: height and width. padding: top, bottom, left, right, each below the window; it never wins.
    float32, or int8 and int16 of which input and result have one quantization. activation: clamps the result.
    """

    mnemonic: ClassVar[str] = "max_pool2d"

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The maximum of each window; padding never wins."""
        array, output = required(arrays, 0), outputs[0]
        if output.dtype is DType.FLOAT32:
            views = self._views(array.astype(np.float32), output, -np.inf)
            best = functools.reduce(larger_f32, (view.astype(np.float32) for view in views))
            return (clamp_f32(best, self.activation),)
        views = self._views(array, output, output.dtype.integer_range[0])
        p = pool_parameters(self, inputs, output)
        # One after the other: np.maximum.reduce would first stack all of them.
        best = functools.reduce(np.maximum, views).astype(np.int64)
        return (clamp(best, 0, p.clamp_min, p.clamp_max, output.dtype),)
