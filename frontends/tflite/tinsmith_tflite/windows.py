"""Converters of operators that slide a window, convolutions and pools; padding becomes explicit."""

import math
from collections.abc import Mapping, Sequence

from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Activation,
    AveragePool2D,
    Conv2D,
    Conv3D,
    DepthwiseConv2D,
    MaxPool2D,
    Operator,
    Relu,
    Relu6,
    ReluN1To1,
    Requantize,
    Sqrt,
    Square,
)

from tinsmith_tflite.bias import convolution_bias
from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.hybrid import HYBRID, hybrid_convolution, is_hybrid
from tinsmith_tflite.narrow import is_narrow, narrow_sums
from tinsmith_tflite.rules import FLOATS, Rule

Pair = tuple[int, int]
Triple = tuple[int, int, int]
_RECTIFIERS: Mapping[Activation, Operator] = {
    Activation.RELU: Relu(),
    Activation.RELU6: Relu6(),
    Activation.RELU_N1_TO_1: ReluN1To1(),
}
_LARGEST_PADDED_BYTES = 2**28


def conv2d(context: OperatorContext) -> Conversion:
    """CONV_2D; groups follow from the shapes."""
    source, weights, bias = _operands(context, may_be_narrow=True)
    stride = _positive(context, "stride", "StrideH", "StrideW")
    dilation = _positive(context, "dilation", "DilationHFactor", "DilationWFactor")
    kernel = (weights.type.shape[1], weights.type.shape[2])
    operator = Conv2D(
        stride=stride,
        dilation=dilation,
        padding=_padding(context, source, kernel, stride, dilation),
        activation=context.activation(),
        float32_scale=context.is_unsigned(0),
    )
    if is_hybrid(context, source):
        return hybrid_convolution(context, source, operator)
    if is_narrow(context, source):
        return narrow_sums(context, operator, (source, weights, bias))
    return operator, (source, weights, bias)


def depthwise_conv2d(context: OperatorContext) -> Conversion:
    """DEPTHWISE_CONV_2D; its depth multiplier must be the one that the shapes say."""
    source, weights, bias = _operands(context)
    channels, results = source.type.shape[3], weights.type.shape[3]
    multiplier = context.options.integer("DepthMultiplier")
    if multiplier * channels != results:
        raise context.error(
            f"expected weights for {channels} x {multiplier} channels (depth multiplier), "
            f"got {list(weights.type.shape)}"
        )
    stride = _positive(context, "stride", "StrideH", "StrideW")
    dilation = _positive(context, "dilation", "DilationHFactor", "DilationWFactor")
    kernel = (weights.type.shape[1], weights.type.shape[2])
    operator = DepthwiseConv2D(
        stride=stride,
        dilation=dilation,
        padding=_padding(context, source, kernel, stride, dilation),
        activation=context.activation(),
        float32_scale=context.is_unsigned(0),
    )
    if is_hybrid(context, source):
        return hybrid_convolution(context, source, operator)
    return operator, (source, weights, bias)


def conv3d(context: OperatorContext) -> Conversion:
    """CONV_3D, of float32 alone in TFLite; without groups."""
    source, weights = context.ranked_value(0, 5), context.ranked_value(1, 5)
    names = ("StrideD", "StrideH", "StrideW")
    stride = _positive_volume(context, "stride", names)
    names = ("DilationDFactor", "DilationHFactor", "DilationWFactor")
    dilation = _positive_volume(context, "dilation", names)
    operator = Conv3D(
        stride=stride,
        dilation=dilation,
        padding=_volume_padding(context, source, weights, stride, dilation),
        activation=context.activation(),
    )
    return operator, (source, weights, convolution_bias(context, source))


def average_pool2d(context: OperatorContext) -> Conversion:
    """AVERAGE_POOL_2D."""
    source, window, stride, padding = _pool(context)
    activation = context.activation()
    operator = AveragePool2D(
        window=window,
        stride=stride,
        padding=padding,
        activation=activation,
        halves_up=context.is_unsigned(0),
    )
    return operator, (source,)


def l2_pool2d(context: OperatorContext) -> Conversion:
    """L2_POOL_2D: the root of the mean of squares, and the activation behind it."""
    source, window, stride, padding = _pool(context)
    squares = context.step(Square(), [source])
    mean = context.step(AveragePool2D(window=window, stride=stride, padding=padding), [squares])
    rectifier = _RECTIFIERS.get(context.activation())
    if rectifier is None:
        return Sqrt(), (mean,)
    return rectifier, (context.step(Sqrt(), [mean]),)


def max_pool2d(context: OperatorContext) -> Conversion:
    """MAX_POOL_2D."""
    source, window, stride, padding = _pool(context)
    activation = context.activation()
    return MaxPool2D(window=window, stride=stride, padding=padding, activation=activation), (
        source,
    )


def _operands(
    context: OperatorContext, *, may_be_narrow: bool = False
) -> tuple[Value, Value, Value | None]:
    source = context.ranked_value(0, 4)
    if is_hybrid(context, source):
        return source, context.ranked_value(1, 4), None
    weights = context.weights(source, 4, may_be_int4=True)
    return source, weights, convolution_bias(context, source, may_be_narrow=may_be_narrow)


def _pool(context: OperatorContext) -> tuple[Value, Pair, Pair, tuple[int, int, int, int]]:
    source = context.ranked_value(0, 4)
    stride = _positive(context, "stride", "StrideH", "StrideW")
    window = _positive(context, "window", "FilterHeight", "FilterWidth")
    return source, window, stride, _padding(context, source, window, stride, (1, 1))


def _positive(context: OperatorContext, what: str, *names: str) -> Pair:
    """Height and width, two of the options by their names."""
    height, width = (context.options.integer(name) for name in names)
    if height < 1 or width < 1:
        raise context.error(f"expected a {what} of at least 1 x 1, got {height} x {width}")
    return height, width


def _padding(
    context: OperatorContext, source: Value, kernel: Pair, stride: Pair, dilation: Pair
) -> tuple[int, int, int, int]:
    """(top, bottom, left, right) of SAME or VALID padding; of an odd SAME the end has one more."""
    if context.padding() == "VALID":
        return (0, 0, 0, 0)
    batch, height, width, channels = source.type.shape
    top, bottom = _same(height, kernel[0], stride[0], dilation[0])
    left, right = _same(width, kernel[1], stride[1], dilation[1])
    padded = batch * (top + height + bottom) * (left + width + right) * channels
    if padded * source.type.dtype.size_bytes > _LARGEST_PADDED_BYTES:
        raise context.error(
            f"expected at most {_LARGEST_PADDED_BYTES} bytes of padded input, got padding "
            f"{[top, bottom, left, right]} for {list(source.type.shape)}"
        )
    return top, bottom, left, right


def _positive_volume(context: OperatorContext, what: str, names: Sequence[str]) -> Triple:
    """Depth, height and width, three of the options by their names."""
    depth, height, width = (context.options.integer(name) for name in names)
    if min(depth, height, width) < 1:
        raise context.error(
            f"expected a {what} of at least 1 x 1 x 1, got {depth} x {height} x {width}"
        )
    return depth, height, width


def _volume_padding(
    context: OperatorContext, source: Value, weights: Value, stride: Triple, dilation: Triple
) -> tuple[int, int, int, int, int, int]:
    """(front, back, top, bottom, left, right) of SAME or VALID padding."""
    if context.padding() == "VALID":
        return (0, 0, 0, 0, 0, 0)
    size, kernel = source.type.shape[1:4], weights.type.shape[:3]
    depth, height, width = (
        _same(*sides) for sides in zip(size, kernel, stride, dilation, strict=True)
    )
    padded = math.prod(
        sum(extents) for extents in zip(size, map(sum, (depth, height, width)), strict=True)
    )
    elements = source.type.shape[0] * padded * source.type.shape[4]
    if elements * source.type.dtype.size_bytes > _LARGEST_PADDED_BYTES:
        raise context.error(
            f"expected at most {_LARGEST_PADDED_BYTES} bytes of padded input, got padding "
            f"{[*depth, *height, *width]} for {list(source.type.shape)}"
        )
    return (*depth, *height, *width)


def _same(size: int, kernel: int, stride: int, dilation: int) -> Pair:
    """Padding that makes ceil(size / stride) results, as TFLite's ComputePaddingWithOffset."""
    results = -(-size // stride)
    total = max((results - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


RULES: Mapping[str, Rule] = {
    "AVERAGE_POOL_2D": Rule(3, (1, 1), "Pool2DOptions", (AveragePool2D,), average_pool2d),
    "CONV_2D": Rule(8, (2, 3), "Conv2DOptions", (Conv2D, Requantize, *HYBRID), conv2d),
    "CONV_3D": Rule(1, (2, 3), "Conv3DOptions", (Conv3D,), conv3d, FLOATS),
    "DEPTHWISE_CONV_2D": Rule(
        7,
        (2, 3),
        "DepthwiseConv2DOptions",
        (DepthwiseConv2D, *HYBRID),
        depthwise_conv2d,
    ),
    "L2_POOL_2D": Rule(
        1, (1, 1), "Pool2DOptions", (Sqrt, Relu, Relu6, ReluN1To1), l2_pool2d, FLOATS
    ),
    "MAX_POOL_2D": Rule(3, (1, 1), "Pool2DOptions", (MaxPool2D,), max_pool2d),
}
