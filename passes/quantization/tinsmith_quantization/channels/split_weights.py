"""Weights of layers whose channels are there more than once, and the noise of rounding them.

Noise is what is wrong with a layer's results, as a share of their mean square, where inputs are independent of one
another. What is wrong with copies of a channel is alike, and counts as what it makes of the channel.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import DepthwiseConv2D

from tinsmith_quantization.channels.channel_copies import Copies
from tinsmith_quantization.products import Matrix, Product, product_of
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.weights import BlockScales, nearest, scales_of

_TINY = 1e-30


@dataclass(frozen=True)
class Side:
    """Copies of channels, as the tensors of one segment have them."""

    copies: Copies
    segment: int

    @property
    def factors(self) -> Matrix:
        """What a tensor holds of each copy's channel."""
        return self.copies.factors(self.segment)

    @property
    def counts(self) -> Matrix:
        """How often layers take each copy."""
        return self.copies.counts(self.segment)


Sides = Mapping[str, Side]
"""By the name of a tensor; those whose channels are there once may be absent."""


@dataclass(frozen=True)
class SplitLayer:
    """A layer, real numbers. weights: (O, T, C) for C channels read at T places, (C, 1, T) of depthwise convolutions.

    squares: the mean square of each input of a row, (T, C); (C, 1, 1) of depthwise ones.
    """

    node: Node
    product: Product
    weights: Matrix
    squares: Matrix
    bits: int

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel is by itself."""
        return isinstance(self.product.operator, DepthwiseConv2D)

    @property
    def signal(self) -> float:
        """The mean square of the results, summed over channels."""
        return float((self.weights**2 * self.squares).sum()) + _TINY

    def copied(self, sides: Sides, scheme: Scheme) -> Matrix:
        """The weights, with the copies."""
        even, read = self.even(sides), self.read(sides)
        if self.is_depthwise or read is None:
            return even
        rows, steps = self._rows(sides), self._scales(even, scheme).rows[0]
        return read.copies.columns(rows, read.segment, steps)

    def even(self, sides: Sides) -> Matrix:
        """The same with exact halves, of which none is moved."""
        if self.is_depthwise:
            return self._scaled(sides)
        rows, read = self._rows(sides), self.read(sides)
        return (
            rows if read is None else read.copies.columns(rows, read.segment, np.zeros(len(rows)))
        )

    def noise(self, sides: Sides, scheme: Scheme) -> float:
        """Of rounding the weights that have the copies."""
        real = self.copied(sides, scheme)
        scales = self._scales(real, scheme)
        rows = self._as_groups(real)
        lost = (nearest(rows, scales, self.bits) * scales.steps - rows).reshape(real.shape)
        read, given = self.read(sides), self.given(sides)
        if given is not None:
            weighed = given.counts
            if self.is_depthwise and read is not None:
                weighed = weighed * read.factors
            lost = given.copies.summed(lost, 0, weighed)
        if read is not None and not self.is_depthwise:
            lost = read.copies.summed(lost, 2, read.factors)
        return float((lost**2 * self.squares).sum()) / self.signal

    def read(self, sides: Sides) -> Side | None:
        """Of what the layer reads."""
        return sides.get(self.node.present_inputs[0].name)

    def given(self, sides: Sides) -> Side | None:
        """Of what the layer gives."""
        return sides.get(self.node.name)

    def _rows(self, sides: Sides) -> Matrix:
        """With the copies that the layer gives."""
        given = self.given(sides)
        if given is None:
            return self.weights
        return self.weights[given.copies.origins] * given.factors[:, None, None]

    def _scaled(self, sides: Sides) -> Matrix:
        """Of a depthwise convolution, which reads and gives channels of one family."""
        read, given = self.read(sides), self.given(sides)
        if read is None or given is None:
            return self.weights
        factors = given.factors / read.factors
        return self.weights[given.copies.origins] * factors[:, None, None]

    def _as_groups(self, weights: Matrix) -> Matrix:
        """(G, O, K), as weights are rounded."""
        if self.is_depthwise:
            return weights
        return weights.reshape(1, len(weights), -1)

    def _scales(self, weights: Matrix, scheme: Scheme) -> BlockScales:
        per_channel, power_of_two = scheme.per_channel, scheme.power_of_two
        rows = self._as_groups(weights)
        scales = scales_of(rows, self.bits, per_channel=per_channel, power_of_two=power_of_two)
        return BlockScales(scales)


def split_layer(
    graph: Graph, node: Node, squares: Matrix, bits: int, channels: int | None = None
) -> SplitLayer:
    """Of a layer of float32 with constant weights, with one channel per group or all in one.

    squares: the mean square of each number of the input's last axis. channels: how many that has, if its places are
    joined to it.
    """
    product, data = product_of(node), graph.constant(node.inputs[1])
    assert product is not None
    assert data is not None
    matrix = product.matrix(data)
    if isinstance(product.operator, DepthwiseConv2D):
        return SplitLayer(node, product, matrix, squares[:, None, None], bits)
    if product.terms % len(squares):
        squares = np.full(product.terms, squares.mean())
    read = channels or len(squares)
    rows = np.tile(squares, product.terms // len(squares)).reshape(-1, read)
    return SplitLayer(node, product, matrix.reshape(product.outputs, -1, read), rows, bits)
