"""Layers with weights on batches, and the derivatives of their weights and operands."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.operators.windows import pad_spatial, spatial, taps

from tinsmith_quantization.products import Product
from tinsmith_quantization.training.exact import Reals, matmul, total, total_product


@dataclass(frozen=True)
class LayerNumbers:
    """matrix: weights, (G, O, K). bias: (G, O). Also of their derivatives."""

    matrix: Reals
    bias: Reals


@dataclass(frozen=True)
class LayerStep:
    """result: of a batch. passed: of the derivative by it, that by the sums before the activation, of which come those
    of the layer's numbers (`of_numbers`) and of what it reads (`of_read`).
    """

    result: Reals
    passed: Callable[[Reals], Reals]
    of_numbers: Callable[[Reals], LayerNumbers]
    of_read: Callable[[Reals], Reals]


def layer_step(product: Product, numbers: LayerNumbers, read: Reals) -> LayerStep:
    """A layer on a batch (N, *shape)."""
    kernel = _Taps if _is_by_taps(product) else _Rows
    sums = kernel(product, numbers, read)
    low, high = activation_of(product.operator).real_range
    shape = (len(read), *product.node.outputs[0].type.shape)
    real = sums.forward() + numbers.bias.reshape(-1)

    def passed(gradient: Reals) -> Reals:
        found = gradient.reshape(real.shape)
        if low > -np.inf or high < np.inf:
            found = np.where((real > low) & (real < high), found, 0.0)
        return found

    def of_numbers(gradient: Reals) -> LayerNumbers:
        bias = total(gradient.reshape(-1, numbers.bias.size), (0,)).reshape(numbers.bias.shape)
        return LayerNumbers(sums.of_matrix(gradient), bias)

    return LayerStep(np.clip(real, low, high).reshape(shape), passed, of_numbers, sums.of_read)


def _is_by_taps(product: Product) -> bool:
    return isinstance(product.operator, DepthwiseConv2D) and product.outputs == 1


@dataclass
class _Rows:
    """As products of matrices."""

    product: Product
    numbers: LayerNumbers
    read: Reals

    def __post_init__(self) -> None:
        """What windows see."""
        self._images = _images(self.product, self.read)
        self._rows = (
            self._images.reshape(1, -1, self.product.terms)
            if _is_pointwise(self.product)
            else self.product.rows(self._images)
        )

    def forward(self) -> Reals:
        """Sums without bias, (..., channels)."""
        return _channels_last(matmul(self._rows, self.numbers.matrix.transpose(0, 2, 1)))

    def of_matrix(self, gradient: Reals) -> Reals:
        """(G, O, K)."""
        return matmul(self._by_group(gradient).transpose(0, 2, 1), self._rows)

    def of_read(self, gradient: Reals) -> Reals:
        """Of what the layer reads."""
        rows = matmul(self._by_group(gradient), self.numbers.matrix)
        if _is_pointwise(self.product):
            return rows.reshape(self.read.shape)
        return _spread(self.product, rows, self._images.shape).reshape(self.read.shape)

    def _by_group(self, gradient: Reals) -> Reals:
        grouped = gradient.reshape(-1, self.product.groups, self.product.outputs)
        return np.ascontiguousarray(grouped.transpose(1, 0, 2))


@dataclass
class _Taps:
    """A depthwise convolution, one position of the window after another."""

    product: Product
    numbers: LayerNumbers
    read: Reals

    def __post_init__(self) -> None:
        """The padded images, and the views that windows have of them."""
        images = _images(self.product, self.read)
        self._padded = np.asarray(pad_spatial(images, _operator(self.product).padding, 0.0), float)

    def forward(self) -> Reals:
        """Sums without bias, (N, h, w, C)."""
        weights = self._weights()
        views = _views(self.product, self._padded)
        found = views[0] * weights[0]
        for view, row in zip(views[1:], weights[1:], strict=True):
            found += view * row
        return found

    def of_matrix(self, gradient: Reals) -> Reals:
        """(C, 1, taps)."""
        views = _views(self.product, self._padded)
        found = [total_product(view, gradient, (0, 1, 2)) for view in views]
        return np.stack(found, axis=1)[:, None, :]

    def of_read(self, gradient: Reals) -> Reals:
        """Of what the layer reads."""
        padded = np.zeros_like(self._padded)
        views = _views(self.product, padded)
        for view, row in zip(views, self._weights(), strict=True):
            view += gradient * row
        return _inside(self.product, padded).reshape(self.read.shape)

    def _weights(self) -> Reals:
        return np.ascontiguousarray(self.numbers.matrix[:, 0, :].T)


def _operator(product: Product) -> Conv2D | DepthwiseConv2D:
    assert not isinstance(product.operator, FullyConnected)
    return product.operator


def _images(product: Product, read: Reals) -> Reals:
    """(N, h, w, C) of a convolution; else what it reads."""
    if isinstance(product.operator, FullyConnected):
        return read
    return read.reshape(-1, *read.shape[-3:])


def _is_pointwise(product: Product) -> bool:
    operator = product.operator
    if isinstance(operator, FullyConnected):
        return True
    weights = product.node.inputs[1]
    assert weights is not None
    is_small = spatial(weights.type.shape) == (1, 1) and operator.stride == (1, 1)
    return is_small and not any(operator.padding) and product.groups == 1


def _channels_last(sums: Reals) -> Reals:
    """(G, P, O) as (P, channels)."""
    return sums.transpose(1, 0, 2).reshape(sums.shape[1], -1)


def _views(product: Product, padded: Reals) -> list[Reals]:
    operator, weights = _operator(product), product.node.inputs[1]
    assert weights is not None
    window, size = spatial(weights.type.shape), spatial(product.node.outputs[0].type.shape)
    seen = taps(padded, window, operator.stride, operator.dilation, size)
    return [np.asarray(view, np.float64) for _, _, view in seen]


def _spread(product: Product, rows: Reals, shape: tuple[int, ...]) -> Reals:
    """Each element of rows (G, P, K) added to the element of images (N, h, w, C) that it was read from."""
    top, bottom, left, right = _operator(product).padding
    count, height, width, channels = shape
    padded = np.zeros((count, height + top + bottom, width + left + right, channels))
    views = _views(product, padded)
    per_tap = rows.reshape(product.groups, *views[0].shape[:3], len(views), -1)
    for tap, view in enumerate(views):
        view += per_tap[..., tap, :].transpose(1, 2, 3, 0, 4).reshape(view.shape)
    return _inside(product, padded)


def _inside(product: Product, padded: Reals) -> Reals:
    top, bottom, left, right = _operator(product).padding
    return padded[:, top : padded.shape[1] - bottom, left : padded.shape[2] - right]
