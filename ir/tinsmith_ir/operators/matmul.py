"""Products of matrices, both computed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import rescale, rescale_64
from tinsmith_ir.boxes import Box, Range, broadcast_box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.matmul_parameters import matmul_parameters
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Rescaling, Restriction, Types, required
from tinsmith_ir.operators.scaling import clamp
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class BatchMatmul(Rescaling):
    """The product of the last two dimensions, (m, k) times (k, n), for each place in the others, which broadcast.

    transpose_lhs, transpose_rhs: the operand holds (k, m), or (n, k). Integers are summed in 32 bits, of int16 in
    64, and rescaled, by default as TFLite's reference kernel does it; float32 in order of k from zero.
    """

    mnemonic: ClassVar[str] = "batch_matmul"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("lhs"), Operand("rhs"))

    transpose_lhs: bool = False
    transpose_rhs: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(..., m, n) of the operands' dtype."""
        lhs, rhs = checks.present(inputs, 0, "lhs"), checks.present(inputs, 1, "rhs")
        if lhs.dtype is not rhs.dtype:
            raise GraphError(
                f"expected operands of one dtype, got {lhs.dtype.value} and {rhs.dtype.value}"
            )
        if min(len(lhs.shape), len(rhs.shape)) < 2:
            raise GraphError(f"expected matrices, got shapes {lhs.shape} and {rhs.shape}")
        rows, depth = self.matrix(lhs.shape, 0)
        other, columns = self.matrix(rhs.shape, 1)
        try:
            batch = np.broadcast_shapes(lhs.shape[:-2], rhs.shape[:-2])
        except ValueError:
            batch = None
        if depth != other or batch is None:
            raise GraphError(
                f"expected matrices to multiply, got shapes {lhs.shape} and {rhs.shape}"
            )
        return (TensorType((*batch, rows, columns), lhs.dtype),)

    def matrix(self, shape: Sequence[int], operand: int) -> tuple[int, int]:
        """(m, k) of operand 0, or (k, n) of operand 1, given its shape."""
        first, second = shape[-2:]
        is_transposed = self.transpose_rhs if operand else self.transpose_lhs
        return (second, first) if is_transposed else (first, second)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32, or all int8 or int16 quantized per tensor with parameters."""
        for type_, name in zip((*inputs, outputs[0]), ("lhs", "rhs", "result"), strict=True):
            if type_ is not None:
                checks.check_numbers(type_, name)
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `matmul_parameters`."""
        matmul_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Matrix by matrix."""
        output = outputs[0]
        lhs, rhs = required(arrays, 0), required(arrays, 1)
        lhs = np.swapaxes(lhs, -1, -2) if self.transpose_lhs else lhs
        rhs = np.swapaxes(rhs, -1, -2) if self.transpose_rhs else rhs
        if output.dtype is DType.FLOAT32:
            return (_product_f32(lhs.astype(np.float32), rhs.astype(np.float32), output.shape),)
        p = matmul_parameters(self, inputs, output)
        wide_lhs = lhs.astype(np.int64) + p.lhs_offset
        wide_rhs = rhs.astype(np.int64) + p.rhs_offset
        acc = np.asarray(np.matmul(wide_lhs, wide_rhs), np.int64)
        chosen = rescale if output.dtype is DType.INT8 else rescale_64
        scaled = chosen(acc, p.multiplier, p.shift, self.rounding)
        return (clamp(scaled, p.output_offset, *output.dtype.integer_range, output.dtype),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere: some rows of the left operand, some columns of the right one."""
        del outputs
        boxes: list[Box] = []
        for at in (0, 1):
            shape = checks.present(inputs, at, self.operands[at].name).shape
            depth = self.matrix(shape, at)[1 - at]
            kept: Range = box.ranges[-2 + at]
            pair = ((0, depth), kept) if at else (kept, (0, depth))
            is_transposed = self.transpose_rhs if at else self.transpose_lhs
            batch = broadcast_box(Box(box.ranges[:-2]), shape[:-2])
            boxes.append(Box((*batch.ranges, *(pair[::-1] if is_transposed else pair))))
        return Restriction(self, tuple(boxes))

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """As many as the result has elements, times k."""
        lhs = checks.present(inputs, 0, "lhs")
        return math.prod(outputs[0].shape) * self.matrix(lhs.shape, 0)[1]


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def _product_f32(
    lhs: NDArray[np.float32], rhs: NDArray[np.float32], shape: tuple[int, ...]
) -> NDArray[np.float32]:
    total = np.zeros(shape, np.float32)
    for k in range(lhs.shape[-1]):
        total += lhs[..., :, k : k + 1] * rhs[..., k : k + 1, :]
    return total
