"""Layers with weights as products of matrices, one for each group of channels.

All of Conv2D, DepthwiseConv2D and FullyConnected are: rows (G, P, K) of what P windows see, weights (G, O, K), results
(G, P, O), where output channel g * O + o is o of group g. Products are of doubles, so that their last bits, which
depend on the library that multiplies, are lost in rounding to float32: the same network on any computer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array, Node
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.operators.windows import pad_spatial, spatial, taps

Matrix = NDArray[np.float64]

Layer = Conv2D | DepthwiseConv2D | FullyConnected


@dataclass(frozen=True)
class Product:
    """The shapes of a layer. groups: G; outputs: O; terms: K, in the order of weights.

    Made by `product_of`.
    """

    node: Node
    operator: Layer
    groups: int
    outputs: int
    terms: int

    def matrix(self, weights: Array) -> Matrix:
        """Weights of the operator's layout as (G, O, K)."""
        real = weights.astype(np.float64)
        if isinstance(self.operator, DepthwiseConv2D):
            taps_last = np.moveaxis(real[0], 2, 0)
            return taps_last.reshape(self.groups, self.outputs, self.terms)
        return real.reshape(self.groups, self.outputs, self.terms)

    def weights(self, matrix: NDArray[np.generic]) -> NDArray[np.generic]:
        """(G, O, K) in the operator's layout: the inverse of `matrix`."""
        weights = self.node.inputs[1]
        assert weights is not None
        if isinstance(self.operator, DepthwiseConv2D):
            height, width = spatial(weights.type.shape)
            channels = matrix.reshape(-1, height, width)
            return np.ascontiguousarray(np.moveaxis(channels, 0, 2)[None])
        return np.ascontiguousarray(matrix.reshape(weights.type.shape))

    def rows(self, array: Array) -> Matrix:
        """What the windows of one sample see, (G, P, K)."""
        if isinstance(self.operator, FullyConnected):
            return array.astype(np.float64).reshape(1, -1, self.terms)
        weights = self.node.inputs[1]
        assert weights is not None
        padded = pad_spatial(array.astype(np.float64), self.operator.padding, 0)
        shape, operator = self.node.outputs[0].type.shape, self.operator
        views = taps(
            padded,
            spatial(weights.type.shape),
            operator.stride,
            operator.dilation,
            spatial(shape),
        )
        seen = np.stack([view for _, _, view in views], axis=3)  # (N, h, w, taps, C)
        grouped = seen.reshape(-1, seen.shape[3], self.groups, seen.shape[4] // self.groups)
        rows = np.ascontiguousarray(grouped.transpose(2, 0, 1, 3), np.float64)
        return rows.reshape(self.groups, -1, self.terms)

    def result(self, products: Matrix) -> Matrix:
        """(G, P, O) in the shape of the node's result."""
        channels_last = products.transpose(1, 0, 2)
        return channels_last.reshape(self.node.outputs[0].type.shape)

    def per_channel(self, channels: NDArray[np.generic]) -> Matrix:
        """A number for each output channel as (G, O)."""
        return channels.astype(np.float64).reshape(self.groups, self.outputs)


def product_of(node: Node) -> Product | None:
    """The product that a node is; None if it is no layer of float32 with one result for its sums."""
    operator = node.operator
    if not isinstance(operator, Conv2D | DepthwiseConv2D | FullyConnected):
        return None
    if operator.accumulator is not None or node.inputs[1] is None or node.inputs[0] is None:
        return None
    shape = node.inputs[1].type.shape
    if isinstance(operator, FullyConnected):
        return Product(node, operator, 1, shape[0], shape[1])
    channels = node.inputs[0].type.shape[3]
    if isinstance(operator, DepthwiseConv2D):
        return Product(node, operator, channels, shape[3] // channels, shape[1] * shape[2])
    groups = channels // shape[3]
    return Product(node, operator, groups, shape[0] // groups, shape[1] * shape[2] * shape[3])
