"""Layers of int16 with a bias of int32, whose sums TFLite keeps in 32 bits and rounds as those of int8."""

from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Activation, Conv2D, FullyConnected, Requantize
from tinsmith_ir.operators.base import activation_of

from tinsmith_tflite.context import Conversion, OperatorContext


def is_narrow(context: OperatorContext, source: Value) -> bool:
    """Whether the bias, input 2, is int32 beside int16."""
    return source.type.dtype is DType.INT16 and context.has_bias_of("INT32")


def narrow_sums(
    context: OperatorContext,
    operator: Conv2D | FullyConnected,
    operands: tuple[Value, Value, Value | None],
) -> Conversion:
    """The sums by themselves, and what rescales and clamps them."""
    summing = replace(operator, activation=Activation.NONE, accumulator=DType.INT32)
    sums = context.step(summing, operands)
    return Requantize(dtype=DType.INT16, activation=activation_of(operator)), (sums,)
