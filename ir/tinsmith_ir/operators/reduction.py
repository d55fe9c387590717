"""Operators over some axes: Mean, Sum, ReduceMax, ReduceMin, ReduceProd; ArgMax and ArgMin over one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box, Range
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
from tinsmith_ir.operators.partial_sums import MeanOfSums, summed_by_channel
from tinsmith_ir.operators.scaling import rescaled_sums
from tinsmith_ir.parameters import MeanParameters, mean_parameters, sum_parameters
from tinsmith_ir.types import TensorType

_LARGEST_F32 = float(np.finfo(np.float32).max)
_INTEGERS = (DType.INT32, DType.INT64)
_PLAIN = (*_INTEGERS, DType.BOOL)


@dataclass(frozen=True)
class Reduction(Operator):
    """An operator over `axes` (sorted, not negative), which stay with size 1 if keep_dims."""

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

    def _rows(self, array: Array) -> Array:
        """For each place along the reduced axes, in row-major order, a row of the elements of all results."""
        kept = [axis for axis in range(array.ndim) if axis not in self.axes]
        count = math.prod(array.shape[axis] for axis in self.axes)
        return array.transpose([*self.axes, *kept]).reshape(count, -1)


@dataclass(frozen=True)
class Total(Reduction, Rescaling):
    """Mean and Sum: integers are summed and then rescaled; float32 in row-major order of the reduced axes from zero.

    plain: dtypes whose sums are no more than that; they wrap.
    """

    plain: ClassVar[tuple[DType, ...]] = ()

    def parameters(self, inputs: Types, output: TensorType) -> MeanParameters:
        """How sums of integers are rescaled."""
        raise NotImplementedError

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, `plain` without quantization, or int8/int16 quantized per tensor with parameters."""
        checks.check_numbers(checks.present(inputs, 0, "input"), "input", plain=self.plain)
        checks.check_numbers(outputs[0], "result", plain=self.plain)
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `parameters`."""
        self.parameters(inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One sum per element of the result."""
        rows, output = self._rows(required(arrays, 0)), outputs[0]
        if output.dtype is DType.FLOAT32:
            total = np.zeros(rows.shape[1], np.float32)
            for row in rows.astype(np.float32):
                total += row
            return (self._of_sum(total, len(rows)).reshape(output.shape),)
        if output.dtype in self.plain:
            plain = rows.astype(np.int64).sum(axis=0).astype(output.dtype.numpy)
            return (plain.reshape(output.shape),)
        p = self.parameters(inputs, output)
        result = rescaled_sums(rows.astype(np.int64).sum(axis=0), p, output.dtype)
        return (result.reshape(output.shape),)

    def _of_sum(self, total: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        raise NotImplementedError


@dataclass(frozen=True)
class Mean(Total):
    """The mean. Integers are rescaled to the result's quantization, see `mean_parameters`; float32: one division."""

    mnemonic: ClassVar[str] = "mean"

    def parameters(self, inputs: Types, output: TensorType) -> MeanParameters:
        """See `mean_parameters`."""
        return mean_parameters(self, inputs, output)

    def partial_sums(self, inputs: Types, outputs: Sequence[TensorType]) -> PartialSums | None:
        """Over height and width of integers."""
        input_, output = checks.present(inputs, 0, "input"), outputs[0]
        quantization = input_.quantization
        if self.axes != (1, 2) or len(input_.shape) != 4 or quantization is None:
            return None
        ends = MeanOfSums(
            rounding=self.rounding,
            multiplier_bits=self.multiplier_bits,
            count=math.prod(input_.shape[1:3]),
            scale=quantization.scale,
            zero_point=quantization.zero_point,
            dtype=output.dtype,
            keep_dims=self.keep_dims,
        )
        return summed_by_channel(input_, ends)

    def _of_sum(self, total: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        return total / np.float32(count)


@dataclass(frozen=True)
class Sum(Total):
    """The sum. Quantized integers are rescaled, see `sum_parameters`; plain int32 and int64 wrap."""

    mnemonic: ClassVar[str] = "sum"
    plain: ClassVar[tuple[DType, ...]] = _INTEGERS

    def parameters(self, inputs: Types, output: TensorType) -> MeanParameters:
        """See `sum_parameters`."""
        return sum_parameters(self, inputs, output)

    def _of_sum(self, total: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        del count
        return total


@dataclass(frozen=True)
class ReduceExtremum(Reduction):
    """ReduceMax and ReduceMin: elements as they are, so both have one quantization. False is below True.

    float32 begins with the finite number that is farthest off, as TFLite does: that is what comes of nothing but
    infinities beyond it and NaN. Of equal ones the first stays, so that the sign of a zero is certain.
    """

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The shape without the reduced axes, quantized as the input."""
        (plain,) = super().infer(inputs)
        return (checks.present(inputs, 0, "input").with_shape(plain.shape),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, int32, int64 or bool, or int8/int16 quantized per tensor."""
        input_ = checks.present(inputs, 0, "input")
        checks.check_numbers(input_, "input", plain=_PLAIN)
        checks.check_same_quantization(input_, outputs[0], "input and result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One element of each row."""
        rows, output = self._rows(required(arrays, 0)), outputs[0]
        best = np.full(rows.shape[1], self._farthest(output.dtype), output.dtype.numpy)
        for row in rows:
            best = np.where(self._wins(row, best), row, best)
        return (best.reshape(output.shape),)

    def _farthest(self, dtype: DType) -> float:
        raise NotImplementedError

    def _wins(self, candidate: Array, best: Array) -> NDArray[np.bool_]:
        raise NotImplementedError


@dataclass(frozen=True)
class ReduceMax(ReduceExtremum):
    """The largest element; of bool, whether any is true."""

    mnemonic: ClassVar[str] = "reduce_max"

    def _farthest(self, dtype: DType) -> float:
        return -_LARGEST_F32 if dtype is DType.FLOAT32 else _integers(dtype)[0]

    def _wins(self, candidate: Array, best: Array) -> NDArray[np.bool_]:
        return np.greater(candidate, best)


@dataclass(frozen=True)
class ReduceMin(ReduceExtremum):
    """The smallest element; of bool, whether all are true."""

    mnemonic: ClassVar[str] = "reduce_min"

    def _farthest(self, dtype: DType) -> float:
        return _LARGEST_F32 if dtype is DType.FLOAT32 else _integers(dtype)[1]

    def _wins(self, candidate: Array, best: Array) -> NDArray[np.bool_]:
        return np.less(candidate, best)


@dataclass(frozen=True)
class ReduceProd(Reduction):
    """The product, of float32 in row-major order of the reduced axes from 1; of plain int32 and int64, which wrap."""

    mnemonic: ClassVar[str] = "reduce_prod"

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int32 or int64 without quantization."""
        input_ = checks.present(inputs, 0, "input")
        for type_, name in ((input_, "input"), (outputs[0], "result")):
            checks.check_dtype(type_, (DType.FLOAT32, *_INTEGERS), name)
            checks.check_numbers(type_, name, plain=_INTEGERS)

    @np.errstate(invalid="ignore", over="ignore", under="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One product per element of the result."""
        rows, output = self._rows(required(arrays, 0)), outputs[0]
        product = np.ones(rows.shape[1], output.dtype.numpy)
        for row in rows:
            np.multiply(product, row, out=product)
        return (product.reshape(output.shape),)


def _integers(dtype: DType) -> tuple[int, int]:
    return dtype.integer_range if dtype.is_integer else (0, 1)


@dataclass(frozen=True)
class ArgExtremum(Operator):
    """ArgMax and ArgMin: an index along `axis`, which is dropped. Of equal elements it is that of the first.

    The result is int32. float32, int32, int64, or int8 and int16; integers are compared as they are. Of float32, NaN
    wins over nothing, and nothing over it where it is the first.
    """

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)

    axis: int = 0

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """int32 in the shape without the axis."""
        shape = checks.present(inputs, 0, "input").shape
        if not 0 <= self.axis < len(shape):
            raise GraphError(f"expected an axis within rank {len(shape)}, got {self.axis}")
        return (TensorType((*shape[: self.axis], *shape[self.axis + 1 :]), DType.INT32),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, int32, int64, or int8/int16 quantized per tensor; the result has no quantization."""
        checks.check_numbers(checks.present(inputs, 0, "input"), "input", plain=_INTEGERS)
        if outputs[0].quantization is not None:
            raise GraphError("expected indices without quantization")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One index per element of the result."""
        array = np.moveaxis(required(arrays, 0), self.axis, 0)
        best: Array = array[0]
        found = np.zeros(outputs[0].shape, np.int32)
        for index in range(1, len(array)):
            wins = self._wins(array[index], best)
            best = np.where(wins, array[index], best)
            found = np.where(wins, np.int32(index), found)
        return (found.astype(np.int32),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere; the axis is read whole."""
        del outputs
        whole = (0, checks.present(inputs, 0, "input").shape[self.axis])
        ranges = (*box.ranges[: self.axis], whole, *box.ranges[self.axis :])
        return Restriction(self, (Box(ranges),))

    def _wins(self, candidate: Array, best: Array) -> NDArray[np.bool_]:
        raise NotImplementedError


@dataclass(frozen=True)
class ArgMax(ArgExtremum):
    """Where along `axis` the largest element is, as `ArgExtremum`."""

    mnemonic: ClassVar[str] = "arg_max"

    def _wins(self, candidate: Array, best: Array) -> NDArray[np.bool_]:
        return np.greater(candidate, best)


@dataclass(frozen=True)
class ArgMin(ArgExtremum):
    """Where along `axis` the smallest element is, as `ArgExtremum`."""

    mnemonic: ClassVar[str] = "arg_min"

    def _wins(self, candidate: Array, best: Array) -> NDArray[np.bool_]:
        return np.less(candidate, best)
