"""Rules of quantized networks: operators between real numbers and integers, and operators of integers.

Operators of integers are what they are defined as: real numbers of the operands, the operator of real numbers, and its
result as integers. A pass makes operators of integers of that, as it does where the file says it so.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import helper
from tinsmith_ir.operators import Softmax
from tinsmith_tensors import (
    Composer,
    Tensor,
    activations,
    elementwise,
    integer_products,
    movement,
    pools,
    products,
    quantization,
    reductions,
    windows,
)
from tinsmith_tensors.quantization import IntegerKind, dequantize_linear, quantize_linear

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.elements import name_of
from tinsmith_onnx.rules import Rule
from tinsmith_onnx.windows import pads, pool_windows

_CONTRIBUTED = "com.microsoft"
_BITS = {"int2": (2, "i1"), "int4": (4, "i1"), "uint2": (2, "u1"), "uint4": (4, "u1")}
_INTEGERS = ("int8", "uint8", "int16", "uint16")


def quantize(context: OperatorContext) -> Tensor:
    """QuantizeLinear, of every version."""
    x, scale, zero_point = context.tensor(0), context.tensor(1), context.optional(2)
    return quantize_linear(
        context.c,
        x,
        scale,
        zero_point,
        _kind(context, zero_point),
        axis=_axis(context, x, scale),
        block=context.integer("block_size", 0),
    )


def dequantize(context: OperatorContext) -> Tensor:
    """DequantizeLinear, of every version; all floats are float32."""
    x, scale = context.tensor(0), context.tensor(1)
    return dequantize_linear(
        context.c,
        x,
        scale,
        context.optional(2),
        axis=_axis(context, x, scale),
        block=context.integer("block_size", 0),
    )


def _axis(context: OperatorContext, x: Tensor, scale: Tensor) -> int:
    return 0 if scale.elements == 1 else context.axis(context.integer("axis", 1), x.rank)


def _kind(context: OperatorContext, zero_point: Tensor | None) -> IntegerKind:
    """The integers that QuantizeLinear gives: of its zero point's type, or as its attribute says; else uint8."""
    chosen = context.integer("output_dtype", 0)
    if zero_point is not None:
        dtype = zero_point.dtype
    else:
        dtype = helper.tensor_dtype_to_np_dtype(chosen) if chosen else np.dtype("u1")
    if dtype.name in _BITS:
        bits, stored = _BITS[dtype.name]
        return quantization.integer_kind(np.dtype(stored), bits)
    if dtype == np.int32:  # uint16, as it is computed
        return quantization.integer_kind(np.dtype("<u2"))
    if dtype.name not in _INTEGERS:
        raise context.unsupported(
            f"expected a result of integers, got {name_of(chosen) if chosen else dtype.name}"
        )
    return quantization.integer_kind(dtype)


def dynamic_quantize(context: OperatorContext) -> Sequence[Tensor]:
    """DynamicQuantizeLinear; the scale of nothing but zeros is 1, as onnxruntime has it, and not 0."""
    return quantization.dynamic_quantization(context.c, context.tensor(0))


def matmul_integer(context: OperatorContext) -> Tensor:
    """MatMulInteger."""
    return integer_products.integer_matmul(
        context.c, context.tensor(0), context.tensor(1), context.optional(2), context.optional(3)
    )


def conv_integer(context: OperatorContext) -> Tensor:
    """ConvInteger."""
    x, weights = context.tensor(0), context.tensor(1)
    kernel = weights.shape[2:]
    ones = (1,) * len(kernel)
    stride, dilation = context.integers("strides", ones), context.integers("dilations", ones)
    return integer_products.integer_convolution(
        context.c,
        x,
        weights,
        context.optional(2),
        context.optional(3),
        stride=stride,
        dilation=dilation,
        pads=pads(context, x.shape[2:], kernel, stride, dilation),
        groups=context.integer("group"),
    )


def _real(context: OperatorContext, position: int, axis: int = 0) -> Tensor:
    """The real numbers of the operands there: integers, scale, zero point."""
    x, scale = context.tensor(position), context.tensor(position + 1)
    return dequantize_linear(context.c, x, scale, context.optional(position + 2), axis=axis)


def _as_integers(context: OperatorContext, real: Tensor, position: int, like: Tensor) -> Tensor:
    """Integers of the scale and zero point there; without a zero point, of the type of `like`."""
    scale, zero_point = context.tensor(position), context.optional(position + 1)
    dtype = like.dtype if zero_point is None else zero_point.dtype
    kind = quantization.integer_kind(dtype)
    return quantize_linear(context.c, real, scale, zero_point, kind)


def _bias(context: OperatorContext, position: int, scales: Sequence[Tensor]) -> Tensor | None:
    """An int32 bias, whose scale is the product of those of operand and weights."""
    bias = context.optional(position)
    if bias is None:
        return None
    flat = [movement.reshape(context.c, scale, (scale.elements,)) for scale in scales]
    scale = elementwise.mul(context.c, *flat)
    return dequantize_linear(context.c, bias, scale, None, axis=bias.rank - 1)


def conv(context: OperatorContext) -> Tensor:
    """QLinearConv."""
    x, weights = _real(context, 0), _real(context, 3)
    kernel = weights.shape[2:]
    ones = (1,) * len(kernel)
    stride, dilation = context.integers("strides", ones), context.integers("dilations", ones)
    real = windows.convolution(
        context.c,
        x,
        weights,
        _bias(context, 8, (context.tensor(1), context.tensor(4))),
        stride=stride,
        dilation=dilation,
        pads=pads(context, x.shape[2:], kernel, stride, dilation),
        groups=context.integer("group", 1),
    )
    return _as_integers(context, real, 6, context.tensor(0))


def matmul(context: OperatorContext) -> Tensor:
    """QLinearMatMul: scales are scalars, of rows on the left, of columns on the right."""
    lhs, rhs = context.tensor(0), context.tensor(3)
    left = _real(context, 0, max(lhs.rank - 2, 0))
    right = _real(context, 3, rhs.rank - 1)
    real = products.matmul(context.c, left, right)
    return _as_integers(context, real, 6, lhs)


def gemm(context: OperatorContext) -> Tensor:
    """QGemm; without a scale of the result that is float32."""
    transposes_rhs = bool(context.integer("transB", 0))
    lhs, rhs = _real(context, 0), _real(context, 3, 0 if transposes_rhs else 1)
    alpha = context.real("alpha", 1.0)
    scales = [context.tensor(1), context.tensor(4)]
    bias = _bias(context, 6, scales)
    if bias is not None and alpha != 1.0:
        bias = elementwise.mul(context.c, bias, context.c.number(alpha, bias))
    real = products.gemm(
        context.c,
        lhs,
        rhs,
        bias,
        alpha=alpha,
        transpose_lhs=bool(context.integer("transA", 0)),
        transpose_rhs=transposes_rhs,
    )
    return _as_integers(context, real, 7, context.tensor(0)) if context.has(7) else real


_Two = Callable[[Composer, Tensor, Tensor], Tensor]
_One = Callable[[OperatorContext, Tensor], Tensor]


def _two(function: _Two) -> Rule:
    """A function of two quantized tensors."""

    def convert(context: OperatorContext) -> Tensor:
        real = function(context.c, _real(context, 0), _real(context, 3))
        return _as_integers(context, real, 6, context.tensor(0))

    return Rule(convert)


def _one(function: _One) -> Rule:
    """A function of one quantized tensor."""

    def convert(context: OperatorContext) -> Tensor:
        real = function(context, _real(context, 0))
        return _as_integers(context, real, 3, context.tensor(0))

    return Rule(convert)


def _in_layout(context: OperatorContext, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """A function of images channels first, of such that may be channels last."""
    if not context.integer("channels_last", 0):
        return function(x)
    return movement.channels_last(context.c, function(movement.channels_first(context.c, x)))


def _average_pool(context: OperatorContext, x: Tensor) -> Tensor:
    def pooled(images: Tensor) -> Tensor:
        seen = pool_windows(context, images.shape[2:])
        counts = bool(context.integer("count_include_pad", 0))
        return pools.average_pool(context.c, images, seen, counts_padding=counts)

    return _in_layout(context, x, pooled)


def _global_average(context: OperatorContext, x: Tensor) -> Tensor:
    is_last = bool(context.integer("channels_last", 0))
    axes = range(1, x.rank - 1) if is_last else range(2, x.rank)
    return reductions.mean(context.c, x, axes, keep_dims=True)


def _reduce_mean(context: OperatorContext, x: Tensor) -> Tensor:
    axes = context.integers("axes", ()) or None
    keeps = bool(context.integer("keepdims", 1))
    return reductions.mean(context.c, x, axes, keep_dims=keeps)


def _softmax(context: OperatorContext, x: Tensor) -> Tensor:
    """Before version 13 of rows that all axes from one on make up."""
    c, axis = context.c, context.axis(context.integer("axis", -1), x.rank)
    if context.integer("opset", 13) < 13:
        rows = movement.reshape(c, x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
        return movement.reshape(c, _softmax_of(c, rows, 1), x.shape)
    return _softmax_of(c, x, axis)


def _softmax_of(c: Composer, x: Tensor, axis: int) -> Tensor:
    last = movement.move_axis(c, x, axis, -1)
    return movement.move_axis(c, c.emit(Softmax(), last), -1, axis)


def concat(context: OperatorContext) -> Tensor:
    """QLinearConcat: scale and zero point of the result, then integers, scale and zero point of each part."""
    parts = [_real(context, position) for position in range(2, len(context.operands), 3)]
    axis = context.axis(context.integer("axis"), parts[0].rank)
    real = movement.concat(context.c, parts, axis)
    return _as_integers(context, real, 0, context.tensor(2))


def where(context: OperatorContext) -> Tensor:
    """QLinearWhere: a condition, two quantized tensors, scale and zero point of the result."""
    real = elementwise.where(context.c, context.tensor(0), _real(context, 1), _real(context, 4))
    return _as_integers(context, real, 7, context.tensor(1))


def matmul_integer_to_float(context: OperatorContext) -> Tensor:
    """MatMulIntegerToFloat: A, B, their scales, their zero points, a bias."""
    c = context.c
    product = integer_products.integer_matmul(
        c, context.tensor(0), context.tensor(1), context.optional(4), context.optional(5)
    )
    return _scaled(context, product, context.tensor(2), context.tensor(3), context.optional(6))


def dynamic_matmul(context: OperatorContext) -> Tensor:
    """DynamicQuantizeMatMul: A of float32, B, B's scale, B's zero point, a bias."""
    c = context.c
    quantized, scale, zero = quantization.dynamic_quantization(c, context.tensor(0))
    weights, weights_zero = context.tensor(1), context.optional(3)
    product = integer_products.integer_matmul(c, quantized, weights, zero, weights_zero)
    return _scaled(context, product, scale, context.tensor(2), context.optional(4))


def matmul_of_few_bits(context: OperatorContext) -> Tensor:
    """MatMulNBits: A by weights (N, blocks, bytes) of some bits, the lowest first, with a scale for each block."""
    c, bits, block = context.c, context.integer("bits", 4), context.integer("block_size")
    depth, count = context.integer("K"), context.integer("N")
    blocks = -(-depth // block)
    if bits not in (2, 4, 8) or block < 1 or context.has(4):
        raise context.unsupported("expected weights of 2, 4 or 8 bits in blocks of their order")
    integers = _unpacked(context, 1, bits, (count, blocks * block))[:, :depth]
    scales = movement.reshape(c, context.tensor(2), (count, blocks))
    if not context.has(3):
        zeros = np.full((count, blocks), 1 << (bits - 1), np.uint8)
    elif context.tensor(3).dtype == np.uint8:
        zeros = _unpacked(context, 3, bits, (count, -1))[:, :blocks]
    else:
        zeros = context.known(3).reshape(count, blocks)
    weights = dequantize_linear(
        c, c.known(integers), scales, c.known(zeros), axis=1, block=0 if blocks == depth else block
    )
    return products.linear(c, context.tensor(0), weights, context.optional(5))


def _unpacked(
    context: OperatorContext, position: int, bits: int, shape: tuple[int, int]
) -> NDArray[np.uint8]:
    """The elements of a known tensor of bytes that hold several of few bits."""
    packed = context.known(position).astype(np.uint8).reshape(-1, 1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((packed >> shifts) & np.uint8((1 << bits) - 1)).reshape(shape)


def _scaled(
    context: OperatorContext, product: Tensor, lhs: Tensor, rhs: Tensor, bias: Tensor | None
) -> Tensor:
    c = context.c
    scale = elementwise.mul(c, lhs, rhs)
    real = elementwise.mul(c, quantization.as_real(c, product), scale)
    return real if bias is None else elementwise.add(c, real, bias)


def _contributed(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    return {f"{_CONTRIBUTED}.{name}": rule for name, rule in rules.items()}


RULES: Mapping[str, Rule] = {
    "ConvInteger": Rule(conv_integer),
    "DequantizeLinear": Rule(dequantize),
    "DynamicQuantizeLinear": Rule(dynamic_quantize),
    "MatMulInteger": Rule(matmul_integer),
    "QLinearConv": Rule(conv),
    "QLinearMatMul": Rule(matmul),
    "QuantizeLinear": Rule(quantize, "to integers of up to 16 bits"),
    **_contributed(
        {
            "DequantizeLinear": Rule(dequantize),
            "DynamicQuantizeMatMul": Rule(dynamic_matmul),
            "MatMulIntegerToFloat": Rule(matmul_integer_to_float),
            "MatMulNBits": Rule(matmul_of_few_bits, "weights that are reordered"),
            "QGemm": Rule(gemm),
            "QLinearAdd": _two(elementwise.add),
            "QLinearAveragePool": _one(_average_pool),
            "QLinearConcat": Rule(concat),
            "QLinearGlobalAveragePool": _one(_global_average),
            "QLinearLeakyRelu": _one(
                lambda t, x: activations.leaky_relu(t.c, x, t.real("alpha", 0.01))
            ),
            "QLinearMul": _two(elementwise.mul),
            "QLinearReduceMean": _one(_reduce_mean),
            "QLinearSigmoid": _one(lambda t, x: activations.sigmoid(t.c, x)),
            "QLinearSoftmax": _one(_softmax),
            "QLinearWhere": Rule(where),
            "QuantizeLinear": Rule(quantize, "to integers of up to 16 bits"),
        }
    ),
}
