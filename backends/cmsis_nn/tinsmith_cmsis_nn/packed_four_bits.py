"""Conv2D and DepthwiseConv2D by the packed kernels on weights of four bits (`tinsmith_nn.h`)."""

from functools import partial

from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_lowering import (
    AsGiven,
    Kernel,
    Layer,
    Loads,
    Prepared,
    Walk,
    loads_by_pixels,
    pixels_walk,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import loads, scratch, scratch_mve, sizes, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    engine,
    implementation,
    packed_constants,
)
from tinsmith_cmsis_nn.depthwise_planes import FEW_WINDOWS
from tinsmith_cmsis_nn.four_bits import S4
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.helpers import (
    CONVOLUTION_FOUR_BITS,
    DEPTHWISE_ANY_FOUR_BITS,
    DEPTHWISE_FOUR_BITS,
)
from tinsmith_cmsis_nn.packed_convolution import (
    depthwise_options,
    emit_call,
    input_is_computed,
    no_dilation,
    no_groups,
    no_multiplier,
    packed_by,
    several_channels,
    several_input_channels,
    strides_are_those_of_its_loops,
)
from tinsmith_cmsis_nn.packing import PackedLayer, refusal
from tinsmith_cmsis_nn.packing_four_bits import (
    pack_convolution_four_bits,
    pack_depthwise_four_bits,
)


def weights_pack(layer: Layer) -> str | None:
    """Weights of four bits, bias and scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer))


def weights_pack_for_any_shift(layer: Layer) -> str | None:
    """Weights of four bits, bias and any scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer, any_shift=True))


def packed(layer: Layer, *, any_shift: bool = False) -> PackedLayer:
    """The layer's constants as the packed kernel of its target takes them; raises PackingError.

    any_shift: as that for scales of 0.5 and more takes them, of a depthwise convolution.
    """
    return packed_by(
        layer,
        pack_convolution_four_bits,
        partial(pack_depthwise_four_bits, any_shift=any_shift),
    )


def prepare(layer: Layer, *, any_shift: bool = False) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the packed kernel of the target takes them."""
    return packed_constants(layer, packed(layer, any_shift=any_shift))


def convolution_walk(layer: Layer) -> Walk | None:
    """dsp/convolve_columns.h copies the windows of two pixels before it writes them; mve/convolve_packed_s4.c some, and
    comes back to all for each part of the channels; plain C as with bytes.
    """
    geometry = sizes.geometry(layer)
    height, width = walks.windows(geometry)
    match implementation(layer.target):
        case "dsp":
            return pixels_walk(layer, height, width, together=walks.DSP_PIXELS)
        case "c":
            return walks.convolve_packed(layer)
        case "mve":
            is_whole = scratch_mve.widened_channels(geometry) == layer.output.shape[3]
            is_copied = not scratch_mve.fields_in_place(geometry)
            return pixels_walk(layer, height, width) if is_whole and is_copied else None


def convolution_loads(layer: Layer) -> Loads:
    """Over all of them for each pair of pixels with the DSP extension, in plain C for each three; with MVE over weights
    once.
    """
    match implementation(layer.target):
        case "dsp":
            return loads_by_pixels(walks.DSP_PIXELS)(layer)
        case "c":
            return loads.convolution(layer)
        case "mve":
            return Loads(1, loads.public(layer).others)


def _convolution_scratch(layer: Layer) -> int:
    geometry = sizes.geometry(layer)
    match implementation(layer.target):
        case "dsp":
            return scratch.convolve_columns(geometry, walks.DSP_PIXELS)
        case "c":
            return scratch.convolve_packed("c", geometry)
        case "mve":
            return scratch_mve.convolve_widened(geometry)


def _depthwise_scratch(layer: Layer) -> int:
    """Weights as bytes, and what the kernel on bytes wants."""
    widened = scratch.widened_four_bits(sizes.geometry(layer))
    return widened + sizes.depthwise_packed(layer)


def windows_are_many(layer: Layer) -> str | None:
    """Planes are for more than 8 windows; weights of four bits have no kernel for fewer on arranged weights."""
    windows = layer.output.shape[1] * layer.output.shape[2]
    return None if windows > FEW_WINDOWS else f"it has {windows}"


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Convolutions and depthwise ones."""
    built = implementation(target)
    convolution = Kernel(
        name="tinsmith_convolve_packed_s4",
        backend=BACKEND,
        operator=Conv2D,
        signature=S4,
        headers=(PACKED_HEADER,),
        emit=partial(emit_call, CONVOLUTION_FOUR_BITS),
        takes_offsets=True,
        rules=(input_is_computed, no_groups, weights_are_constant, weights_pack),
        scratch_bytes=_convolution_scratch,
        walk=convolution_walk,
        loads=convolution_loads,
        prepare=prepare,
        engine=engine(target),
        checks=PACKED_CHECKS,
        guards=guards(target),
    )
    depthwise = Kernel(
        name="tinsmith_depthwise_packed_s4",
        backend=BACKEND,
        operator=DepthwiseConv2D,
        signature=S4,
        headers=(PACKED_HEADER,),
        emit=partial(emit_call, DEPTHWISE_FOUR_BITS),
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
        pays=(windows_are_many,),
        scratch_bytes=_depthwise_scratch,
        options=depthwise_options,
        walk=walks.depthwise_packed,
        loads=loads.depthwise_four_bits,
        prepare=prepare,
        engine=engine(target),
        checks=PACKED_CHECKS,
        guards=guards(target),
    )
    depthwise_any = Kernel(
        name="tinsmith_depthwise_packed_any_s4",
        backend=BACKEND,
        operator=DepthwiseConv2D,
        signature=S4,
        headers=(PACKED_HEADER,),
        emit=partial(emit_call, DEPTHWISE_ANY_FOUR_BITS),
        takes_offsets=True,
        rules=(
            input_is_computed,
            several_input_channels,
            no_dilation,
            weights_are_constant,
            weights_pack_for_any_shift,
        ),
        pays=(windows_are_many,),
        scratch_bytes=_depthwise_scratch,
        options=depthwise_options,
        walk=walks.depthwise_packed_any,
        loads=loads.depthwise_four_bits,
        prepare=partial(prepare, any_shift=True),
        engine=engine(target),
        checks=PACKED_CHECKS,
        guards=guards(target),
    )
    match built:
        case "dsp":
            return (convolution, depthwise, depthwise_any)
        case "c":
            return (convolution, depthwise, depthwise_any)
        case "mve":
            return (convolution, depthwise)
