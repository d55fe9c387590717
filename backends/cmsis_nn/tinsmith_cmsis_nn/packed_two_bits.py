"""Conv2D and DepthwiseConv2D by the packed kernels on weights of two bits (`tinsmith_nn_two_bits.h`)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import (
    AsGiven,
    Kernel,
    Layer,
    Loads,
    Prepared,
    Signature,
    Walk,
    loads_by_pixels,
    pixels_walk,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import loads, scratch, sizes, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    engine,
    implementation,
    packed_constants,
)
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.helpers import (
    CONVOLUTION_ANY_TWO_BITS,
    CONVOLUTION_TWO_BITS,
    DEPTHWISE_ANY_TWO_BITS,
    DEPTHWISE_TWO_BITS,
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
from tinsmith_cmsis_nn.packing import CHANNEL_GROUP, PackedLayer, refusal
from tinsmith_cmsis_nn.packing_two_bits import (
    pack_convolution_two_bits,
    pack_depthwise_two_bits,
)

HEADER = "tinsmith_nn_two_bits.h"
S2 = Signature((DType.INT8, DType.INT2, DType.INT32), DType.INT8)


def weights_pack(layer: Layer) -> str | None:
    """Weights of two bits, bias and scales can be arranged for the packed kernels (`tinsmith_nn_two_bits.h`)."""
    return refusal(lambda: packed(layer))


def weights_pack_for_any_shift(layer: Layer) -> str | None:
    """Weights of two bits, bias and any scales can be arranged for the packed kernels (`tinsmith_nn_two_bits.h`)."""
    return refusal(lambda: packed(layer, any_shift=True))


def packed(layer: Layer, *, any_shift: bool = False) -> PackedLayer:
    """The layer's constants as the packed kernel of its target takes them; raises PackingError.

    any_shift: as that for scales of 0.5 and more takes them.
    """
    return packed_by(
        layer,
        partial(pack_convolution_two_bits, any_shift=any_shift),
        partial(pack_depthwise_two_bits, any_shift=any_shift),
    )


def prepare(layer: Layer, *, any_shift: bool = False) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the packed kernel of the target takes them."""
    return packed_constants(layer, packed(layer, any_shift=any_shift))


def convolution_walk(layer: Layer) -> Walk | None:
    """dsp/convolve_columns.h copies the windows of two pixels before it writes them; the others are those on bytes."""
    if implementation(layer.target) != "dsp":
        return walks.convolve_packed(layer)
    height, width = walks.windows(sizes.geometry(layer))
    return pixels_walk(layer, height, width, together=walks.DSP_PIXELS)


def convolution_loads(layer: Layer) -> Loads:
    """Over all of them for each pair of pixels with the DSP extension; the others make bytes of weights once."""
    if implementation(layer.target) == "dsp":
        return loads_by_pixels(walks.DSP_PIXELS)(layer)
    return Loads(1, loads.convolution(layer).others)


def _convolution_scratch(layer: Layer) -> int:
    """With the DSP extension the windows of two pixels; else weights as bytes, and what the kernel on bytes wants."""
    geometry = sizes.geometry(layer)
    if implementation(layer.target) == "dsp":
        return scratch.convolve_columns(geometry, walks.DSP_PIXELS)
    return scratch.widened_two_bits(_kept_weights(layer)) + sizes.convolution_packed(layer)


def _kept_weights(layer: Layer) -> int:
    """Of a convolution, with those that plain C has of channels that are missing to a group."""
    channels, height, width, depth = layer.input(1).shape
    together = CHANNEL_GROUP if implementation(layer.target) == "c" else 1
    return -(-channels // together) * together * height * width * depth


def _depthwise_scratch(layer: Layer) -> int:
    """Weights as bytes, and what the kernel on bytes wants."""
    return scratch.widened_two_bits(layer.input(1).elements) + sizes.depthwise_packed(layer)


def with_sister(kernel: Kernel) -> Iterator[Kernel]:
    """A kernel that rounds as TFLite, and the one that rounds once, of the same header."""
    yield kernel
    yield replace(kernel, name=f"{kernel.name}_nearest", roundings=(Rounding.NEAREST,))


def wide_kernels(target: Target) -> tuple[Kernel, Kernel]:
    """Those for scales below 0.5, or with MVE for any, that round as TFLite: of convolutions and of depthwise ones."""
    return _convolution(target), _depthwise(target)


def kernels(target: Target) -> Iterator[Kernel]:
    """Those of each implementation; MVE's take any scale."""
    convolution, depthwise = wide_kernels(target)
    yield from with_sister(convolution)
    yield from with_sister(depthwise)
    if implementation(target) == "mve":
        return
    yield from with_sister(
        replace(
            convolution,
            name="tinsmith_convolve_packed_any_s2",
            emit=partial(emit_call, CONVOLUTION_ANY_TWO_BITS),
            rules=(input_is_computed, no_groups, weights_are_constant, weights_pack_for_any_shift),
            prepare=partial(prepare, any_shift=True),
        )
    )
    yield from with_sister(
        replace(
            depthwise,
            name="tinsmith_depthwise_packed_any_s2",
            emit=partial(emit_call, DEPTHWISE_ANY_TWO_BITS),
            rules=(
                input_is_computed,
                several_input_channels,
                no_dilation,
                weights_are_constant,
                weights_pack_for_any_shift,
            ),
            walk=walks.depthwise_packed_any,
            prepare=partial(prepare, any_shift=True),
        )
    )


def _convolution(target: Target) -> Kernel:
    return Kernel(
        name="tinsmith_convolve_packed_s2",
        backend=BACKEND,
        operator=Conv2D,
        signature=S2,
        headers=(HEADER,),
        emit=partial(emit_call, CONVOLUTION_TWO_BITS),
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


def _depthwise(target: Target) -> Kernel:
    return Kernel(
        name="tinsmith_depthwise_packed_s2",
        backend=BACKEND,
        operator=DepthwiseConv2D,
        signature=S2,
        headers=(HEADER,),
        emit=partial(emit_call, DEPTHWISE_TWO_BITS),
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
        scratch_bytes=_depthwise_scratch,
        options=depthwise_options,
        walk=walks.depthwise_packed,
        loads=loads.depthwise_four_bits,
        prepare=prepare,
        engine=engine(target),
        checks=PACKED_CHECKS,
        guards=guards(target),
    )
