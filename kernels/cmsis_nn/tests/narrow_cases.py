"""Scales of narrow multipliers for random layers, and what their kernels are given of these."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_cmsis_nn.packing import Implementation, PackedLayer
from tinsmith_cmsis_nn.packing_narrow import pack_narrow_convolution, pack_narrow_depthwise
from tinsmith_cmsis_nn.packing_two_bits import (
    pack_narrow_convolution_two_bits,
    pack_narrow_depthwise_two_bits,
)
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.rounding import Rounding

NARROW = "_narrow"
"""Behind the names of kernels that round once with narrow multipliers."""

Stage = tuple[NDArray[np.int32], NDArray[np.int32]]


def narrow_stage(
    random: np.random.Generator, rows: NDArray[np.integer], bias: NDArray[np.int32]
) -> Stage:
    """Multipliers of at most 15 bits with shifts (scale = multiplier * 2**(shift - 31)), whose product with an
    accumulator is less than 2**30, as are half and zero point. Now and then a channel has no scale.

    rows: (N, K), weights. bias: (N,).
    """
    reach = 255 * np.abs(rows.astype(np.int64)).sum(axis=1) + np.abs(bias.astype(np.int64))
    assert (reach < 1 << 24).all()
    _, largest = np.frexp(reach.astype(np.float64))
    bits = np.minimum(15, 30 - largest) - random.integers(0, 4, len(rows))
    multiplier = (1 << (bits - 1)) + random.integers(0, 1 << 30, len(rows)) % (1 << (bits - 1))
    most = np.minimum(15, 22 - bits)
    down = bits + np.clip(random.integers(2, 16, len(rows)), 2, most)
    if random.random() < 0.2:
        multiplier[random.integers(len(rows))] = 0
    return multiplier.astype(np.int32), (31 - down).astype(np.int32)


def packed_narrow(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32],
    stage: Stage,
    zero_points: tuple[int, int],
    activation: tuple[int, int],
    input_size: tuple[int, int] | None = None,
    *,
    bits: int = 8,
) -> PackedLayer:
    """Arranged. zero_points: of input and output. input_size: of a depthwise convolution. bits: 8, 4 or 2."""
    zero, out_zero = zero_points
    parameters = ConvParameters(*stage, -zero, out_zero, *activation, Rounding.NEAREST)
    given = implementation, weights, bias, parameters
    if input_size is None:
        if bits == 2:
            return pack_narrow_convolution_two_bits(*given)
        return pack_narrow_convolution(*given, four_bits=bits == 4)
    if bits == 2:
        return pack_narrow_depthwise_two_bits(*given, input_size=input_size)
    return pack_narrow_depthwise(*given, input_size=input_size, four_bits=bits == 4)
