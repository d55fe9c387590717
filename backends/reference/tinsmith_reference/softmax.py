"""Softmax over the last axis."""

from tinsmith_c import call, float_literal, initializer
from tinsmith_ir.function_tables import softmax_tables
from tinsmith_ir.operators import Softmax
from tinsmith_ir.parameters import softmax16_parameters, softmax_parameters
from tinsmith_ir.types import Quantization
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

from tinsmith_reference.common import FLOAT32, INT8, INT16, kernel

LONGEST_ROW = 4095
"""The sum of exponentials has 12 integer bits."""


def row_fits(layer: Layer) -> str | None:
    """A row of an integer softmax has at most 4095 elements."""
    depth = layer.output.shape[-1]
    return None if depth <= LONGEST_ROW else f"a row has {depth}"


def output_is_probability(layer: Layer) -> str | None:
    """The output of an int8 softmax has scale 1/256 and zero point -128."""
    quantization = layer.output.quantization
    if quantization == Quantization.per_tensor(1 / 256, -128):
        return None
    return f"output is quantized as {quantization}"


def _sizes(layer: Layer) -> tuple[int, int]:
    depth = layer.output.shape[-1]
    return layer.output.elements // depth, depth


def emit_s8(layer: Layer, scope: Scope) -> Emission:
    """int8 in fixed point."""
    name = "tinsmith_softmax_s8_s16" if layer.operator_as(Softmax).wide else "tinsmith_softmax_s8"
    p = softmax_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    fields = {
        "multiplier": p.input_multiplier,
        "shift": p.input_left_shift,
        "diff_min": p.diff_min,
    }
    rows, depth = _sizes(layer)
    arguments = [str(rows), str(depth), "&kParameters", scope.input(0), scope.output]
    return Emission(
        (
            initializer("tinsmith_softmax_parameters", "kParameters", fields),
            call(name, arguments),
        )
    )


def prepare_s16(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The exponential and 1 / (1 + x)."""
    exponential, reciprocal = softmax_tables()
    tables = (Prepared("exponential", exponential), Prepared("reciprocal", reciprocal))
    return (*constant_operands(layer), *tables)


def emit_s16(layer: Layer, scope: Scope) -> Emission:
    """int16 by tables."""
    p = softmax16_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    fields = {
        "multiplier": p.multiplier,
        "shift": p.shift,
        "exponential": scope.prepared("exponential", "exp(x) * 32768, x from -10 to 0"),
        "reciprocal": scope.prepared("reciprocal", "32768 / (1 + x), x from 0 to 1"),
    }
    rows, depth = _sizes(layer)
    arguments = [str(rows), str(depth), "&kParameters", scope.input(0), scope.output]
    return Emission(
        (
            initializer("tinsmith_softmax_s16_parameters", "kParameters", fields),
            call("tinsmith_softmax_s16", arguments),
        )
    )


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    rows, depth = _sizes(layer)
    beta = float_literal(layer.operator_as(Softmax).beta)
    arguments = [str(rows), str(depth), beta, scope.input(0), scope.output]
    return Emission((call("tinsmith_softmax_f32", arguments),))


KERNELS = (
    kernel(
        "tinsmith_softmax_s8",
        Softmax,
        Signature((INT8,), INT8),
        emit_s8,
        (row_fits, output_is_probability),
        walk=elementwise_walk,
    ),
    kernel(
        "tinsmith_softmax_s8_s16",
        Softmax,
        Signature((INT8,), INT16),
        emit_s8,
        (row_fits,),
    ),
    kernel(
        "tinsmith_softmax_s16",
        Softmax,
        Signature((INT16,), INT16),
        emit_s16,
        prepare=prepare_s16,
        walk=elementwise_walk,
    ),
    kernel(
        "tinsmith_softmax_f32",
        Softmax,
        Signature((FLOAT32,), FLOAT32),
        emit_float,
        walk=elementwise_walk,
    ),
)
