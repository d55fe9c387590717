"""Convolutions cut into rows: results that slide over what they are made from, placed, checked, evaluated, compiled."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_allocation import AllocateBuffers, Plan
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler
from tinsmith_cmsis_nn import backend as cmsis_nn
from tinsmith_ir import (
    Box,
    Call,
    DType,
    Graph,
    Program,
    Step,
    evaluate_graph,
    evaluate_program,
    verify_program,
)
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Add, Conv2D, DepthwiseConv2D, MaxPool2D, Relu
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, cut, find_kernel, layer_of_call, lower, overlaps, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNEL_FILES = Path(__file__).parents[3] / "kernels"
PLAIN: tuple[Kernel, ...] = (*reference().kernels(HOST),)
PACKED: tuple[Kernel, ...] = (*cmsis_nn(packed=True).kernels(HOST), *PLAIN)


class Network:
    """A network of int8 in the making, with random weights."""

    def __init__(self, seed: int, *shape: int) -> None:
        self.random = np.random.default_rng(seed)
        self._builder = GraphBuilder("rows")
        self.x = self._builder.input("x", TensorType(shape, DType.INT8, self._quantization()))

    def conv(
        self,
        x: Value,
        channels: int,
        stride: int = 1,
        padding: tuple[int, int, int, int] = (1, 1, 1, 1),
    ) -> Value:
        return self._weighted(Conv2D((stride, stride), padding=padding), x, channels)

    def depthwise(self, x: Value) -> Value:
        return self._weighted(DepthwiseConv2D(padding=(1, 1, 1, 1)), x, x.type.shape[3])

    def pool(self, x: Value) -> Value:
        return self._builder.add(MaxPool2D((2, 2), (2, 2)), [x], "y", x.type.quantization)

    def relu(self, x: Value) -> Value:
        return self._builder.add(Relu(), [x], "y", x.type.quantization)

    def add(self, lhs: Value, rhs: Value) -> Value:
        return self._builder.add(Add(), [lhs, rhs], "y", self._quantization())

    def build(self, *outputs: Value) -> Graph:
        return self._builder.build(outputs)

    def _quantization(self) -> Quantization:
        scale = float(np.float32(self.random.uniform(0.02, 0.09)))
        return Quantization.per_tensor(scale, int(self.random.integers(-100, 100)))

    def _weighted(self, operator: Conv2D | DepthwiseConv2D, x: Value, channels: int) -> Value:
        axis = 3 if isinstance(operator, DepthwiseConv2D) else 0
        shape = (1, 3, 3, channels) if axis else (channels, 3, 3, x.type.shape[3])
        scales = tuple(float(np.float32(s)) for s in self.random.uniform(0.001, 0.01, channels))
        data = self.random.integers(-127, 128, shape).astype(np.int8)
        weights = self._builder.constant("w", data, Quantization(scales, (0,) * channels, axis))
        bias = self.random.integers(-3000, 3000, channels).astype(np.int32)
        operands = [x, weights, self._builder.constant("b", bias)]
        return self._builder.add(operator, operands, "y", self._quantization())


def in_rows(
    graph: Graph, kernels: Sequence[Kernel], rows: int = 1, *, with_over: bool = True
) -> Program:
    """Every call in parts of as many rows each, the parts of one call behind those of the one before.

    with_over: their results may lie over what they read as far as their kernels bear.
    """
    program = lower(graph, HOST, kernels)
    for call in program.calls:
        box = Box.whole(program.type_of(call.outputs[0]).shape)
        height = box.ranges[1][1]
        starts = range(0, height, rows)
        boxes = [box.with_range(1, begin, min(begin + rows, height)) for begin in starts]
        program = cut(program, [call.name], boxes, HOST, kernels)
    steps: list[Step] = []
    for step in program.steps:
        assert isinstance(step, Call)
        layer = layer_of_call(program, step, HOST)
        over = overlaps(find_kernel(step.kernel, layer, kernels), layer) if with_over else ()
        steps.append(replace(step, over=over))
    return prepare(replace(program, steps=tuple(steps)), HOST, kernels)


def placed(program: Program, graph: Graph) -> tuple[Program, Plan]:
    """Placed, checked, and evaluated."""
    allocation = AllocateBuffers(time_limit=2.0).allocate(program)
    verify_program(allocation.program)
    inputs = random_inputs(graph, 3)
    got = evaluate_program(allocation.program, inputs)
    for name, array in evaluate_graph(graph, inputs).items():
        assert array.tobytes() == got[name].tobytes()
    return allocation.program, allocation.plans["arena"]


def scratch_of(program: Program) -> int:
    names = [call.scratch for call in program.calls if call.scratch is not None]
    return max((program.view[name].type.size_bytes for name in names), default=0)


@pytest.mark.parametrize(("with_over", "before"), [(False, 384), (True, 112)])
def test_a_strided_convolution_needs_its_input_and_less_than_a_row(
    with_over: bool, before: int
) -> None:
    """The first one of MobileNet: 27,648 bytes to 18,432."""
    network = Network(0, 1, 96, 96, 3)
    graph = network.build(network.conv(network.x, 8, 2, (0, 1, 0, 1)))
    program, plan = placed(in_rows(graph, PLAIN, with_over=with_over), graph)
    assert (plan.arena_bytes, plan.status.value) == (before + 96 * 96 * 3, "optimal")
    assert scratch_of(program) == 0


def test_a_chain_needs_a_tensor_and_two_rows() -> None:
    """Of 16,384 bytes each, in rows of 512."""
    network = Network(0, 1, 32, 32, 16)
    graph = network.build(network.conv(network.conv(network.x, 16), 16))
    _, plan = placed(in_rows(graph, PLAIN, with_over=False), graph)
    assert (plan.arena_bytes, plan.status.value) == (16384 + 2 * 512 + 2 * 512, "optimal")


def random_network(seed: int) -> Graph:
    random = np.random.default_rng(seed)

    def draw(low: int, high: int) -> int:
        return int(random.integers(low, high))

    network = Network(seed, 1, draw(6, 14), draw(4, 12), draw(2, 7))
    x = network.x
    for _ in range(draw(1, 4)):
        kind = draw(0, 6)
        if kind == 0:
            x = network.add(network.conv(x, x.type.shape[3]), x)
        elif kind == 1:
            x = network.depthwise(x)
        elif kind == 2 and min(x.type.shape[1:3]) >= 4:
            x = network.pool(x)
        elif kind == 3:
            x = network.relu(x)
        else:
            x = network.conv(x, draw(2, 8), draw(1, 3))
    return network.build(x)


@pytest.mark.parametrize("kernels", [PLAIN, PACKED], ids=["plain", "packed"])
@pytest.mark.parametrize("seed", range(12))
def test_random_networks_in_rows_compute_the_same(seed: int, kernels: tuple[Kernel, ...]) -> None:
    graph = random_network(seed)
    placed(in_rows(graph, kernels, 1 + seed % 2, with_over=seed % 3 != 0), graph)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("kernels")
    return KernelObjects.of_repository(KERNEL_FILES, ["reference", "cmsis_nn"], folder)


@pytest.mark.parametrize("kernels", [PLAIN, PACKED], ids=["plain", "packed"])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_rows_compute_the_same(
    seed: int, kernels: tuple[Kernel, ...], objects: KernelObjects, tmp_path: Path
) -> None:
    graph = random_network(seed)
    program, _ = placed(in_rows(graph, kernels), graph)
    model = HostModel.build(program, HOST, kernels, objects, tmp_path)
    assert not model.wrong_results(random_inputs(graph, 4), graph)
