"""Squared differences, quotients and powers with broadcasting."""

from tinsmith_c import call, initializer
from tinsmith_ir.arithmetic import activation_range
from tinsmith_ir.operators import Div, Pow, SquaredDifference
from tinsmith_ir.parameters import squared_difference_parameters
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import FLOAT32, INT8, INT32, INT64, SUFFIX, clamp_f32, kernel
from tinsmith_reference.elementwise import (
    add_parameters,
    broadcast,
    emit_without_parameters,
    no_activation,
    rank_fits,
)


def _call(layer: Layer, scope: Scope, *parameters: str) -> str:
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[layer.output.dtype]}"
    operands = [scope.input(0), scope.input(1), scope.output]
    return call(name, ["&kBroadcast", *parameters, *operands])


def emit_squared_difference_s8(layer: Layer, scope: Scope) -> Emission:
    """SquaredDifference of int8."""
    parameters = add_parameters(squared_difference_parameters(layer.inputs, layer.output))
    return Emission((broadcast(layer), parameters, _call(layer, scope, "&kParameters")))


def emit_squared_difference(layer: Layer, scope: Scope) -> Emission:
    """SquaredDifference of float32 and int32."""
    return Emission((broadcast(layer), _call(layer, scope)))


def emit_div(layer: Layer, scope: Scope) -> Emission:
    """Div of float32."""
    clamp = clamp_f32(layer.operator_as(Div).activation)
    return Emission((broadcast(layer), clamp, _call(layer, scope, "&kClamp")))


def emit_div_s32(layer: Layer, scope: Scope) -> Emission:
    """Div of plain int32."""
    low, high = activation_range(layer.operator_as(Div).activation, layer.output)
    clamp = initializer("tinsmith_clamp", "kClamp", {"min": low, "max": high})
    return Emission((broadcast(layer), clamp, _call(layer, scope, "&kClamp")))


KERNELS = tuple(
    kernel(
        f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
        operator,
        Signature((dtype, dtype), dtype),
        emit,
        (rank_fits, *rules),
        walk=elementwise_walk,
    )
    for operator, dtype, emit, rules in (
        (SquaredDifference, INT8, emit_squared_difference_s8, ()),
        (SquaredDifference, INT32, emit_squared_difference, ()),
        (SquaredDifference, FLOAT32, emit_squared_difference, ()),
        (Div, FLOAT32, emit_div, ()),
        (Div, INT32, emit_div_s32, ()),
        (Div, INT64, emit_without_parameters, (no_activation,)),
        (Pow, FLOAT32, emit_without_parameters, ()),
    )
)
