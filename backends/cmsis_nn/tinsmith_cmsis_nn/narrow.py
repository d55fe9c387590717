"""Conv2D and DepthwiseConv2D that round once with multipliers of few bits, by kernels that do so in words
(`tinsmith_nn_narrow.h`).
"""

from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Convolution, DepthwiseConv2D
from tinsmith_ir.parameters import conv_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import AsGiven, Emission, Kernel, Layer, Prepared, Scope
from tinsmith_target import Target

from tinsmith_cmsis_nn import packed_convolution, packed_four_bits, sizes
from tinsmith_cmsis_nn.common import implementation, packed_constants
from tinsmith_cmsis_nn.helpers import (
    CONVOLUTION,
    CONVOLUTION_FOUR_BITS,
    CONVOLUTION_SINGLE,
    DEPTHWISE,
    DEPTHWISE_FOUR_BITS,
    narrow_kind,
)
from tinsmith_cmsis_nn.packed_convolution import emit_call
from tinsmith_cmsis_nn.packing import CHANNEL_GROUP, PackedLayer, refusal
from tinsmith_cmsis_nn.packing_narrow import pack_narrow_convolution, pack_narrow_depthwise
from tinsmith_cmsis_nn.rules import constant_bias, constant_s8

HEADER = "tinsmith_nn_narrow.h"

_ARRANGERS = (packed_convolution.weights_pack, packed_four_bits.weights_pack)
_NAMES = (
    "tinsmith_convolve_packed_s8",
    "tinsmith_depthwise_packed_s8",
    "tinsmith_convolve_packed_s4",
    "tinsmith_depthwise_packed_s4",
)


def weights_pack_narrow(layer: Layer) -> str | None:
    """Weights, bias and scales can be arranged for the kernels of narrow multipliers (`tinsmith_nn_narrow.h`)."""
    return refusal(lambda: packed(layer))


def a_group_is_whole(layer: Layer) -> str | None:
    """A convolution with narrow multipliers has at least 4 output channels; of less their rest is copied too often."""
    channels = layer.output.shape[3]
    return None if channels >= CHANNEL_GROUP else f"it has {channels}"


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    operator = layer.operator_as(Convolution)
    given = constant_s8(layer, 1), constant_bias(layer)
    parameters = conv_parameters(operator, layer.inputs, layer.output)
    built, four_bits = implementation(layer.target), _has_four_bits(layer)
    if not isinstance(operator, DepthwiseConv2D):
        return pack_narrow_convolution(built, *given, parameters, four_bits=four_bits)
    _, height, width, _ = layer.input(0).shape
    return pack_narrow_depthwise(
        built, *given, parameters, input_size=(height, width), four_bits=four_bits
    )


def _has_four_bits(layer: Layer) -> bool:
    return layer.input(1).dtype is DType.INT4


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, and everything else that is known ahead."""
    return packed_constants(layer, packed(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    four_bits = _has_four_bits(layer)
    if isinstance(layer.operator, DepthwiseConv2D):
        kind = DEPTHWISE_FOUR_BITS if four_bits else DEPTHWISE
    elif four_bits:
        kind = CONVOLUTION_FOUR_BITS
    else:
        is_single = implementation(layer.target) == "dsp" and sizes.columns(layer) == 1
        kind = CONVOLUTION_SINGLE if is_single else CONVOLUTION
    return emit_call(narrow_kind(kind), layer, scope)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Sisters of the packed kernels; MVE has none, whose vectors take multipliers of any width alike."""
    if implementation(target) == "mve":
        return ()
    wide = (*packed_convolution.kernels(target), *packed_four_bits.kernels(target))
    return tuple(_sister(kernel) for kernel in wide if kernel.name in _NAMES)


def _sister(kernel: Kernel) -> Kernel:
    needs_group = () if kernel.operator is DepthwiseConv2D else (a_group_is_whole,)
    return replace(
        kernel,
        name=f"{kernel.name}_narrow",
        headers=(HEADER,),
        emit=emit,
        rules=(*(rule for rule in kernel.rules if rule not in _ARRANGERS), weights_pack_narrow),
        prepare=prepare,
        pays=(*kernel.pays, *needs_group),
        roundings=(Rounding.NEAREST,),
        narrow=True,
    )
