"""Layers with weights: their integers, by the scheme, for what they read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph, Node

from tinsmith_quantization.blocks import block_of, block_scales, blocks_bytes
from tinsmith_quantization.execution import is_real_layer, layer_results
from tinsmith_quantization.products import Matrix, Product
from tinsmith_quantization.refining import refined
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.statistics import LayerWeights, sqnr
from tinsmith_quantization.training.gradient_layers import LayerNumbers
from tinsmith_quantization.weights import (
    HALF,
    OCTAVES,
    TRIED,
    BlockScales,
    Moments,
    Rounded,
    at_least,
    largest,
    learned,
    nearest,
    scales_of,
)

_LARGEST_BIAS = 2.0**30
"""Of a bias in integers, which sums are added to."""


@dataclass(frozen=True)
class IntegerLayer:
    """A layer whose weights are `integers` * `scales`, in the layout of its operator.

    scales: one, one for each output channel, or one for each weight, in the layout of weights. bias: for each output
    channel, of integers of the scale of what is read by that of weights; None if there is none.
    loss: of the weights.
    """

    product: Product
    matrix: Matrix
    integers: NDArray[np.generic]
    scales: NDArray[np.float64]
    bias: NDArray[np.float32] | None
    loss: LayerWeights

    @property
    def numbers(self) -> LayerNumbers:
        """What it computes with; a bias of 0 if there is none."""
        shape = self.matrix.shape[:2]
        bias = np.zeros(shape) if self.bias is None else self.bias.astype(np.float64).reshape(shape)
        return LayerNumbers(self.matrix, bias)

    def results(self, samples: Array) -> Array:
        """What it gives for all samples."""
        return layer_results(self.product, self.matrix, self.bias, samples)


def bits_of_layers(graph: Graph, scheme: Scheme, given: Mapping[str, int]) -> dict[str, int]:
    """Name of each layer's result -> bits of its weights. given: where they differ from the scheme's.

    Raises UsageError for a name that no layer has.
    """
    layers = [node.name for node in graph.nodes if is_real_layer(graph, node)]
    for name in given:
        if name not in layers:
            known = ", ".join(map(visible, layers)) or "none"
            raise UsageError(
                f"bits of {visible(name)!r}: expected a layer with weights, one of {known}"
            )
    ends = max(scheme.end_bits, scheme.weight_bits)
    usual = {
        name: ends if name in (layers[0], layers[-1]) else scheme.weight_bits for name in layers
    }
    return usual | dict(given)


def integer_layer(
    graph: Graph,
    product: Product,
    bits: int,
    scheme: Scheme,
    read: Array,
    wanted: Array,
    step: float | None = None,
    given: Rounded | None = None,
) -> IntegerLayer:
    """A layer of the graph with weights of `bits`.

    read: its input in the quantized network, of all samples, integers by `step`, None for real numbers; wanted: in
    the float network. given: the integers, if they are known already.
    """
    node = product.node
    data = graph.constant(node.inputs[1])
    assert data is not None
    matrix = product.matrix(data)
    scheme = scheme.of_layer(bits)
    own = _bias(graph, node)
    rounded = given or _rounded(product, matrix, own, bits, scheme, read, wanted, step)
    real = rounded.real
    block = block_of(product, bits, scheme)
    loss = LayerWeights(
        node.name,
        node.operator.title,
        bits,
        int(data.size),
        -(-int(data.size) * bits // 8) + blocks_bytes(rounded.integers, block),
        sqnr([matrix], [real]),
    )
    return IntegerLayer(
        product,
        real,
        product.weights(rounded.integers),
        _stored_scales(product, rounded, scheme),
        _stored_bias(rounded, step),
        loss,
    )


def _stored_scales(product: Product, rounded: Rounded, scheme: Scheme) -> NDArray[np.float64]:
    if rounded.scales.multiples is not None:
        return product.weights(rounded.scales.steps).astype(np.float64)
    rows = rounded.scales.rows.reshape(-1)
    return rows if scheme.per_channel else rows[:1]


def _stored_bias(rounded: Rounded, step: float | None) -> NDArray[np.float32] | None:
    """What the integers of the bias stand for: of few bits weights have scales at which that can be told from it."""
    bias = rounded.bias
    if bias is not None and step is not None:
        steps = step * rounded.scales.rows
        bias = np.rint(bias / steps) * steps
    return None if bias is None else bias.reshape(-1).astype(np.float32)


def _bias(graph: Graph, node: Node) -> Array | None:
    return graph.constant(node.inputs[2]) if len(node.inputs) > 2 else None


def _rounded(
    product: Product,
    matrix: Matrix,
    given: Array | None,
    bits: int,
    scheme: Scheme,
    read: Array,
    wanted: Array,
    step: float | None,
) -> Rounded:
    per_channel, power_of_two = scheme.per_channel, scheme.power_of_two
    bias = np.zeros(matrix.shape[:2])
    if given is not None:
        bias = product.per_channel(given)
    block = block_of(product, bits, scheme)
    least = np.zeros(bias.shape) if step is None else np.abs(bias) / (step * _LARGEST_BIAS)

    def scales_for(real: Matrix, squares: Matrix | None = None) -> BlockScales:
        if block:
            return block_scales(real, bits, block, least, squares, power_of_two=power_of_two)
        rows = scales_of(real, bits, squares, per_channel=per_channel, power_of_two=power_of_two)
        return BlockScales(
            at_least(rows, least, per_channel=per_channel, power_of_two=power_of_two)
        )

    if scheme.weights == "nearest":
        scales = scales_for(matrix)
        kept = None if given is None else bias
        return Rounded(nearest(matrix, scales, bits), scales, kept)
    moments = Moments.empty(product.groups, product.terms)
    for quantized, real in zip(read, wanted, strict=True):
        moments.add(product.rows(quantized), product.rows(real))

    def improved(wanted: Matrix, found: Rounded, squares: Matrix) -> Rounded:
        is_free = per_channel and not power_of_two
        return refined(wanted, found, squares, largest(bits), least, is_free=is_free)

    return learned(
        matrix,
        bias,
        bits,
        moments,
        scales_for,
        ratios=_ratios(bits, scheme),
        per_channel=per_channel,
        least=least,
        improved=improved if scheme.weights == "refined" and bits < 8 else None,
    )


def _ratios(bits: int, scheme: Scheme) -> tuple[float, ...]:
    """Of the scales that weights have at first, others to try."""
    if bits == 8:
        return HALF if scheme.power_of_two else ()
    if not scheme.per_channel:
        return ()
    return OCTAVES if scheme.power_of_two else TRIED
