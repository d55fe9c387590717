"""What the scales of an operator allow: whether its kernel can work with them, and in which way."""

import math
from collections.abc import Sequence

import numpy as np
from tinsmith_ir import parameters
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Add,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Mean,
    Mul,
    Operator,
    Relu,
    Relu6,
    Requantize,
    Softmax,
    Sub,
)
from tinsmith_ir.types import TensorType


def check_scales(
    operator: Operator, inputs: Sequence[TensorType | None], output: TensorType
) -> None:
    """Raise GraphError if ratios of scales are beyond what a multiplier and a shift can hold.

    A damaged file shows that way; without this check it would show when the graph is evaluated or
    compiled.
    """
    if output.dtype not in (DType.INT8, DType.INT16):
        return
    with np.errstate(all="ignore"):
        _derive(operator, inputs, output)


def is_power_of_two(type_: TensorType) -> bool:
    """Whether the only scale is a power of two, within 0.07 % as in TFLite's `CheckedLog2`."""
    q = type_.quantization
    if q is None or len(q.scales) != 1:
        return False
    logarithm = math.log2(np.float32(q.scale))
    return abs(logarithm - round(logarithm)) < 1e-3


def _derive(operator: Operator, inputs: Sequence[TensorType | None], output: TensorType) -> None:
    match operator:
        case Conv2D() | DepthwiseConv2D():
            parameters.conv_parameters(operator, inputs, output)
        case FullyConnected():
            parameters.fully_connected_channel_parameters(operator, inputs, output)
        case Add() | Sub():
            parameters.elementwise_add_parameters(operator, inputs, output)
        case Mul():
            parameters.mul_parameters(operator, inputs, output)
        case Mean():
            parameters.mean_parameters(operator, inputs, output)
        case Softmax():
            parameters.softmax_parameters(operator, inputs, output)
        case Concat():
            parameters.concat_parameters(operator, inputs, output)
        case Relu() | Relu6():
            parameters.relu_parameters(operator, inputs, output)
        case Requantize():
            parameters.requantize_parameters(operator, inputs, output)
        case _:
            return  # the others do not rescale
