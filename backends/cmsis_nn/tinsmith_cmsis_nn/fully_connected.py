"""FullyConnected, by the packed kernel and by the public API."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_c import expression, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BlockwiseFullyConnected, FullyConnected
from tinsmith_ir.parameters import ConvParameters, fully_connected_channel_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
    loads_by_pixels,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import loads, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    PUBLIC_HEADER,
    activation,
    context,
    dims,
    engine,
    implementation,
    input_zero_point,
    packed_constants,
)
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.nearest import full_width, is_nearest, rounded, sister
from tinsmith_cmsis_nn.packing import (
    PackedLayer,
    check_sums,
    pack_fully_connected,
    pack_fully_connected_small,
    refusal,
)
from tinsmith_cmsis_nn.packing_mve import small_blocks
from tinsmith_cmsis_nn.rules import constant_bias, constant_s8

# Up to here a layer takes fewer instructions than by the kernel for any; another kernel beside that is more code.
_SMALL_BLOCKS = 48

_S8 = Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8)


def _operator(layer: Layer) -> FullyConnected | BlockwiseFullyConnected:
    if isinstance(layer.operator, BlockwiseFullyConnected):
        return layer.operator
    return layer.operator_as(FullyConnected)


def _parameters_of(layer: Layer) -> ConvParameters:
    operator = _operator(layer)
    found = fully_connected_channel_parameters(operator, layer.inputs, layer.output)
    return full_width(found) if is_nearest(layer) else found


def _is_per_channel(layer: Layer) -> bool:
    quantization = layer.input(1).quantization
    return quantization is not None and len(quantization.scales) > 1


def stage(layer: Layer) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Multipliers and shifts: one of each, or one per output."""
    p = _parameters_of(layer)
    kept = slice(None) if _is_per_channel(layer) else slice(0, 1)
    return p.multipliers[kept], p.shifts[kept]


def packed_by(layer: Layer, pack: Callable[..., PackedLayer]) -> PackedLayer:
    """The layer's constants as `pack` arranges them, which takes what `pack_fully_connected` does."""
    multipliers, shifts = stage(layer)
    return pack(
        implementation(layer.target),
        constant_s8(layer, 1),
        constant_bias(layer),
        multipliers,
        shifts,
        input_zero_point=input_zero_point(layer),
        nearest=is_nearest(layer),
    )


def packed(layer: Layer, *, deep: bool = False) -> PackedLayer:
    """The layer's constants as the packed kernel of its target takes them; raises PackingError.

    deep: as that for weights of any sum takes them.
    """
    return packed_by(layer, partial(pack_fully_connected, deep=deep))


def packed_small(layer: Layer) -> PackedLayer:
    """The same for the kernel for few weights."""
    multipliers, shifts = stage(layer)
    return pack_fully_connected_small(
        constant_s8(layer, 1),
        constant_bias(layer),
        multipliers,
        shifts,
        input_zero_point=input_zero_point(layer),
        nearest=is_nearest(layer),
    )


def weights_pack(layer: Layer) -> str | None:
    """Weights, bias and scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer))


def weights_pack_for_any_sum(layer: Layer) -> str | None:
    """Weights of any sum, bias and scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer, deep=True))


def weights_are_few(layer: Layer) -> str | None:
    """Weights fill at most 48 vectors of 16, four rows at a time."""
    blocks = small_blocks(*layer.input(1).shape)
    return None if blocks <= _SMALL_BLOCKS else f"they fill {blocks}"


def small_weights_pack(layer: Layer) -> str | None:
    """Weights, bias and scales can be arranged for the kernel for few weights (`tinsmith_nn.h`)."""
    return refusal(lambda: packed_small(layer))


def scales_are_per_tensor(layer: Layer) -> str | None:
    """Weights have one scale."""
    return "they have one per output" if _is_per_channel(layer) else None


def _parameters(layer: Layer) -> str:
    p = _parameters_of(layer)
    fields = {
        "input_offset": p.input_offset,
        "filter_offset": 0,
        "output_offset": p.output_offset,
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return initializer("cmsis_nn_fc_params", "kParameters", fields)


def _input_dims(layer: Layer, scope: Scope) -> str:
    depth = layer.input(1).shape[1]
    return dims(scope, (layer.input(0).elements // depth, 1, 1, depth))


def _weight_dims(layer: Layer, scope: Scope) -> str:
    units, depth = layer.input(1).shape
    return dims(scope, (depth, 1, 1, units))


def _output_dims(layer: Layer, scope: Scope) -> str:
    units = layer.input(1).shape[0]
    return dims(scope, (layer.output.elements // units, 1, 1, units))


def prepare_packed(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the packed kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def prepare_packed_deep(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The same for the kernel for weights of any sum."""
    return packed_constants(layer, packed(layer, deep=True))


def prepare_packed_small(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The same for the kernel for few weights."""
    return packed_constants(layer, packed_small(layer))


def prepare_public(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands as they are, scales that are no numbers of the call, and MVE's effective bias."""
    found: list[Prepared | AsGiven] = [*constant_operands(layer)]
    if _is_per_channel(layer):
        multipliers, shifts = stage(layer)
        found += [Prepared("multipliers", multipliers), Prepared("shifts", shifts)]
    if implementation(layer.target) == "mve":
        found.append(Prepared("sums", _effective_bias(layer)))
    return tuple(found)


def emit_packed(layer: Layer, scope: Scope) -> Emission:
    """One call of the packed kernel."""
    return emit_packed_call("tinsmith_fully_connected_packed_s8", layer, scope)


def emit_packed_deep(layer: Layer, scope: Scope) -> Emission:
    """One call of the packed kernel for weights of any sum."""
    return emit_packed_call("tinsmith_fully_connected_packed_deep_s8", layer, scope)


def emit_packed_small(layer: Layer, scope: Scope) -> Emission:
    """One call of the packed kernel for few weights."""
    return emit_packed_call("tinsmith_fully_connected_small_s8", layer, scope)


def emit_packed_call(function: str, layer: Layer, scope: Scope, *more: str) -> Emission:
    """One call of a function on arranged weights. function: the one that rounds as TFLite. more: arguments behind the
    bias.
    """
    names = scope.prepared("multipliers"), scope.prepared("shifts")
    scales = initializer(
        "cmsis_nn_quant_params",
        "kScales",
        {
            "multiplier": f"(int32_t *){names[0]}",
            "shift": f"(int32_t *){names[1]}",
            "is_per_channel": int(_is_per_channel(layer)),
        },
        is_static=not scope.reads_copies,
    )
    arguments = [
        "&context",
        "&kParameters",
        "&kScales",
        _input_dims(layer, scope),
        scope.input(0),
        _weight_dims(layer, scope),
        scope.arranged(1, "weights", f"arranged for {implementation(layer.target)} kernels"),
        scope.prepared("bias", f"{scope.layer}: bias with the input's zero point folded in"),
        *more,
        _output_dims(layer, scope),
        scope.output,
    ]
    return Emission(
        (_parameters(layer), scales, context(scope)),
        expression(rounded(function, layer), arguments),
    )


def emit_public(layer: Layer, scope: Scope) -> Emission:
    """One call of the public API. With MVE its context holds the effective bias, a constant here."""
    per_channel = _is_per_channel(layer)
    name = "arm_fully_connected_per_channel_s8" if per_channel else "arm_fully_connected_s8"
    return emit_public_call(
        rounded(name, layer),
        layer,
        scope,
        scope.input(1),
        sums=implementation(layer.target) == "mve",
    )


def emit_public_call(
    name: str, layer: Layer, scope: Scope, weights: str, *, sums: bool = False
) -> Emission:
    """One call of a function of the public API. weights: C expression. sums: whether its context holds the effective
    bias.
    """
    bias_dims = dims(scope, (1, 1, 1, layer.input(1).shape[0]))
    arguments = [
        "&context",
        "&kParameters",
        "&kScales",
        _input_dims(layer, scope),
        scope.input(0),
        _weight_dims(layer, scope),
        weights,
        bias_dims,
        scope.input(2),
        _output_dims(layer, scope),
        scope.output,
    ]
    scales = _public_scales(layer, scope)
    buffer = _sums(layer, scope) if sums else context(scope)
    return Emission((_parameters(layer), scales, buffer), expression(name, arguments))


def _public_scales(layer: Layer, scope: Scope) -> str:
    if not _is_per_channel(layer):
        multipliers, shifts = stage(layer)
        fields = {"multiplier": int(multipliers[0]), "shift": int(shifts[0])}
        return initializer("cmsis_nn_per_tensor_quant_params", "kScales", fields)
    names = scope.prepared("multipliers"), scope.prepared("shifts")
    pointers = {"multiplier": f"(int32_t *){names[0]}", "shift": f"(int32_t *){names[1]}"}
    is_static = not scope.reads_copies
    return initializer(
        "cmsis_nn_per_channel_quant_params", "kScales", pointers, is_static=is_static
    )


def _effective_bias(layer: Layer) -> NDArray[np.int32]:
    """What arm_vector_sum_s8 would compute before every run: bias + offset * sum of the weights."""
    weights = constant_s8(layer, 1)
    bias = constant_bias(layer)
    sums = -input_zero_point(layer) * weights.sum(axis=1, dtype=np.int64)
    total = sums + (0 if bias is None else bias.astype(np.int64))
    return total.astype(np.int32)


def _sums(layer: Layer, scope: Scope) -> str:
    """Definition of the local `context`: the effective bias."""
    name = scope.prepared("sums", f"{scope.layer}: results of arm_vector_sum_s8")
    return f"  const cmsis_nn_context context = {{(void *){name}, {4 * layer.input(1).shape[0]}}};"


def packed_kernels(target: Target) -> tuple[Kernel, ...]:
    """The kernels of tinsmith_nn.h: the DSP extension has another for weights of any sum, MVE for few weights."""
    kernel = Kernel(
        name="tinsmith_fully_connected_packed_s8",
        backend=BACKEND,
        operator=FullyConnected,
        signature=_S8,
        headers=(PACKED_HEADER,),
        emit=emit_packed,
        prepare=prepare_packed,
        loads=loads_by_pixels(1),
        walk=walks.fully_connected_packed,
        rules=(weights_are_constant, weights_pack),
        engine=engine(target),
        checks=PACKED_CHECKS,
        guards=guards(target),
    )
    if implementation(target) == "c":
        return (kernel,)
    if implementation(target) == "mve":
        small = replace(
            kernel,
            name="tinsmith_fully_connected_small_s8",
            emit=emit_packed_small,
            prepare=prepare_packed_small,
            walk=walks.fully_connected_small,
            rules=(weights_are_constant, weights_are_few, small_weights_pack),
        )
        return (small, kernel)
    deep = replace(
        kernel,
        name="tinsmith_fully_connected_packed_deep_s8",
        emit=emit_packed_deep,
        prepare=prepare_packed_deep,
        rules=(weights_are_constant, weights_pack_for_any_sum),
    )
    return (kernel, deep)


def sums_fit(layer: Layer) -> str | None:
    """Rounded once, an accumulator that is shifted to the left stays within 32 bits."""
    weights, bias, zero_point = constant_s8(layer, 1), constant_bias(layer), input_zero_point(layer)
    _, shifts = stage(layer)
    return refusal(lambda: check_sums(weights, bias, shifts, input_zero_point=zero_point))


def nearest_kernels(target: Target) -> tuple[Kernel, ...]:
    """Those that are like the functions of arm_nnfunctions.h, but round once."""
    constant = (weights_are_constant, sums_fit)
    return tuple(
        replace(
            sister(kernel),
            rules=(*(rule for rule in kernel.rules if rule not in constant), *constant),
            checks=PACKED_CHECKS,
        )
        for kernel in public_kernels(target)
    )


def public_kernels(target: Target) -> tuple[Kernel, ...]:
    """The functions of arm_nnfunctions.h."""
    constant = (weights_are_constant,) if implementation(target) == "mve" else ()
    return tuple(
        Kernel(
            name=name,
            backend=BACKEND,
            operator=FullyConnected,
            signature=_S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_public,
            prepare=prepare_public,
            loads=loads.fully_connected,
            rules=(*rules, *constant),
            engine=engine(target),
            guards=guards(target),
        )
        for name, rules in (
            ("arm_fully_connected_s8", (scales_are_per_tensor,)),
            ("arm_fully_connected_per_channel_s8", ()),
        )
    )
