"""Graphs of operators with weights of four and of two bits."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Activation,
    BlockwiseFullyConnected,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Requantize,
    Weighted,
)
from tinsmith_ir.types import Quantization

from tinsmith_c.testing.draft import Case, Draft

_PADDING = (1, 1, 1, 1)
_RELU = Activation.RELU

_Layer = tuple[tuple[int, ...], tuple[int, ...], bool, Weighted]
"""Shapes of the input and of the weights, whether these have a scale for each channel, and the operator."""


def four_bits(draft: Draft) -> None:
    """Odd and even numbers of weights in a channel, per tensor and per channel; results, and sums."""
    layers: list[_Layer] = [
        ((1, 5, 6, 3), (5, 3, 3, 3), True, Conv2D(padding=_PADDING, activation=Activation.RELU)),
        ((2, 4, 4, 5), (6, 1, 1, 5), False, Conv2D(stride=(2, 1))),
        ((1, 7, 7, 4), (6, 3, 3, 2), True, Conv2D(dilation=(2, 2))),
        ((2, 5, 6, 4), (1, 3, 3, 4), True, DepthwiseConv2D(padding=_PADDING)),
        ((1, 5, 5, 3), (1, 3, 2, 6), False, DepthwiseConv2D(activation=Activation.RELU6)),
        ((3, 2, 4), (5, 8), True, FullyConnected()),
        ((1, 33), (3, 33), False, FullyConnected(activation=Activation.RELU)),
    ]
    _weighted(draft, DType.INT4, layers, (0, 3, 5))


def two_bits(draft: Draft) -> None:
    """Rows that end inside a byte and at its end, few taps and many, per tensor and per channel; results, and sums."""
    layers: list[_Layer] = [
        ((1, 5, 6, 3), (5, 3, 3, 3), True, Conv2D(padding=_PADDING, activation=Activation.RELU)),
        ((2, 4, 4, 16), (6, 1, 1, 16), False, Conv2D(stride=(2, 1))),
        ((1, 7, 7, 4), (6, 3, 3, 2), True, Conv2D(dilation=(2, 2))),
        ((1, 5, 4, 9), (11, 3, 2, 9), True, Conv2D(padding=_PADDING)),
        ((2, 5, 6, 4), (1, 3, 3, 4), True, DepthwiseConv2D(padding=_PADDING)),
        ((1, 5, 5, 3), (1, 3, 2, 6), False, DepthwiseConv2D(activation=Activation.RELU6)),
        ((3, 2, 4), (5, 8), True, FullyConnected()),
        ((1, 133), (3, 133), False, FullyConnected(activation=Activation.RELU)),
    ]
    _weighted(draft, DType.INT2, layers, (0, 4, 6))


def blockwise(draft: Draft) -> None:
    """Blocks of a power of two and of any size, short last ones, rows of several, one unit and many; int4 and int2."""
    layers = (
        ((1, 64), 5, DType.INT4, True, BlockwiseFullyConnected(block=32)),
        ((3, 2, 20), 4, DType.INT4, False, BlockwiseFullyConnected(block=16)),
        ((1, 5, 5, 48), 6, DType.INT4, True, BlockwiseFullyConnected(block=32, keep_dims=True)),
        ((2, 33), 3, DType.INT4, True, BlockwiseFullyConnected(block=7, activation=_RELU)),
        ((1, 4, 37), 1, DType.INT4, True, BlockwiseFullyConnected(block=64, keep_dims=True)),
        ((1, 133), 3, DType.INT2, True, BlockwiseFullyConnected(block=32)),
        ((2, 3, 9), 4, DType.INT2, False, BlockwiseFullyConnected(block=2, keep_dims=True)),
    )
    for number, (shape, units, dtype, per_axis, operator) in enumerate(layers):
        x = draft.input(shape, DType.INT8)
        depth = shape[-1] if operator.keep_dims else x.type.elements // shape[0]
        w = draft.weights_of(dtype, (units, depth), 0, per_axis=per_axis)
        b = draft.bias(units, DType.INT8) if number % 2 else None
        count = -(-depth // operator.block)
        data = draft.random.integers(0, 256, (units, count)).astype(np.uint8)
        blocks = draft.builder.constant("blocks", data)
        draft.output(operator, [x, w, b, blocks], DType.INT8, 60.0)


def _weighted(draft: Draft, dtype: DType, layers: Sequence[_Layer], summed: Sequence[int]) -> None:
    """summed: numbers of layers whose sums are results, too."""
    for number, (shape, weights, per_axis, operator) in enumerate(layers):
        x = draft.input(shape, DType.INT8)
        axis = operator.weights_axis
        w = draft.weights_of(dtype, weights, axis, per_axis=per_axis)
        b = draft.bias(weights[axis], DType.INT8) if number % 2 else None
        draft.output(operator, [x, w, b], DType.INT8, 0.5)
        if number in summed:
            _sums(draft, operator, [x, w, b])


def _sums(draft: Draft, operator: Weighted, inputs: list[Value | None]) -> None:
    parts = replace(operator, activation=Activation.NONE, accumulator=DType.INT32)
    total = draft.builder.add(parts, inputs)
    end = Quantization.per_tensor(0.5, 3)
    draft.outputs.append(draft.builder.add(Requantize(dtype=DType.INT8), [total], "y", end))


CASES: tuple[Case, ...] = (
    Case("four_bits", four_bits),
    Case("two_bits", two_bits),
    Case("blockwise", blockwise),
)
