"""Operators with int8 weights beside float32 activations, as TFLite's "hybrid" kernels compute them.

Each run finds the scale of each row of the activations anew, and makes them integers; these meet the weights in a
sum of integers, which becomes float32 again. Models with "dynamic range quantization" consist of such operators.
"""

from dataclasses import replace

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Add,
    Cast,
    Conv2D,
    DepthwiseConv2D,
    DynamicQuantize,
    DynamicScale,
    FullyConnected,
    Mul,
    Operator,
    Reshape,
)

from tinsmith_tflite.bias import convolution_bias, fully_connected_bias
from tinsmith_tflite.context import Conversion, OperatorContext

HYBRID = (Add, Cast, DynamicQuantize, DynamicScale, Mul, Reshape)
"""What such an operator becomes, beside a sum of products."""


def is_hybrid(context: OperatorContext, source: Value) -> bool:
    """Whether the weights, input 1, are int8 beside float32, and the user wants TFLite's arithmetic.

    Weights with a zero point, which TFLite's converter never makes, are not.
    """
    if context.values.widens_weights or source.type.dtype is not DType.FLOAT32:
        return False
    weights = context.value(1).type
    quantization = weights.quantization
    has_scales = quantization is not None and not any(quantization.zero_points)
    return weights.dtype is DType.INT8 and has_scales


def hybrid_fully_connected(
    context: OperatorContext, source: Value, operator: FullyConnected
) -> Conversion:
    """FULLY_CONNECTED: a scale for each row, which is multiplied with that of the weights first."""
    weights, bias = context.ranked_value(1, 2), fully_connected_bias(context, source)
    units, depth = weights.type.shape
    if source.type.elements % depth:
        raise context.error(f"expected rows of {depth}, got {list(source.type.shape)}")
    shape = (source.type.elements // depth, depth)
    rows = source if source.type.shape == shape else context.step(Reshape(shape=shape), [source])
    symmetric = not context.options.boolean("AsymmetricQuantizeInputs")
    summing = FullyConnected(accumulator=DType.INT32)
    real = _sums(context, summing, rows, weights, symmetric=symmetric)
    scale = context.step(DynamicScale(symmetric), [rows])
    steps = context.step(Mul(), [scale, _weights_scale(context, weights)])
    if not operator.keep_dims or len(source.type.shape) == 2:
        return _ended(context, [real, steps], bias, operator.activation)
    last, operands = _ended(context, [real, steps], bias, operator.activation)
    whole = (*source.type.shape[:-1], units)
    return Reshape(shape=whole), (context.step(last, operands),)


def hybrid_convolution(
    context: OperatorContext, source: Value, operator: Conv2D | DepthwiseConv2D
) -> Conversion:
    """CONV_2D and DEPTHWISE_CONV_2D: a scale for each image.

    The integers are symmetric in a CONV_2D whose weights have one scale. In a CONV_2D with one for each channel, sums
    are multiplied with the weights' scale first; else the scales are multiplied with one another first.
    """
    weights, bias = context.ranked_value(1, 4), convolution_bias(context, source)
    quantization = weights.type.quantization
    is_per_channel = quantization is not None and quantization.axis is not None
    symmetric = not is_per_channel and isinstance(operator, Conv2D)
    summing = replace(operator, activation=Activation.NONE, accumulator=DType.INT32)
    real = _sums(context, summing, source, weights, symmetric=symmetric)
    scale = context.step(DynamicScale(symmetric), [source])
    if symmetric or isinstance(operator, DepthwiseConv2D):
        steps = context.step(Mul(), [scale, _weights_scale(context, weights)])
        return _ended(context, [real, steps], bias, operator.activation)
    scaled = context.step(Mul(), [real, _weights_scale(context, weights)])
    return _ended(context, [scaled, scale], bias, operator.activation)


def _sums(
    context: OperatorContext, operator: Operator, source: Value, weights: Value, *, symmetric: bool
) -> Value:
    """Sums of products of integers as float32, which rounds those beyond 2**24."""
    integers = context.step(DynamicQuantize(symmetric), [source])
    return context.step(Cast(DType.FLOAT32), [context.step(operator, [integers, weights, None])])


def _weights_scale(context: OperatorContext, weights: Value) -> Value:
    """The scale of the weights, or a row of those of their channels."""
    quantization = weights.type.quantization
    assert quantization is not None  # is_hybrid asked
    scales = np.array(quantization.scales, np.float32)
    return context.constant("scale", scales.reshape(()) if quantization.axis is None else scales)


def _ended(
    context: OperatorContext, factors: list[Value], bias: Value | None, activation: Activation
) -> Conversion:
    """The product of `factors`, plus bias, clamped."""
    if bias is None:
        return Mul(activation=activation), factors
    return Add(activation=activation), (context.step(Mul(), factors), bias)
