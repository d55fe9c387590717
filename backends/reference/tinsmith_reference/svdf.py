"""Layers of filters over time: what they remember, which may be computed in place, and what they give of it."""

import numpy as np
from tinsmith_c import call, initializer
from tinsmith_ir.operators import Svdf, SvdfState
from tinsmith_ir.svdf_parameters import (
    SvdfParameters,
    svdf_parameters,
    svdf_state_parameters,
)
from tinsmith_lowering import Emission, Layer, Scope, Signature, Walk

from tinsmith_reference.common import (
    FLOAT32,
    INT8,
    INT16,
    INT32,
    SUFFIX,
    clamp_f32,
    kernel,
    scale,
)


def emit_state(layer: Layer, scope: Scope) -> Emission:
    """The state one step later."""
    filters, depth = layer.input(2).shape
    batches, memory = layer.output.shape
    statements = [_shape(batches, filters, memory // filters, depth, 1)]
    arguments = ["&kShape", *(scope.input(index) for index in range(3)), scope.output]
    if layer.output.dtype is not FLOAT32:
        statements.append(_parameters(svdf_state_parameters(layer.inputs, layer.output)))
        arguments.insert(1, "&kParameters")
    name = f"tinsmith_svdf_state_{SUFFIX[layer.output.dtype]}"
    return Emission((*statements, call(name, arguments)))


def emit_layer(layer: Layer, scope: Scope) -> Emission:
    """What the layer gives."""
    operator = layer.operator_as(Svdf)
    filters, steps = layer.input(1).shape
    statements = [_shape(layer.output.shape[0], filters, steps, 1, operator.rank)]
    arguments = ["&kShape", *(scope.input(index) for index in range(3)), scope.output]
    if layer.output.dtype is FLOAT32:
        statements.append(clamp_f32(operator.activation))
        arguments.insert(1, "&kClamp")
    else:
        parameters = svdf_parameters(layer.inputs, layer.output, operator.activation)
        statements.append(_parameters(parameters))
        arguments.insert(1, "&kParameters")
    return Emission((*statements, call(f"tinsmith_svdf_{SUFFIX[layer.input(0).dtype]}", arguments)))


def _shape(batches: int, filters: int, steps: int, depth: int, rank: int) -> str:
    fields = {
        "batches": batches,
        "filters": filters,
        "steps": steps,
        "depth": depth,
        "rank": rank,
    }
    return initializer("tinsmith_svdf_shape", "kShape", fields)


def _parameters(parameters: SvdfParameters) -> str:
    fields = {
        "scale": scale(parameters.multiplier, parameters.shift),
        "input_offset": parameters.input_offset,
        "output_offset": parameters.output_offset,
        "clamp_min": parameters.clamp_min,
        "clamp_max": parameters.clamp_max,
    }
    return initializer("tinsmith_svdf_parameters", "kParameters", fields)


def walk_state(layer: Layer) -> Walk:
    """Filter after filter of the state, whose memory is moved before its newest element is written."""
    rows = layer.output.shape[0] * layer.input(2).shape[0]
    return Walk(np.arange(rows), (np.arange(rows), None, None))


KERNELS = (
    *(
        kernel(
            f"tinsmith_svdf_state_{SUFFIX[dtype]}",
            SvdfState,
            Signature(
                (dtype, FLOAT32, FLOAT32) if dtype is FLOAT32 else (dtype, INT8, INT8), dtype
            ),
            emit_state,
            walk=walk_state,
        )
        for dtype in (INT16, INT8, FLOAT32)
    ),
    *(
        kernel(
            f"tinsmith_svdf_{SUFFIX[dtype]}",
            Svdf,
            Signature((dtype, dtype, INT32), INT8),
            emit_layer,
        )
        for dtype in (INT16, INT8)
    ),
    kernel("tinsmith_svdf_f32", Svdf, Signature((FLOAT32, FLOAT32, FLOAT32), FLOAT32), emit_layer),
)
