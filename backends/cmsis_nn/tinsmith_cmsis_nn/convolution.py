"""Conv2D and DepthwiseConv2D by the public API, and what the packed kernels share with it."""

from tinsmith_c import (
    Emission,
    FieldValue,
    Kernel,
    Layer,
    Scope,
    Signature,
    expression,
    initializer,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_ir.parameters import ConvParameters, conv_parameters
from tinsmith_target import Target

from tinsmith_cmsis_nn import sizes
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PUBLIC_HEADER,
    activation,
    context,
    dims,
    engine,
    nhwc,
    tile,
)

S8 = Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8)


def operator_of(layer: Layer) -> Conv2D | DepthwiseConv2D:
    """The layer's operator, which must be one of the two."""
    operator = layer.operator
    return operator if isinstance(operator, DepthwiseConv2D) else layer.operator_as(Conv2D)


def parameters_of(layer: Layer) -> ConvParameters:
    """Multipliers, offsets and clamp of the layer."""
    return conv_parameters(operator_of(layer), layer.inputs, layer.output)


def parameter_fields(layer: Layer) -> dict[str, FieldValue]:
    """Members of a cmsis_nn_conv_params or cmsis_nn_dw_conv_params."""
    operator, p = operator_of(layer), parameters_of(layer)
    depthwise = isinstance(operator, DepthwiseConv2D)
    multiplier = {"ch_mult": layer.output.shape[3] // layer.input(0).shape[3]} if depthwise else {}
    return {
        "input_offset": p.input_offset,
        "output_offset": p.output_offset,
        **multiplier,
        "stride": tile(*operator.stride),
        "padding": tile(operator.padding[0], operator.padding[2]),
        "dilation": tile(*operator.dilation),
        "activation": activation(p.clamp_min, p.clamp_max),
    }


def _parameters(layer: Layer) -> str:
    """Definition of `kParameters`."""
    depthwise = isinstance(layer.operator, DepthwiseConv2D)
    c_type = "cmsis_nn_dw_conv_params" if depthwise else "cmsis_nn_conv_params"
    return initializer(c_type, "kParameters", parameter_fields(layer))


def _scales(scope: Scope, multipliers: Array, shifts: Array) -> str:
    """Definition of `kScales`. CMSIS-NN's struct points to mutable numbers, which no kernel changes."""
    names = scope.constant("multipliers", multipliers), scope.constant("shifts", shifts)
    return initializer(
        "cmsis_nn_per_channel_quant_params",
        "kScales",
        {"multiplier": f"(int32_t *){names[0]}", "shift": f"(int32_t *){names[1]}"},
    )


def emit_public(layer: Layer, scope: Scope) -> Emission:
    """One call of a wrapper of the public API."""
    p = parameters_of(layer)
    depthwise = isinstance(layer.operator, DepthwiseConv2D)
    name = "arm_depthwise_conv_wrapper_s8" if depthwise else "arm_convolve_wrapper_s8"
    channels = layer.output.shape[3]
    arguments = [
        "&context",
        "&kParameters",
        "&kScales",
        dims(scope, nhwc(layer.input(0))),
        scope.input(0),
        dims(scope, nhwc(layer.input(1))),
        scope.input(1),
        dims(scope, (1, 1, 1, channels)),
        scope.input(2),
        dims(scope, nhwc(layer.output)),
        scope.output,
    ]
    return Emission(
        (_parameters(layer), _scales(scope, p.multipliers, p.shifts), context(scope)),
        expression(name, arguments),
    )


def kernels(target: Target, *, either_library: bool) -> tuple[Kernel, ...]:
    """The wrappers of arm_nnfunctions.h. either_library: with scratch for Arm's library too."""
    convolution = sizes.convolution_either if either_library else sizes.convolution_public
    depthwise = sizes.depthwise_either if either_library else sizes.depthwise_public
    return (
        Kernel(
            name="arm_convolve_wrapper_s8",
            backend=BACKEND,
            operator=Conv2D,
            signature=S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_public,
            scratch_bytes=convolution,
            engine=engine(target),
        ),
        Kernel(
            name="arm_depthwise_conv_wrapper_s8",
            backend=BACKEND,
            operator=DepthwiseConv2D,
            signature=S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_public,
            scratch_bytes=depthwise,
            engine=engine(target),
        ),
    )
