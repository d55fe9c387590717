"""Rectifiers that are more than a clamp; leaky_relu and hard_swish of int8 are in `lookup`."""

from tinsmith_c import call, float_literal, initializer
from tinsmith_ir.operators import Abs, HardSwish, LeakyRelu, Prelu
from tinsmith_ir.rectifier_parameters import (
    RectifierParameters,
    leaky_relu_parameters,
    prelu_parameters,
)
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import FLOAT32, INT8, INT16, kernel, scale
from tinsmith_reference.elementwise import broadcast, rank_fits


def emit_leaky_relu_s16(layer: Layer, scope: Scope) -> Emission:
    """LeakyRelu of int16; Abs, which is the same with an alpha of -1."""
    operator = layer.operator
    alpha = operator.alpha if isinstance(operator, LeakyRelu) else -1.0
    p = leaky_relu_parameters(alpha, layer.inputs, layer.output)
    arguments = [str(layer.output.elements), "&kParameters", scope.input(0), scope.output]
    return Emission((_parameters(p), call("tinsmith_leaky_relu_s16", arguments)))


def emit_leaky_relu_f32(layer: Layer, scope: Scope) -> Emission:
    """LeakyRelu of float32."""
    alpha = float_literal(layer.operator_as(LeakyRelu).alpha)
    arguments = [str(layer.output.elements), alpha, scope.input(0), scope.output]
    return Emission((call("tinsmith_leaky_relu_f32", arguments),))


def emit_prelu_s8(layer: Layer, scope: Scope) -> Emission:
    """Prelu of int8."""
    parameters = _parameters(prelu_parameters(layer.inputs, layer.output))
    arguments = ["&kBroadcast", "&kParameters", scope.input(0), scope.input(1), scope.output]
    return Emission((broadcast(layer), parameters, call("tinsmith_prelu_s8", arguments)))


def emit_prelu_f32(layer: Layer, scope: Scope) -> Emission:
    """Prelu of float32."""
    arguments = ["&kBroadcast", scope.input(0), scope.input(1), scope.output]
    return Emission((broadcast(layer), call("tinsmith_prelu_f32", arguments)))


def emit_hard_swish_f32(layer: Layer, scope: Scope) -> Emission:
    """HardSwish of float32."""
    arguments = [str(layer.output.elements), scope.input(0), scope.output]
    return Emission((call("tinsmith_hard_swish_f32", arguments),))


def _parameters(p: RectifierParameters) -> str:
    fields = {
        "input_offset": p.input_offset,
        "alpha_offset": p.alpha_offset,
        "output_offset": p.output_offset,
        "positive": scale(p.multiplier, p.shift),
        "negative": scale(p.negative_multiplier, p.negative_shift),
    }
    return initializer("tinsmith_rectifier_parameters", "kParameters", fields)


KERNELS = (
    *(
        kernel(
            "tinsmith_leaky_relu_s16",
            operator,
            Signature((INT16,), INT16),
            emit_leaky_relu_s16,
            walk=elementwise_walk,
        )
        for operator in (LeakyRelu, Abs)
    ),
    kernel(
        "tinsmith_leaky_relu_f32",
        LeakyRelu,
        Signature((FLOAT32,), FLOAT32),
        emit_leaky_relu_f32,
        walk=elementwise_walk,
    ),
    kernel(
        "tinsmith_prelu_s8",
        Prelu,
        Signature((INT8, INT8), INT8),
        emit_prelu_s8,
        (rank_fits,),
        walk=elementwise_walk,
    ),
    kernel(
        "tinsmith_prelu_f32",
        Prelu,
        Signature((FLOAT32, FLOAT32), FLOAT32),
        emit_prelu_f32,
        (rank_fits,),
        walk=elementwise_walk,
    ),
    kernel(
        "tinsmith_hard_swish_f32",
        HardSwish,
        Signature((FLOAT32,), FLOAT32),
        emit_hard_swish_f32,
        walk=elementwise_walk,
    ),
)
