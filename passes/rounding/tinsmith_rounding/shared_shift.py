"""How wide the multipliers of a layer with weights may be where hardware has one shift for all of its channels."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN, MULTIPLIER_BITS
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import Convolution, FullyConnected
from tinsmith_ir.operators.weighted import centred_weights
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.rounding import Rounding

from tinsmith_rounding.accumulators import NARROWEST_BITS, are_constant, parameters_of

_LARGEST_SHIFT = 31
_WIDEST_BITS = 24

_Array = NDArray[np.int64]


@checked
def shared_shift_bits(graph: Graph, node: Node) -> int | None:
    """The widest multipliers of a convolution or fully connected layer of int8 for which (acc * multiplier + addend) >>
    shift is exact in int32 with one shift for all channels: that of the channel with the smallest scale, to which the
    multipliers of the others are moved. The addend is half a step, where `node` rounds so, and the zero point of the
    result.

    None of other operators, of weights or a bias that are computed at run time, and where less than NARROWEST_BITS
    would be left. Channels that have one value whatever the input do not count, as they need no multiplier.
    """
    operator = node.operator
    ends_of_layer = (node.present_inputs[0].type, node.outputs[0].type)
    if not isinstance(operator, Convolution | FullyConnected) or any(
        type_.dtype is not DType.INT8 for type_ in ends_of_layer
    ):
        return None
    ends = _ends(graph, node)
    if ends is None:
        return None
    candidates = range(_WIDEST_BITS, NARROWEST_BITS - 1, -1)
    return next((bits for bits in candidates if _fits(node, operator, bits, *ends)), None)


def _ends(graph: Graph, node: Node) -> tuple[_Array, _Array] | None:
    """The smallest and the largest accumulator of each channel, over all inputs."""
    constants = [graph.constant(value) for value in node.inputs]
    given = [value is not None for value in node.inputs]
    if any(
        is_given and data is None for is_given, data in zip(given[1:], constants[1:], strict=True)
    ):
        return None
    operator, weights = node.operator, constants[1]
    if not isinstance(operator, Convolution | FullyConnected) or weights is None:
        return None
    source, channels = node.present_inputs[0].type, node.outputs[0].type.shape[-1]
    centred = centred_weights(weights, node.present_inputs[1].type).astype(np.int64)
    rows = np.moveaxis(centred, operator.weights_axis, 0).reshape(channels, -1)
    zero_point = source.quantization.zero_point if source.quantization else 0
    least, most = (end - zero_point for end in source.dtype.integer_range)
    bias = constants[2] if len(constants) > 2 else None
    middle = np.zeros(channels, np.int64) if bias is None else bias.astype(np.int64)
    low, high = (
        middle + np.where(rows > 0, rows * at_positive, rows * at_negative).sum(axis=1)
        for at_positive, at_negative in ((least, most), (most, least))
    )
    return low, high


def _fits(
    node: Node, operator: Convolution | FullyConnected, bits: int, low: _Array, high: _Array
) -> bool:
    inputs = [value.type if value else None for value in node.inputs]
    chosen = replace(operator, multiplier_bits=bits)
    p = parameters_of(chosen, inputs, node.outputs[0].type)
    counts = (p.multipliers != 0) & ~are_constant(p, low, high)
    if not counts.any():
        return True
    shifts = MULTIPLIER_BITS - p.shifts.astype(np.int64)[counts]
    shift = int(shifts.max())
    if shift > _LARGEST_SHIFT or int(shifts.min()) < 0:
        return False
    return all(
        INT32_MIN <= _scaled(acc, multiplier, own, shift, p) <= INT32_MAX
        for ends in (low[counts], high[counts])
        for acc, multiplier, own in zip(ends, p.multipliers[counts], shifts, strict=True)
    )


def _scaled(
    acc: np.int64, multiplier: np.int32, own: np.int64, shift: int, p: ConvParameters
) -> int:
    """In Python's integers, which have no end."""
    half = (1 << shift) >> 1 if p.rounding is Rounding.NEAREST else 0
    moved = int(multiplier) << (shift - int(own))
    return int(acc) * moved + half + (p.output_offset << shift)
