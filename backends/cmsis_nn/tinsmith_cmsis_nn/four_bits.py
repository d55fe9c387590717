"""Operators of int8 with weights of four bits, by the public API: convolutions and fully connected.

Each function is named by itself, not by its wrapper: which one a wrapper takes, and so how much scratch it wants, is
not the same in Arm's library.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.few_bits import packed
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D, FullyConnected
from tinsmith_ir.operators.base import Operator
from tinsmith_lowering import AsGiven, Emission, Kernel, Layer, Prepared, Rule, Scope, Signature
from tinsmith_target import Target

from tinsmith_cmsis_nn import convolution, fully_connected, scratch, sizes, vendor
from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, engine, implementation
from tinsmith_cmsis_nn.guards import guards

S4 = Signature((DType.INT8, DType.INT4, DType.INT32), DType.INT8)


def has_one_group(layer: Layer) -> str | None:
    """The convolution has one group."""
    groups = layer.input(0).shape[3] // layer.input(1).shape[3]
    return None if groups == 1 else f"it has {groups}"


def windows_are_pixels(layer: Layer) -> str | None:
    """A window is a pixel, and nothing is padded."""
    height, width = layer.input(1).shape[1:3]
    if (height, width) != (1, 1):
        return f"it is {height}x{width}"
    padding = layer.operator_as(Convolution).padding
    return f"padding is {padding}" if any(padding) else None


def constants(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands as they are, but for the weights, of which two share a byte."""
    return tuple(
        Prepared("weights", packed(data, DType.INT4).view(np.int8))
        if index == 1
        else AsGiven(index)
        for index, data in enumerate(layer.constants)
        if data is not None
    )


def prepare_convolution(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands, multipliers and shifts."""
    return (*constants(layer), *convolution.prepared_scales(layer))


def emit_fully_connected(layer: Layer, scope: Scope) -> Emission:
    """One call; the weights have one scale."""
    return fully_connected.emit_public_call(
        "arm_fully_connected_s4", layer, scope, convolution.weights(layer, scope)
    )


def _scratch_bytes(layer: Layer, *, either_library: bool) -> int:
    """Of arm_convolve_s4, of Tinsmith's library or of Arm's."""
    geometry = sizes.geometry(layer)
    own = scratch.convolve_four_bits(implementation(layer.target), geometry)
    arms = vendor.convolve_four_bits(implementation(layer.target), geometry)
    return max(own, arms) if either_library else own


def kernels(target: Target, *, either_library: bool) -> tuple[Kernel, ...]:
    """The functions of arm_nnfunctions_s4.h, with scratch for Tinsmith's library or for Arm's too."""
    size = partial(_scratch_bytes, either_library=either_library)
    pixels = (has_one_group, windows_are_pixels)
    return (
        _convolution(target, Conv2D, "arm_convolve_1x1_s4", pixels),
        _convolution(target, Conv2D, "arm_convolve_s4", (has_one_group,), size),
        _convolution(target, DepthwiseConv2D, "arm_depthwise_conv_s4", ()),
        Kernel(
            name="arm_fully_connected_s4",
            backend=BACKEND,
            operator=FullyConnected,
            signature=S4,
            headers=(PUBLIC_HEADER,),
            emit=emit_fully_connected,
            prepare=constants,
            rules=(fully_connected.scales_are_per_tensor,),
            engine=engine(target),
            guards=guards(target),
        ),
    )


def _convolution(
    target: Target,
    operator: type[Operator],
    name: str,
    rules: tuple[Rule, ...],
    scratch_bytes: Callable[[Layer], int] | None = None,
) -> Kernel:
    kernel = Kernel(
        name=name,
        backend=BACKEND,
        operator=operator,
        signature=S4,
        headers=(PUBLIC_HEADER,),
        emit=convolution.emit_call(name),
        prepare=prepare_convolution,
        rules=rules,
        engine=engine(target),
        guards=guards(target),
    )
    return kernel if scratch_bytes is None else replace(kernel, scratch_bytes=scratch_bytes)
