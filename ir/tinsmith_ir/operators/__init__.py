"""The operators of a Graph, and the table that finds them by mnemonic."""

from collections.abc import Mapping
from types import MappingProxyType

from tinsmith_ir.activation import Activation
from tinsmith_ir.operators.base import Array, Operand, Operator, Types
from tinsmith_ir.operators.convolution import Conv2D, DepthwiseConv2D
from tinsmith_ir.operators.elementwise import Add, Mul, Sub
from tinsmith_ir.operators.fully_connected import FullyConnected
from tinsmith_ir.operators.layout import Concat, Pad, Reshape, Transpose
from tinsmith_ir.operators.pooling import AveragePool2D, MaxPool2D
from tinsmith_ir.operators.quantize import Dequantize, Quantize, Requantize
from tinsmith_ir.operators.reduction import Mean
from tinsmith_ir.operators.relu import Relu, Relu6
from tinsmith_ir.operators.softmax import Softmax

OPERATORS: Mapping[str, type[Operator]] = MappingProxyType(
    {
        operator.mnemonic: operator
        for operator in (
            Conv2D,
            DepthwiseConv2D,
            FullyConnected,
            Add,
            Sub,
            Mul,
            AveragePool2D,
            MaxPool2D,
            Mean,
            Softmax,
            Reshape,
            Pad,
            Transpose,
            Concat,
            Relu,
            Relu6,
            Quantize,
            Dequantize,
            Requantize,
        )
    }
)
"""Mnemonic -> operator class: every operator there is."""

__all__ = [
    "OPERATORS",
    "Activation",
    "Add",
    "Array",
    "AveragePool2D",
    "Concat",
    "Conv2D",
    "DepthwiseConv2D",
    "Dequantize",
    "FullyConnected",
    "MaxPool2D",
    "Mean",
    "Mul",
    "Operand",
    "Operator",
    "Pad",
    "Quantize",
    "Relu",
    "Relu6",
    "Requantize",
    "Reshape",
    "Softmax",
    "Sub",
    "Transpose",
    "Types",
]
