"""ChannelSums, AverageOfSums and MeanOfSums."""

import numpy as np
from tinsmith_c import call, initializer
from tinsmith_ir.operators import AverageOfSums, ChannelSums, MeanOfSums
from tinsmith_ir.parameters import pool_parameters
from tinsmith_lowering import (
    Emission,
    Layer,
    Scope,
    Signature,
    Walk,
    elementwise_walk,
    rows_walk,
)

from tinsmith_reference.common import (
    INT8,
    INT16,
    INT32,
    SUFFIX,
    kernel,
    mean_parameters,
    rescaling_kernels,
    rounded,
)


def channel_sums_walk(layer: Layer) -> Walk:
    """A step for each sum: what it is added to, and all elements of its channel, are read before it is written."""
    batches, height, width, channels = layer.input(0).shape
    steps = np.arange(batches * channels)
    read = np.broadcast_to(steps.reshape(batches, 1, channels), (batches, height * width, channels))
    return Walk(steps, (read.reshape(-1), steps)[: len(layer.inputs)])


def emit_channel_sums(layer: Layer, scope: Scope) -> Emission:
    """From zeros, or from sums."""
    batches, height, width, channels = layer.input(0).shape
    fields = {"batches": batches, "pixels": height * width, "channels": channels}
    shape = initializer("tinsmith_channel_sums_shape", "kShape", fields)
    sums = scope.input(1) if layer.has_input(1) else "NULL"
    name = f"tinsmith_channel_sums_{SUFFIX[layer.input(0).dtype]}"
    return Emission((shape, call(name, ["&kShape", scope.input(0), sums, scope.output])))


def emit_average_of_sums(layer: Layer, scope: Scope) -> Emission:
    """Element by element."""
    operator, output = layer.operator_as(AverageOfSums), layer.output
    p = pool_parameters(operator, layer.inputs, output)
    halves = (
        "kTinsmithHalvesUp"
        if operator.halves_up
        else "kTinsmithHalvesToEven"
        if operator.halves_to_even
        else "kTinsmithHalvesAway"
    )
    assert output.quantization is not None
    fields = {
        "elements": output.elements,
        "count": operator.count,
        "halves": halves,
        "zero_point": output.quantization.zero_point,
        "clamp_min": p.clamp_min,
        "clamp_max": p.clamp_max,
    }
    parameters = initializer("tinsmith_average_of_sums_parameters", "kParameters", fields)
    name = f"tinsmith_average_of_sums_{SUFFIX[output.dtype]}"
    return Emission((parameters, call(name, ["&kParameters", scope.input(0), scope.output])))


def mean_of_sums_walk(layer: Layer) -> Walk:
    """Element by element, whatever the shapes."""
    return rows_walk(layer, layer.output.elements, is_staged=True)


def emit_mean_of_sums(layer: Layer, scope: Scope) -> Emission:
    """Element by element."""
    operator = layer.operator_as(MeanOfSums)
    p = operator.parameters(layer.output)
    fields = {"elements": layer.output.elements, "count": operator.count}
    shape = initializer("tinsmith_mean_of_sums_shape", "kShape", fields)
    name = rounded(f"tinsmith_mean_of_sums_{SUFFIX[layer.output.dtype]}", p.rounding)
    arguments = ["&kShape", "&kParameters", scope.input(0), scope.output]
    return Emission((shape, mean_parameters(p), call(name, arguments)))


KERNELS = (
    *(
        kernel(
            f"tinsmith_channel_sums_{SUFFIX[dtype]}",
            ChannelSums,
            Signature((dtype, *sums), INT32),
            emit_channel_sums,
            walk=channel_sums_walk,
        )
        for dtype in (INT8, INT16)
        for sums in ((), (INT32,))
    ),
    *(
        kernel(
            f"tinsmith_average_of_sums_{SUFFIX[dtype]}",
            AverageOfSums,
            Signature((INT32,), dtype),
            emit_average_of_sums,
            walk=elementwise_walk,
        )
        for dtype in (INT8, INT16)
    ),
    *(
        found
        for dtype in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_mean_of_sums_{SUFFIX[dtype]}",
            MeanOfSums,
            Signature((INT32,), dtype),
            emit_mean_of_sums,
            walk=mean_of_sums_walk,
        )
    ),
)
