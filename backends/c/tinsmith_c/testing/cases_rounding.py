"""Graphs whose scales reach from where no bit of an accumulator is kept to where it is shifted to the left."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.types import Quantization

from tinsmith_c.testing.draft import Case, Draft, typed


def scales(draft: Draft, dtype: DType) -> None:
    """Layers with weights; the shifts of some are negative, of some 0 or more, of some both."""
    same = (1, 1, 1, 1)
    layers: list[tuple[Operator, Sequence[int], Sequence[int], int]] = [
        (Conv2D(padding=same), (1, 4, 5, 3), (9, 3, 3, 3), 0),
        (DepthwiseConv2D(padding=same), (1, 6, 7, 5), (1, 3, 3, 5), 3),
        (DepthwiseConv2D(stride=(2, 2)), (1, 9, 7, 4), (1, 5, 3, 4), 3),
        (FullyConnected(), (2, 11), (6, 11), 0),
    ]
    for operator, shape, weights, axis in layers:
        for low, high in ((-22, -3), (0, 4), (-12, 3)):
            x = draft.input(shape, dtype, 0.05)
            w = _weights(draft, weights, axis, low, high)
            draft.output(operator, [x, w, draft.bias(weights[axis], dtype)], dtype, 0.05)


def _weights(draft: Draft, shape: Sequence[int], axis: int, low: int, high: int) -> Value:
    """Small ones, whose scales are from 2**low to 2**high."""
    data = draft.random.integers(-9, 10, shape).astype(np.int8)
    chosen = tuple(float(2**real) for real in draft.random.uniform(low, high, shape[axis]))
    quantization = Quantization(chosen, (0,) * len(chosen), axis)
    return draft.builder.constant("w", data, quantization)


CASES: tuple[Case, ...] = (*typed("scales", scales, (DType.INT8,)),)
