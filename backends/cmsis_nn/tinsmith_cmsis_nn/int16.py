"""Operators of int16 by int8, by the public API: convolutions, fully connected, Add, Mul and pools."""

from functools import partial

import numpy as np
from tinsmith_c import expression, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Conv2D,
    Convolution,
    DepthwiseConv2D,
    FullyConnected,
    MaxPool2D,
    Mul,
)
from tinsmith_ir.parameters import fully_connected_channel_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    Walk,
    constant_operands,
    elementwise_walk,
    loads_by_pixels,
    pixels_walk,
    pool_walk,
    rows_walk,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import convolution, elementwise, loads, pooling, sizes
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PUBLIC_HEADER,
    activation,
    context,
    dims,
    engine,
    implementation,
)
from tinsmith_cmsis_nn.fully_connected import scales_are_per_tensor
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.walks import windows

_S16 = DType.INT16
_WEIGHTED = Signature((_S16, DType.INT8, DType.INT32), _S16)
_OUTPUTS = 4
"""That are summed at once."""


def zero_points_are_zero(layer: Layer) -> str | None:
    """Zero points of int16 are 0."""
    types = (
        type_
        for type_ in (*layer.inputs, layer.output)
        if type_ is not None and type_.dtype is _S16
    )
    given = [type_.quantization.zero_point for type_ in types if type_.quantization is not None]
    return f"they are {given}" if any(given) else None


def has_no_groups(layer: Layer) -> str | None:
    """The convolution has one group."""
    groups = layer.input(0).shape[3] // layer.input(1).shape[3]
    return None if groups == 1 else f"it has {groups}"


def has_bias(layer: Layer) -> str | None:
    """There is a bias, so that sums have 64 bits."""
    return None if layer.has_input(2) else "there is none"


def _with_wide_bias(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Constant operands as they are, but the bias in 64 bits."""
    given = tuple(item for item in constant_operands(layer) if item != AsGiven(2))
    bias = layer.constant(2)
    return given if bias is None else (*given, Prepared("bias", bias.astype(np.int64)))


def prepare_convolution(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias in 64 bits, multipliers and shifts."""
    return (*_with_wide_bias(layer), *convolution.prepared_scales(layer))


def _bias(layer: Layer, scope: Scope) -> str:
    return scope.prepared("bias") if layer.has_input(2) else "NULL"


def emit_convolution(layer: Layer, scope: Scope) -> Emission:
    """One call of a wrapper. Of the two only the convolution takes its bias in a struct, which says the type."""
    shared = convolution.parameters(layer), convolution.scales(scope), context(scope)
    bias = _bias(layer, scope)
    if isinstance(layer.operator, DepthwiseConv2D):
        arguments = convolution.arguments(layer, scope, bias)
        return Emission(shared, expression("arm_depthwise_conv_wrapper_s16", arguments))
    wrapped = f"  const cmsis_nn_bias_data bias = {{{bias}, false}};"
    arguments = convolution.arguments(layer, scope, "&bias")
    return Emission((*shared, wrapped), expression("arm_convolve_wrapper_s16", arguments))


def emit_fully_connected(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_fully_connected_s16."""
    p = fully_connected_channel_parameters(
        layer.operator_as(FullyConnected), layer.inputs, layer.output
    )
    units, depth = layer.input(1).shape
    parameters = initializer(
        "cmsis_nn_fc_params",
        "kParameters",
        {
            "input_offset": 0,
            "filter_offset": 0,
            "output_offset": 0,
            "activation": activation(p.clamp_min, p.clamp_max),
        },
    )
    fields = {"multiplier": int(p.multipliers[0]), "shift": int(p.shifts[0])}
    scales = initializer("cmsis_nn_per_tensor_quant_params", "kScales", fields)
    arguments = [
        "&context",
        "&kParameters",
        "&kScales",
        dims(scope, (layer.input(0).elements // depth, 1, 1, depth)),
        scope.input(0),
        dims(scope, (depth, 1, 1, units)),
        scope.input(1),
        dims(scope, (1, 1, 1, units)),
        _bias(layer, scope),
        dims(scope, (layer.output.elements // units, 1, 1, units)),
        scope.output,
    ]
    return Emission(
        (parameters, scales, context(scope)), expression("arm_fully_connected_s16", arguments)
    )


def convolution_scratch(layer: Layer) -> int:
    """Of arm_convolve_s16(), Tinsmith's and Arm's: the names are the same, so either may be linked.

    Ours wants a window of int16, with MVE four, and what aligns them (`common/buffer_sizes_s16.c`), Arm's two windows,
    with MVE four, each rounded up to eight values.
    """
    _, height, width, channels = layer.input(1).shape
    depth = height * width * channels
    has_mve = implementation(layer.target) == "mve"
    ours = -(-2 * (4 if has_mve else 1) * depth // 4) * 4 + 4
    theirs = 8 * (-(-depth // 8) * 8) if has_mve else 4 * depth
    return max(ours, theirs)


def convolution_walk(layer: Layer) -> Walk:
    """common/convolve_s16.c copies windows, with MVE four before their outputs.

    Pixels it reads where they are, once for every four channels.
    """
    is_pixel = layer.input(1).shape[1:3] == (1, 1) and not any(
        layer.operator_as(Convolution).padding
    )
    return pixels_walk(layer, *windows(sizes.geometry(layer)), overtaken=int(is_pixel))


def depthwise_walk(layer: Layer) -> Walk:
    """common/depthwise_s16.c reads a window once for every few channels."""
    return pixels_walk(layer, *windows(sizes.geometry(layer)), overtaken=1)


def fully_connected_walk(layer: Layer) -> Walk:
    """common/rows_s16.c goes row by row of the input, read once for every four outputs."""
    units = layer.input(1).shape[0]
    return rows_walk(layer, layer.output.elements // units, is_staged=units <= _OUTPUTS)


def kernels(target: Target, *, either_library: bool) -> tuple[Kernel, ...]:
    """All of them. either_library: without those for which Arm's library wants scratch that ours does not."""
    kernel = partial(Kernel, backend=BACKEND, headers=(PUBLIC_HEADER,), engine=engine(target))
    weighted = partial(kernel, signature=_WEIGHTED)
    of_two = partial(kernel, signature=Signature((_S16, _S16), _S16), walk=elementwise_walk)
    pool = partial(
        kernel, signature=Signature((_S16,), _S16), emit=pooling.emit_pool, walk=pool_walk
    )
    weights = (weights_are_constant, zero_points_are_zero)
    shared = (
        weighted(
            name="arm_convolve_wrapper_s16",
            operator=Conv2D,
            emit=emit_convolution,
            rules=(*weights, has_no_groups),
            prepare=prepare_convolution,
            loads=loads.convolution_int16,
            scratch_bytes=convolution_scratch,
            walk=convolution_walk,
            guards=guards(target),
        ),
        weighted(
            name="arm_fully_connected_s16",
            operator=FullyConnected,
            emit=emit_fully_connected,
            rules=(*weights, has_bias, scales_are_per_tensor),
            prepare=_with_wide_bias,
            walk=fully_connected_walk,
        ),
        of_two(
            name="arm_elementwise_add_s16",
            operator=Add,
            emit=elementwise.emit_add,
            rules=(
                elementwise.shapes_are_equal,
                zero_points_are_zero,
                elementwise.shifts_are_right,
            ),
        ),
        of_two(
            name="arm_elementwise_mul_s16",
            operator=Mul,
            emit=elementwise.emit_mul,
            rules=(elementwise.shapes_are_equal, zero_points_are_zero),
        ),
        pool(name="arm_max_pool_s16", operator=MaxPool2D),
    )
    if either_library:
        return shared
    return (
        *shared,
        weighted(
            name="arm_depthwise_conv_wrapper_s16",
            operator=DepthwiseConv2D,
            emit=emit_convolution,
            rules=weights,
            prepare=prepare_convolution,
            loads=loads_by_pixels(1),
            walk=depthwise_walk,
        ),
        pool(
            name="arm_avgpool_s16",
            operator=AveragePool2D,
            rules=(pooling.rounds_halves_away,),
        ),
    )
