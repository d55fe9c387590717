"""Operators that slide a window over images, and images in another size: channels first, as ONNX has them."""

from tinsmith_ir.operators import (
    AveragePool2D,
    Conv2D,
    Conv3D,
    Convolution,
    DepthwiseConv2D,
    MaxPool2D,
    Operator,
    ResizeBilinear,
)

from tinsmith_onnx.export.forms import CHANNELS_FIRST, Form, permuted
from tinsmith_onnx.export.products import layer_operands
from tinsmith_onnx.export.site import Rule, Site
from tinsmith_onnx.export.sums import centred, check_accumulator, finish_sum

_DEPTHWISE: Form = (3, 0, 1, 2)
"""Weights (1, kh, kw, C * multiplier) as groups of one input channel: (C * multiplier, 1, kh, kw)."""
_VOLUMES_FIRST: Form = (0, 4, 1, 2, 3)
_KERNELS_FIRST: Form = (4, 3, 0, 1, 2)
"""Weights DHWIO as OIDHW."""


def _pads(padding: tuple[int, ...]) -> tuple[int, ...]:
    """(before, after) of each axis as all befores and all afters."""
    return (*padding[::2], *padding[1::2])


def _convolution(weights_form: Form) -> Rule:
    def write(site: Site) -> None:
        operator = site.of(Convolution)
        check_accumulator(operator.accumulator)
        channels = site.shape(0)[3]
        is_grouped = isinstance(operator, Conv2D)
        groups = channels // site.shape(1)[3] if is_grouped else channels
        is_sum = operator.accumulator is not None
        if is_sum:
            operands = [centred(site, 0, CHANNELS_FIRST), centred(site, 1, weights_form)]
        else:
            operands = layer_operands(site, CHANNELS_FIRST, weights_form)
        result = site.emit(
            "Conv",
            operands,
            dilations=operator.dilation,
            group=groups,
            kernel_shape=site.shape(1)[1:3],
            pads=_pads(operator.padding),
            strides=operator.stride,
        )
        if is_sum:
            finish_sum(site, result, CHANNELS_FIRST)
        else:
            site.finish(result, CHANNELS_FIRST)

    return write


def _volumes(site: Site) -> None:
    operator = site.of(Conv3D)
    result = site.emit(
        "Conv",
        layer_operands(site, _VOLUMES_FIRST, _KERNELS_FIRST),
        dilations=operator.dilation,
        group=1,
        kernel_shape=site.shape(1)[:3],
        pads=_pads(operator.padding),
        strides=operator.stride,
    )
    site.finish(result, _VOLUMES_FIRST)


def _average(site: Site) -> None:
    operator = site.of(AveragePool2D)
    result = site.emit(
        "AveragePool",
        [site.real(0, CHANNELS_FIRST)],
        count_include_pad=0,
        kernel_shape=operator.window,
        pads=_pads(operator.padding),
        strides=operator.stride,
    )
    site.finish(result, CHANNELS_FIRST)


def _largest(site: Site) -> None:
    operator = site.of(MaxPool2D)
    result = site.emit(
        "MaxPool",
        [site.real(0, CHANNELS_FIRST)],
        kernel_shape=operator.window,
        pads=_pads(operator.padding),
        strides=operator.stride,
    )
    site.finish(result, CHANNELS_FIRST)


def _resize(site: Site) -> None:
    operator = site.of(ResizeBilinear)
    places = "asymmetric"
    if operator.align_corners:
        places = "align_corners"
    if operator.half_pixel_centers:
        places = "half_pixel"
    sizes = site.axes(permuted(site.output.type.shape, CHANNELS_FIRST))
    result = site.emit(
        "Resize",
        [site.real(0, CHANNELS_FIRST), "", "", sizes],
        coordinate_transformation_mode=places,
        mode="linear",
    )
    site.finish(result, CHANNELS_FIRST)


RULES: dict[type[Operator], Rule] = {
    AveragePool2D: _average,
    Conv2D: _convolution(CHANNELS_FIRST),
    Conv3D: _volumes,
    DepthwiseConv2D: _convolution(_DEPTHWISE),
    MaxPool2D: _largest,
    ResizeBilinear: _resize,
}
