"""Convolutions over NHWC activations with OHWI weights; how they accumulate is in weighted.py."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.boxes import Box, Range
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Restriction, Types
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
from tinsmith_ir.operators.windows import (
    Padding2D,
    Pair,
    pad_spatial,
    spatial,
    taps,
    window_output_size,
    windows_read,
)
from tinsmith_ir.parameters import conv_accumulator, conv_parameters
from tinsmith_ir.types import TensorType

_ACCUMULATORS = {DType.INT8: (DType.INT32,), DType.INT16: (DType.INT32, DType.INT64)}


@dataclass(frozen=True)
class Convolution(Weighted):
    """What both convolutions share.

    padding: (top, bottom, left, right) of real zeros. float32_scale: of integers with weights per tensor, the
    product of the input's and the weights' scale is rounded to float32, as a FullyConnected's always is; TFLite
    does so for uint8.
    """

    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    padding: Padding2D = (0, 0, 0, 0)
    activation: Activation = Activation.NONE
    accumulator: DType | None = None
    float32_scale: bool = False

    def _output_type(self, inputs: Types, channels: int) -> tuple[TensorType, ...]:
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        bias = checks.optional(inputs, 2)
        if bias is not None and bias.shape != (channels,):
            raise GraphError(f"expected bias of shape {(channels,)}, got {bias.shape}")
        height, width = window_output_size(
            spatial(input_.shape), spatial(weights.shape), self.stride, self.dilation, self.padding
        )
        shape = (input_.shape[0], height, width, channels)
        if self.accumulator is None:
            return (TensorType(shape, input_.dtype),)
        check_accumulator_dtype(self.accumulator, input_, _ACCUMULATORS.get(input_.dtype, ()))
        return (TensorType(shape, self.accumulator, conv_accumulator(self, inputs, 3)),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `verify_weighted`; the weights' quantization axis is the output channel."""
        weights = checks.present(inputs, 1, "weights").quantization
        if self.float32_scale and (weights is None or weights.axis is not None):
            raise GraphError("expected float32_scale of weights with one scale alone")
        if self.accumulator is not None:
            verify_weighted(inputs, None, self.weights_axis)
            check_accumulator(self.activation, self.infer(inputs)[0], outputs[0])
            return
        verify_weighted(inputs, outputs[0], self.weights_axis)
        if checks.are_quantized(inputs[0], outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `conv_parameters`."""
        check_shifts(conv_parameters(self, inputs, outputs[0]), wide=_is_wide(outputs[0]))

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """One for each output element and weight it sees, padding included."""
        weights = checks.present(inputs, 1, "weights")
        return outputs[0].elements * (weights.elements // outputs[0].shape[-1])

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere but where all windows see nothing but padding, or channels part a group unevenly."""
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        sizes = spatial(outputs[0].shape), spatial(input_.shape), spatial(weights.shape)
        seen = windows_read(box, *sizes, self.stride, self.dilation, self.padding)
        channels = box.ranges[3]
        read = self._channels_read(channels, input_, weights)
        if seen is None or read is None:
            return None
        bias = Box((channels,)) if checks.optional(inputs, 2) is not None else None
        boxes = (
            Box((box.ranges[0], seen.rows, seen.columns, read)),
            Box.whole(weights.shape).with_range(self.weights_axis, *channels),
            bias,
        )
        return Restriction(replace(self, padding=seen.padding), boxes[: len(inputs)])

    def _channels_read(
        self, channels: Range, input_: TensorType, weights: TensorType
    ) -> Range | None:
        """The input's channels that these of the result read, if an operator of this kind can do it."""
        raise NotImplementedError

    def _finish(
        self, acc: Array, bias: Array | None, inputs: Types, output: TensorType
    ) -> tuple[Array, ...]:
        if self.accumulator is not None:
            return (finish_accumulator(acc, bias, self.accumulator),)
        if output.dtype is DType.FLOAT32:
            return (finish_f32(acc, bias, self.activation),)
        parameters = conv_parameters(self, inputs, output)
        wide = _is_wide(output)
        return (finish_integer(acc, bias, parameters, output.dtype, wide=wide),)


def _in_groups(channels: Range, written: int, read: int) -> Range | None:
    """What `channels` read where each group of `written` channels reads a group of `read` ones.

    None if they are parts of several groups, and not all of each.
    """
    first, last = channels[0] // written, (channels[1] - 1) // written
    is_even = channels[0] % written == channels[1] % written == 0
    return (first * read, (last + 1) * read) if first == last or is_even else None


def _is_wide(output: TensorType) -> bool:
    """Whether TFLite accumulates in 64 bits."""
    return output.dtype is DType.INT16


@dataclass(frozen=True)
class Conv2D(Convolution):
    """input (N,H,W,C) * weights (O,kh,kw,C/groups) + bias (O,) -> (N,OH,OW,O).

    Quantized: per-tensor int8 or int16 input and result, int8 weights with zero point 0, per tensor
    or per axis 0; beside int8 also per tensor with another zero point.
    """

    mnemonic: ClassVar[str] = "conv2d"
    weights_axis: ClassVar[int] = 0

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(N, OH, OW, O); the input's channels must be a multiple of the weights'."""
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        checks.check_rank(input_, 4, "input")
        checks.check_rank(weights, 4, "weights")
        channels, per_group = input_.shape[3], weights.shape[3]
        if channels % per_group or weights.shape[0] % (channels // per_group):
            raise GraphError(
                f"expected {channels} input channels and {weights.shape[0]} output channels in "
                f"groups of {per_group} input channels"
            )
        return self._output_type(inputs, weights.shape[0])

    def multiplies_pixels(self, inputs: Types) -> bool:
        """Whether each pixel of the result is the product of the weights with that pixel of the input, whole."""
        input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
        is_dense = weights.shape[1:] == (1, 1, input_.shape[3])
        return is_dense and self.stride == (1, 1) and not any(self.padding)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One matrix product per window position and group."""
        array, weights, bias = weighted_operands(arrays)
        weights = centred_weights(weights, checks.present(inputs, 1, "weights"))
        padded = pad_spatial(centred(array, checks.present(inputs, 0, "input")), self.padding, 0)
        groups = padded.shape[3] // weights.shape[3]
        parts = [
            self._one_group(part, kernel, outputs[0])
            for part, kernel in zip(
                np.split(padded, groups, axis=3), np.split(weights, groups, axis=0), strict=True
            )
        ]
        acc = np.concatenate(parts, axis=3) if groups > 1 else parts[0]
        return self._finish(acc, bias, inputs, outputs[0])

    def restrict_sum(
        self, channels: Range, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Of integers in one group."""
        del outputs
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        if input_.dtype not in _ACCUMULATORS or weights.shape[3] != input_.shape[3]:
            return None
        dtype = _ACCUMULATORS[input_.dtype][-1]
        boxes = (
            Box.whole(input_.shape).with_range(3, *channels),
            Box.whole(weights.shape).with_range(3, *channels),
            summed_bias(channels, inputs),
        )
        operator = replace(self.unrounded(), activation=Activation.NONE, accumulator=dtype)
        return Restriction(operator, boxes[: len(inputs)])

    def _channels_read(
        self, channels: Range, input_: TensorType, weights: TensorType
    ) -> Range | None:
        per_group = weights.shape[3]
        groups = input_.shape[3] // per_group
        return _in_groups(channels, weights.shape[0] // groups, per_group)

    def _one_group(self, padded: Array, weights: Array, output: TensorType) -> Array:
        size = spatial(output.shape)
        views = taps(padded, spatial(weights.shape), self.stride, self.dilation, size)
        columns = np.concatenate([view for _, _, view in views], axis=3)
        return accumulate(columns, weights.reshape(weights.shape[0], -1))


@dataclass(frozen=True)
class DepthwiseConv2D(Convolution):
    """input (N,H,W,C) * weights (1,kh,kw,C*multiplier) + bias -> (N,OH,OW,C*multiplier).

    Output channel c*multiplier + m reads input channel c. Quantized as Conv2D, with weights per
    tensor or per axis 3.
    """

    mnemonic: ClassVar[str] = "depthwise_conv2d"
    weights_axis: ClassVar[int] = 3

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(N, OH, OW, C * multiplier)."""
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        checks.check_rank(input_, 4, "input")
        checks.check_rank(weights, 4, "weights")
        if weights.shape[0] != 1 or weights.shape[3] % input_.shape[3]:
            raise GraphError(
                f"expected weights (1, kh, kw, multiple of {input_.shape[3]}), got {weights.shape}"
            )
        return self._output_type(inputs, weights.shape[3])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One elementwise product per window position."""
        array, weights, bias = weighted_operands(arrays)
        weights = centred_weights(weights, checks.present(inputs, 1, "weights"))
        padded = pad_spatial(centred(array, checks.present(inputs, 0, "input")), self.padding, 0)
        spread = np.repeat(padded, weights.shape[3] // padded.shape[3], axis=3)
        acc = np.zeros(outputs[0].shape, spread.dtype)
        kernel = weights.astype(spread.dtype)
        size = spatial(outputs[0].shape)
        views = taps(spread, spatial(weights.shape), self.stride, self.dilation, size)
        for row, column, view in views:
            acc += view * kernel[0, row, column]
        return self._finish(acc, bias, inputs, outputs[0])

    def _channels_read(
        self, channels: Range, input_: TensorType, weights: TensorType
    ) -> Range | None:
        return _in_groups(channels, weights.shape[3] // input_.shape[3], 1)
