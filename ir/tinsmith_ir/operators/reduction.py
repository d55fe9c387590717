"""Mean over some axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinsmith_ir.arithmetic import rescale
from tinsmith_ir.boxes import Box, Range
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Rescaling, Restriction, Types, required
from tinsmith_ir.operators.scaling import clamp
from tinsmith_ir.parameters import mean_parameters
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Mean(Rescaling):
    """The mean over `axes` (sorted, not negative), which stay with size 1 if keep_dims.

    Integers are rescaled to the result's quantization, see `mean_parameters`. float32: the sum in
    row-major order of the reduced axes from zero, then one division by the count.
    """

    mnemonic: ClassVar[str] = "mean"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    axes: tuple[int, ...] = ()
    keep_dims: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The shape without the reduced axes, or with them as 1."""
        input_ = checks.present(inputs, 0, "input")
        rank = len(input_.shape)
        if not self.axes or list(self.axes) != sorted(set(self.axes)):
            raise GraphError(f"expected axes in rising order, got {self.axes}")
        if self.axes[0] < 0 or self.axes[-1] >= rank:
            raise GraphError(f"expected axes within rank {rank}, got {self.axes}")
        if self.keep_dims:
            shape = tuple(
                1 if axis in self.axes else size for axis, size in enumerate(input_.shape)
            )
        else:
            shape = tuple(size for axis, size in enumerate(input_.shape) if axis not in self.axes)
        return (TensorType(shape, input_.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 quantized per tensor with parameters."""
        checks.check_numbers(checks.present(inputs, 0, "input"), "input")
        checks.check_numbers(outputs[0], "result")
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `mean_parameters`."""
        mean_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One sum per element of the result."""
        array, output = required(arrays, 0), outputs[0]
        kept = [axis for axis in range(array.ndim) if axis not in self.axes]
        count = math.prod(array.shape[axis] for axis in self.axes)
        rows = array.transpose([*self.axes, *kept]).reshape(count, -1)
        if output.dtype is DType.FLOAT32:
            total = np.zeros(rows.shape[1], np.float32)
            for row in rows.astype(np.float32):
                total += row
            return ((total / np.float32(count)).reshape(output.shape),)
        p = mean_parameters(self, inputs, output)
        acc = rows.astype(np.int64).sum(axis=0) - p.input_zero_point * p.count
        scaled = rescale(acc, p.multiplier, p.shift, p.rounding)
        result = clamp(scaled, p.output_offset, p.clamp_min, p.clamp_max, output.dtype)
        return (result.reshape(output.shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere; what is reduced is read whole."""
        del outputs
        shape = checks.present(inputs, 0, "input").shape
        given = iter(box.ranges)
        ranges: list[Range] = []
        for axis, size in enumerate(shape):
            is_reduced = axis in self.axes
            kept = next(given) if self.keep_dims or not is_reduced else (0, size)
            ranges.append((0, size) if is_reduced else kept)
        return Restriction(self, (Box(tuple(ranges)),))
