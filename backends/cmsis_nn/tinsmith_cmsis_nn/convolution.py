"""Conv2D and DepthwiseConv2D by the public API, and what the packed kernels share with it."""

from collections.abc import Callable
from dataclasses import replace

from tinsmith_c import FieldValue, expression, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.parameters import ConvParameters, conv_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import loads, sizes
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    PUBLIC_HEADER,
    activation,
    context,
    dims,
    engine,
    input_zero_point,
    nhwc,
    tile,
)
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.nearest import full_width, is_nearest, rounded, sister
from tinsmith_cmsis_nn.packing import check_sums, refusal
from tinsmith_cmsis_nn.rules import constant_bias, constant_s8

S8 = Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8)


def parameters_of(layer: Layer) -> ConvParameters:
    """Multipliers, offsets and clamp of the layer."""
    found = conv_parameters(layer.operator_as(Convolution), layer.inputs, layer.output)
    return full_width(found) if is_nearest(layer) else found


def parameter_fields(layer: Layer) -> dict[str, FieldValue]:
    """Members of a cmsis_nn_conv_params or cmsis_nn_dw_conv_params."""
    operator, p = layer.operator_as(Convolution), parameters_of(layer)
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


def parameters(layer: Layer) -> str:
    """Definition of `kParameters`."""
    depthwise = isinstance(layer.operator, DepthwiseConv2D)
    c_type = "cmsis_nn_dw_conv_params" if depthwise else "cmsis_nn_conv_params"
    return initializer(c_type, "kParameters", parameter_fields(layer))


def prepare_public(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands as they are, multipliers and shifts."""
    return (*constant_operands(layer), *prepared_scales(layer))


def prepared_scales(layer: Layer) -> tuple[Prepared, Prepared]:
    """Multipliers and shifts of each channel, which `scales` points to."""
    p = parameters_of(layer)
    return Prepared("multipliers", p.multipliers), Prepared("shifts", p.shifts)


def scales(scope: Scope) -> str:
    """Definition of `kScales`. CMSIS-NN's struct points to mutable numbers, which no kernel changes."""
    names = scope.prepared("multipliers"), scope.prepared("shifts")
    return initializer(
        "cmsis_nn_per_channel_quant_params",
        "kScales",
        {"multiplier": f"(int32_t *){names[0]}", "shift": f"(int32_t *){names[1]}"},
        is_static=not scope.reads_copies,
    )


def weights(layer: Layer, scope: Scope) -> str:
    """C expression of the weights: as they are, or of four bits as `prepare` packed them."""
    if layer.input(1).dtype is not DType.INT4:
        return scope.input(1)
    return scope.arranged(1, "weights", "two in each byte")


def arguments(layer: Layer, scope: Scope, bias: str) -> list[str]:
    """Those of every wrapper. bias: its expression."""
    return [
        "&context",
        "&kParameters",
        "&kScales",
        dims(scope, nhwc(layer.input(0))),
        scope.input(0),
        dims(scope, nhwc(layer.input(1))),
        weights(layer, scope),
        dims(scope, (1, 1, 1, layer.output.shape[3])),
        bias,
        dims(scope, nhwc(layer.output)),
        scope.output,
    ]


def sums_fit(layer: Layer) -> str | None:
    """Rounded once, an accumulator that is shifted to the left stays within 32 bits."""
    channels = layer.output.shape[3]
    data = constant_s8(layer, 1)
    is_depthwise = isinstance(layer.operator, DepthwiseConv2D)
    rows = data.reshape(-1, channels).T if is_depthwise else data.reshape(channels, -1)
    shifts, zero_point = parameters_of(layer).shifts, input_zero_point(layer)
    bias = constant_bias(layer)
    return refusal(lambda: check_sums(rows, bias, shifts, input_zero_point=zero_point))


def emit_call(function: str) -> Callable[[Layer, Scope], Emission]:
    """One call of a function with the operands of a wrapper."""

    def emit(layer: Layer, scope: Scope) -> Emission:
        named = rounded(function, layer)
        called = expression(named, arguments(layer, scope, scope.input(2)))
        return Emission((parameters(layer), scales(scope), context(scope)), called)

    return emit


def public_kernels(target: Target) -> tuple[Kernel, ...]:
    """The wrappers of arm_nnfunctions.h, with scratch for Tinsmith's library and for Arm's."""
    return (
        _wrapper(target, Conv2D, "arm_convolve_wrapper_s8", sizes.convolution_either),
        _wrapper(target, DepthwiseConv2D, "arm_depthwise_conv_wrapper_s8", sizes.depthwise_either),
    )


def named_kernels(target: Target) -> tuple[Kernel, ...]:
    """The same by names that only Tinsmith's library has, of one implementation: scratch is for that
    one, and another does not link.
    """
    twice = tuple(
        replace(kernel, headers=(PACKED_HEADER,), checks=PACKED_CHECKS)
        for kernel in (
            _wrapper(target, Conv2D, "tinsmith_convolve_s8", sizes.convolution_public),
            _wrapper(target, DepthwiseConv2D, "tinsmith_depthwise_s8", sizes.depthwise_public),
        )
    )
    rules = (weights_are_constant, sums_fit)
    return (*twice, *(replace(sister(kernel), rules=rules) for kernel in twice))


def _wrapper(
    target: Target, operator: type[Operator], name: str, scratch_bytes: Callable[[Layer], int]
) -> Kernel:
    return Kernel(
        name=name,
        backend=BACKEND,
        operator=operator,
        signature=S8,
        headers=(PUBLIC_HEADER,),
        emit=emit_call(name),
        scratch_bytes=scratch_bytes,
        prepare=prepare_public,
        loads=loads.public,
        engine=engine(target),
        guards=guards(target),
    )
