"""FullyConnected."""

import numpy as np
from tinsmith_c import call, initializer
from tinsmith_ir.operators import FullyConnected
from tinsmith_ir.parameters import ConvParameters, fully_connected_channel_parameters
from tinsmith_lowering import AsGiven, Emission, Layer, Prepared, Scope, Signature, Walk, rows_walk

from tinsmith_reference.common import (
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    call_sums,
    call_weighted,
    clamp_f32,
    kernel,
    output_stage,
    stage_constants,
    sums_kernels,
    weighted_kernels,
)


def _shape(layer: Layer) -> str:
    units, depth = layer.input(1).shape
    fields = {"batches": layer.input(0).elements // depth, "depth": depth, "units": units}
    return initializer("tinsmith_fully_connected_shape", "kShape", fields)


def _parameters(layer: Layer) -> ConvParameters:
    operator = layer.operator_as(FullyConnected)
    return fully_connected_channel_parameters(operator, layer.inputs, layer.output)


def prepare_integer(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights and bias as they are, multipliers and shifts."""
    return stage_constants(layer, _parameters(layer))


def emit_integer(layer: Layer, scope: Scope) -> Emission:
    """int8 or int16 by int8."""
    weighted = call_weighted(layer, scope)
    return Emission((_shape(layer), output_stage(scope, _parameters(layer)), weighted))


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operands = [scope.input(0), scope.input(1), scope.input(2), scope.output]
    return Emission(
        (
            _shape(layer),
            clamp_f32(layer.operator_as(FullyConnected).activation),
            call("tinsmith_fully_connected_f32", ["&kShape", "&kClamp", *operands]),
        )
    )


def emit_sums(layer: Layer, scope: Scope) -> Emission:
    """The accumulator itself."""
    return Emission((_shape(layer), call_sums(layer, scope)))


def walk(layer: Layer) -> Walk:
    """Row after row of the input, which is read again for each unit."""
    units = layer.output.shape[-1]
    return rows_walk(layer, layer.output.elements // units, is_staged=units == 1)


def sums_walk(layer: Layer) -> Walk:
    """The same; of one row each sum is written when it was read, so that sums may be added to where they lie."""
    units = layer.output.shape[-1]
    if layer.output.elements > units or not layer.has_input(2):
        return walk(layer)
    steps = np.arange(units)
    return Walk(steps, (steps[-1:], None, steps))


KERNELS = (
    *(
        found
        for dtype in (INT8, INT16)
        for found in weighted_kernels(FullyConnected, dtype, emit_integer, prepare_integer, walk)
    ),
    kernel(
        "tinsmith_fully_connected_f32",
        FullyConnected,
        Signature((FLOAT32, FLOAT32, FLOAT32), FLOAT32),
        emit_float,
        walk=walk,
    ),
    *(
        found
        for source, result in ((INT8, INT32), (INT16, INT32), (INT16, INT64))
        for found in sums_kernels(FullyConnected, source, result, emit_sums, sums_walk)
    ),
)
