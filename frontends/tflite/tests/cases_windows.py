"""Golden cases of convolutions, dense layers and pools."""

from collections.abc import Sequence

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import OptionValue, options
from tinsmith_ir.types import Quantization


def _same(size: int, kernel: int, stride: int, dilation: int, same: bool) -> int:
    extent = (kernel - 1) * dilation + 1
    return -(-size // stride) if same else (size - extent) // stride + 1


def _convolution_shape(b: CaseBuilder, index: int) -> tuple[Shape, tuple[int, ...], bool]:
    """((n, h, w), (kh, kw, sh, sw, dh, dw), SAME?) that fit together."""
    r = b.random.randint
    kernel = [(1, 1), (3, 3), (2, 5), (5, 3), (3, 1), (4, 4)][index % 6]
    stride = [(1, 1), (2, 2), (1, 2), (3, 1)][r(4)]
    dilation = [(1, 1), (1, 1), (2, 1), (2, 3)][r(4)] if stride == (1, 1) else (1, 1)
    smallest = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    size = (1 + r(2), smallest[0] + r(6), smallest[1] + r(6))
    return size, (*kernel, *stride, *dilation), bool(r(2))


def conv2d(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CONV_2D: kernels, strides, dilations, padding, groups, activations, per-channel or not."""
    (n, h, w), (kh, kw, sh, sw, dh, dw), same = _convolution_shape(b, index)
    groups = 2 if index % 7 == 3 and kind == "INT8" else 1
    per_group, results = 1 + b.random.randint(7), groups * (1 + b.random.randint(6))
    shape = (n, _same(h, kh, sh, dh, same), _same(w, kw, sw, dw, same), results)
    return _weighted(
        b, kind, index, "CONV_2D", "Conv2DOptions",
        (n, h, w, groups * per_group), (results, kh, kw, per_group), shape, axis=0,
        Padding=0 if same else 1, StrideH=sh, StrideW=sw, DilationHFactor=dh, DilationWFactor=dw,
    )  # fmt: skip


def depthwise_conv2d(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """DEPTHWISE_CONV_2D: the same, and depth multipliers of 1 to 3."""
    (n, h, w), (kh, kw, sh, sw, dh, dw), same = _convolution_shape(b, index)
    channels, multiplier = 1 + b.random.randint(7), 1 + index % 3
    results = channels * multiplier
    shape = (n, _same(h, kh, sh, dh, same), _same(w, kw, sw, dw, same), results)
    return _weighted(
        b, kind, index, "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions",
        (n, h, w, channels), (1, kh, kw, results), shape, axis=3, DepthMultiplier=multiplier,
        Padding=0 if same else 1, StrideH=sh, StrideW=sw, DilationHFactor=dh, DilationWFactor=dw,
    )  # fmt: skip


def transpose_conv(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TRANSPOSE_CONV: kernels below and above strides, padding, scales per channel or not, with bias or not."""
    r = b.random.randint
    n, h, w, depth, results = 1 + r(2), 1 + r(5), 1 + r(5), 1 + r(5), 1 + r(5)
    kh, kw = [(3, 3), (2, 2), (4, 4), (1, 3), (5, 2), (1, 1)][index % 6]
    sh, sw = [(2, 2), (1, 1), (2, 1), (3, 2)][r(4)]
    same = bool(r(2))
    sizes = [
        size * stride - (r(stride) if stride > 1 else 0)
        if same
        else (size - 1) * stride + kernel + (r(stride) if stride > 1 else 0)
        for size, stride, kernel in ((h, sh, kh), (w, sw, kw))
    ]
    if (
        r(6) == 0
    ):  # TFLite takes any size of the input, also such that reaches no or not all results
        h, w = 1 + r(6), 1 + r(6)
    shape = (n, *sizes, results)
    source_scale, spread = b.scale(0.05), np.sqrt(kh * kw * depth / sh / sw) * 74
    spread *= 74 if kind == "INT8" else 19000
    weight_scales = [b.scale(0.01) for _ in range(results if index % 3 else 1)]
    operands = [b.model.constant("shape", np.array(shape, np.int32))]
    if kind == "FLOAT32":
        operands.append(b.model.constant("weights", b.data((results, kh, kw, depth), kind)))
    else:
        values = np.maximum(b.data((results, kh, kw, depth), "INT8").astype(np.int16), -127)
        scales = _per_channel(weight_scales, 0)
        operands.append(b.model.constant("weights", values.astype(np.int8), quantization=scales))
    operands.append(b.input((n, h, w, depth), kind, source_scale))
    if index % 2 or kind == "INT16":
        operands.append(_bias(b, kind, results, spread, [source_scale * s for s in weight_scales]))
    output = b.output(
        shape, kind, b.scale(source_scale * 0.01 * spread / (60 if kind == "INT8" else 15000))
    )
    chosen = options("TransposeConvOptions", Padding=0 if same else 1, StrideH=sh, StrideW=sw)
    b.model.operator("TRANSPOSE_CONV", operands, [output], chosen, version=3)
    return b.finish(output)


def transpose_conv_computed(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TRANSPOSE_CONV to a shape that each run brings, as its weights and bias or not; also without a bias."""
    r = b.random.randint
    n, h, w, depth, results = (1 + int(r(4)) for _ in range(5))
    kh, kw, sh, sw = [(3, 2, 2, 2), (2, 2, 1, 1), (1, 3, 2, 1)][index % 3]
    shape = (n, (h - 1) * sh + kh, (w - 1) * sw + kw, results)
    source_scale, weight_scale = b.scale(0.05), b.scale(0.01)
    spread = np.sqrt(kh * kw * depth) * 74 * (74 if kind == "INT8" else 19000)
    operands = [b.integers(np.array(shape, np.int32))]
    type_: Kind = "FLOAT32" if kind == "FLOAT32" else "INT8"
    weights = b.data((results, kh, kw, depth), type_)
    quantization = b.quantization(type_, weight_scale, 0)
    if index % 2:
        operands.append(b.model.constant("weights", weights, quantization=quantization))
    else:
        operands.append(b.plain(weights, type_, quantization))
    operands.append(b.input((n, h, w, depth), kind, source_scale))
    if index == 0 and kind == "FLOAT32":
        operands.append(b.input((results,), kind))
    elif kind == "INT16" or index % 4 < 2:
        operands.append(_bias(b, kind, results, spread, [source_scale * weight_scale]))
    near = source_scale * weight_scale * spread / (60 if kind == "INT8" else 15000)
    output = b.output(shape, kind, b.scale(near))
    chosen = options("TransposeConvOptions", Padding=1, StrideH=sh, StrideW=sw)
    b.model.operator("TRANSPOSE_CONV", operands, [output], chosen, version=3)
    return b.finish(output)


def fully_connected(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """FULLY_CONNECTED: batches, inputs of several dimensions that are kept or not."""
    size, results = 1 + b.random.randint(40), 1 + b.random.randint(12)
    shape, keep = [
        ((1, size), False),
        ((3, size), False),
        ((2, 3, size), True),
        ((2, 3, size), False),
    ][index % 4]
    result = (*shape[:-1], results) if keep else (int(np.prod(shape[:-1])), results)
    return _weighted(
        b, kind, index, "FULLY_CONNECTED", "FullyConnectedOptions",
        shape, (results, size), result, axis=0, KeepNumDims=keep,
    )  # fmt: skip


def _weighted(
    b: CaseBuilder, kind: Kind, index: int, name: str, table: str, source: Shape, weights: Shape,
    result: Shape, *, axis: int, **fields: OptionValue,
) -> Case:  # fmt: skip
    """A convolution or dense layer whose results fill most of the output's range."""
    channels = weights[axis]
    taps = int(np.prod(weights)) // channels
    source_scale = b.scale(0.05)
    count = channels if index % 3 and name != "FULLY_CONNECTED" else 1
    weight_scales = [b.scale(0.01) for _ in range(count)]
    spread = np.sqrt(taps) * 74 * (74 if kind == "INT8" else 19000)
    gain = 3.0 if index % 5 == 4 else 1.0
    result_scale = source_scale * 0.01 * spread / (60 if kind == "INT8" else 15000) / gain
    activation = ACTIVATIONS[index % 4] if kind != "INT16" else ACTIVATIONS[index % 2]
    operands = [b.input(source, kind, source_scale)]
    if kind == "FLOAT32":
        operands.append(b.model.constant("weights", b.data(weights, kind)))
    else:
        values = np.maximum(b.data(weights, "INT8").astype(np.int16), -127).astype(np.int8)
        operands.append(
            b.model.constant("weights", values, quantization=_per_channel(weight_scales, axis))
        )
    if index % 4 != 2 or name == "CONV_2D":
        operands.append(_bias(b, kind, channels, spread, [source_scale * s for s in weight_scales]))
    output = b.output(result, kind, b.scale(result_scale))
    b.model.operator(
        name,
        operands,
        [output],
        options(table, FusedActivationFunction=activation_code(activation), **fields),
        version=3 if kind == "INT8" else 4,
    )
    return b.finish(output)


def _per_channel(scales: Sequence[float], axis: int) -> Quantization:
    return Quantization(tuple(scales), (0,) * len(scales), axis)


def _bias(b: CaseBuilder, kind: Kind, channels: int, spread: float, scales: Sequence[float]) -> int:
    if kind == "FLOAT32":
        return b.model.constant("bias", b.data((channels,), kind))
    dtype = np.int32 if kind == "INT8" else np.int64
    values = (b.random.uniform(-1, 1, channels) * spread).astype(dtype)
    return b.model.constant("bias", values, quantization=_per_channel(scales, 0))


def average_pool2d(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """AVERAGE_POOL_2D."""
    return _pool(b, kind, index, "AVERAGE_POOL_2D")


def max_pool2d(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """MAX_POOL_2D."""
    return _pool(b, kind, index, "MAX_POOL_2D")


def l2_pool2d(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """L2_POOL_2D, which has no integers."""
    return _pool(b, kind, index, "L2_POOL_2D") if kind == "FLOAT32" else None


def _pool(b: CaseBuilder, kind: Kind, index: int, name: str) -> Case | None:
    (n, h, w), (kh, kw, sh, sw, _, _), same = _convolution_shape(b, index)
    channels = 1 + b.random.randint(9)
    scale, zero_point = b.scale(0.05 if kind == "INT8" else 0.0002), b.zero_point(kind)
    source = b.input((n, h, w, channels), kind, scale, zero_point)
    shape = (n, _same(h, kh, sh, 1, same), _same(w, kw, sw, 1, same), channels)
    output = b.output(shape, kind, scale, zero_point)
    chosen = options(
        "Pool2DOptions",
        Padding=0 if same else 1,
        StrideH=sh,
        StrideW=sw,
        FilterHeight=kh,
        FilterWidth=kw,
        FusedActivationFunction=activation_code(ACTIVATIONS[(index // 2) % 4]),
    )
    version = 1 if name == "L2_POOL_2D" else 2
    b.model.operator(name, [source], [output], chosen, version=version)
    return b.finish(output)
