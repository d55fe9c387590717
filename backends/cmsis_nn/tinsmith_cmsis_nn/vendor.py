"""Scratch that Arm's own CMSIS-NN 7 wants from the public functions, in bytes.

Generated C that calls the public API alone may be linked with either library, so its scratch covers
both. Facts from Arm's public `*_get_buffer_size` functions; bounds where those depend on the compiler.
"""

from tinsmith_cmsis_nn.geometry import Geometry
from tinsmith_cmsis_nn.packing import Implementation

_CHANNELS_IN_BLOCK_MVE = 124


def convolve_wrapper(implementation: Implementation, geometry: Geometry) -> int:
    """Of arm_convolve_wrapper_s8: two columns of int16, with MVE four of bytes in whole vectors. The
    functions for 1xN filters want less than the general one.
    """
    _, height, width, _ = geometry.weights
    channels = geometry.input[3]
    if (height, width) == (1, 1) and geometry.padding == (0, 0) and geometry.dilation == (1, 1):
        return 4 * channels if implementation == "dsp" else 0
    depth = height * width * channels
    if implementation == "mve":
        return 4 * _round_up(depth, 16)
    return 4 * _round_up(depth, 4)


def convolve_four_bits(implementation: Implementation, geometry: Geometry) -> int:
    """Of arm_convolve_s4: two columns of int16, with MVE four of bytes in whole vectors."""
    _, height, width, channels = geometry.weights
    depth = height * width * channels
    return 4 * _round_up(depth, 16) if implementation == "mve" else 4 * depth


def depthwise_wrapper(implementation: Implementation, geometry: Geometry) -> int:
    """Of arm_depthwise_conv_wrapper_s8: a window of all channels. With MVE a single input channel
    becomes a convolution with rearranged weights.
    """
    _, height, width, outputs = geometry.weights
    if implementation == "c":
        return 0
    if implementation == "dsp":
        return 2 * geometry.input[3] * height * width
    block = 4 * _CHANNELS_IN_BLOCK_MVE * height * width
    if geometry.input[3] > 1:
        return block
    return max(block, convolve_wrapper("mve", geometry) + outputs * height * width)


def average_pool(implementation: Implementation, channels: int) -> int:
    """Of arm_avgpool_s8: a row of 32-bit sums."""
    return 4 * channels if implementation == "dsp" else 0


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
