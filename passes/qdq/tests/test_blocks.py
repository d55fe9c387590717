"""Layers whose weights have a scale for each block of a row."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import DType, Graph, evaluate_graph
from tinsmith_ir.graph import Node
from tinsmith_ir.operators import (
    Activation,
    BlockwiseFullyConnected,
    Conv2D,
    Dequantize,
    FullyConnected,
    Mul,
    Operator,
    Quantize,
)
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_qdq.multiples import multiples

Scales = NDArray[np.float32]
UNITS, DEPTH, BLOCK = 5, 20, 8


def integers(low: int = -8, high: int = 8) -> NDArray[np.int8]:
    found = np.random.default_rng(2).integers(low, high, (UNITS, DEPTH)).astype(np.int8)
    found[0, 0] = high - 1
    return found


def scales_of(multipliers: NDArray[np.integer]) -> Scales:
    rows = np.float32(0.01) * np.arange(1, UNITS + 1, dtype=np.float32)
    return rows[:, None] * multipliers.astype(np.float32)


def network(
    weights: NDArray[np.int8],
    scales: Scales,
    operator: Operator | None = None,
    shape: tuple[int, ...] = (3, DEPTH),
    dtype: DType = DType.INT8,
) -> Graph:
    """A layer of weights by scales of blocks, between integers."""
    zero = 3 if dtype is DType.INT8 else 0
    builder = GraphBuilder("blocks")
    x = builder.input("x", TensorType(shape, dtype, Quantization.per_tensor(0.05, zero)))
    layer = operator or FullyConnected(activation=Activation.RELU)
    spread = np.repeat(scales, BLOCK, axis=1)[:, :DEPTH]
    laid = (UNITS, 1, 1, DEPTH) if isinstance(layer, Conv2D) else (UNITS, DEPTH)
    stored = builder.constant("w", weights.reshape(laid), Quantization.per_tensor(1.0, 0))
    factors = builder.constant("s", np.ascontiguousarray(spread.reshape(laid)))
    real = builder.add(Mul(), [builder.add(Dequantize(), [stored]), factors])
    bias = builder.constant("b", np.linspace(-2, 2, UNITS).astype(np.float32))
    result = builder.add(layer, [builder.add(Dequantize(), [x]), real, bias])
    quantization = Quantization.per_tensor(0.5, -zero)
    y = builder.add(Quantize(dtype, halves_to_even=True), [result], "y", quantization)
    return builder.build(y)


def folded(graph: Graph) -> Node:
    found = FoldQuantization().run(graph)
    (node,) = found.nodes
    return node


MULTIPLES = np.array([[1, 255, 7], [3, 2, 5], [128, 64, 1], [9, 8, 255], [1, 1, 2]])


@pytest.mark.parametrize(
    ("operator", "shape"),
    [
        (FullyConnected(activation=Activation.RELU), (3, DEPTH)),
        (FullyConnected(keep_dims=True), (1, 3, 2, DEPTH)),
        (Conv2D(activation=Activation.RELU6), (1, 3, 2, DEPTH)),
    ],
)
def test_scales_that_are_multiples_become_multipliers(
    operator: FullyConnected | Conv2D, shape: tuple[int, ...]
) -> None:
    graph = network(integers(), scales_of(MULTIPLES), operator, shape)
    node = folded(graph)
    assert isinstance(node.operator, BlockwiseFullyConnected)
    assert node.operator.block == BLOCK
    assert node.operator.activation is operator.activation


def test_the_result_is_at_most_a_step_away() -> None:
    graph = network(integers(), scales_of(MULTIPLES))
    after = FoldQuantization().run(graph)
    for seed in range(20):
        inputs = random_inputs(graph, seed=seed)
        wanted, got = (evaluate_graph(each, inputs)["y"].astype(int) for each in (graph, after))
        assert np.abs(wanted - got).max() <= 1


def test_multiples_are_the_smallest_and_their_products_the_scales() -> None:
    given = np.array([[2, 4, 6], [255, 1, 3], [250, 100, 50]])
    scales = np.array([[0.3], [0.0123], [1e-3]], np.float32) * given.astype(np.float32)
    found = multiples(scales, np.ones(scales.shape, np.bool_))
    assert found is not None
    rows, each = found
    assert each.tolist() == [[1, 2, 3], [255, 1, 3], [5, 2, 1]]
    assert (rows[:, None] * each.astype(np.float32) == scales).all()
    again = multiples(rows[:, None] * each.astype(np.float32), np.ones(scales.shape, np.bool_))
    assert again is not None
    assert (again[0] == rows).all()
    assert (again[1] == each).all()


def test_blocks_of_zeros_have_any_scale() -> None:
    scales = np.array([[1.0, 1e-9, 3.0], [1e-9, 1e-9, 1e-9]], np.float32)
    found = multiples(scales, np.array([[True, False, True], [False, False, False]]))
    assert found is not None
    assert found[1].tolist() == [[1, 1, 3], [1, 1, 1]]


def test_scales_that_are_nearly_multiples_are_taken() -> None:
    scales = np.array([[200.0, 100.1, 50.0]], np.float32)
    found = multiples(scales, np.ones(scales.shape, np.bool_))
    assert found is not None
    real = found[0][:, None] * found[1]
    assert np.abs(real / scales - 1).max() <= 2.0**-9


@pytest.mark.parametrize(
    ("weights", "scales", "dtype", "reason"),
    [
        (
            integers(),
            scales_of(MULTIPLES + 1000 * (MULTIPLES > 9)),
            DType.INT8,
            "that are no multiples, up to 255",
        ),
        (integers(-9, 8), scales_of(MULTIPLES), DType.INT8, "and more than 4 bits"),
        (integers(), scales_of(MULTIPLES), DType.INT16, "beside int16"),
        (
            integers(),
            scales_of(MULTIPLES) * np.float32(1e-11),
            DType.INT8,
            "its sums may leave int32",
        ),
    ],
)
def test_others_stay_float(
    weights: NDArray[np.int8], scales: Scales, dtype: DType, reason: str
) -> None:
    (left,) = remaining(FoldQuantization().run(network(weights, scales, dtype=dtype)))
    assert reason in left.reason


def test_a_convolution_of_windows_stays_float() -> None:
    graph = network(integers(), scales_of(MULTIPLES), Conv2D(stride=(2, 2)), (1, 4, 4, DEPTH))
    (left,) = remaining(FoldQuantization().run(graph))
    assert left.reason == "its weights have scales that differ within an output channel"
