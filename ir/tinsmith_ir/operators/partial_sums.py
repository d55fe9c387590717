"""A mean over height and width in two steps: sums that come to be part by part, and what ends them.

Passes make these of operators whose `partial_sums` says so, where their input never exists as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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
    Rescaling,
    Restriction,
    Types,
    required,
)
from tinsmith_ir.operators.scaling import clamp, rescaled_sums, rounded_mean
from tinsmith_ir.parameters import MeanParameters, mean_of_sums_parameters, pool_parameters
from tinsmith_ir.types import Quantization, TensorType

_LARGEST = (1 << 31) - 1
_SUMMED = (DType.INT8, DType.INT16)
"""Of what is summed up."""


def _has_sums(count: int, dtype: DType) -> bool:
    """Whether any `count` integers of a dtype have a sum of 32 bits, with half of `count` to spare."""
    return 1 <= count * -dtype.integer_range[0] <= _LARGEST - count


@dataclass(frozen=True)
class ChannelSums(Operator):
    """The sum of each channel's integers, as they are stored: (N, H, W, C) to (N, 1, 1, C) of plain int32.

    sums: what they are added to, as the result; zeros if it is absent. Beyond 32 bits sums wrap.
    """

    mnemonic: ClassVar[str] = "channel_sums"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"), Operand("sums", optional=True))

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(N, 1, 1, C) of int32."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_rank(input_, 4, "input")
        result = TensorType((input_.shape[0], 1, 1, input_.shape[3]), DType.INT32)
        sums = checks.optional(inputs, 1)
        if sums is not None and sums.shape != result.shape:
            raise GraphError(f"expected sums of shape {result.shape}, got {sums.shape}")
        return (result,)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8 or int16, quantized per tensor; sums and result without quantization."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_dtype(input_, _SUMMED, "input")
        checks.check_quantized(input_, "input")
        for type_, name in ((checks.optional(inputs, 1), "sums"), (outputs[0], "result")):
            if type_ is not None:
                checks.check_dtype(type_, (DType.INT32,), name)
                checks.check_numbers(type_, name, plain=(DType.INT32,))

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One sum for each channel."""
        del inputs, outputs
        total = required(arrays, 0).astype(np.int64).sum(axis=(1, 2), keepdims=True)
        if len(arrays) > 1 and arrays[1] is not None:
            total = total + arrays[1].astype(np.int64)
        return (total.astype(np.int32),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By image and channel; height and width are read whole."""
        del outputs
        _, height, width, _ = checks.present(inputs, 0, "input").shape
        read = Box((box.ranges[0], (0, height), (0, width), box.ranges[3]))
        boxes = (read, None if checks.optional(inputs, 1) is None else box)
        return Restriction(self, boxes[: len(inputs)])


@dataclass(frozen=True)
class AverageOfSums(Operator):
    """What AveragePool2D makes of `count` integers, given their sum: int32 to `dtype`, quantized as they were.

    Halves are rounded away from zero, or as AveragePool2D's attributes of the same names say.
    """

    mnemonic: ClassVar[str] = "average_of_sums"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("sums"),)

    count: int = 1
    dtype: DType = DType.INT8
    activation: Activation = Activation.NONE
    halves_up: bool = False
    halves_to_even: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The shape of the sums."""
        return (TensorType(checks.present(inputs, 0, "sums").shape, self.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Sums of int32 without quantization; the result per tensor; one way to round."""
        _check_ending(inputs, outputs, self.count, self.dtype)
        if self.halves_up and (self.halves_to_even or self.dtype is not DType.INT8):
            raise GraphError("expected halves_up of i8 alone, and not with halves_to_even")
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `pool_parameters`."""
        pool_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Sums by the count."""
        output = outputs[0]
        total = required(arrays, 0).astype(np.int64)
        assert output.quantization is not None
        zero_point = output.quantization.zero_point if self.halves_to_even else None
        mean = rounded_mean(total, np.int64(self.count), zero_point, halves_up=self.halves_up)
        p = pool_parameters(self, inputs, output)
        return (clamp(mean, 0, p.clamp_min, p.clamp_max, output.dtype),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere."""
        del inputs, outputs
        return Restriction(self, (box,))


@dataclass(frozen=True)
class MeanOfSums(Rescaling):
    """What Mean makes of `count` integers over height and width, given their sum: (N, 1, 1, C) of int32 to `dtype`.

    scale, zero_point: of the integers that were summed. keep_dims: else the result is (N, C).
    """

    mnemonic: ClassVar[str] = "mean_of_sums"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("sums"),)

    count: int = 1
    scale: float = 1.0
    zero_point: int = 0
    dtype: DType = DType.INT8
    keep_dims: bool = True

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The shape of the sums, with or without height and width."""
        sums = checks.present(inputs, 0, "sums")
        checks.check_rank(sums, 4, "sums")
        if sums.shape[1:3] != (1, 1):
            raise GraphError(f"expected sums of height and width 1, got {sums.shape}")
        shape = sums.shape if self.keep_dims else (sums.shape[0], sums.shape[3])
        return (TensorType(shape, self.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Sums of int32 without quantization; the result per tensor."""
        _check_ending(inputs, outputs, self.count, self.dtype)
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `mean_of_sums_parameters`."""
        del inputs
        self.parameters(outputs[0])

    def parameters(self, output: TensorType) -> MeanParameters:
        """How sums are rescaled."""
        summed = Quantization.per_tensor(self.scale, self.zero_point)
        return mean_of_sums_parameters(self, summed, self.count, output)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Element by element."""
        del inputs
        output = outputs[0]
        p = self.parameters(output)
        result = rescaled_sums(required(arrays, 0).astype(np.int64), p, output.dtype)
        return (result.reshape(output.shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By image and channel."""
        del inputs, outputs
        ranges = (box.ranges[0], (0, 1), (0, 1), box.ranges[-1])
        return Restriction(self, (Box(ranges),))


def summed_by_channel(input_: TensorType, ends: AverageOfSums | MeanOfSums) -> PartialSums | None:
    """The sum of each channel over height and width, and what ends it; None if sums of so many do not fit 32 bits."""
    if input_.dtype not in _SUMMED or not _has_sums(ends.count, input_.dtype):
        return None
    adds = ChannelSums()
    (sums,) = adds.infer((input_,))
    return PartialSums(adds, sums, ends, axes=(1, 2), sums_at=1, given=sums)


def _check_ending(inputs: Types, outputs: Sequence[TensorType], count: int, dtype: DType) -> None:
    """Raise GraphError unless sums of `count` integers of a dtype are given, and such integers are made."""
    sums = checks.present(inputs, 0, "sums")
    checks.check_dtype(sums, (DType.INT32,), "sums")
    checks.check_numbers(sums, "sums", plain=(DType.INT32,))
    checks.check_dtype(outputs[0], _SUMMED, "result")
    checks.check_quantized(outputs[0], "result")
    if not _has_sums(count, dtype):
        raise GraphError(f"expected a count of {dtype.value} whose sums fit 32 bits, got {count}")
