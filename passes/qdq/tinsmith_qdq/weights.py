"""Weights and bias of a layer of integers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.few_bits import fits
from tinsmith_ir.graph import Array
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_qdq.constants import IntegerConstant

_LARGEST_SUM = 2**31 - 1
_FREE_BITS = 24
"""Of a bias beside weights that are all 0, whose scale is free."""


@dataclass(frozen=True, eq=False)
class LayerConstants:
    """What a layer of integers reads beside its input. dtype: of the weights; bias: of input * weights, int32."""

    array: Array
    quantization: Quantization
    dtype: DType
    bias: Array | None


def quantized_weights(
    weights: IntegerConstant, axis: int, source: TensorType, bias: Array | None
) -> LayerConstants | str:
    """The constants of a layer over `source`, whose output channels are along `axis`; or why there are none."""
    quantization = weights.quantization(axis)
    if isinstance(quantization, str):
        return quantization
    channels = weights.array.shape[axis]
    centred = weights.array.astype(np.int64) - weights.zero_point
    rows = np.moveaxis(np.abs(centred), axis, 0).reshape(channels, -1)
    sums = rows.sum(axis=1) * largest(source)
    scales = np.broadcast_to(np.array(quantization.scales), channels)
    if bias is not None and quantization.axis is not None:
        scales = free_scales(scales, sums, bias, source)
        quantization = Quantization(
            tuple(map(float, scales)), quantization.zero_points, quantization.axis
        )
    stored = integer_bias(scales, sums, bias, source)
    if isinstance(stored, str):
        return stored
    return LayerConstants(weights.array, quantization, _dtype(weights, source), stored)


def integer_bias(
    scales: NDArray[np.float64], sums: NDArray[np.int64], bias: Array | None, source: TensorType
) -> NDArray[np.int32] | str | None:
    """The bias in steps of input * weights, None if there is none; or why the layer does not fit into 32 bits.

    scales: of the weights of each output channel. sums: of products, the largest that there can be.
    """
    assert source.quantization is not None
    integers = np.zeros(len(sums))
    if bias is not None:
        integers = np.rint(bias.astype(np.float64) / (source.quantization.scale * scales))
    if source.dtype is DType.INT8 and float((sums + np.abs(integers)).max()) > _LARGEST_SUM:
        return "its sums may leave int32"
    if float(np.abs(integers).max()) > _LARGEST_SUM:
        return "its bias leaves int32"
    return None if bias is None else integers.astype(np.int32)


def free_scales(
    scales: NDArray[np.float64], sums: NDArray[np.int64], bias: Array, source: TensorType
) -> NDArray[np.float64]:
    """Of channels whose weights are all 0 such that their bias fits, if it does not: quantizers give them tiny ones."""
    assert source.quantization is not None
    scale = source.quantization.scale
    roomy = np.float32(np.maximum(np.abs(bias), 1e-6) / (scale * 2.0**_FREE_BITS)).astype(
        np.float64
    )
    is_free = (sums == 0) & (np.abs(bias) > _LARGEST_SUM * scale * scales)
    return np.where(is_free, roomy, scales)


def largest(type_: TensorType) -> int:
    """The largest magnitude of an element minus the zero point."""
    low, high = type_.dtype.integer_range
    zero = type_.quantization.zero_point if type_.quantization else 0
    return max(high - zero, zero - low)


def _dtype(weights: IntegerConstant, source: TensorType) -> DType:
    """int2 where all fit, or int4; weights of 8 bits always have larger ones."""
    if weights.zero_point or source.dtype is not DType.INT8:
        return DType.INT8
    narrow = (dtype for dtype in (DType.INT2, DType.INT4) if fits(weights.array, dtype))
    return next(narrow, DType.INT8)
