"""How often kernels load their constants, read off the loops of `kernels/cmsis_nn`: what says whether a copy of
them in faster memory pays.
"""

from collections.abc import Sequence
from math import prod

from tinsmith_ir.operators import DepthwiseConv2D
from tinsmith_lowering import Layer, Loads, loads_by_pixels

from tinsmith_cmsis_nn import scratch, sizes
from tinsmith_cmsis_nn.common import implementation
from tinsmith_cmsis_nn.cost import HALF_DEEP, rows_of_products_mve
from tinsmith_cmsis_nn.geometry import Geometry
from tinsmith_cmsis_nn.scratch_mve import ROWS_AT_ONCE

_PAIR, _TRIPLE, _QUAD = 2, 3, 4


def convolution(layer: Layer) -> Loads:
    """Of tinsmith_convolve_packed_s8 and its sisters."""
    match implementation(layer.target):
        case "dsp":
            return loads_by_pixels(sizes.columns(layer))(layer)
        case "c":
            triples, left = divmod(prod(layer.output.shape[:-1]), _TRIPLE)
            return Loads(triples + left, triples + left)
        case "mve":
            return _products_mve(sizes.geometry(layer), sizes.pixels(layer))


def public(layer: Layer) -> Loads:
    """Of arm_convolve_wrapper_s8 and arm_depthwise_conv_wrapper_s8."""
    is_depthwise = isinstance(layer.operator, DepthwiseConv2D)
    match implementation(layer.target):
        case "dsp":
            return loads_by_pixels(1 if is_depthwise else _PAIR)(layer)
        case "c":
            return loads_by_pixels(1)(layer)
        case "mve":
            return Loads() if is_depthwise else _products_mve(sizes.geometry(layer), None)


def depthwise(layer: Layer) -> Loads:
    """Of tinsmith_depthwise_packed_s8 and its sister for any scale: once for each strip; with MVE once."""
    strip = sizes.strip(layer)
    if strip is None:
        return Loads()
    geometry = sizes.geometry(layer)
    lines = geometry.output[scratch.strip_axis(geometry)]
    often = geometry.output[0] * -(-lines // strip)
    return Loads(often, often)


def depthwise_four_bits(layer: Layer) -> Loads:
    """Of tinsmith_depthwise_packed_s4 and its sister: as on bytes, but weights once, which become bytes in scratch."""
    return Loads(1, depthwise(layer).others)


def fully_connected(layer: Layer) -> Loads:
    """Of the public functions."""
    if implementation(layer.target) != "mve":
        return loads_by_pixels(1)(layer)
    depth = layer.input(1).shape[1]
    return _of_products_mve([layer.input(0).elements // depth], depth)


def convolution_int16(layer: Layer) -> Loads:
    """Of arm_convolve_wrapper_s16: pixel by pixel, with MVE four at once and those that are left one by one."""
    pixels = prod(layer.output.shape[:-1])
    if implementation(layer.target) == "mve":
        pixels = pixels // _QUAD + pixels % _QUAD
    return Loads(pixels, pixels)


def _products_mve(geometry: Geometry, at_once: int | None) -> Loads:
    return _of_products_mve(rows_of_products_mve(geometry, at_once), prod(geometry.weights[1:]))


def _of_products_mve(products: Sequence[int], depth: int) -> Loads:
    """mve/matrix_product.c: weights of four channels stay in registers for a group of rows, deep ones for three.

    products: rows of each.
    """
    is_deep = depth > HALF_DEEP
    weights = others = 0
    for rows in products:
        whole, left = divmod(rows, ROWS_AT_ONCE)
        others += whole + (left > 0)
        weights += whole * (ROWS_AT_ONCE // _TRIPLE) + -(-left // _TRIPLE)
    return Loads(weights if is_deep else others, others)
