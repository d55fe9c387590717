"""Conv2D and DepthwiseConv2D by the kernels on arranged weights (`tinsmith_nn.h`)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_c import FieldValue, definition, expression, initializer, nested
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_lowering import (
    AsGiven,
    Choice,
    Emission,
    Kernel,
    Layer,
    Operand,
    Prepared,
    Scope,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import cost, loads, scratch, scratch_mve, sizes, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    dims,
    engine,
    implementation,
    input_zero_point,
    nhwc,
    packed_constants,
)
from tinsmith_cmsis_nn.constant_channels import Channels, settle_constant_channels
from tinsmith_cmsis_nn.convolution import S8, parameter_fields, parameters_of
from tinsmith_cmsis_nn.depthwise_planes import no_multiplier, planes_pay
from tinsmith_cmsis_nn.geometry import Dims
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.helpers import (
    CONVOLUTION,
    CONVOLUTION_ANY,
    CONVOLUTION_SINGLE,
    DEPTHWISE,
    DEPTHWISE_3X3,
    DEPTHWISE_ANY,
    Kind,
    at_text,
    in_one_text,
    nearest_kind,
    operands_text,
    part_at_text,
    part_text,
    record_text,
)
from tinsmith_cmsis_nn.nearest import is_nearest
from tinsmith_cmsis_nn.packing import (
    PackedLayer,
    pack_convolution,
    pack_depthwise,
    refusal,
    surely_packs,
)
from tinsmith_cmsis_nn.rules import constant_bias, constant_s8


def input_is_computed(layer: Layer) -> str | None:
    """The input is computed at run time."""
    return None if layer.constant(0) is None else "it is a constant"


def no_groups(layer: Layer) -> str | None:
    """A packed convolution has one group."""
    channels, depth = layer.input(0).shape[3], layer.input(1).shape[3]
    return None if channels == depth else f"it has {channels // depth}"


def several_channels(layer: Layer) -> str | None:
    """A packed depthwise convolution has at least 2 channels."""
    return None if layer.output.shape[3] > 1 else "it has 1"


def several_input_channels(layer: Layer) -> str | None:
    """The input of a packed depthwise convolution has at least 2 channels."""
    return None if layer.input(0).shape[3] > 1 else "it has 1"


def strides_are_those_of_its_loops(layer: Layer) -> str | None:
    """With the DSP extension, stride 2 along the longer side is of 3x3 windows; its sister has a loop for others."""
    geometry = sizes.geometry(layer)
    along = 2 - scratch.strip_axis(geometry)
    is_3x3 = geometry.weights[1:3] == (3, 3) and geometry.stride == (2, 2)
    if implementation(layer.target) != "dsp" or is_3x3 or geometry.stride[along] != 2:
        return None
    return f"windows are {geometry.weights[1]}x{geometry.weights[2]}"


def no_dilation(layer: Layer) -> str | None:
    """A packed depthwise convolution is not dilated."""
    dilation = layer.operator_as(Convolution).dilation
    return None if dilation == (1, 1) else f"dilation is {dilation[0]}x{dilation[1]}"


def weights_pack(layer: Layer) -> str | None:
    """Weights, bias and scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    p = parameters_of(layer)
    if surely_packs(constant_s8(layer, 1), constant_bias(layer), p.multipliers, p.shifts):
        return None
    return refusal(lambda: packed(layer))


def weights_pack_for_any_shift(layer: Layer) -> str | None:
    """Weights, bias and scales can be arranged for the packed kernels of any scale (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer, any_shift=True))


def packed(layer: Layer, *, any_shift: bool = False) -> PackedLayer:
    """The layer's constants as the packed kernel of its target takes them; raises PackingError.

    any_shift: as that for scales of 0.5 and more takes them.
    """
    return packed_by(
        layer,
        partial(pack_convolution, any_shift=any_shift),
        partial(pack_depthwise, any_shift=any_shift),
    )


def packed_by(
    layer: Layer, convolution: Callable[..., PackedLayer], depthwise: Callable[..., PackedLayer]
) -> PackedLayer:
    """The layer's constants as `convolution` or `depthwise` arranges them, which take what `pack_convolution` and
    `pack_depthwise` do.
    """
    is_depthwise = _is_depthwise(layer)
    weights = constant_s8(layer, 1)
    channels = settled_channels(layer, weights.astype(np.int16), depthwise=is_depthwise)
    rows = channels.rows.astype(np.int8)
    built, zero_point = implementation(layer.target), input_zero_point(layer)
    scales = channels.bias, channels.multipliers, channels.shifts
    nearest = is_nearest(layer)
    if not is_depthwise:
        shaped = rows.reshape(weights.shape)
        return convolution(built, shaped, *scales, input_zero_point=zero_point, nearest=nearest)
    return depthwise(
        built,
        np.ascontiguousarray(rows.T).reshape(weights.shape),
        *scales,
        input_zero_point=zero_point,
        input_size=(layer.input(0).shape[1], layer.input(0).shape[2]),
        nearest=nearest,
    )


def settled_channels(layer: Layer, weights: NDArray[np.int16], *, depthwise: bool) -> Channels:
    """One row of weights per output channel, constant channels settled.

    weights: of the layer, their zero point subtracted.
    """
    parameters = parameters_of(layer)
    count = layer.output.shape[3]
    rows = weights.reshape(-1, count).T if depthwise else weights.reshape(count, -1)
    bias = constant_bias(layer)
    given = np.zeros(count, np.int32) if bias is None else bias
    channels = Channels(rows, given, parameters.multipliers, parameters.shifts)
    return settle_constant_channels(channels, parameters)


def prepare_packed(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the packed kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def prepare_packed_any(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The same for the kernels of any scale."""
    return packed_constants(layer, packed(layer, any_shift=True))


def convolution_options(layer: Layer) -> tuple[Choice, ...]:
    """Of how many pixels the DSP extension holds windows at once, and how many pixels of a 1x1 convolution MVE copies
    at once where outputs lie over them. More want more scratch, and weights are read less often.
    """
    built = implementation(layer.target)
    if built == "dsp":
        return (Choice(sizes.COLUMNS, (1, walks.DSP_PIXELS), walks.DSP_PIXELS),)
    if built == "c":
        return ()
    most = scratch_mve.pixels_at_once(sizes.geometry(layer))
    return (Choice(sizes.PIXELS, tuple(range(3, most + 1, 3)), most),) if most else ()


def depthwise_options(layer: Layer) -> tuple[Choice, ...]:
    """How many rows of a plane's output are made at once: more want more scratch, fewer copy halos more often. MVE goes
    by other pieces, of which there is no choice.
    """
    built = implementation(layer.target)
    if built == "mve":
        return ()
    geometry = sizes.geometry(layer)
    rows = tuple(range(1, scratch.strip_limit(geometry) + 1))
    return (Choice(sizes.STRIP, rows, scratch.usual_strip(built, geometry)),)


def emit_packed(layer: Layer, scope: Scope) -> Emission:
    """One call of a kernel for scales below 0.5."""
    if not _is_depthwise(layer):
        return emit_call(_convolution_kind(layer, CONVOLUTION), layer, scope)
    return emit_call(DEPTHWISE_3X3 if sizes.is_3x3_mve(layer) else DEPTHWISE, layer, scope)


def emit_packed_any(layer: Layer, scope: Scope) -> Emission:
    """One call of a kernel for any scale."""
    kind = DEPTHWISE_ANY if _is_depthwise(layer) else _convolution_kind(layer, CONVOLUTION_ANY)
    return emit_call(kind, layer, scope)


def _convolution_kind(layer: Layer, usual: Kind) -> Kind:
    """Scales of both kinds are the same to the one for single pixels."""
    is_single = implementation(layer.target) == "dsp" and sizes.columns(layer) == 1
    return CONVOLUTION_SINGLE if is_single else usual


def _is_depthwise(layer: Layer) -> bool:
    return isinstance(layer.operator, DepthwiseConv2D)


def emit_call(kind: Kind, layer: Layer, scope: Scope) -> Emission:
    """One call of a packed kernel."""
    shapes = (nhwc(layer.input(0)), _weight_dims(layer), nhwc(layer.output))
    top, _, left, _ = layer.operator_as(Convolution).padding
    return emit_record(kind, layer, scope, parameter_fields(layer), shapes, (top, left))


def emit_record(
    kind: Kind,
    layer: Layer,
    scope: Scope,
    parameters: Mapping[str, FieldValue],
    shapes: tuple[Dims, Dims, Dims],
    padding: tuple[int, int] | None = None,
) -> Emission:
    """A record with everything the packed kernel wants, and a call through the shared helper: eleven
    arguments in each layer would be much code. In a loop, the helper is told how far operands have moved. Of parts of
    one layer the first has such a record, others one of what is their own.

    kind: of the kernel that rounds as TFLite, or a final one. parameters: members of the kind's struct. shapes: of
    input, weights and output. padding: above and to the left, of layers that have parts.
    """
    kind = nearest_kind(kind) if is_nearest(layer) and not kind.is_final else kind
    scope.helper(operands_text(scope.place_type))
    scope.helper(record_text(kind))
    given, scratch = scope.inputs[0], scope.scratch
    if given is None:
        raise ValueError(f"layer {layer.name}: the input is absent")
    weights = scope.arranged(1, "weights", f"arranged for {implementation(layer.target)} kernels")
    multipliers, shifts = scope.prepared("multipliers"), scope.prepared("shifts")
    bias = scope.prepared("bias", f"{scope.layer}: bias, the zero point folded in")

    is_told = _is_told(scope)
    places: dict[str, FieldValue] = {
        "input": 0 if is_told else given.offset,
        "output": 0 if is_told else scope.outputs[0].offset,
        "scratch": scratch.offset if scratch and not is_told else 0,
        "scratch_bytes": scope.scratch_bytes,
    }

    def fields() -> dict[str, FieldValue]:
        names = ("input_dims", "weight_dims", "output_dims")
        sizes = {name: dims(scope, shape) for name, shape in zip(names, shapes, strict=True)}
        return {
            "parameters": nested(parameters),
            "scales": nested(
                {"multiplier": f"(int32_t *){multipliers}", "shift": f"(int32_t *){shifts}"}
            ),
            "weights": weights,
            "bias": bias,
            "operands": nested({**sizes, **places}),
        }

    if _can_be_part(scope, shapes, padding):
        own = {name: value for name, value in parameters.items() if name != "padding"}
        sizes_alike = [(shape[0], shape[3]) for shape in (shapes[0], shapes[2])], shapes[1][1:]
        key = repr((kind.name, own, sizes_alike, weights, bias, multipliers, shifts))
        whole = f"kCall_{scope.layer}"
        first = scope.first(key, whole, lambda: definition(f"{kind.name}_call", whole, fields()))
        if first == whole:
            return _called(kind, scope, (), f"&{whole}")
        scope.helper(part_text(scope.place_type, scope.extent_type))
        part: dict[str, FieldValue] = {
            "first": f"&{first}",
            "input_size": shapes[0][1:3],
            "output_size": shapes[2][1:3],
            "weights": shapes[1][0],
            "padding": padding or (),
            **places,
        }
        record = initializer("part_of_layer", "kPart", part)
        return _called(kind, scope, (record,), "&kPart", is_part=True)
    record = initializer(f"{kind.name}_call", "kCall", fields(), is_static=not scope.reads_copies)
    return _called(kind, scope, (record,), "&kCall")


def _can_be_part(
    scope: Scope, shapes: tuple[Dims, Dims, Dims], padding: tuple[int, int] | None
) -> bool:
    """Whether records of parts hold what a layer has of its own."""
    if padding is None or not scope.has_siblings or scope.reads_copies:
        return False
    extents = (*shapes[0][1:3], *shapes[2][1:3])
    most = 1 << 8 if scope.extent_type == "uint8_t" else 1 << 15
    return max(extents) < most and shapes[1][0] < 1 << 15 and max(padding) < 1 << 7


def _called(
    kind: Kind, scope: Scope, records: tuple[str, ...], record: str, *, is_part: bool = False
) -> Emission:
    """The call with a record, through the helper for where its operands lie."""
    scope.helper(at_text(kind))
    if is_part:
        scope.helper(part_at_text(kind))
    name = f"{kind.name}_part" if is_part else kind.name
    if _is_told(scope):
        operands = (scope.inputs[0], scope.outputs[0], scope.scratch)
        called = expression(f"{name}_at", [record, *map(_address, operands)])
    else:
        scope.helper(in_one_text(kind, is_part=is_part))
        called = expression(name, [record, "arena"])
    return Emission(records, called, follows_loops=True, follows_memories=True)


def _is_told(scope: Scope) -> bool:
    """Whether the call says where its operands are, as the record cannot."""
    operands = (scope.inputs[0], scope.outputs[0], scope.scratch)
    return any(operand and (operand.base or operand.motion) for operand in operands)


def _address(operand: Operand | None) -> str:
    """Of an operand's first byte."""
    if operand is None:
        return "NULL"
    start = f"(uint8_t *){operand.base}" if operand.base else "arena"
    parts = start, operand.offset, operand.motion
    return " + ".join(part for part in parts if part not in ("", "0"))


def _weight_dims(layer: Layer) -> Dims:
    """As the API has them; of a depthwise convolution by strips, the first is the strip."""
    outputs, height, width, inputs = nhwc(layer.input(1))
    strip = sizes.strip(layer) if _is_depthwise(layer) and layer.options else None
    return (outputs if strip is None else strip, height, width, inputs)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """The kernels of tinsmith_nn.h."""
    return (
        Kernel(
            name="tinsmith_convolve_packed_s8",
            backend=BACKEND,
            operator=Conv2D,
            signature=S8,
            headers=(PACKED_HEADER,),
            emit=emit_packed,
            takes_offsets=True,
            rules=(input_is_computed, no_groups, weights_are_constant, weights_pack),
            scratch_bytes=sizes.convolution_packed,
            options=convolution_options,
            walk=walks.convolve_packed,
            cost=cost.convolution,
            loads=loads.convolution,
            prepare=prepare_packed,
            engine=engine(target),
            checks=PACKED_CHECKS,
            guards=guards(target),
        ),
        Kernel(
            name="tinsmith_depthwise_packed_s8",
            backend=BACKEND,
            operator=DepthwiseConv2D,
            signature=S8,
            headers=(PACKED_HEADER,),
            emit=emit_packed,
            takes_offsets=True,
            rules=(
                input_is_computed,
                no_multiplier,
                several_channels,
                no_dilation,
                strides_are_those_of_its_loops,
                weights_are_constant,
                weights_pack,
            ),
            pays=(planes_pay,),
            scratch_bytes=sizes.depthwise_packed,
            options=depthwise_options,
            walk=walks.depthwise_packed,
            cost=cost.depthwise,
            loads=loads.depthwise,
            prepare=prepare_packed,
            engine=engine(target),
            checks=PACKED_CHECKS,
            guards=guards(target),
        ),
    )


def any_kernels(target: Target) -> tuple[Kernel, ...]:
    """Their sisters for scales of any size and any channel multiplier; with MVE the kernels above take any scale."""
    if implementation(target) == "mve":
        return ()
    convolution, depthwise = kernels(target)
    return (
        replace(
            convolution,
            name="tinsmith_convolve_packed_any_s8",
            emit=emit_packed_any,
            rules=(input_is_computed, no_groups, weights_are_constant, weights_pack_for_any_shift),
            prepare=prepare_packed_any,
        ),
        replace(
            depthwise,
            name="tinsmith_depthwise_packed_any_s8",
            emit=emit_packed_any,
            rules=(
                input_is_computed,
                several_input_channels,
                no_dilation,
                weights_are_constant,
                weights_pack_for_any_shift,
            ),
            walk=walks.depthwise_packed_any,
            prepare=prepare_packed_any,
        ),
    )
