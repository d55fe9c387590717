"""Which depthwise convolutions are done on planes that channels are copied into, and which pixel by pixel."""

from tinsmith_lowering import Layer

from tinsmith_cmsis_nn import packing_pixels, sizes
from tinsmith_cmsis_nn.common import implementation

FEW_WINDOWS, _SHORT = 8, 12
"""Windows that are too few for planes, if they have no more taps than so many. Longer ones leave less to gain beside
the code of a second kernel: the one of 15 taps in MLPerf Tiny's wake words, 5 % of its instructions for 15 % more code.
"""

_FAR = 3
"""The stride from which on planes have no loop of their own. Those of MVE do well with more windows than so many:"""

_FEW_FAR_MVE = 16


def planes_pay(layer: Layer) -> str | None:
    """A packed depthwise convolution has over 8 windows or 12 taps, and stride 1 or 2, but what cannot go by pixels."""
    if no_multiplier(layer) is not None or channels_make_a_block(layer) is not None:
        return None
    geometry = sizes.geometry(layer)
    windows, stride = geometry.output[1] * geometry.output[2], max(geometry.stride)
    taps = geometry.weights[1] * geometry.weights[2]
    if windows <= FEW_WINDOWS and taps <= _SHORT:
        return f"it has {windows} of {taps}"
    does_well = implementation(layer.target) == "mve" and windows > _FEW_FAR_MVE
    return f"its stride is {stride}" if stride >= _FAR and not does_well else None


def no_multiplier(layer: Layer) -> str | None:
    """A packed depthwise convolution has one output channel per input channel."""
    factor = layer.output.shape[3] // layer.input(0).shape[3]
    return None if factor == 1 else f"it has {factor}"


def channels_make_a_block(layer: Layer) -> str | None:
    """Pixel by pixel, there are at least 4 channels but with MVE."""
    channels = layer.input(0).shape[3]
    fits = implementation(layer.target) == "mve" or channels >= packing_pixels.TOGETHER
    return None if fits else f"it has {channels}"
