"""Logistic function and tanh: of int8 one table each, of int16 between the values of one that all share."""

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

from tinsmith_reference.common import FLOAT32, INT8, INT16, SUFFIX, kernel


def prepare_s8(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The results of all int8."""
    table = layer.operator_as(SigmoidCurve).table(layer.inputs, layer.output)
    return (*constant_operands(layer), Prepared("table", table))


def emit_s8(layer: Layer, scope: Scope) -> Emission:
    """int8 by its table."""
    table = scope.prepared("table", "the result of each int8, from -128 on")
    arguments = [str(layer.output.elements), table, scope.input(0), scope.output]
    return Emission((call("tinsmith_lookup_s8", arguments),))


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
            "tinsmith_lookup_s8",
            operator,
            Signature((INT8,), INT8),
            emit_s8,
            prepare=prepare_s8,
            walk=elementwise_walk,
        ),
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
