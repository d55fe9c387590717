"""Conv2D and DepthwiseConv2D on weights of two bits that round once with multipliers of few bits, by kernels that do so
in words (`tinsmith_nn_two_bits.h`).
"""

from collections.abc import Iterator
from dataclasses import replace

from tinsmith_ir.operators import Convolution, DepthwiseConv2D
from tinsmith_ir.parameters import conv_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import AsGiven, Emission, Kernel, Layer, Prepared, Scope
from tinsmith_target import Target

from tinsmith_cmsis_nn import packed_two_bits
from tinsmith_cmsis_nn.common import implementation, packed_constants
from tinsmith_cmsis_nn.helpers import CONVOLUTION_TWO_BITS, DEPTHWISE_TWO_BITS, narrow_kind
from tinsmith_cmsis_nn.packed_convolution import emit_call
from tinsmith_cmsis_nn.packing import PackedLayer, refusal
from tinsmith_cmsis_nn.packing_two_bits import (
    pack_narrow_convolution_two_bits,
    pack_narrow_depthwise_two_bits,
)
from tinsmith_cmsis_nn.rules import constant_bias, constant_s8


def weights_pack_narrow(layer: Layer) -> str | None:
    """Weights of two bits, bias and scales can be arranged for narrow multipliers (`tinsmith_nn_two_bits.h`)."""
    return refusal(lambda: packed(layer))


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    operator = layer.operator_as(Convolution)
    given = constant_s8(layer, 1), constant_bias(layer)
    parameters = conv_parameters(operator, layer.inputs, layer.output)
    built = implementation(layer.target)
    if not isinstance(operator, DepthwiseConv2D):
        return pack_narrow_convolution_two_bits(built, *given, parameters)
    _, height, width, _ = layer.input(0).shape
    return pack_narrow_depthwise_two_bits(built, *given, parameters, input_size=(height, width))


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, and everything else that is known ahead."""
    return packed_constants(layer, packed(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    is_depthwise = isinstance(layer.operator, DepthwiseConv2D)
    kind = DEPTHWISE_TWO_BITS if is_depthwise else CONVOLUTION_TWO_BITS
    return emit_call(narrow_kind(kind), layer, scope)


def kernels(target: Target) -> Iterator[Kernel]:
    """Sisters of the packed kernels; MVE has none, whose vectors take multipliers of any width alike."""
    if implementation(target) == "mve":
        return
    for kernel in packed_two_bits.wide_kernels(target):
        others = (rule for rule in kernel.rules if rule is not packed_two_bits.weights_pack)
        yield replace(
            kernel,
            name=f"{kernel.name}_narrow",
            emit=emit,
            rules=(*others, weights_pack_narrow),
            prepare=prepare,
            roundings=(Rounding.NEAREST,),
            narrow=True,
        )
