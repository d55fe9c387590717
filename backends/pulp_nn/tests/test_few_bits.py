"""Weights of four and two bits: which kernel takes a layer, how they are packed, bytes that are the evaluator's."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from random_layers import check_layer, host, kernels_of, with_weights
from tinsmith_c.testing import KernelObjects
from tinsmith_ir import Graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Activation, Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Prepared, find_kernel, layer_of_call, lower
from tinsmith_pulp_nn.few_bits import fours_are_bytes, packed_fields, rows_in_bytes
from tinsmith_pulp_nn.weights import packed

AROUND = (1, 1, 1, 1)
CONV2D, DEPTHWISE = "tinsmith_pulp_conv2d_s4", "tinsmith_pulp_depthwise_3x3_s4"
LINEAR = "tinsmith_pulp_linear_s4"
NEAREST = Rounding.NEAREST


four_bits = partial(with_weights, scale=0.05, dtype=DType.INT4)
two_bits = partial(with_weights, scale=0.2, dtype=DType.INT2)
"""Weights are -1, 0 and 1 if nothing is said."""

OF_FOUR = {
    "conv2d": (CONV2D, four_bits(Conv2D(padding=AROUND), (1, 9, 7, 5), (10, 3, 3, 5), 0)),
    "conv2d_of_all_weights": (
        CONV2D,
        four_bits(Conv2D(padding=AROUND), (1, 9, 7, 5), (10, 3, 3, 5), 0, seed=1, lowest=-8),
    ),
    "pointwise": (CONV2D, four_bits(Conv2D(), (1, 5, 6, 16), (7, 1, 1, 16), 0, seed=2)),
    "pointwise_of_few_weights": (CONV2D, four_bits(Conv2D(), (1, 5, 6, 4), (1, 1, 1, 4), 0)),
    "conv2d_by_2": (
        CONV2D,
        four_bits(
            Conv2D(stride=(2, 2), padding=(4, 5, 1, 1), activation=Activation.RELU),
            (1, 25, 10, 1),
            (12, 10, 4, 1),
            0,
            seed=3,
        ),
    ),
    "dilated": (
        CONV2D,
        four_bits(Conv2D(dilation=(2, 3), padding=AROUND), (1, 9, 11, 5), (6, 3, 3, 5), 0, seed=4),
    ),
    "groups": (CONV2D, four_bits(Conv2D(padding=AROUND), (1, 6, 7, 12), (8, 3, 3, 3), 0, seed=5)),
    "batches": (CONV2D, four_bits(Conv2D(padding=AROUND), (3, 5, 6, 4), (6, 3, 3, 4), 0, seed=6)),
    "nearest": (
        "tinsmith_pulp_conv2d_s4_scaled_high",
        four_bits(
            Conv2D(padding=AROUND, rounding=NEAREST),
            (1, 9, 7, 8),
            (10, 3, 3, 8),
            0,
            seed=7,
            scale=0.005,
        ),
    ),
    "nearest_of_large_scales": (
        "tinsmith_pulp_conv2d_s4_scaled_high",
        four_bits(
            Conv2D(padding=AROUND, rounding=NEAREST),
            (1, 9, 7, 8),
            (10, 3, 3, 8),
            0,
            seed=21,
            scale=0.4,
            lowest=-8,
        ),
    ),
    "floor": (
        "tinsmith_pulp_conv2d_s4_scaled_high",
        four_bits(
            Conv2D(rounding=Rounding.FLOOR), (1, 5, 6, 16), (9, 1, 1, 16), 0, seed=22, scale=0.3
        ),
    ),
    "depthwise_nearest": (
        "tinsmith_pulp_depthwise_3x3_s4_scaled_high",
        four_bits(
            DepthwiseConv2D(padding=AROUND, rounding=NEAREST),
            (1, 9, 7, 10),
            (1, 3, 3, 10),
            3,
            seed=23,
            scale=0.4,
        ),
    ),
    "linear_nearest_of_large_scales": (
        "tinsmith_pulp_conv2d_s4_scaled_high",
        four_bits(FullyConnected(rounding=NEAREST), (1, 64), (7, 64), 0, seed=24, scale=0.4),
    ),
    "narrow": (
        "tinsmith_pulp_conv2d_s4_scaled",
        four_bits(
            Conv2D(rounding=NEAREST, multiplier_bits=12), (1, 5, 6, 16), (9, 1, 1, 16), 0, seed=8
        ),
    ),
    "depthwise_3x3": (
        DEPTHWISE,
        four_bits(DepthwiseConv2D(padding=AROUND), (1, 9, 7, 10), (1, 3, 3, 10), 3, seed=9),
    ),
    "depthwise_3x3_by_2": (
        DEPTHWISE,
        four_bits(DepthwiseConv2D(stride=(2, 2)), (1, 10, 8, 9), (1, 3, 3, 9), 3, seed=10),
    ),
    "depthwise_5x2": (
        "tinsmith_pulp_depthwise_s4",
        four_bits(DepthwiseConv2D(), (1, 9, 7, 6), (1, 5, 2, 6), 3, seed=11, lowest=-8),
    ),
    "depthwise_narrow": (
        "tinsmith_pulp_depthwise_3x3_s4_scaled",
        four_bits(
            DepthwiseConv2D(rounding=NEAREST, multiplier_bits=14),
            (1, 9, 7, 8),
            (1, 3, 3, 8),
            3,
            seed=12,
        ),
    ),
    "two_outputs_a_channel": (
        CONV2D,
        four_bits(DepthwiseConv2D(padding=AROUND), (1, 9, 7, 5), (1, 3, 3, 10), 3, seed=13),
    ),
    "linear": (LINEAR, four_bits(FullyConnected(), (1, 36), (21, 36), None, seed=14)),
    "linear_by_channel": (LINEAR, four_bits(FullyConnected(), (1, 64), (10, 64), 0, seed=15)),
    "linear_narrow": (
        "tinsmith_pulp_linear_s4_scaled",
        four_bits(
            FullyConnected(rounding=NEAREST, multiplier_bits=12), (1, 64), (11, 64), 0, seed=16
        ),
    ),
    "linear_nearest": (
        "tinsmith_pulp_linear_s4_scaled_high",
        four_bits(FullyConnected(rounding=NEAREST), (1, 64), (7, 64), 0, seed=17, scale=0.005),
    ),
    "rows_of_linear": (CONV2D, four_bits(FullyConnected(), (5, 36), (21, 36), None, seed=18)),
    "linear_of_odd_inputs": (CONV2D, four_bits(FullyConnected(), (1, 37), (10, 37), 0, seed=19)),
    "linear_of_weights_that_make_no_pairs": (
        CONV2D,
        four_bits(FullyConnected(), (1, 64), (10, 64), 0, seed=20, lowest=-8),
    ),
}


OF_TWO = {
    "two_bits_conv2d": (
        "tinsmith_pulp_conv2d_s2",
        two_bits(Conv2D(padding=AROUND), (1, 9, 7, 5), (10, 3, 3, 5), 0),
    ),
    "two_bits_conv2d_of_all_weights": (
        "tinsmith_pulp_conv2d_s2",
        two_bits(Conv2D(padding=AROUND), (1, 9, 7, 5), (10, 3, 3, 5), 0, seed=1, lowest=-2),
    ),
    "two_bits_pointwise": (
        "tinsmith_pulp_conv2d_s2",
        two_bits(Conv2D(), (1, 5, 6, 16), (7, 1, 1, 16), 0, seed=2),
    ),
    "two_bits_narrow": (
        "tinsmith_pulp_conv2d_s2_scaled",
        two_bits(
            Conv2D(rounding=NEAREST, multiplier_bits=12), (1, 5, 6, 16), (9, 1, 1, 16), 0, seed=3
        ),
    ),
    "two_bits_nearest_of_large_scales": (
        "tinsmith_pulp_conv2d_s2_scaled_high",
        two_bits(
            Conv2D(padding=AROUND, rounding=NEAREST),
            (1, 9, 7, 8),
            (10, 3, 3, 8),
            0,
            seed=4,
            scale=1.0,
            lowest=-2,
        ),
    ),
    "two_bits_depthwise_3x3": (
        "tinsmith_pulp_depthwise_3x3_s2",
        two_bits(DepthwiseConv2D(padding=AROUND), (1, 9, 7, 10), (1, 3, 3, 10), 3, seed=5),
    ),
    "two_bits_depthwise_5x2": (
        "tinsmith_pulp_depthwise_s2",
        two_bits(DepthwiseConv2D(), (1, 9, 7, 6), (1, 5, 2, 6), 3, seed=6, lowest=-2),
    ),
    "two_bits_depthwise_nearest": (
        "tinsmith_pulp_depthwise_3x3_s2_scaled_high",
        two_bits(
            DepthwiseConv2D(padding=AROUND, rounding=NEAREST),
            (1, 9, 7, 10),
            (1, 3, 3, 10),
            3,
            seed=7,
            scale=1.0,
        ),
    ),
    "two_bits_linear": (
        "tinsmith_pulp_linear_s2",
        two_bits(FullyConnected(), (1, 36), (21, 36), None, seed=8),
    ),
    "two_bits_linear_narrow": (
        "tinsmith_pulp_linear_s2_scaled",
        two_bits(
            FullyConnected(rounding=NEAREST, multiplier_bits=12), (1, 64), (11, 64), 0, seed=9
        ),
    ),
    "two_bits_linear_nearest": (
        "tinsmith_pulp_linear_s2_scaled_high",
        two_bits(FullyConnected(rounding=NEAREST), (1, 64), (7, 64), 0, seed=10, scale=0.02),
    ),
    "two_bits_linear_of_weights_that_no_bytes_hold": (
        "tinsmith_pulp_conv2d_s2",
        two_bits(FullyConnected(), (1, 64), (10, 64), 0, seed=11, lowest=-2),
    ),
}

LAYERS = OF_FOUR | OF_TWO


@pytest.mark.parametrize("cores", [1, 8])
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_that_of_the_evaluator(
    name: str, cores: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    kernel, graph = LAYERS[name]
    inputs = [random_inputs(graph, seed) for seed in range(4)]
    check_layer(graph, kernel, cores, kernel_objects, tmp_path, inputs)


def constants_of(graph: Graph, cores: int = 8) -> tuple[int, int | None]:
    """Bytes of the array of the only call's channels, and what it takes by the model."""
    chosen = host(cores)
    kernels = kernels_of(chosen)
    program = lower(graph, chosen, kernels)
    (call,) = program.calls
    layer = layer_of_call(program, call, chosen)
    kernel = find_kernel(call.kernel, layer, kernels)
    _, constants = kernel.prepare(layer)
    assert isinstance(constants, Prepared)
    cost = kernel.cost(layer)
    return constants.data.nbytes, None if cost is None else cost.cycles


@pytest.mark.parametrize(
    ("operator", "shape", "weights", "axis"),
    [
        (Conv2D(), (1, 8, 8, 32), (64, 3, 3, 32), 0),
        (DepthwiseConv2D(), (1, 8, 8, 64), (1, 3, 3, 64), 3),
        (FullyConnected(), (1, 128), (64, 128), 0),
    ],
    ids=["conv2d", "depthwise", "linear"],
)
def test_weights_take_half_and_a_quarter_of_the_bytes(
    operator: Conv2D | DepthwiseConv2D | FullyConnected,
    shape: tuple[int, ...],
    weights: tuple[int, ...],
    axis: int,
) -> None:
    half, _ = constants_of(four_bits(operator, shape, weights, axis))
    quarter, _ = constants_of(two_bits(operator, shape, weights, axis))
    whole, _ = constants_of(with_weights(operator, shape, weights, axis))
    elements = int(np.prod(weights))
    assert whole - half == elements // 2
    assert whole - quarter == elements * 3 // 4
    assert half == 12 * 64 + elements // 2


def test_to_make_bytes_of_weights_is_part_of_the_cost() -> None:
    shape, weights = (1, 8, 8, 32), (64, 3, 3, 32)
    _, of_bytes = constants_of(with_weights(Conv2D(), shape, weights, 0))
    _, of_halves = constants_of(four_bits(Conv2D(), shape, weights, 0))
    assert of_bytes is not None
    assert of_halves is not None
    # Twelve instructions for sixteen weights, by eight cores.
    assert 12 * 64 * 288 // 16 // 8 < of_halves - of_bytes < 2000


def test_fields_of_a_byte_are_weights_of_words_side_by_side() -> None:
    weights = np.array([1, 2, 3, 4, -1, -2, -3, -8, 5, 6], np.int8)
    expected = [0xF1, 0xE2, 0xD3, 0x84, 0x05, 0x06, 0x00, 0x00]
    assert packed_fields(weights, 4).view(np.uint8).tolist() == expected
    weights = np.array([1, 0, -1, -2, -1, 0, 1, 1, -2, 0, 0, 0, 1, 1, 0, 0, 1], np.int8)
    expected = [0x6D, 0x40, 0x07, 0x06, 0x01, 0x00, 0x00, 0x00]
    assert packed_fields(weights, 2).view(np.uint8).tolist() == expected


def test_rows_share_bytes() -> None:
    rows = np.array([[1, -2, 7, -8], [3, -4, 7, -7], [0, 5, -1, 6]], np.int8)
    expected = [49, -66, 119, -120, 0, 5, -1, 6]
    assert rows_in_bytes(packed(rows), 4).tolist() == expected
    rows = np.array([[1, -2, 1, 0], [1, 0, -2, 0], [1, -1, 0, 0], [1, -1, 1, -2], [1, 0, 0, -2]])
    expected = [85, -82, 57, -128, 1, 0, 0, -2]
    assert rows_in_bytes(packed(rows.astype(np.int8)), 2).tolist() == expected


def test_weights_that_make_no_pair_are_named() -> None:
    graph = four_bits(FullyConnected(), (1, 64), (10, 64), 0, seed=20, lowest=-8)
    (call,) = lower(graph, host(8), kernels_of(host(8))).calls
    assert "No weight is -8 beside a negative one" in call.reason
    assert "those of column" in call.reason


@pytest.mark.parametrize(
    ("column", "rows"),
    [([-1, -2, 0, 0], "0 to 1"), ([0, -1, -2, 0], "0 to 2"), ([-1, 0, 0, -2], "0 to 3")],
)
def test_two_bits_below_a_negative_sum_are_named(column: list[int], rows: str) -> None:
    weights = np.ones((4, 8), np.int8)
    weights[:, 5] = column
    assert _finding(weights) == f"those of column 5 in rows {rows} are"


@pytest.mark.parametrize("column", [[-2, 1, 1, 1], [0, -2, 0, 0], [1, 0, -2, 1], [1, -1, 1, -2]])
def test_two_bits_that_a_byte_holds_are_taken(column: list[int]) -> None:
    weights = np.ones((4, 8), np.int8)
    weights[:, 5] = column
    assert _finding(weights) is None


def _finding(weights: NDArray[np.int8]) -> str | None:
    """What the rule of fully connected layers says of weights of two bits."""
    builder = GraphBuilder("layer")
    x = builder.input("x", TensorType((1, 8), DType.INT8, Quantization.per_tensor(0.05, 0)))
    w = builder.constant("w", weights, Quantization.per_tensor(0.2, 0), DType.INT2)
    b = builder.constant("b", np.zeros(4, np.int32))
    y = builder.add(FullyConnected(), [x, w, b], "y", Quantization.per_tensor(0.05, 0))
    chosen = host(8)
    program = lower(builder.build(y), chosen, kernels_of(chosen))
    return fours_are_bytes(layer_of_call(program, program.calls[0], chosen))
