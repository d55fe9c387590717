"""Generated C that calls the kernels, compiled for this machine: bit-exact whatever number of cores shares a call."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from random_layers import check_layer, host, kernels_of, with_weights, without_weights
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_ir import Graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import (
    Abs,
    Activation,
    Add,
    AveragePool2D,
    Broadcast,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    HardSwish,
    LeakyRelu,
    Logistic,
    Maximum,
    MaxPool2D,
    Mean,
    Minimum,
    Mul,
    Pad,
    Relu,
    Relu6,
    Requantize,
    Slice,
    Softmax,
    Sub,
    Sum,
    Tanh,
    Transpose,
)
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType

AROUND = (1, 1, 1, 1)
TWO_SCALES = ((0.05, -3), (0.02, 9))
PROBABILITIES = Quantization.per_tensor(1 / 256, -128)


def sum_without_tables() -> Graph:
    """Halves that both signs meet."""
    scales = [(0.02, 127), (0.03, -128), (0.2, 0)]
    lhs, rhs, result = (Quantization.per_tensor(float(np.float32(s)), z) for s, z in scales)
    builder = GraphBuilder("sum")
    inputs = [builder.input("x", TensorType((3, 50), DType.INT8, one)) for one in (lhs, rhs)]
    return builder.build(builder.add(Add(), inputs, "y", result))


def by_one_constant(operator: Operator, value: int, *, first: bool = False) -> Graph:
    """An operator of two operands, one of them one constant."""
    builder = GraphBuilder("by_one")
    given = [Quantization.per_tensor(float(np.float32(scale)), z) for scale, z in TWO_SCALES]
    x = builder.input("x", TensorType((2, 3, 50), DType.INT8, given[0]))
    one = builder.constant("one", np.array([value], np.int8), given[1])
    return builder.build(builder.add(operator, [one, x] if first else [x, one], "y", given[0]))


def of_unsigned(dtype: DType, result: DType) -> Graph:
    """Another quantization, of bytes of either sign."""
    builder = GraphBuilder("requantize")
    given = Quantization.per_tensor(float(np.float32(0.05)), 100 if dtype is DType.UINT8 else -3)
    x = builder.input("x", TensorType((7, 9), dtype, given))
    wanted = Quantization.per_tensor(float(np.float32(0.07)), 12)
    return builder.build(builder.add(Requantize(dtype=result), [x], "y", wanted))


def with_constant(operator: Operator, shape: Sequence[int], constant: Sequence[int]) -> Graph:
    """An operator of two operands, one of them a constant that is repeated."""
    builder, random = GraphBuilder("repeated"), np.random.default_rng(1)
    given = [Quantization.per_tensor(float(np.float32(scale)), z) for scale, z in TWO_SCALES]
    x = builder.input("x", TensorType(tuple(shape), DType.INT8, given[0]))
    data = random.integers(-128, 128, tuple(constant)).astype(np.int8)
    return builder.build(
        builder.add(operator, [x, builder.constant("c", data, given[1])], "y", given[0])
    )


def extremum(operator: Operator, lhs: Sequence[int], rhs: Sequence[int]) -> Graph:
    """Of tensors of one quantization."""
    builder, given = GraphBuilder("extremum"), Quantization.per_tensor(float(np.float32(0.05)), -3)
    inputs = [
        builder.input(name, TensorType(tuple(shape), DType.INT8, given))
        for name, shape in (("x", lhs), ("z", rhs))
    ]
    return builder.build(builder.add(operator, inputs, "y", None))


def product_of_halves() -> Graph:
    """Scales that are powers of two: many products lie half-way between integers."""
    builder = GraphBuilder("halves")
    inputs = [
        builder.input(name, TensorType((1, 5, 7, 9), DType.INT8, Quantization.per_tensor(scale, 0)))
        for name, scale in (("x", 1 / 16), ("z", 1 / 64))
    ]
    wanted = Quantization.per_tensor(1 / 32, 1)
    return builder.build(builder.add(Mul(), inputs, "y", wanted))


LOOKUP = "tinsmith_pulp_lookup"
MUL, SUM = "tinsmith_pulp_mul", "tinsmith_pulp_sum_by_tables"
OF_TWO = {
    "mul": (MUL, without_weights(Mul(), (1, 5, 7, 9), (1, 5, 7, 9))),
    "mul_of_halves": (MUL, product_of_halves()),
    "mul_without_a_shift": (
        MUL,
        without_weights(Mul(), (3, 70), (3, 70), result=Quantization.per_tensor(0.002, 5)),
    ),
    "mul_by_channels": (MUL, without_weights(Mul(), (1, 5, 7, 9), (1, 1, 1, 9), seed=1)),
    "mul_by_pixels": (
        MUL,
        without_weights(Mul(activation=Activation.RELU), (1, 5, 1, 1), (1, 5, 7, 9), seed=2),
    ),
    "mul_by_one": (MUL, without_weights(Mul(), (3, 70), (1, 1), seed=3)),
    "mul_by_constants": (MUL, with_constant(Mul(activation=Activation.RELU6), (1, 9, 33), (33,))),
    "mul_nearest": (
        MUL,
        without_weights(Mul(rounding=Rounding.NEAREST), (1, 5, 7, 9), (7, 9), seed=4),
    ),
    "mul_floor": (MUL, without_weights(Mul(rounding=Rounding.FLOOR), (2, 150), (2, 1), seed=5)),
    "add_of_channels": (SUM, without_weights(Add(), (1, 4, 6, 5), (1, 1, 1, 5))),
    "add_of_constants": (SUM, with_constant(Add(), (1, 9, 33), (33,))),
    "sub_of_pixels": (SUM, without_weights(Sub(), (1, 4, 6, 1), (1, 4, 6, 5), seed=6)),
    "sub": ("tinsmith_pulp_sub_by_tables", without_weights(Sub(), (1, 5, 7, 9), (1, 5, 7, 9))),
    "sub_nearest": (
        SUM,
        without_weights(Sub(rounding=Rounding.NEAREST), (1, 5, 7, 9), (1, 5, 7, 9), seed=7),
    ),
    "add_of_full_width": (
        SUM,
        without_weights(
            Add(rounding=Rounding.FLOOR, activation=Activation.RELU), (300,), (300,), seed=8
        ),
    ),
    "minimum": (
        "tinsmith_pulp_extremum",
        extremum(Minimum(), (1, 5, 7, 9), (1, 1, 1, 9)),
    ),
    "maximum": ("tinsmith_pulp_extremum", extremum(Maximum(), (6, 50), (6, 50))),
}
OF_A_BYTE = {
    "logistic": without_weights(Logistic(), (1, 5, 7, 9), result=PROBABILITIES),
    "tanh": without_weights(Tanh(), (2, 201), result=Quantization.per_tensor(1 / 128, 0)),
    "hard_swish": without_weights(HardSwish(), (1, 5, 7, 9)),
    "leaky_relu": without_weights(LeakyRelu(alpha=-0.3), (3,)),
    "relu6": without_weights(Relu6(), (1, 4, 4, 33)),
    "relu_rounded_once": without_weights(Relu(rounding=Rounding.NEAREST), (400,), seed=2),
    "abs": without_weights(Abs(), (64, 5)),
    "requantize": of_unsigned(DType.INT8, DType.INT8),
    "requantize_to_unsigned": of_unsigned(DType.INT8, DType.UINT8),
    "requantize_of_unsigned": of_unsigned(DType.UINT8, DType.INT8),
    "mul_by_one_constant": by_one_constant(Mul(), -77),
    "sub_from_one_constant": by_one_constant(Sub(activation=Activation.RELU), 90, first=True),
    "add_of_one_constant": by_one_constant(Add(rounding=Rounding.FLOOR), 100),
}

MEAN = "tinsmith_pulp_mean"
MEANS = {
    "mean": without_weights(Mean(axes=(1, 2), keep_dims=True), (1, 9, 7, 23)),
    "mean_of_batches": without_weights(Mean(axes=(1, 2)), (3, 4, 5, 6), seed=1),
    "mean_of_channels": without_weights(Mean(axes=(3,)), (1, 9, 7, 23), seed=2),
    "mean_of_one_row": without_weights(Mean(axes=(1, 2)), (1, 1, 40, 16), seed=3),
    "mean_nearest": without_weights(Mean(axes=(0,), rounding=Rounding.NEAREST), (50, 13), seed=4),
    "mean_floor": without_weights(Mean(axes=(1, 2), rounding=Rounding.FLOOR), (1, 3, 3, 8), seed=5),
    "sum": without_weights(Sum(axes=(1,)), (2, 7, 9), seed=6),
}


def concatenation(axis: int, *shapes: Sequence[int]) -> Graph:
    """Of tensors of one quantization."""
    builder, given = GraphBuilder("concat"), Quantization.per_tensor(float(np.float32(0.05)), -3)
    inputs = [
        builder.input(f"x{index}", TensorType(tuple(shape), DType.INT8, given))
        for index, shape in enumerate(shapes)
    ]
    return builder.build(builder.add(Concat(axis=axis), inputs, "y", None))


def moving(operator: Operator, shape: Sequence[int]) -> Graph:
    """An operator that computes nothing."""
    builder, given = GraphBuilder("move"), Quantization.per_tensor(float(np.float32(0.05)), -3)
    x = builder.input("x", TensorType(tuple(shape), DType.INT8, given))
    return builder.build(builder.add(operator, [x], "y", None))


MOVE = "tinsmith_pulp_move"
MOVES = {
    "concat": concatenation(3, (1, 5, 7, 9), (1, 5, 7, 16), (1, 5, 7, 1)),
    "concat_of_rows": concatenation(1, (1, 5, 7, 9), (1, 2, 7, 9)),
    "pad": moving(Pad(padding=(0, 0, 1, 2, 3, 0, 0, 5)), (1, 5, 7, 9)),
    "pad_by_value": moving(Pad(padding=(0, 0, 0, 7), value=-128), (3, 11)),
    "slice": moving(Slice(begin=(0, 1, 2, 3), shape=(1, 4, 4, 5)), (1, 5, 7, 9)),
    "slice_in_strides": moving(
        Slice(begin=(0, 1, 0, 3), shape=(1, 2, 4, 3), strides=(1, 2, 2, 2)), (1, 5, 7, 9)
    ),
    "transpose": moving(Transpose(permutation=(0, 3, 1, 2)), (1, 5, 7, 9)),
    "transpose_back": moving(Transpose(permutation=(0, 2, 3, 1)), (1, 9, 5, 7)),
    "transpose_of_blocks": moving(Transpose(permutation=(0, 1, 3, 2, 4, 5)), (2, 3, 4, 2, 2, 13)),
    "twice_as_large": moving(Broadcast(shape=(1, 5, 2, 7, 2, 9)), (1, 5, 1, 7, 1, 9)),
    "broadcast": moving(Broadcast(shape=(6, 5, 40)), (5, 1)),
}

CONV2D, DEPTHWISE = "tinsmith_pulp_conv2d", "tinsmith_pulp_depthwise"
ARRANGED = {
    "dilated": (
        CONV2D,
        with_weights(
            Conv2D(dilation=(2, 3), padding=(1, 2, 3, 3)), (1, 9, 11, 5), (6, 3, 3, 5), 0, seed=10
        ),
    ),
    "dilated_depthwise": (
        DEPTHWISE,
        with_weights(
            DepthwiseConv2D(dilation=(2, 2), padding=(2, 2, 2, 2)),
            (1, 9, 7, 10),
            (1, 3, 3, 10),
            3,
            seed=11,
        ),
    ),
    "groups": (
        CONV2D,
        with_weights(Conv2D(padding=AROUND), (1, 6, 7, 12), (8, 3, 3, 3), 0, seed=12),
    ),
    "groups_nearest": (
        "tinsmith_pulp_conv2d_scaled_high",
        with_weights(Conv2D(rounding=Rounding.NEAREST), (1, 6, 7, 6), (4, 3, 1, 3), 0, seed=13),
    ),
    "two_outputs_a_channel": (
        CONV2D,
        with_weights(
            DepthwiseConv2D(stride=(2, 2), padding=AROUND), (1, 9, 7, 5), (1, 3, 3, 10), 3, seed=14
        ),
    ),
    "batches": (
        CONV2D,
        with_weights(Conv2D(padding=AROUND), (3, 5, 6, 4), (6, 3, 3, 4), 0, seed=15),
    ),
    "batches_of_pixels": (
        CONV2D,
        with_weights(Conv2D(), (2, 3, 5, 8), (9, 1, 1, 8), 0, seed=16),
    ),
    "batches_of_depthwise": (
        "tinsmith_pulp_depthwise_3x3",
        with_weights(DepthwiseConv2D(), (2, 5, 6, 7), (1, 3, 3, 7), 3, seed=17),
    ),
    "batches_of_pools": (
        "tinsmith_pulp_pool",
        without_weights(AveragePool2D(window=(2, 2), stride=(2, 2)), (3, 6, 5, 7), same=True),
    ),
    "rows_of_linear": (
        CONV2D,
        with_weights(FullyConnected(), (5, 36), (21, 36), None, seed=18),
    ),
    "linear_of_odd_inputs": (
        CONV2D,
        with_weights(FullyConnected(), (1, 37), (10, 37), 0, seed=19),
    ),
}

LAYERS = {
    **ARRANGED,
    **{name: (MOVE, graph) for name, graph in MOVES.items()},
    **{name: (MEAN, graph) for name, graph in MEANS.items()},
    **{name: (LOOKUP, graph) for name, graph in OF_A_BYTE.items()},
    **OF_TWO,
    "conv2d": (
        "tinsmith_pulp_conv2d",
        with_weights(Conv2D(padding=AROUND), (1, 9, 7, 5), (10, 3, 3, 5), 0),
    ),
    "pointwise": (
        "tinsmith_pulp_conv2d",
        with_weights(Conv2D(), (1, 5, 6, 16), (7, 1, 1, 16), 0, seed=1),
    ),
    "conv2d_by_2": (
        "tinsmith_pulp_conv2d",
        with_weights(
            Conv2D(stride=(2, 2), padding=(4, 5, 1, 1), activation=Activation.RELU),
            (1, 25, 10, 1),
            (12, 10, 4, 1),
            0,
            seed=2,
        ),
    ),
    "depthwise_3x3": (
        "tinsmith_pulp_depthwise_3x3",
        with_weights(DepthwiseConv2D(padding=AROUND), (1, 9, 7, 10), (1, 3, 3, 10), 3, seed=3),
    ),
    "depthwise_3x3_by_2": (
        "tinsmith_pulp_depthwise_3x3",
        with_weights(
            DepthwiseConv2D(stride=(2, 2), padding=(0, 1, 0, 1)),
            (1, 10, 8, 9),
            (1, 3, 3, 9),
            3,
            seed=4,
        ),
    ),
    "depthwise_5x2": (
        "tinsmith_pulp_depthwise",
        with_weights(DepthwiseConv2D(), (1, 9, 7, 6), (1, 5, 2, 6), 3, seed=5),
    ),
    "linear": (
        "tinsmith_pulp_linear",
        with_weights(FullyConnected(), (1, 36), (21, 36), None, seed=6),
    ),
    "linear_by_channel": (
        "tinsmith_pulp_linear",
        with_weights(FullyConnected(), (1, 64), (10, 64), 0, seed=7),
    ),
    "add": ("tinsmith_pulp_add_by_tables", without_weights(Add(), (1, 5, 7, 9), (1, 5, 7, 9))),
    "add_of_far_scales": (
        "tinsmith_pulp_add_by_tables",
        without_weights(
            Add(activation=Activation.RELU6),
            (3, 50),
            (3, 50),
            result=Quantization.per_tensor(0.02, 9),
        ),
    ),
    "add_without_tables": ("tinsmith_pulp_add", sum_without_tables()),
    "average_pool": (
        "tinsmith_pulp_pool",
        without_weights(AveragePool2D(window=(5, 4)), (1, 9, 7, 10), same=True),
    ),
    "average_pool_with_padding": (
        "tinsmith_pulp_pool",
        without_weights(
            AveragePool2D(window=(3, 3), stride=(2, 2), padding=AROUND), (1, 9, 7, 6), same=True
        ),
    ),
    "max_pool": (
        "tinsmith_pulp_pool",
        without_weights(MaxPool2D(window=(2, 3), stride=(2, 2)), (1, 9, 7, 11), same=True),
    ),
    "softmax": (
        "tinsmith_pulp_softmax",
        without_weights(Softmax(), (3, 12), result=PROBABILITIES),
    ),
    "softmax_of_few_rows": (
        "tinsmith_pulp_softmax",
        without_weights(Softmax(), (1, 300), result=PROBABILITIES),
    ),
}


def extremes(graph: Graph, seed: int) -> dict[str, Array]:
    """Inputs of the lowest and highest bytes alone."""
    random = np.random.default_rng(seed)
    return {
        value.name: random.choice(
            np.array(value.type.dtype.integer_range, value.type.dtype.numpy), value.type.shape
        )
        for value in graph.inputs
    }


@pytest.mark.parametrize("cores", [1, 8])
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_that_of_the_evaluator(
    name: str, cores: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    kernel, graph = LAYERS[name]
    inputs = [given(graph, seed) for seed in range(3) for given in (random_inputs, extremes)]
    check_layer(graph, kernel, cores, kernel_objects, tmp_path, inputs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rounding", [Rounding.TFLITE, Rounding.NEAREST], ids=lambda r: r.value)
def test_random_networks(
    rounding: Rounding, seed: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    """What the kernels refuse is the reference back end's."""
    graph = random_graph(300 + seed, dtype=DType.INT8, nodes=14, roundings=(rounding,))
    chosen = host(8)
    model = HostModel.of_graph(graph, chosen, kernels_of(chosen), kernel_objects, tmp_path)
    assert model.wrong_results(random_inputs(graph, seed), graph) == []
