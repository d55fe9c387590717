"""Graphs of operators with weights of two bits."""

from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Activation,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Requantize,
    Weighted,
)
from tinsmith_ir.types import Quantization

from tinsmith_c.testing.draft import Case, Draft


def weighted(draft: Draft) -> None:
    """Rows that end inside a byte and at its end, few taps and many, per tensor and per channel; results, and sums."""
    padding = (1, 1, 1, 1)
    specs: list[tuple[tuple[int, ...], tuple[int, ...], bool, Weighted]] = [
        ((1, 5, 6, 3), (5, 3, 3, 3), True, Conv2D(padding=padding, activation=Activation.RELU)),
        ((2, 4, 4, 16), (6, 1, 1, 16), False, Conv2D(stride=(2, 1))),
        ((1, 7, 7, 4), (6, 3, 3, 2), True, Conv2D(dilation=(2, 2))),
        ((1, 5, 4, 9), (11, 3, 2, 9), True, Conv2D(padding=padding)),
        ((2, 5, 6, 4), (1, 3, 3, 4), True, DepthwiseConv2D(padding=padding)),
        ((1, 5, 5, 3), (1, 3, 2, 6), False, DepthwiseConv2D(activation=Activation.RELU6)),
        ((3, 2, 4), (5, 8), True, FullyConnected()),
        ((1, 133), (3, 133), False, FullyConnected(activation=Activation.RELU)),
    ]
    for number, (shape, weights, per_axis, operator) in enumerate(specs):
        x = draft.input(shape, DType.INT8)
        axis = operator.weights_axis
        w = draft.two_bit_weights(weights, axis, per_axis=per_axis)
        b = draft.bias(weights[axis], DType.INT8) if number % 2 else None
        draft.output(operator, [x, w, b], DType.INT8, 0.5)
        if number in (0, 4, 6):
            _sums(draft, operator, [x, w, b])


def _sums(draft: Draft, operator: Weighted, inputs: list[Value | None]) -> None:
    parts = replace(operator, activation=Activation.NONE, accumulator=DType.INT32)
    total = draft.builder.add(parts, inputs)
    end = Quantization.per_tensor(0.5, 3)
    draft.outputs.append(draft.builder.add(Requantize(dtype=DType.INT8), [total], "y", end))


CASES: tuple[Case, ...] = (Case("two_bits", weighted),)
