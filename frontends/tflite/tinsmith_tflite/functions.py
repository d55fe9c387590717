"""Converters of functions of one element that have attributes, and of some that combine elements."""

import math

from tinsmith_ir.operators import Add, Div, Gelu, LeakyRelu

from tinsmith_tflite.context import Conversion, OperatorContext


def leaky_relu(context: OperatorContext) -> Conversion:
    """LEAKY_RELU."""
    alpha = context.options.float32(0)
    if not math.isfinite(alpha):
        raise context.error(f"expected a finite alpha, got {alpha}")
    return LeakyRelu(alpha=alpha), (context.value(0),)


def gelu(context: OperatorContext) -> Conversion:
    """GELU."""
    return Gelu(approximate=context.options.boolean(0)), (context.value(0),)


def div(context: OperatorContext) -> Conversion:
    """DIV."""
    return Div(activation=context.activation(0)), (context.value(0), context.value(1))


def add_n(context: OperatorContext) -> Conversion:
    """ADD_N: additions one after the other."""
    total = context.value(0)
    others = [context.value(position) for position in range(1, len(context.operator.inputs))]
    for other in others:
        if other.type.shape != total.type.shape:
            raise context.error(
                f"expected operands of one shape, got {total.type.shape} and {other.type.shape}"
            )
    for other in others[:-1]:
        total = context.step(Add(), [total, other])
    return Add(), (total, others[-1])
