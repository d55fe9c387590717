"""Scratch of one call, from the layer: `scratch.py` has the formulas, this finds their arguments."""

from tinsmith_ir.operators import Convolution
from tinsmith_lowering import Layer

from tinsmith_cmsis_nn import scratch, scratch_mve, vendor
from tinsmith_cmsis_nn.common import implementation, nhwc
from tinsmith_cmsis_nn.geometry import Geometry

STRIP = "strip"
"""The option of tinsmith_depthwise_packed_s8: how many rows of the output it makes at once."""

COLUMNS = "columns"
"""The option of tinsmith_convolve_packed_s8 with the DSP extension: of how many pixels at once it holds windows."""

PIXELS = "pixels"
"""The option of tinsmith_convolve_packed_s8 with MVE: how many pixels it copies at once where outputs lie over them."""


def geometry(layer: Layer) -> Geometry:
    """Sizes of a Conv2D or DepthwiseConv2D."""
    operator = layer.operator_as(Convolution)
    return Geometry(
        input=nhwc(layer.input(0)),
        weights=nhwc(layer.input(1)),
        output=nhwc(layer.output),
        stride=operator.stride,
        padding=(operator.padding[0], operator.padding[2]),
        dilation=operator.dilation,
    )


def convolution_packed(layer: Layer) -> int:
    """Of tinsmith_convolve_packed_s8."""
    found = pixels(layer)
    if found is not None:
        return found * geometry(layer).input[3]
    if implementation(layer.target) == "dsp":
        return scratch.convolve_columns(geometry(layer), columns(layer))
    return scratch.convolve_packed(implementation(layer.target), geometry(layer))


def columns(layer: Layer) -> int:
    """Of how many pixels at once a convolution was chosen to hold windows."""
    return int(layer.option(COLUMNS))


def pixels(layer: Layer) -> int | None:
    """How many pixels of a 1x1 convolution it was chosen to copy at once where outputs lie over them; None without
    that choice.
    """
    found = [option.value for option in layer.options if option.name == PIXELS]
    return int(found[0]) if found else None


def convolution_public(layer: Layer) -> int:
    """Of arm_convolve_wrapper_s8."""
    return scratch.convolve_wrapper(implementation(layer.target), geometry(layer))


def convolution_either(layer: Layer) -> int:
    """Of arm_convolve_wrapper_s8, of Tinsmith's library or of Arm's."""
    arms = vendor.convolve_wrapper(implementation(layer.target), geometry(layer))
    return max(convolution_public(layer), arms)


def depthwise_packed(layer: Layer) -> int:
    """Of tinsmith_depthwise_packed_s8, or of its sister for 3x3 taps."""
    if is_3x3_mve(layer):
        return scratch_mve.depthwise_3x3(geometry(layer))
    return scratch.depthwise_packed(implementation(layer.target), geometry(layer), strip(layer))


def is_3x3_mve(layer: Layer) -> bool:
    """Whether a packed depthwise convolution goes by tinsmith_depthwise_packed_3x3_s8."""
    return implementation(layer.target) == "mve" and geometry(layer).weights[1:3] == (3, 3)


def depthwise_pixels(layer: Layer) -> int:
    """Of tinsmith_depthwise_pixels_s8."""
    return scratch.depthwise_pixels(geometry(layer))


def strip(layer: Layer) -> int | None:
    """The rows of output that tinsmith_depthwise_packed_s8 was chosen to make at once; None with MVE, which goes
    by other pieces.
    """
    if implementation(layer.target) == "mve":
        return None
    rows = layer.option(STRIP)
    if not isinstance(rows, int):
        raise TypeError(f"layer {layer.name}: a strip of {rows} rows")
    return rows


def depthwise_public(layer: Layer) -> int:
    """Of arm_depthwise_conv_wrapper_s8."""
    return scratch.depthwise_wrapper(implementation(layer.target), geometry(layer))


def depthwise_either(layer: Layer) -> int:
    """Of arm_depthwise_conv_wrapper_s8, of Tinsmith's library or of Arm's."""
    arms = vendor.depthwise_wrapper(implementation(layer.target), geometry(layer))
    return max(depthwise_public(layer), arms)


def average_pool_either(layer: Layer) -> int:
    """Of arm_avgpool_s8, of Tinsmith's library, which wants none, or of Arm's."""
    return vendor.average_pool(implementation(layer.target), layer.output.shape[3])
