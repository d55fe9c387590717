"""Weights whose blocks have scales of their own."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import DType, Graph, evaluate_graph
from tinsmith_ir.errors import UsageError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import BlockwiseFullyConnected, Conv2D, FullyConnected
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import TensorType
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Scheme, quantize, scheme, sqnr
from tinsmith_quantization.blocks import MOST, block_scales
from tinsmith_quantization.weights import nearest, scales_of

DEPTH, UNITS = 96, 12


def uneven(random: np.random.Generator, units: int, depth: int) -> NDArray[np.float32]:
    """Weights of which some runs of 16 are much larger than others, as of trained networks."""
    runs = np.repeat(np.exp2(random.uniform(-4, 0, (units, -(-depth // 16)))), 16, axis=1)
    return (random.normal(size=(units, depth)) * runs[:, :depth]).astype(np.float32)


def network() -> Graph:
    """A layer of 96 inputs, one of single pixels, one of windows."""
    random = np.random.default_rng(5)
    builder = GraphBuilder("net")
    x = builder.input("x", TensorType((1, 2, 3, DEPTH), DType.FLOAT32))
    first = builder.constant("w1", uneven(random, DEPTH, DEPTH))
    bias = builder.constant("b1", random.normal(size=DEPTH).astype(np.float32))
    a = builder.add(FullyConnected(keep_dims=True), [x, first, bias], "a")
    pixels = builder.constant("w2", uneven(random, DEPTH, DEPTH).reshape(DEPTH, 1, 1, DEPTH))
    b = builder.add(Conv2D(), [a, pixels, None], "b")
    windows = random.normal(size=(4, 2, 2, DEPTH)).astype(np.float32)
    c = builder.add(Conv2D(), [b, builder.constant("w3", windows), None], "c")
    return builder.build(c)


def samples(graph: Graph, count: int = 12) -> list[dict[str, Array]]:
    random = np.random.default_rng(3)
    shape = graph.inputs[0].type.shape
    return [{"x": random.normal(size=shape).astype(np.float32)} for _ in range(count)]


def test_layers_with_a_matrix_of_long_rows_have_blocks() -> None:
    graph = network()
    chosen = Scheme(weight_bits=4, end_bits=4, block=32)
    made = quantize(graph, samples(graph), chosen)
    found = FoldQuantization().run(made.graph)
    assert not remaining(found)
    operators = {node.name: node.operator for node in found.nodes}
    blocks = [operators[name] for name in ("a", "b")]
    assert all(isinstance(each, BlockwiseFullyConnected) and each.block == 32 for each in blocks)
    assert isinstance(operators["c"], Conv2D)
    # Two weights in a byte, and three blocks of each unit.
    assert made.losses.weights[0].size_bytes == DEPTH * DEPTH // 2 + 3 * DEPTH
    assert made.losses.weights[2].size_bytes == 4 * 2 * 2 * DEPTH // 2


@pytest.mark.parametrize("weights", ["nearest", "learned"])
def test_blocks_keep_more_of_uneven_weights(weights: str) -> None:
    graph = network()
    kept: list[float] = []
    for block in (0, 16):
        chosen = Scheme(weight_bits=4, end_bits=4, block=block, weights=weights)
        losses = quantize(graph, samples(graph), chosen).losses
        kept.append(losses.tensors[2].sqnr_db)
    assert kept[1] > kept[0] + 2


def test_rows_of_a_block_or_less_have_one_scale() -> None:
    graph = network()
    chosen = Scheme(weight_bits=4, end_bits=4, block=DEPTH)
    found = FoldQuantization().run(quantize(graph, samples(graph), chosen).graph)
    assert not any(isinstance(node.operator, BlockwiseFullyConnected) for node in found.nodes)


def test_scales_are_multiples_near_the_best_ones() -> None:
    matrix = uneven(np.random.default_rng(7), UNITS, 40).astype(np.float64)[None]
    found = block_scales(matrix, 4, 16, np.zeros((1, UNITS)))
    multiples = found.multiples
    assert multiples is not None
    assert multiples.shape == matrix.shape
    assert (multiples[:, :, :16] == multiples[:, :, :1]).all()
    assert int(multiples.min()) >= 1
    assert int(multiples.max()) <= MOST
    assert (np.gcd.reduce(multiples[0], axis=1) == 1).all()
    blocks = nearest(matrix, found, 4) * found.steps
    rows = scales_of(matrix, 4)[:, :, None]
    whole = np.clip(np.rint(matrix / rows), -7, 7) * rows
    assert sqnr([matrix], [blocks]) > sqnr([matrix], [whole]) + 2


def test_scales_of_powers_of_two_stay_such() -> None:
    matrix = uneven(np.random.default_rng(8), UNITS, 40).astype(np.float64)[None]
    steps = block_scales(matrix, 4, 16, np.zeros((1, UNITS)), power_of_two=True).steps
    assert (np.exp2(np.rint(np.log2(steps))) == steps).all()
    assert len(np.unique(steps[0, 0])) > 1


def test_a_large_bias_leaves_a_channel_fewer_multiples() -> None:
    matrix = uneven(np.random.default_rng(9), 2, 64).astype(np.float64)[None]
    free = block_scales(matrix, 4, 16, np.zeros((1, 2)))
    least = np.array([[float(free.steps.max()) * 2, 0.0]])
    bound = block_scales(matrix, 4, 16, least)
    assert bound.multiples is not None
    assert (bound.multiples[0, 0] == 1).all()
    assert (bound.steps[0, 1] == free.steps[0, 1]).all()


def test_results_of_the_integers_are_those_that_were_told() -> None:
    graph = network()
    made = quantize(graph, samples(graph), scheme("int4-block32"))
    found = FoldQuantization().run(made.graph)
    (source,) = found.inputs
    random = np.random.default_rng(1)
    for _ in range(5):
        given = {"x": random.integers(-128, 128, source.type.shape).astype(np.int8)}
        (wanted,) = evaluate_graph(made.graph, given).values()
        (got,) = evaluate_graph(found, given).values()
        assert np.abs(wanted.astype(np.int64) - got.astype(np.int64)).max() <= 3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"block": -1}, "a block of 0 or more, got -1"),
        ({"block": 32, "activations": DType.INT16}, "blocks beside int8 activations"),
        ({"block": 32, "per_channel": False}, "scales per channel"),
        ({"block": 32, "weight_bits": 2, "weights": "distilled"}, "weights `learned` or `nearest`"),
    ],
)
def test_blocks_that_no_integers_have_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Scheme(**fields)  # pyright: ignore[reportArgumentType]
