"""Constants of integers that a quantized network dequantizes: weights with scales along an axis, and their biases."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph, Value
from tinsmith_ir.operators import Clamp, Dequantize, Quantize, Reshape, Transpose
from tinsmith_ir.types import Quantization, TensorType

_INT32 = np.iinfo(np.int32)
_MOVES = (Reshape, Transpose)


def narrowed(value: Value, array: Array) -> Value:
    """Symmetric weights of int8 of which all fit in 4 bits as int4: so a quantizer of 4 bits leaves them, and half of
    the bytes do.
    """
    type_ = value.type
    quantization = type_.quantization
    low, high = DType.INT4.integer_range
    fits = type_.dtype is DType.INT8 and low <= int(array.min()) and int(array.max()) <= high
    if not fits or len(type_.shape) < 2 or quantization is None or any(quantization.zero_points):
        return value
    return Value(value.name, TensorType(type_.shape, DType.INT4, quantization))


def scaled(value: Value, factors: Array) -> Value | None:
    """The constant whose real numbers are those of `value` times `factors`, if these differ along one axis at most."""
    type_ = value.type
    quantization = type_.quantization
    real = np.asarray(factors, np.float32)
    if quantization is None or quantization.axis is not None or not bool((real > 0).all()):
        return None
    shape = (1,) * (len(type_.shape) - factors.ndim) + factors.shape
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if len(long) > 1 or len(shape) > len(type_.shape):
        return None
    if any(shape[axis] != type_.shape[axis] for axis in long):
        return None
    products = real.reshape(-1) * np.float32(quantization.scale)
    scales = tuple(float(each) for each in products)
    zeros = quantization.zero_points * len(scales)
    combined = Quantization(scales, zeros, long[0] if long else None)
    return Value(value.name, TensorType(type_.shape, type_.dtype, combined))


def integer_bias(
    bias: Array, source: Quantization, weights: Quantization
) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
    """A bias of floats in steps of input * weights, and the steps; None if int32 does not hold it.

    It moves by half a step at most, of which a layer's 8-bit result has many.
    """
    steps = np.array(weights.scales, np.float32) * np.float32(source.scale)
    with np.errstate(divide="ignore", over="ignore"):
        integers = np.rint(bias.astype(np.float64) / steps.astype(np.float64))
    if not bool(np.all((integers >= _INT32.min) & (integers <= _INT32.max))):
        return None
    return integers.astype(np.int32), steps


def dequantized(graph: Graph, value: Value) -> Quantization | None:
    """The quantization of the integers that `value` comes of, one for all; moved elements stay what they are."""
    node = graph.producer(value)
    while node is not None and isinstance(node.operator, _MOVES):
        node = graph.producer(node.present_inputs[0])
    if node is None or not isinstance(node.operator, Dequantize):
        return None
    quantization = node.present_inputs[0].type.quantization
    return None if quantization is None or quantization.axis is not None else quantization


def is_quantized(graph: Graph, value: Value) -> bool:
    """Whether nothing reads `value` but a Quantize, maybe behind a clamp, or moved."""
    user = graph.only_user(value)
    while user is not None and isinstance(user.operator, (Clamp, *_MOVES)):
        user = graph.only_user(user.outputs[0])
    return user is not None and isinstance(user.operator, Quantize)
