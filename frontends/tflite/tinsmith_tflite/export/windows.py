"""Writes operators that slide a window; explicit padding becomes SAME, VALID or an operator in front."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import AveragePool2D, Conv2D, DepthwiseConv2D, MaxPool2D
from tinsmith_ir.types import TensorType

from tinsmith_tflite.export.bias import bias_of, no_bias
from tinsmith_tflite.export.context import NodeContext, Rules, with_shape
from tinsmith_tflite.export.records import Options, OptionValue
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.schema import padding_code

Pair = tuple[int, int]


@dataclass(frozen=True)
class _Axis:
    """A window's way along one axis. extent: of the window with its gaps. before: padding at the begin."""

    size: int
    results: int
    extent: int
    stride: int
    before: int

    @property
    def is_valid(self) -> bool:
        """Whether VALID padding says the same: nothing but elements is read, and as many windows fit."""
        return self.before == 0 and (self.size - self.extent) // self.stride + 1 == self.results

    @property
    def is_same(self) -> bool:
        """Whether SAME padding says the same."""
        if self.results != -(-self.size // self.stride):
            return False
        return self.before == max(self._read - self.size, 0) // 2

    @property
    def _read(self) -> int:
        return (self.results - 1) * self.stride + self.extent


def conv2d(context: NodeContext) -> None:
    """CONV_2D; groups follow from the shapes."""
    _convolution(context, "CONV_2D", "Conv2DOptions", {})


def depthwise_conv2d(context: NodeContext) -> None:
    """DEPTHWISE_CONV_2D."""
    multiplier = context.result.type.shape[3] // context.value(0).type.shape[3]
    fields = {"DepthMultiplier": multiplier}
    _convolution(context, "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", fields)


def _convolution(context: NodeContext, kind: str, table: str, fields: dict[str, int]) -> None:
    operator = cast("Conv2D | DepthwiseConv2D", context.node.operator)
    source, weights = context.value(0), context.value(1)
    if operator.accumulator is not None:
        raise RefusalError("TFLite gives no sums that are not rescaled; leave layers in one piece")
    if operator.float32_scale and context.is_quantized:
        raise RefusalError(
            "TFLite rounds the scales' product to float32 in uint8 networks alone; quantize the model again as int8"
        )
    quantization = weights.type.quantization
    if quantization is not None and any(quantization.zero_points):
        raise RefusalError(
            "TFLite's convolutions of int8 ignore the zero point of weights; quantize with symmetric ones"
        )
    kernel = weights.type.shape[1], weights.type.shape[2]
    padding, padded = _padding(
        context, kernel, operator.stride, operator.dilation, operator.padding
    )
    all_fields: dict[str, OptionValue] = {
        **fields,
        "Padding": padding_code(padding),
        "StrideH": operator.stride[0],
        "StrideW": operator.stride[1],
        "DilationHFactor": operator.dilation[0],
        "DilationWFactor": operator.dilation[1],
    }
    # TFLite 2.14 wants a bias of all but some; added zeros change no bit.
    has_bias = context.optional(2) is not None
    bias = bias_of(context) if has_bias else no_bias(context)
    operands = padded, context.operand(1), bias
    version = _convolution_version(kind, source.type, weights.type, operator.dilation)
    context.emit_clamped(
        kind, operands, table, all_fields, version=version, activation=operator.activation
    )


def _convolution_version(kind: str, source: TensorType, weights: TensorType, dilation: Pair) -> int:
    is_depthwise = kind == "DEPTHWISE_CONV_2D"
    if weights.dtype.is_packed:
        # TensorFlow writes 7 for depthwise ones; the reference kernels of TFLite 2.14 take 6, and compute the same.
        return 6
    if source.dtype is DType.INT16:
        return 5 if is_depthwise else 4
    if source.dtype is DType.INT8:
        return 3
    return 2 if is_depthwise and dilation != (1, 1) else 1


def average_pool2d(context: NodeContext) -> None:
    """AVERAGE_POOL_2D, which does not count padding; so none can be put in front."""
    operator = cast("AveragePool2D", context.node.operator)
    if operator.halves_to_even and context.is_quantized:
        raise RefusalError(
            "TFLite rounds halves away from zero, here they go to the even integer; use a pool without halves_to_even"
        )
    if operator.halves_up and context.is_quantized:
        raise RefusalError(
            "TFLite rounds halves of int8 away from zero, here they go up, as of uint8; use a pool without halves_up"
        )
    _pool(context, operator, "AVERAGE_POOL_2D")


def max_pool2d(context: NodeContext) -> None:
    """MAX_POOL_2D."""
    _pool(context, cast("MaxPool2D", context.node.operator), "MAX_POOL_2D")


def _pool(context: NodeContext, operator: AveragePool2D | MaxPool2D, kind: str) -> None:
    padding, padded = _padding(context, operator.window, operator.stride, (1, 1), operator.padding)
    fields: dict[str, OptionValue] = {
        "Padding": padding_code(padding),
        "StrideH": operator.stride[0],
        "StrideW": operator.stride[1],
        "FilterHeight": operator.window[0],
        "FilterWidth": operator.window[1],
    }
    context.emit_clamped(kind, (padded,), "Pool2DOptions", fields, activation=operator.activation)


def _padding(
    context: NodeContext,
    kernel: Pair,
    stride: Pair,
    dilation: Pair,
    padding: tuple[int, int, int, int],
) -> tuple[str, int]:
    """What the operator's padding is called, and the tensor that it reads; raises RefusalError."""
    source, results = context.value(0), context.result.type.shape
    axes = [
        _Axis(
            source.type.shape[1 + at],
            results[1 + at],
            (kernel[at] - 1) * dilation[at] + 1,
            stride[at],
            padding[2 * at],
        )
        for at in range(2)
    ]
    if all(axis.is_valid for axis in axes):
        return "VALID", context.operand(0)
    if all(axis.is_same for axis in axes):
        return "SAME", context.operand(0)
    match context.node.operator:
        case AveragePool2D():
            raise RefusalError(
                f"TFLite averages with SAME or VALID padding alone, got {list(padding)}, and padding that "
                "counts would be another mean; choose padding that one of these says"
            )
        case MaxPool2D():
            return "VALID", _padded(context, source, padding, _lowest(context, source))
        case _:
            return "VALID", _padded(context, source, padding, None)


def _padded(
    context: NodeContext, source: Value, padding: tuple[int, int, int, int], added: int | None
) -> int:
    """The source with more rows and columns: of real zeros by PAD, or of the only element of tensor `added`."""
    top, bottom, left, right = padding
    batch, height, width, channels = source.type.shape
    shape = (batch, top + height + bottom, left + width + right, channels)
    padded = context.step("padded", with_shape(source, shape))
    widths = np.array([[0, 0], [top, bottom], [left, right], [0, 0]], np.int32)
    operands = context.operand(0), context.writer.constant(f"{context.node.name}_padding", widths)
    if added is None:
        context.emit(
            "PAD", operands, Options("PadOptions"), output=padded, version=pad_version(source)
        )
    else:
        options = Options("PadV2Options")
        version = pad_version(source)
        context.emit("PADV2", (*operands, added), options, output=padded, version=version)
    return padded


def pad_version(value: Value) -> int:
    """Of PAD and PADV2."""
    return {DType.INT8: 2, DType.UINT8: 2, DType.INT16: 3}.get(value.type.dtype, 1)


def _lowest(context: NodeContext, source: Value) -> int:
    """A constant that no element is below."""
    dtype = source.type.dtype
    lowest = float(np.finfo(np.float32).min)
    if dtype is not DType.FLOAT32:
        lowest = dtype.integer_range[0]
    array = np.array([lowest], dtype.numpy)
    return context.writer.constant(f"{context.node.name}_lowest", array, source.type.quantization)


RULES: Rules = {
    AveragePool2D: average_pool2d,
    Conv2D: conv2d,
    DepthwiseConv2D: depthwise_conv2d,
    MaxPool2D: max_pool2d,
}
