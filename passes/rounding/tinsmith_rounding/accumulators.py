"""How large the accumulator of a step can get, and so how wide a multiplier leaves its product in 32 bits."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN, rescale
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.matmul_parameters import matmul_parameters
from tinsmith_ir.operators import (
    Add,
    BatchMatmul,
    BlockwiseFullyConnected,
    Clamp,
    Concat,
    Convolution,
    FullyConnected,
    Mean,
    Mul,
    Requantize,
    Rescaling,
    Sub,
    Weighted,
)
from tinsmith_ir.operators.blockwise import multiplied
from tinsmith_ir.operators.quantize import is_accumulator
from tinsmith_ir.operators.weighted import centred_weights
from tinsmith_ir.parameters import (
    ConvParameters,
    concat_parameters,
    conv_parameters,
    fully_connected_channel_parameters,
    mean_parameters,
    mul_parameters,
    relu_parameters,
    requantize_parameters,
    weighted_sum_parameters,
)
from tinsmith_ir.types import TensorType

NARROWEST_BITS = 8
"""Fewer would move an int8 result by more than a step: it is off by 2**-bits of at most 255."""

_Bounded = Convolution | FullyConnected | BlockwiseFullyConnected
_Bound = tuple[int, int, int]
"""Largest magnitude of an accumulator, its multiplier of full width, and the shift of that."""


@checked
def narrow_bits(graph: Graph, node: Node) -> int | None:
    """The widest multipliers whose product with any accumulator of `node`, half of the divisor added,
    fits into int32; None where that is not known, or less than NARROWEST_BITS.

    node: a Rescaling that rounds once, with multipliers of full width. It depends on types, weights and
    bias alone: |acc| <= sum(|weight| * largest |input|) + |bias|. With real = fraction * 2**e, the half
    is 2**(bits - e - 1), and multiplier < 2**bits.

    Channels of a step with weights that have one value whatever the input do not count (trained networks hold
    such, with weights near 0 and a bias near 2**30), if they keep it with the narrow multipliers: who computes
    in 32 bits stores that value.
    """
    return _width(_bounds(graph, node))


def _width(bounds: Sequence[_Bound]) -> int | None:
    if not bounds:
        return None
    limit = max(acc + math.ceil(2.0 ** (-shift - 1)) for acc, _, shift in bounds)
    bits = 31 - limit.bit_length()
    return bits if bits >= NARROWEST_BITS else None


def _bounds(graph: Graph, node: Node) -> list[_Bound]:
    """Of each scale of the step that is not 0; none where accumulators are not bounded or have 64 bits."""
    operator, output = node.operator, node.outputs[0].type
    inputs = [value.type if value else None for value in node.inputs]
    present = [value.type for value in node.present_inputs]
    found: Sequence[_Bound] = ()
    match operator:
        case Weighted():
            found = _weighted_bounds(graph, node, inputs)
        case Add() | Sub():
            total = sum(map(_largest, present))
            p = weighted_sum_parameters(operator, inputs, output)
            found = [(total, max(p.multiplier1, p.multiplier2), p.shift)]
        case Mul():
            q = mul_parameters(operator, inputs, output)
            product = math.prod(map(_largest, present))
            found = [(product, q.output_multiplier, q.output_shift)]
        case BatchMatmul() if output.dtype is DType.INT8:
            b = matmul_parameters(operator, inputs, output)
            _, depth = operator.matrix(present[0].shape, 0)
            found = [(depth * math.prod(map(_largest, present)), b.multiplier, b.shift)]
        case Mean():
            m = mean_parameters(operator, inputs, output)
            found = [(m.count * _largest(present[0]), m.multiplier, m.shift)]
        case Clamp():
            r = relu_parameters(operator, inputs, output)
            found = [(_largest(present[0]), r.multiplier, r.shift)]
        case Concat():
            records = concat_parameters(operator, inputs, output)
            found = [
                (_largest(type_), record.multiplier, record.shift)
                for type_, record in zip(present, records, strict=True)
                if record is not None
            ]
        case Requantize() if not is_accumulator(present[0]) and present[0].dtype is not DType.INT32:
            r = requantize_parameters(operator, inputs, output)
            found = [(_largest(present[0]), r.multiplier, r.shift)]
        case _:
            pass
    return [bound for bound in found if bound[1]]


def _weighted_bounds(graph: Graph, node: Node, inputs: Sequence[TensorType | None]) -> list[_Bound]:
    operator, output = node.operator, node.outputs[0].type
    constants = [graph.constant(value) for value in node.inputs]
    weights = constants[1]
    bias = constants[2] if len(constants) > 2 else None
    has_bias = len(inputs) > 2 and inputs[2] is not None
    if weights is None or (has_bias and bias is None) or output.dtype is DType.INT16:
        return []
    if isinstance(operator, BlockwiseFullyConnected):
        blocks = constants[3]
        if blocks is None:
            return []
        weights = multiplied(weights, blocks, operator.block)
    elif not isinstance(operator, (Convolution, FullyConnected)):
        return []
    parameters = parameters_of(operator, inputs, output)
    channels = output.shape[-1]
    axis = operator.weights_axis
    weights = centred_weights(weights, node.present_inputs[1].type)
    rows = np.moveaxis(np.abs(weights.astype(np.int64)), axis, 0).reshape(channels, -1)
    reach = rows.sum(axis=1) * _largest(node.present_inputs[0].type)
    middle = np.zeros(channels, np.int64) if bias is None else bias.astype(np.int64)
    bounds = _per_channel(reach + np.abs(middle), parameters)
    constant = are_constant(parameters, middle - reach, middle + reach)
    varying = [
        bound for bound, is_constant in zip(bounds, constant, strict=True) if not is_constant
    ]
    bits = _width([bound for bound in varying if bound[1]])
    if bits is None:
        return bounds
    narrow = parameters_of(replace(operator, multiplier_bits=bits), inputs, output)
    stay = are_constant(narrow, middle - reach, middle + reach)
    return varying if stay[constant].all() else bounds


def parameters_of(
    operator: _Bounded, inputs: Sequence[TensorType | None], output: TensorType
) -> ConvParameters:
    if isinstance(operator, Convolution):
        return conv_parameters(operator, inputs, output)
    return fully_connected_channel_parameters(operator, inputs, output)


def are_constant(
    p: ConvParameters, low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which channels have one value for all accumulators from low to high: it rises with them while they are words."""
    fits = (low >= INT32_MIN) & (high <= INT32_MAX)
    first, last = (
        np.clip(
            rescale(np.where(fits, end, 0), p.multipliers, p.shifts, p.rounding) + p.output_offset,
            p.clamp_min,
            p.clamp_max,
        )
        for end in (low, high)
    )
    return fits & (first == last)


def _per_channel(largest: NDArray[np.int64], parameters: ConvParameters) -> list[_Bound]:
    pairs = zip(parameters.multipliers, parameters.shifts, strict=True)
    return [
        (int(acc), int(multiplier), int(shift))
        for acc, (multiplier, shift) in zip(largest, pairs, strict=True)
    ]


def _largest(type_: TensorType) -> int:
    """The largest magnitude of an element minus the zero point."""
    low, high = type_.dtype.integer_range
    zero = type_.quantization.zero_point if type_.quantization else 0
    return max(high - zero, zero - low)


def rescaling(node: Node) -> Rescaling | None:
    """The operator of a node that rescales integers, None of another."""
    operator = node.operator
    if not isinstance(operator, Rescaling):
        return None
    return operator if operator.rescales([value.type for value in node.outputs]) else None
