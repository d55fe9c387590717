"""DepthwiseConv2D pixel by pixel (`tinsmith_nn.h`): what planes are not for (`depthwise_planes.py`)."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.operators import DepthwiseConv2D
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    loads_by_pixels,
    weights_are_constant,
    weights_offset,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import cost, sizes, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    engine,
    implementation,
    input_zero_point,
    packed_constants,
)
from tinsmith_cmsis_nn.convolution import S8
from tinsmith_cmsis_nn.depthwise_planes import channels_make_a_block, no_multiplier
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.helpers import DEPTHWISE_PIXELS
from tinsmith_cmsis_nn.nearest import is_nearest
from tinsmith_cmsis_nn.packed_convolution import (
    emit_call,
    input_is_computed,
    settled_channels,
)
from tinsmith_cmsis_nn.packing import PackedLayer, pack_depthwise_pixels, refusal
from tinsmith_cmsis_nn.rules import constant_s8


def weights_pack(layer: Layer) -> str | None:
    """Weights, bias and scales can be arranged for going pixel by pixel (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer))


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    weights = _weights(layer)
    channels = settled_channels(layer, weights, depthwise=True)
    return pack_depthwise_pixels(
        implementation(layer.target),
        channels.rows.T.reshape(weights.shape),
        channels.bias,
        channels.multipliers,
        channels.shifts,
        input_zero_point=input_zero_point(layer),
        nearest=is_nearest(layer),
    )


def _weights(layer: Layer) -> NDArray[np.int16]:
    """Their zero point subtracted."""
    return constant_s8(layer, 1).astype(np.int16) + np.int16(weights_offset(layer))


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    return emit_call(DEPTHWISE_PIXELS, layer, scope)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """The kernel, for weights with a zero point or without."""
    return (
        Kernel(
            name="tinsmith_depthwise_pixels_s8",
            backend=BACKEND,
            operator=DepthwiseConv2D,
            signature=S8,
            headers=(PACKED_HEADER,),
            emit=emit,
            takes_offsets=True,
            rules=(
                input_is_computed,
                no_multiplier,
                channels_make_a_block,
                weights_are_constant,
                weights_pack,
            ),
            scratch_bytes=sizes.depthwise_pixels,
            walk=walks.depthwise_pixels,
            cost=cost.pixels,
            loads=loads_by_pixels(1),
            prepare=prepare,
            engine=engine(target),
            asymmetric_weights=None,
            checks=PACKED_CHECKS,
            guards=guards(target),
        ),
    )
