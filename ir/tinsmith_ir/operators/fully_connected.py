"""FullyConnected: a matrix product with the weights of TFLite's layout (N, K)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.activation import Activation
from tinsmith_ir.boxes import Box, Range, reshaped_box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, PartialSums, Restriction, Types
from tinsmith_ir.operators.quantize import Requantize
from tinsmith_ir.operators.weighted import (
    Weighted,
    accumulate,
    centred,
    centred_weights,
    check_accumulator,
    check_accumulator_dtype,
    check_shifts,
    finish_accumulator,
    finish_f32,
    finish_integer,
    summed_bias,
    verify_weighted,
    weighted_operands,
)
from tinsmith_ir.parameters import fully_connected_accumulator, fully_connected_channel_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_ACCUMULATORS = {DType.INT8: (DType.INT32,), DType.INT16: (DType.INT32, DType.INT64)}


@dataclass(frozen=True)
class FullyConnected(Weighted):
    """input (..., K) flattened to (B, K) * weights (N, K) + bias (N,) -> (B, N).

    keep_dims: the result is input.shape[:-1] + (N,) instead, and K must be the last dimension.
    Quantized as Conv2D, with weights per tensor or per axis 0.
    """

    mnemonic: ClassVar[str] = "fully_connected"
    weights_axis: ClassVar[int] = 0

    activation: Activation = Activation.NONE
    keep_dims: bool = False
    accumulator: DType | None = None

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(B, N), or the leading dimensions and N; the input's elements must be B * K."""
        shape = result_shape(inputs, keep_dims=self.keep_dims)
        input_ = checks.present(inputs, 0, "input")
        if self.accumulator is None:
            return (TensorType(shape, input_.dtype),)
        check_accumulator_dtype(self.accumulator, input_, _ACCUMULATORS.get(input_.dtype, ()))
        sums = fully_connected_accumulator(inputs, len(shape) - 1)
        return (TensorType(shape, self.accumulator, sums),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `verify_weighted`."""
        if self.accumulator is not None:
            verify_weighted(inputs, None, self.weights_axis)
            check_accumulator(self.activation, self.infer(inputs)[0], outputs[0])
            return
        verify_weighted(inputs, outputs[0], self.weights_axis)
        if checks.are_quantized(inputs[0], outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `fully_connected_channel_parameters`."""
        parameters = fully_connected_channel_parameters(self, inputs, outputs[0])
        has_bias = checks.optional(inputs, 2) is not None
        check_shifts(parameters, wide=self._is_wide(outputs[0], has_bias=has_bias))

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One matrix product."""
        array, weights, bias = weighted_operands(arrays)
        weights = centred_weights(weights, checks.present(inputs, 1, "weights"))
        rows = centred(array, checks.present(inputs, 0, "input")).reshape(-1, weights.shape[1])
        acc = accumulate(rows, weights)
        if self.accumulator is not None:
            result = finish_accumulator(acc, bias, self.accumulator)
        elif outputs[0].dtype is DType.FLOAT32:
            result = finish_f32(acc, bias, self.activation)
        else:
            parameters = fully_connected_channel_parameters(self, inputs, outputs[0])
            wide = self._is_wide(outputs[0], has_bias=bias is not None)
            result = finish_integer(acc, bias, parameters, outputs[0].dtype, wide=wide)
        return (result.reshape(outputs[0].shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By channel anywhere, by row where the input has rows of its own."""
        boxes = boxes_of_part(box, inputs, outputs)
        return None if boxes is None else Restriction(self, boxes[: len(inputs)])

    def restrict_sum(
        self, channels: Range, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Of integers, over what is a box of the input."""
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        shape = (*outputs[0].shape[:-1], weights.shape[1])
        part = Box.whole(shape).with_range(len(shape) - 1, *channels)
        read = reshaped_box(part, shape, input_.shape)
        if input_.dtype not in _ACCUMULATORS or read is None:
            return None
        has_bias = checks.optional(inputs, 2) is not None
        is_wide = self._is_wide(outputs[0], has_bias=has_bias)
        boxes = (
            read,
            Box.whole(weights.shape).with_range(1, *channels),
            summed_bias(channels, inputs),
        )
        dtype = DType.INT64 if is_wide else DType.INT32
        return Restriction(self._unfinished(dtype), boxes[: len(inputs)])

    def partial_sums(self, inputs: Types, outputs: Sequence[TensorType]) -> PartialSums | None:
        """Of one row of int8 by int8, whose columns of weights belong to rows of the input."""
        input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
        (output,) = outputs
        units, depth = weights.shape
        is_summed = input_.dtype is weights.dtype is DType.INT8 and self.accumulator is None
        if not is_summed or input_.elements != depth or output.shape != (1, units):
            return None
        return PartialSums(
            replace(self._unfinished(DType.INT32), keep_dims=False),
            TensorType((1, units), DType.INT32, fully_connected_accumulator(inputs, 1)),
            Requantize(
                dtype=output.dtype,
                activation=self.activation,
                rounding=self.rounding,
                multiplier_bits=self.multiplier_bits,
            ),
            axes=tuple(range(len(input_.shape))),
            sums_at=2,
            given=TensorType((units,), DType.INT32, fully_connected_accumulator(inputs, 0)),
            cut=((1, 1),),
        )

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """B * N * K."""
        return outputs[0].elements * checks.present(inputs, 1, "weights").shape[1]

    def _unfinished(self, accumulator: DType) -> "FullyConnected":
        """The layer whose result are the sums themselves."""
        return replace(self.unrounded(), activation=Activation.NONE, accumulator=accumulator)

    def _is_wide(self, output: TensorType, *, has_bias: bool) -> bool:
        """Whether it accumulates in 64 bits: TFLite chooses by the bias, and none counts as a 32-bit one."""
        is_tflite = self.rounding is Rounding.TFLITE
        return output.dtype is DType.INT16 and (has_bias or not is_tflite)


def result_shape(inputs: Types, *, keep_dims: bool) -> tuple[int, ...]:
    """(B, N) of input, weights (N, K) and bias, or the leading dimensions and N. Raises GraphError if none fits."""
    input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
    bias = checks.optional(inputs, 2)
    checks.check_rank(weights, 2, "weights")
    units, depth = weights.shape
    if bias is not None and bias.shape != (units,):
        raise GraphError(f"expected bias of shape {(units,)}, got {bias.shape}")
    if input_.elements % depth or (keep_dims and input_.shape[-1:] != (depth,)):
        raise GraphError(f"expected an input of rows of {depth}, got shape {input_.shape}")
    leading = input_.shape[:-1] if keep_dims else (input_.elements // depth,)
    return (*leading, units)


def boxes_of_part(
    box: Box, inputs: Types, outputs: Sequence[TensorType]
) -> tuple[Box | None, ...] | None:
    """What is read of input, weights and bias for a box of the result; None where the input has no such rows."""
    input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
    depth = weights.shape[1]
    rows = Box((*box.ranges[:-1], (0, depth)))
    read = reshaped_box(rows, (*outputs[0].shape[:-1], depth), input_.shape)
    if read is None:
        return None
    units = box.ranges[-1]
    bias = Box((units,)) if checks.optional(inputs, 2) is not None else None
    return read, Box((units, (0, depth))), bias
