"""Logistic function and tanh of int16, between the values of one table that all share, and of float32."""

from tinsmith_c import call, initializer
from tinsmith_ir.curves import int16_table
from tinsmith_ir.operators import Logistic, SigmoidCurve, Tanh
from tinsmith_ir.parameters import curve_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
    elementwise_walk,
)

from tinsmith_reference.common import FLOAT32, INT16, SUFFIX, kernel


def prepare_s16(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The logistic function in steps of 1/24."""
    return (*constant_operands(layer), Prepared("table", int16_table()))


def emit_s16(layer: Layer, scope: Scope) -> Emission:
    """int16 in fixed point."""
    p = curve_parameters(layer.operator_as(SigmoidCurve), layer.inputs, layer.output)
    fields = {
        "multiplier": p.multiplier,
        "right_shift": p.right_shift,
        "table": scope.prepared("table", "logistic(i / 24) * 65536 - 32768"),
    }
    parameters = initializer("tinsmith_curve_parameters", "kParameters", fields)
    return Emission((parameters, _call(layer, scope, "&kParameters")))


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    return Emission((_call(layer, scope),))


def _call(layer: Layer, scope: Scope, *parameters: str) -> str:
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[layer.output.dtype]}"
    arguments = [str(layer.output.elements), *parameters, scope.input(0), scope.output]
    return call(name, arguments)


KERNELS = tuple(
    found
    for operator in (Logistic, Tanh)
    for found in (
        kernel(
            f"tinsmith_{operator.mnemonic}_s16",
            operator,
            Signature((INT16,), INT16),
            emit_s16,
            prepare=prepare_s16,
            walk=elementwise_walk,
        ),
        kernel(
            f"tinsmith_{operator.mnemonic}_f32",
            operator,
            Signature((FLOAT32,), FLOAT32),
            emit_float,
            walk=elementwise_walk,
        ),
    )
)
