"""How uint8 becomes int8: of a quantized tensor all integers, and the zero point, are 128 lower.

The real numbers are the same, and so is what TFLite's kernels compute but for the operators that treat
int8 and uint8 differently. uint8 stays where it enters and leaves a network.
"""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.types import Quantization, TensorType

CONVERSIONS = frozenset({"CAST", "DEQUANTIZE", "QUANTIZE"})
"""Operators that read and give uint8 as it is."""

UNSIGNED = CONVERSIONS | {
    "ADD",
    "ARG_MAX",
    "ARG_MIN",
    "AVERAGE_POOL_2D",
    "BATCH_TO_SPACE_ND",
    "BROADCAST_TO",
    "CONCATENATION",
    "CONV_2D",
    "CUSTOM 'PosenetDecoderOp'",
    "CUSTOM 'TFLite_Detection_PostProcess'",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "EMBEDDING_LOOKUP",
    "EQUAL",
    "EXPAND_DIMS",
    "FULLY_CONNECTED",
    "GATHER",
    "GATHER_ND",
    "GELU",
    "GREATER",
    "GREATER_EQUAL",
    "HARD_SWISH",
    "LEAKY_RELU",
    "LESS",
    "LESS_EQUAL",
    "LOGISTIC",
    "LOG_SOFTMAX",
    "MAXIMUM",
    "MAX_POOL_2D",
    "MEAN",
    "MINIMUM",
    "MIRROR_PAD",
    "MUL",
    "NOT_EQUAL",
    "PACK",
    "PAD",
    "PADV2",
    "PRELU",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "RELU",
    "RELU6",
    "RELU_0_TO_1",
    "RELU_N1_TO_1",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RESIZE_NEAREST_NEIGHBOR",
    "REVERSE_V2",
    "SELECT",
    "SELECT_V2",
    "SLICE",
    "SOFTMAX",
    "SPACE_TO_BATCH_ND",
    "SPACE_TO_DEPTH",
    "SPLIT",
    "SPLIT_V",
    "SQUEEZE",
    "STRIDED_SLICE",
    "SUB",
    "TANH",
    "TILE",
    "TOPK_V2",
    "TRANSPOSE",
    "TRANSPOSE_CONV",
    "UNPACK",
}
"""Operators whose uint8 kernels give what the int8 kernels do, 128 higher, or as their converters say."""

_DISTANCE = 128


def is_unsigned(type_: TensorType) -> bool:
    """True of quantized uint8, which has a twin of int8. Without a scale a byte is the number it says."""
    return type_.dtype is DType.UINT8 and type_.quantization is not None


def recentred(type_: TensorType) -> TensorType:
    """The twin of int8 of quantized uint8, and the other way round."""
    quantization = type_.quantization
    assert quantization is not None  # the caller asked
    dtype, distance = (DType.UINT8, _DISTANCE)
    if type_.dtype is DType.UINT8:
        dtype, distance = (DType.INT8, -_DISTANCE)
    moved = tuple(zero_point + distance for zero_point in quantization.zero_points)
    return TensorType(type_.shape, dtype, Quantization(quantization.scales, moved))


def recentred_data(data: Array) -> Array:
    """Integers of uint8 as those of their twin."""
    # Of arrays without axes the operation makes a number.
    moved = np.asarray(np.bitwise_xor(data.astype(np.uint8), _DISTANCE)).view(np.int8)
    moved.flags.writeable = False
    return moved
