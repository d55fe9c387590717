"""Fully connected layers with multipliers of blocks beside weights of four bits."""

from pathlib import Path

import numpy as np
import pytest
from random_layers import check_layer
from tinsmith_c.testing import KernelObjects
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType

KERNEL = "tinsmith_pulp_linear_blocks_s4"


def layer(
    shape: tuple[int, ...], units: int, operator: BlockwiseFullyConnected, scale: float = 50.0
) -> Graph:
    """Weights from -7 to 7, multipliers of any size. scale: of the result."""
    random = np.random.default_rng(units)
    depth = shape[-1]
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(shape, DType.INT8, Quantization.per_tensor(0.05, -5)))
    scales = Quantization(tuple(float(s) for s in random.uniform(0.5, 1, units)), (0,) * units, 0)
    data = random.integers(-7, 8, (units, depth)).astype(np.int8)
    w = builder.constant("w", data, scales, DType.INT4)
    bias = builder.constant("bias", random.integers(-9999, 9999, units).astype(np.int32))
    count = -(-depth // operator.block)
    m = builder.constant("m", random.integers(0, 256, (units, count)).astype(np.uint8))
    y = builder.add(operator, [x, w, bias, m], "y", Quantization.per_tensor(scale, 3))
    return builder.build(y)


NEAREST = Rounding.NEAREST
LAYERS = {
    "by_32": (KERNEL, layer((1, 96), 8, BlockwiseFullyConnected())),
    "rows_and_a_short_block": (
        KERNEL,
        layer((1, 5, 44), 7, BlockwiseFullyConnected(block=16, keep_dims=True)),
    ),
    "one_block": (KERNEL, layer((2, 20), 5, BlockwiseFullyConnected(block=30))),
    "one_word": (KERNEL, layer((1, 8), 21, BlockwiseFullyConnected(block=4))),
    "narrow": (
        f"{KERNEL}_scaled",
        layer((1, 64), 9, BlockwiseFullyConnected(rounding=NEAREST, multiplier_bits=6)),
    ),
    "nearest": (
        f"{KERNEL}_scaled_high",
        layer((1, 64), 10, BlockwiseFullyConnected(rounding=NEAREST)),
    ),
    "inputs_that_are_no_words": (
        "tinsmith_blockwise_fully_connected_s4",
        layer((1, 33), 6, BlockwiseFullyConnected()),
    ),
    "blocks_that_are_no_words": (
        "tinsmith_blockwise_fully_connected_s4",
        layer((1, 36), 6, BlockwiseFullyConnected(block=6)),
    ),
}


@pytest.mark.parametrize("cores", [1, 8])
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_that_of_the_evaluator(
    name: str, cores: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    kernel, graph = LAYERS[name]
    inputs = [random_inputs(graph, seed) for seed in range(3)]
    check_layer(graph, kernel, cores, kernel_objects, tmp_path, inputs)
