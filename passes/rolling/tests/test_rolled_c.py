"""Chains in tiles, as loops of C: the bytes of the graph, and code that does not grow with the tiles."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c import write
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler, place
from tinsmith_cmsis_nn import backend as cmsis_nn
from tinsmith_ir import Box, DType, Graph, Program, evaluate_graph
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, cut, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_rolling import roll
from tinsmith_target import target

HOST = target("host")
ROOM = Path(__file__).parents[3] / "kernels"
KERNELS: dict[str, tuple[Kernel, ...]] = {
    "reference": (*reference().kernels(HOST),),
    "packed": (*cmsis_nn(packed=True).kernels(HOST), *reference().kernels(HOST)),
    "public": (*cmsis_nn(packed=False).kernels(HOST), *reference().kernels(HOST)),
}
ROWS = 64


def chain() -> Graph:
    """Convolution, depthwise, convolution, over 64 rows."""
    random = np.random.default_rng(1)
    builder = GraphBuilder("chain")

    def weights(shape: tuple[int, ...], axis: int) -> Value:
        data = random.integers(-127, 128, shape).astype(np.int8)
        count = shape[axis]
        scales = tuple(float(np.float32(s)) for s in random.uniform(0.001, 0.01, count))
        return builder.constant("w", data, Quantization(scales, (0,) * count, axis))

    def bias(count: int) -> Value:
        return builder.constant("b", random.integers(-3000, 3000, count).astype(np.int32))

    quantization = Quantization.per_tensor(0.05, 3)
    value = builder.input("x", TensorType((1, ROWS, 5, 3), DType.INT8, quantization))
    around = Conv2D(padding=(1, 1, 1, 1))
    value = builder.add(around, [value, weights((4, 3, 3, 3), 0), bias(4)], "a", quantization)
    depthwise = DepthwiseConv2D(padding=(1, 1, 1, 1))
    value = builder.add(depthwise, [value, weights((1, 3, 3, 4), 3), bias(4)], "b", quantization)
    value = builder.add(Conv2D(), [value, weights((6, 1, 1, 4), 0), bias(6)], "y", quantization)
    return builder.build(value)


def tiles(graph: Graph, kernels: Sequence[Kernel], count: int) -> Program:
    """The chain in parts of as many rows each, constants prepared."""
    whole = lower(graph, HOST, kernels)
    box = Box.whole(whole.type_of("y").shape)
    rows = ROWS // count
    boxes = [box.with_range(1, rows * index, rows * (index + 1)) for index in range(count)]
    parts = cut(whole, [call.name for call in whole.calls], boxes, HOST, kernels)
    return prepare(parts, HOST, kernels)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("kernels")
    return KernelObjects.of_repository(ROOM, ["reference", "cmsis_nn"], folder)


@pytest.mark.parametrize("kernels", KERNELS.values(), ids=KERNELS)
def test_rolled_tiles_compute_the_same(
    kernels: Sequence[Kernel], objects: KernelObjects, tmp_path: Path
) -> None:
    graph = chain()
    program = place(roll(tiles(graph, kernels, 16)))
    assert len(program.calls) < 16
    model = HostModel.build(program, HOST, kernels, objects, tmp_path)
    inputs = random_inputs(graph, 2)
    (wanted,) = evaluate_graph(graph, inputs).values()
    assert model.run(inputs)[0].tobytes() == wanted.tobytes()


@pytest.mark.parametrize("kernels", KERNELS.values(), ids=KERNELS)
def test_code_does_not_grow_with_the_tiles(kernels: Sequence[Kernel]) -> None:
    def lines(count: int) -> int:
        program = place(roll(tiles(chain(), kernels, count)))
        return write(program, HOST, kernels)["chain.c"].count(b"\n")

    assert lines(32) <= lines(8)
