"""Converters of operators that compute element by element or over an axis."""

import math
from collections.abc import Mapping

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Add,
    Cast,
    Dequantize,
    FullyConnected,
    Maximum,
    Minimum,
    Mul,
    Quantize,
    Requantize,
    Softmax,
    SquaredDifference,
    Sub,
)

from tinsmith_tflite.bias import fully_connected_bias
from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.hybrid import HYBRID, hybrid_fully_connected, is_hybrid
from tinsmith_tflite.narrow import is_narrow, narrow_sums
from tinsmith_tflite.rules import ALL, INTEGERS, SMALL, WIDE, Rule, plain
from tinsmith_tflite.scales import is_power_of_two


def fully_connected(context: OperatorContext) -> Conversion:
    """FULLY_CONNECTED with weights in the default layout."""
    layout = context.options.integer("WeightsFormat")
    if layout != 0:
        raise context.unsupported(f"expected weights in the default layout, got layout {layout}")
    source = context.value(0)
    operator = FullyConnected(
        activation=context.activation(), keep_dims=context.options.boolean("KeepNumDims")
    )
    if is_hybrid(context, source):
        return hybrid_fully_connected(context, source, operator)
    weights = context.weights(source, 2, may_be_int4=True)
    bias = fully_connected_bias(context, source)
    if is_narrow(context, source):
        return narrow_sums(context, operator, (source, weights, bias))
    return operator, (source, weights, bias)


def add(context: OperatorContext) -> Conversion:
    """ADD."""
    _refuse_power_of_two_int16(context)
    return Add(activation=context.activation()), (context.value(0), context.value(1))


def sub(context: OperatorContext) -> Conversion:
    """SUB."""
    _refuse_power_of_two_int16(context)
    return Sub(activation=context.activation()), (context.value(0), context.value(1))


def mul(context: OperatorContext) -> Conversion:
    """MUL."""
    return Mul(activation=context.activation()), (context.value(0), context.value(1))


def softmax(context: OperatorContext) -> Conversion:
    """SOFTMAX over the last axis."""
    beta = context.options.real("Beta")
    if not (math.isfinite(beta) and beta > 0):
        raise context.error(f"expected a finite beta above 0, got {beta}")
    source = context.value(0)
    is_wide = (source.type.dtype, context.output.type.dtype) == (DType.INT8, DType.INT16)
    return Softmax(beta=beta, wide=is_wide), (source,)


def quantize(context: OperatorContext) -> Conversion:
    """QUANTIZE: from float32, or from integers of another scale."""
    source = context.stored_value(0)
    dtype = context.output.type.dtype
    if source.type.dtype is DType.FLOAT32:
        return Quantize(dtype=dtype), (source,)
    return Requantize(dtype=dtype), (source,)


def dequantize(context: OperatorContext) -> Conversion:
    """DEQUANTIZE: to float32."""
    return Dequantize(), (context.stored_value(0),)


def cast(context: OperatorContext) -> Conversion:
    """CAST: of integers as the file has them, without scales."""
    return Cast(context.output.type.dtype), (context.original(0),)


def _refuse_power_of_two_int16(context: OperatorContext) -> None:
    """TFLite's older int16 scheme shifts instead of multiplying. The option, on by default, asks for
    it, and TFLite follows only where each scale is a power of two.
    """
    types = (context.value(0).type, context.value(1).type, context.output.type)
    if (
        context.output.type.dtype is DType.INT16
        and context.options.boolean("PotScaleInt16")
        and all(is_power_of_two(type_) for type_ in types)
    ):
        raise context.unsupported(
            "expected int16 arithmetic of any scale (pot_scale_int16 off), got power-of-two scales; "
            "quantize the model again with current TensorFlow (16x8)"
        )


RULES: Mapping[str, Rule] = {
    "ADD": Rule(5, (2, 2), "AddOptions", (Add,), add, WIDE),
    "CAST": Rule(7, (1, 1), "", (Cast,), cast, ALL),
    "DEQUANTIZE": Rule(6, (1, 1), "DequantizeOptions", (Dequantize,), dequantize),
    "FULLY_CONNECTED": Rule(
        13, (2, 3), "FullyConnectedOptions", (FullyConnected, Requantize, *HYBRID), fully_connected
    ),
    "MAXIMUM": plain(4, "MaximumMinimumOptions", Maximum, INTEGERS),
    "MINIMUM": plain(4, "MaximumMinimumOptions", Minimum, INTEGERS),
    "MUL": Rule(7, (2, 2), "MulOptions", (Mul,), mul, WIDE),
    "QUANTIZE": Rule(3, (1, 1), "QuantizeOptions", (Quantize, Requantize), quantize, INTEGERS),
    "SOFTMAX": Rule(3, (1, 1), "SoftmaxOptions", (Softmax,), softmax),
    "SQUARED_DIFFERENCE": plain(3, "SquaredDifferenceOptions", SquaredDifference, SMALL),
    "SUB": Rule(5, (2, 2), "SubOptions", (Sub,), sub, WIDE),
}
