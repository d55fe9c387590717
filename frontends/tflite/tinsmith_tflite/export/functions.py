"""Writes functions of one element, and operators over the last axis."""

from typing import cast

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Abs,
    Ceil,
    Cos,
    Elu,
    Exp,
    Floor,
    Gelu,
    HardSwish,
    L2Normalization,
    LeakyRelu,
    Log,
    Logistic,
    LogSoftmax,
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
    Softmax,
    Sqrt,
    Square,
    Tanh,
)
from tinsmith_ir.types import Quantization

from tinsmith_tflite.export.context import (
    NodeContext,
    Rules,
    Write,
    clamp_version,
)
from tinsmith_tflite.export.records import Options
from tinsmith_tflite.export.refusal import RefusalError


def _plain(kind: str, table: str = "", version: int | None = None) -> Write:
    """The rule of an operator of the same operands here and there. version: if None, what the dtype asks for."""

    def write(context: NodeContext) -> None:
        context.emit(kind, None, Options(table) if table else None, version=version)

    return write


def _clamp(kind: str) -> Write:
    def write(context: NodeContext) -> None:
        context.emit(kind, version=clamp_version(kind, context.dtype))

    return write


def leaky_relu(context: NodeContext) -> None:
    """LEAKY_RELU."""
    alpha = cast("LeakyRelu", context.node.operator).alpha
    version = 2 if context.dtype is DType.INT16 else 1
    context.emit("LEAKY_RELU", None, Options("LeakyReluOptions", {"Alpha": alpha}), version=version)


def gelu(context: NodeContext) -> None:
    """GELU."""
    if context.dtype is DType.INT16:
        raise RefusalError("TFLite has no GELU of int16; let it be int8, or float32 between others")
    approximate = cast("Gelu", context.node.operator).approximate
    context.emit("GELU", None, Options("GeluOptions", {"Approximate": approximate}), version=1)


def softmax(context: NodeContext) -> None:
    """SOFTMAX; of int8 to int16 by the type of its result."""
    operator = cast("Softmax", context.node.operator)
    version = 3 if operator.wide else None
    context.emit(
        "SOFTMAX", None, Options("SoftmaxOptions", {"Beta": operator.beta}), version=version
    )


def _curve(kind: str, scale: float, zero_point: int) -> Write:
    """The rule of LOGISTIC and TANH, whose result of int8 TFLite has with one quantization."""

    def write(context: NodeContext) -> None:
        result = context.result.type
        wanted = Quantization.per_tensor(scale, zero_point)
        if result.dtype is DType.INT8 and result.quantization != wanted:
            raise RefusalError(
                f"TFLite's {kind} of int8 gives scale {scale}, zero point {zero_point}; let the result have these, and "
                "a requantize behind it the others"
            )
        context.emit(kind)

    return write


RULES: Rules = {
    Abs: _plain("ABS", "AbsOptions"),
    Ceil: _plain("CEIL", version=1),
    Cos: _plain("COS", "CosOptions", 1),
    Elu: _plain("ELU", version=1),
    Exp: _plain("EXP", "ExpOptions", 2),
    Floor: _plain("FLOOR", version=1),
    Gelu: gelu,
    HardSwish: _plain("HARD_SWISH", "HardSwishOptions", 1),
    L2Normalization: _plain("L2_NORMALIZATION", "L2NormOptions"),
    LeakyRelu: leaky_relu,
    Log: _plain("LOG", version=1),
    LogSoftmax: _plain("LOG_SOFTMAX", "LogSoftmaxOptions"),
    Logistic: _curve("LOGISTIC", 1 / 256, -128),
    Neg: _plain("NEG", "NegOptions", 1),
    Prelu: _plain("PRELU", version=1),
    Relu: _clamp("RELU"),
    Relu0To1: _clamp("RELU_0_TO_1"),
    Relu6: _clamp("RELU6"),
    ReluN1To1: _clamp("RELU_N1_TO_1"),
    Round: _plain("ROUND", version=1),
    Rsqrt: _plain("RSQRT"),
    Sign: _plain("SIGN", "SignOptions", 1),
    Sin: _plain("SIN", version=1),
    Softmax: softmax,
    Sqrt: _plain("SQRT", version=1),
    Square: _plain("SQUARE", "SquareOptions", 1),
    Tanh: _curve("TANH", 1 / 128, 0),
}
