"""Converter of TRANSPOSE_CONV: a convolution that gives blocks of pixels as channels, which then move.

With stride s, the results at u, u + s, u + 2 s and so on use the same taps of the filter: those that are u modulo s.
So each place in a block of s x s results is a plain convolution of the input with ceil(kernel / s) taps, and all places
together are one with s * s times as many channels. Every product that TFLite's kernel adds is added here, in the
same order of taps and channels, beside others with weights of 0 (of their zero point): the sums are equal, bit by bit.
Weights and bias that are computed are put into this order by operators.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Broadcast, Conv2D, Pad, Requantize, Reshape, Slice, Transpose
from tinsmith_ir.types import Quantization

from tinsmith_tflite.blocks import depth_in_space
from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.narrow import narrow_sums
from tinsmith_tflite.rules import Rule

_PLACES_FIRST = (2, 4, 0, 1, 3, 5)
"""Of channels, taps and places of each axis, and depth."""


@dataclass(frozen=True)
class _Axis:
    """One axis of a transposed convolution. first: the result's first element among all that it could have."""

    input: int
    output: int
    kernel: int
    stride: int
    first: int

    @property
    def taps(self) -> int:
        """Of the convolution."""
        return -(-self.kernel // self.stride)

    @property
    def blocks(self) -> tuple[int, int]:
        """First and last block of results."""
        return self.first // self.stride, (self.first + self.output - 1) // self.stride

    @property
    def padding(self) -> tuple[int, int]:
        """Before and after the input; negative where its last elements reach no result."""
        begin, end = self.blocks
        return self.taps - 1 - begin, end - (self.input - 1)


def transpose_conv(context: OperatorContext) -> Conversion:
    """TRANSPOSE_CONV to a shape that is known."""
    source = context.ranked_value(2, 4)
    weights = context.weights(source, 4)
    axes = _axes(context, source, weights)
    for at, axis in enumerate(axes):
        source = _cropped(context, source, axis, 1 + at)
    paddings = [max(0, width) for axis in axes for width in axis.padding]
    operator = Conv2D(
        padding=(paddings[0], paddings[1], paddings[2], paddings[3]),
        activation=context.activation(),
        float32_scale=context.is_unsigned(2),
    )
    block = (axes[0].stride, axes[1].stride)
    bias = context.bias(source, 3, may_be_narrow=True)
    count = block[0] * block[1]
    operands = (source, _filters(context, weights, axes), _repeated(context, bias, count))
    conversion: Conversion = (operator, operands)
    if _is_narrow(context, source):
        conversion = narrow_sums(context, operator, operands)
    if count == 1:
        return conversion
    places = context.step(*conversion, context.output.type.quantization)
    blocks, shape = depth_in_space(context, places, block)
    begin = tuple(axis.first - axis.blocks[0] * axis.stride for axis in axes)
    result = (shape[0], axes[0].output, axes[1].output, shape[3])
    if shape == result:
        return Reshape(shape=shape), (blocks,)
    joined = context.step(Reshape(shape=shape), [blocks])
    return Slice(begin=(0, *begin, 0), shape=result), (joined,)


def _is_narrow(context: OperatorContext, source: Value) -> bool:
    """Whether TFLite sums 32 bits of int16: beside a bias of int32, and, other than in CONV_2D, without one."""
    return source.type.dtype is DType.INT16 and not context.has_bias_of("INT64", 3)


def _axes(context: OperatorContext, source: Value, weights: Value) -> tuple[_Axis, _Axis]:
    """Height and width. As TFLite pads: as a convolution would that gives the input's size from the result's."""
    shape = _result_shape(context)
    if len(shape) != 4 or min(shape) < 1:
        raise context.error(f"expected a shape of four dimensions of at least 1, got {list(shape)}")
    expected = (source.type.shape[0], weights.type.shape[0])
    if (shape[0], shape[3]) != expected or weights.type.shape[3] != source.type.shape[3]:
        raise context.error(
            f"expected a batch of {expected[0]}, {expected[1]} channels and weights for "
            f"{source.type.shape[3]}, got {list(shape)} and weights {list(weights.type.shape)}"
        )
    strides = context.options.integer("StrideH"), context.options.integer("StrideW")
    if min(strides) < 1:
        raise context.error(f"expected strides of at least 1, got {list(strides)}")
    is_same = context.padding() == "SAME"
    found: list[_Axis] = []
    for at, stride in enumerate(strides):
        size, kernel = shape[1 + at], weights.type.shape[1 + at]
        covered = size if is_same else size - kernel + 1
        steps = -(-covered // stride)
        padding = max(0, (steps - 1) * stride + kernel - size)
        found.append(_Axis(source.type.shape[1 + at], size, kernel, stride, padding // 2))
    return found[0], found[1]


def _result_shape(context: OperatorContext) -> tuple[int, ...]:
    """Input 0. If only a run would know it, its elements are not read, as in TFLite Micro: the file says what shape
    the result has.
    """
    if context.is_constant(0):
        return context.integers(0)
    context.stored_value(0)
    if -1 in context.tensor.signature:
        raise context.unsupported(
            "expected a constant shape, or a result whose shape the file knows, got neither; give the model's "
            "inputs a fixed shape when converting it"
        )
    return context.output.type.shape


def _cropped(context: OperatorContext, source: Value, axis: _Axis, at: int) -> Value:
    """The input without the elements along an axis that reach no result."""
    unused = [max(0, -width) for width in axis.padding]
    if not any(unused):
        return source
    shape = source.type.shape
    size = shape[at] - sum(unused)
    begin = [0] * len(shape)
    begin[at] = unused[0]
    operator = Slice(begin=tuple(begin), shape=(*shape[:at], size, *shape[at + 1 :]))
    return context.step(operator, [source])


def _filters(context: OperatorContext, weights: Value, axes: tuple[_Axis, _Axis]) -> Value:
    """Of each place in a block and each channel, the taps that reach it, the last first."""
    quantization = weights.type.quantization
    zero_points = {0} if quantization is None else {*quantization.zero_points}
    if zero_points != {0} and not context.is_unsigned(1):
        raise context.unsupported("expected weights of zero point 0, got others")
    height, width = axes
    count, _, _, depth = weights.type.shape
    sides = (height.taps, height.stride, width.taps, width.stride)
    block = height.stride * width.stride
    shape = (block * count, height.taps, width.taps, depth)
    data = context.values.data(weights)
    if data is None:
        return _computed_filters(context, weights, sides, shape)
    context.values.file.spend(2 * count * depth * math.prod(sides) * data.itemsize)
    grown = np.full(
        (count, sides[0] * sides[1], sides[2] * sides[3], depth), min(zero_points), data.dtype
    )
    grown[:, : height.kernel, : width.kernel] = data
    taps = grown.reshape(count, *sides, depth)[:, ::-1, :, ::-1]
    filters = taps.transpose(_PLACES_FIRST).reshape(shape)
    return context.constant("filters", filters, _repeated_scales(quantization, block))


def _computed_filters(
    context: OperatorContext, weights: Value, sides: tuple[int, ...], shape: tuple[int, ...]
) -> Value:
    """The same. sides: taps and stride of each axis. shape: of the filters."""
    quantization = weights.type.quantization
    if quantization is not None and quantization.axis is not None:
        raise context.unsupported(
            f"expected computed weights of one scale, got {len(quantization.scales)}; make them constant, or "
            "quantize them per tensor"
        )
    count, kernel_height, kernel_width, depth = weights.type.shape
    taps_high, high, taps_wide, wide = sides
    missing = (0, taps_high * high - kernel_height, 0, taps_wide * wide - kernel_width)
    if any(missing):
        weights = context.step(Pad(padding=(0, 0, *missing, 0, 0)), [weights])
    apart = (count, *sides, depth)
    taps = context.step(Reshape(shape=apart), [weights])
    backwards = Slice(
        begin=(0, taps_high - 1, 0, taps_wide - 1, 0, 0), shape=apart, strides=(1, -1, 1, -1, 1, 1)
    )
    places = context.step(Transpose(permutation=_PLACES_FIRST), [context.step(backwards, [taps])])
    return context.step(Reshape(shape=shape), [places])


def _repeated(context: OperatorContext, bias: Value | None, count: int) -> Value | None:
    if bias is None or count == 1:
        return bias
    data = context.values.data(bias)
    if data is None:
        (size,) = bias.type.shape
        row = context.step(Reshape(shape=(1, size)), [bias])
        rows = context.step(Broadcast(shape=(count, size)), [row])
        return context.step(Reshape(shape=(count * size,)), [rows])
    context.values.file.spend(count * bias.type.size_bytes)
    return context.constant("bias", np.tile(data, count))


def _repeated_scales(quantization: Quantization | None, count: int) -> Quantization | None:
    if quantization is None or quantization.axis is None:
        return quantization
    return Quantization(quantization.scales * count, quantization.zero_points * count, 0)


RULES: Mapping[str, Rule] = {
    "TRANSPOSE_CONV": Rule(
        4, (3, 4), "TransposeConvOptions", (Conv2D, Requantize, Reshape, Slice), transpose_conv
    ),
}
