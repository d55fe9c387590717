"""Weights with a scale for each block of a row, and their bias."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.few_bits import fits
from tinsmith_ir.graph import Array
from tinsmith_ir.operators.blockwise import multiplied
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_qdq.constants import IntegerConstant
from tinsmith_qdq.multiples import multiples
from tinsmith_qdq.weights import LayerConstants, free_scales, integer_bias, largest


@dataclass(frozen=True, eq=False)
class BlockConstants(LayerConstants):
    """With a multiplier for each `block` inputs of a unit, (units, blocks), that its scale counts so many times."""

    blocks: NDArray[np.uint8]
    block: int


def blockwise_weights(
    weights: IntegerConstant, source: TensorType, bias: Array | None
) -> BlockConstants | str:
    """The constants of a layer over `source`, of weights whose first axis are its units; or why there are none."""
    units = weights.array.shape[0]
    array = weights.array.reshape(units, -1)
    narrow = (dtype for dtype in (DType.INT2, DType.INT4) if fits(array, dtype))
    dtype = next(narrow, None)
    if source.dtype is not DType.INT8:
        return "its weights have scales that differ within an output channel, beside int16"
    if dtype is None or weights.zero_point:
        return "its weights have scales that differ within an output channel, and more than 4 bits"
    spread = np.broadcast_to(weights.scales, weights.array.shape).reshape(units, -1)
    block = _block(spread)
    blocks = -(-array.shape[1] // block)
    padded = np.pad(array, ((0, 0), (0, blocks * block - array.shape[1])))
    counts = padded.reshape(units, blocks, block) != 0
    found = multiples(
        np.ascontiguousarray(spread[:, ::block]), np.asarray(counts.max(axis=2), np.bool_)
    )
    if found is None:
        return "its weights have scales of blocks that are no multiples, up to 255, of one for each output channel"
    scales, each = found[0].astype(np.float64), found[1]
    sums = np.abs(multiplied(array, each, block)).sum(axis=1) * largest(source)
    if bias is not None:
        scales = free_scales(scales, sums, bias, source)
    stored = integer_bias(scales, sums, bias, source)
    if isinstance(stored, str):
        return stored
    quantization = Quantization(tuple(map(float, scales)), (0,) * units, 0)
    return BlockConstants(array, quantization, dtype, stored, each, block)


def _block(spread: NDArray[np.float32]) -> int:
    """The most elements of a row such that each run of so many has one scale."""
    depth = spread.shape[1]
    changes = np.flatnonzero((spread[:, 1:] != spread[:, :-1]).any(axis=0)) + 1
    return math.gcd(*map(int, changes)) if changes.size else depth
