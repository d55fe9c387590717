"""Fully connected layers whose blocks of weights have multipliers: numbers by hand, and types that are refused."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, evaluate_graph, parse_graph, print_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

Run = Callable[..., list[object]]

LAYER = """
      input %x: i8[1,5]<0.5, 1>
      const %w: i4[2,5]<[0.5, 0.25], [0, 0], axis 0> = [-8, 7, 1, 0, 2, 3, 4, -1, 2, 7]
      const %b: i32[2] = [4, -4]
      const %m: u8[2,3] = [1, 3, 2, 255, 0, 10]
      %y: i8[1,2]<64.0, 3> = blockwise_fully_connected(%x, %w, %b, %m) {block=2}
      output %y"""


def graph_of(text: str) -> Graph:
    return parse_graph(f'graph 2 "g" {{{text}\n}}\n')


def test_sums_of_blocks_are_multiplied_by_hand(run: Run) -> None:
    # x - 1 is 9, 19, 29, -11, 100. First unit: 1 * (-72 + 133) + 3 * (29 + 0) + 2 * 200 + 4 = 552, times 0.25 / 64 is
    # 2.16. Second: 255 * (27 + 76) + 0 * (...) + 10 * 700 - 4 = 33261, times 0.125 / 64 is 64.96.
    assert run(LAYER, [10, 20, 30, -10, 101]) == [5, 68]


def test_the_bias_may_be_absent(run: Run) -> None:
    assert run(LAYER.replace("%b, %m", "none, %m"), [10, 20, 30, -10, 101]) == [5, 68]


def test_it_is_a_layer_of_the_products_of_weights_and_multipliers() -> None:
    random = np.random.default_rng(1)
    weights = random.integers(-8, 8, (6, 40)).astype(np.int8)
    multipliers = random.integers(0, 16, (6, 5)).astype(np.uint8)
    x = random.integers(-128, 128, (2, 3, 40)).astype(np.int8)
    builder = GraphBuilder("blocks")
    value = builder.input("x", TensorType(x.shape, DType.INT8, Quantization.per_tensor(0.5, -7)))
    scales = Quantization((0.5, 1.0, 0.25, 0.5, 2.0, 1.0), (0,) * 6, 0)
    w = builder.constant("w", weights, scales, DType.INT4)
    m = builder.constant("m", multipliers)
    operator = BlockwiseFullyConnected(block=8, keep_dims=True)
    y = builder.add(operator, [value, w, None, m], "y", Quantization.per_tensor(16.0, 5))
    got = evaluate_graph(builder.build(y), {"x": x})["y"].astype(np.float64)

    real = weights.astype(np.float64) * np.repeat(multipliers, 8, axis=1)
    sums = (x.astype(np.float64) + 7) @ real.T
    wanted = np.clip(np.round(sums * 0.5 * np.array(scales.scales) / 16.0) + 5, -128, 127)
    assert got.shape == (2, 3, 6)
    assert np.abs(got - wanted).max() <= 1


def test_text_reads_back() -> None:
    graph = graph_of(LAYER)
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)
    assert graph.macs == 10


@pytest.mark.parametrize(
    ("given", "wanted", "message"),
    [
        ("{block=2}", "{block=0}", "a block of at least 1 element, got 0"),
        ("{block=2}", "{block=3}", r"blocks of shape \(2, 2\), 5 inputs by 3, got \(2, 3\)"),
        ("u8[2,3]", "u8[2,3]<1.0, 0>", "blocks without quantization"),
        ("u8[2,3]", "i32[2,3]", "blocks of dtype u8, got i32"),
        ("i4[2,5]", "i8[2,5]", "weights of dtype i4, i2, got i8"),
        ("[0, 0], axis 0", "[0, 1], axis 0", "zero points"),
        ("i32[2] = [4, -4]", "i32[1] = [4]", r"bias of shape \(2,\), got \(1,\)"),
        ("i8[1,5]", "i8[1,6]", r"an input of rows of 5, got shape \(1, 6\)"),
        ("%b, %m", "%b, none", "blocks"),
    ],
)
def test_what_does_not_fit_is_refused(given: str, wanted: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        graph_of(LAYER.replace(given, wanted))


def test_beside_floats_and_int16_they_are_refused() -> None:
    wide = LAYER.replace("i8[1,5]<0.5, 1>", "i16[1,5]<0.5, 0>")
    with pytest.raises(GraphError, match="input of dtype i8, got i16"):
        graph_of(wide.replace("i8[1,2]<64.0, 3>", "i16[1,2]<64.0, 0>"))


@pytest.mark.parametrize(("zero_point", "most"), [(127, 4128), (0, 8224)])
def test_sums_that_could_leave_32_bits_are_refused(zero_point: int, most: int) -> None:
    def layer(depth: int) -> GraphBuilder:
        builder = GraphBuilder("deep")
        given = Quantization.per_tensor(0.5, zero_point)
        x = builder.input("x", TensorType((1, depth), DType.INT8, given))
        weights = np.full((1, depth), -8, np.int8)
        w = builder.constant("w", weights, Quantization.per_tensor(0.5, 0), DType.INT4)
        m = builder.constant("m", np.full((1, 1), 255, np.uint8))
        scales = Quantization.per_tensor(2.0**27, 0)
        y = builder.add(BlockwiseFullyConnected(block=depth), [x, w, None, m], "y", scales)
        builder.build(y)
        return builder

    layer(most)
    with pytest.raises(GraphError, match=f"at most {most} inputs, so that sums stay in 32 bits"):
        layer(most + 1)
