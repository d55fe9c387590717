"""Functions of one float, and of plain integers; those of int8 and int16 are in `lookup`."""

from tinsmith_c import call
from tinsmith_ir.operators import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    Elu,
    Erf,
    Exp,
    Floor,
    Gelu,
    Log,
    Neg,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Square,
    Tan,
)
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import FLOAT32, INT32, INT64, SUFFIX, kernel


def emit(layer: Layer, scope: Scope) -> Emission:
    """Element by element."""
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[layer.output.dtype]}"
    arguments = [str(layer.output.elements), scope.input(0), scope.output]
    return Emission((call(name, arguments),))


def emit_gelu(layer: Layer, scope: Scope) -> Emission:
    """Gelu, by erfc or by tanh."""
    is_approximate = layer.operator_as(Gelu).approximate
    name = "tinsmith_gelu_by_tanh_f32" if is_approximate else "tinsmith_gelu_f32"
    arguments = [str(layer.output.elements), scope.input(0), scope.output]
    return Emission((call(name, arguments),))


KERNELS = (
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
            operator,
            Signature((dtype,), dtype),
            emit,
            walk=elementwise_walk,
        )
        for dtype, operators in (
            (
                FLOAT32,
                (
                    Abs,
                    Acos,
                    Acosh,
                    Asin,
                    Asinh,
                    Atan,
                    Atanh,
                    Ceil,
                    Cos,
                    Cosh,
                    Elu,
                    Erf,
                    Exp,
                    Floor,
                    Log,
                    Neg,
                    Round,
                    Rsqrt,
                    Sign,
                    Sin,
                    Sinh,
                    Sqrt,
                    Square,
                    Tan,
                ),
            ),
            (INT32, (Abs, Neg, Sign)),
            (INT64, (Abs, Neg, Sign)),
        )
        for operator in operators
    ),
    kernel(
        "tinsmith_gelu_f32",
        Gelu,
        Signature((FLOAT32,), FLOAT32),
        emit_gelu,
        walk=elementwise_walk,
    ),
)
