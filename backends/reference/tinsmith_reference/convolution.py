"""Conv2D and DepthwiseConv2D."""

from tinsmith_c import call, initializer
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_ir.parameters import ConvParameters, conv_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    Signature,
    Walk,
    Window,
    pixels_walk,
)

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
    """Definition of `kShape`."""
    operator = layer.operator_as(Convolution)
    batches, input_height, input_width, input_channels = layer.input(0).shape
    _, output_height, output_width, output_channels = layer.output.shape
    _, kernel_height, kernel_width, depth = layer.input(1).shape
    depthwise = isinstance(operator, DepthwiseConv2D)
    fields = {
        "batches": batches,
        "input_height": input_height,
        "input_width": input_width,
        "input_channels": input_channels,
        "output_height": output_height,
        "output_width": output_width,
        "output_channels": output_channels,
        "kernel_height": kernel_height,
        "kernel_width": kernel_width,
        "groups": input_channels if depthwise else input_channels // depth,
        "stride_height": operator.stride[0],
        "stride_width": operator.stride[1],
        "dilation_height": operator.dilation[0],
        "dilation_width": operator.dilation[1],
        "padding_top": operator.padding[0],
        "padding_left": operator.padding[2],
    }
    return initializer("tinsmith_conv2d_shape", "kShape", fields)


def _parameters(layer: Layer) -> ConvParameters:
    return conv_parameters(layer.operator_as(Convolution), layer.inputs, layer.output)


def prepare_integer(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights and bias as they are, multipliers and shifts."""
    return stage_constants(layer, _parameters(layer))


def emit_integer(layer: Layer, scope: Scope) -> Emission:
    """int8 or int16."""
    weighted = call_weighted(layer, scope)
    return Emission((_shape(layer), output_stage(scope, _parameters(layer)), weighted))


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operands = [scope.input(0), scope.input(1), scope.input(2), scope.output]
    return Emission(
        (
            _shape(layer),
            clamp_f32(layer.operator_as(Convolution).activation),
            call(f"tinsmith_{layer.operator.mnemonic}_f32", ["&kShape", "&kClamp", *operands]),
        )
    )


def emit_sums(layer: Layer, scope: Scope) -> Emission:
    """The accumulator itself."""
    return Emission((_shape(layer), call_sums(layer, scope)))


def walk(layer: Layer) -> Walk:
    """Pixel after pixel, channel after channel. Each channel of a depthwise convolution with one output reads a
    channel of its own, each of others the window once more.
    """
    operator = layer.operator_as(Convolution)
    _, input_height, input_width, input_channels = layer.input(0).shape
    _, output_height, output_width, output_channels = layer.output.shape
    height, width = (
        Window(given, made, taps, stride, padding, dilation)
        for given, made, taps, stride, padding, dilation in zip(
            (input_height, input_width),
            (output_height, output_width),
            layer.input(1).shape[1:3],
            operator.stride,
            operator.padding[::2],
            operator.dilation,
            strict=True,
        )
    )
    if isinstance(operator, DepthwiseConv2D) and input_channels == output_channels:
        return pixels_walk(layer, height, width, channels=output_channels)
    return pixels_walk(layer, height, width, overtaken=int(output_channels > 1))


KERNELS = (
    *(
        found
        for operator in (Conv2D, DepthwiseConv2D)
        for dtype in (INT8, INT16)
        for found in weighted_kernels(operator, dtype, emit_integer, prepare_integer, walk)
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_f32",
            operator,
            Signature((FLOAT32, FLOAT32, FLOAT32), FLOAT32),
            emit_float,
            walk=walk,
        )
        for operator in (Conv2D, DepthwiseConv2D)
    ),
    *(
        found
        for operator in (Conv2D, DepthwiseConv2D)
        for source, result in ((INT8, INT32), (INT16, INT32), (INT16, INT64))
        for found in sums_kernels(operator, source, result, emit_sums, walk)
    ),
)
