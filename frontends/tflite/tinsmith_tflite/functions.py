"""Converters of functions of one element that have attributes, and of some that combine elements."""

import math
from collections.abc import Mapping

from tinsmith_ir.operators import (
    Abs,
    Add,
    Ceil,
    Cos,
    Div,
    Elu,
    Exp,
    Floor,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Neg,
    Prelu,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sqrt,
    Square,
    Tanh,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import FLOATS, PLAIN, SMALL, Rule, plain


def leaky_relu(context: OperatorContext) -> Conversion:
    """LEAKY_RELU."""
    alpha = context.options.real("Alpha")
    if not math.isfinite(alpha):
        raise context.error(f"expected a finite alpha, got {alpha}")
    return LeakyRelu(alpha=alpha), (context.value(0),)


def gelu(context: OperatorContext) -> Conversion:
    """GELU."""
    return Gelu(approximate=context.options.boolean("Approximate")), (context.value(0),)


def div(context: OperatorContext) -> Conversion:
    """DIV."""
    return Div(activation=context.activation()), (context.value(0), context.value(1))


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


RULES: Mapping[str, Rule] = {
    "ABS": plain(5, "AbsOptions", Abs),
    "ADD_N": Rule(1, (2, 1024), "AddNOptions", (Add,), add_n, FLOATS),
    "CEIL": plain(1, "", Ceil, FLOATS),
    "COS": plain(1, "CosOptions", Cos, FLOATS),
    "DIV": Rule(2, (2, 2), "DivOptions", (Div,), div, PLAIN),
    "ELU": plain(1, "", Elu, SMALL),
    "EXP": plain(2, "ExpOptions", Exp),
    "FLOOR": plain(1, "", Floor, FLOATS),
    "GELU": Rule(2, (1, 1), "GeluOptions", (Gelu,), gelu, SMALL),
    "HARD_SWISH": plain(1, "HardSwishOptions", HardSwish, SMALL),
    "LEAKY_RELU": Rule(2, (1, 1), "LeakyReluOptions", (LeakyRelu,), leaky_relu),
    "LOG": plain(2, "", Log, FLOATS),
    "LOGISTIC": plain(3, "", Logistic),
    "NEG": plain(1, "NegOptions", Neg, FLOATS),
    "PRELU": plain(1, "", Prelu, SMALL),
    "RELU": plain(3, "", Relu),
    "RELU6": plain(3, "", Relu6),
    "RELU_0_TO_1": plain(1, "", Relu0To1, SMALL),
    "RELU_N1_TO_1": plain(1, "", ReluN1To1, SMALL),
    "ROUND": plain(1, "", Round, FLOATS),
    "RSQRT": plain(3, "", Rsqrt, SMALL),
    "SIGN": plain(2, "SignOptions", Sign, FLOATS),
    "SIN": plain(1, "", Sin, FLOATS),
    "SQRT": plain(2, "", Sqrt, FLOATS),
    "SQUARE": plain(1, "SquareOptions", Square, FLOATS),
    "TANH": plain(3, "", Tanh),
}
