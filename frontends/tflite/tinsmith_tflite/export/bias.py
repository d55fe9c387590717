"""The bias of a layer as TFLite wants it: int64 beside int16, with the scales of input times weights."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_tflite.export.context import NodeContext
from tinsmith_tflite.export.refusal import RefusalError


def bias_of(context: NodeContext) -> int:
    """The tensor of operand 2, -1 if it is absent; raises RefusalError for a computed one beside int16."""
    bias, source = context.optional(2), context.value(0).type
    if bias is None or source.dtype is DType.FLOAT32:
        return context.operand(2)
    if context.constant(2) is None:
        if source.dtype is DType.INT16:
            raise RefusalError(
                "TFLite's bias beside int16 is of int64, got a computed one of int32; make it constant"
            )
        return context.operand(2)
    dtype = DType.INT64 if source.dtype is DType.INT16 else DType.INT32
    return context.writer.converted(bias, dtype, _scales(source, context.value(1).type))


def no_bias(context: NodeContext) -> int:
    """A bias of zeros."""
    source = context.value(0).type
    dtype = {DType.FLOAT32: DType.FLOAT32, DType.INT16: DType.INT64}.get(source.dtype, DType.INT32)
    zeros = np.zeros(context.result.type.shape[-1:], dtype.numpy)
    scales = _scales(source, context.value(1).type)
    return context.writer.constant(f"{context.node.name}_bias", zeros, scales)


def _scales(source: TensorType, weights: TensorType) -> Quantization | None:
    """Products of scales in float32, zero points 0."""
    given, by = source.quantization, weights.quantization
    if given is None or by is None:
        return None
    products = np.float32(given.scale) * np.array(by.scales, np.float32)
    if not np.all(np.isfinite(products) & (products > 0)):
        raise RefusalError(
            "TFLite wants the scale of the bias, which is no float32 above 0; quantize the model again"
        )
    axis = None if by.axis is None else 0
    return Quantization(tuple(float(p) for p in products), (0,) * len(products), axis)
