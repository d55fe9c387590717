"""Sizes of a layer as the C functions of CMSIS-NN take them."""

from dataclasses import dataclass

Dims = tuple[int, int, int, int]
"""n, h, w, c."""

Pair = tuple[int, int]
"""height, width."""


@dataclass(frozen=True)
class Geometry:
    """A convolution or depthwise convolution. padding: (top, left)."""

    input: Dims
    weights: Dims
    output: Dims
    stride: Pair
    padding: Pair
    dilation: Pair

    @property
    def channel_multiplier(self) -> int:
        """Output channels per input channel of a depthwise convolution."""
        return self.output[3] // self.input[3]
