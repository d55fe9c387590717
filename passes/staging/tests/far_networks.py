"""Small networks on a chip whose weights lie in a remote memory, lowered and tiled as the command does."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir import Graph, Program, evaluate_graph, evaluate_program, verify_program
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Add, Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, StagedConstants, lower, prepare
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_spreading import SpreadCalls
from tinsmith_staging import StageConstants
from tinsmith_target import Memory, Target, target
from tinsmith_tiling import TileCalls

STATIC_BYTES = 4096
"""What the pass leaves for variables."""


def far_target(near_bytes: int, far_bytes: int = 1 << 23) -> Target:
    """Siracusa with so much L1 for a network, and weights behind a uDMA."""
    chip = target("siracusa")
    board, cluster = chip.board, chip.board.cluster
    assert cluster is not None
    far = Memory("l3", 0x8000_0000, far_bytes, "flash", is_remote=True)
    return replace(
        chip,
        board=replace(
            board,
            memories=(*board.memories, far),
            weight_memory="l3",
            fetch="udma",
            cluster=replace(cluster, network_bytes=near_bytes),
        ),
    )


def kernels_of(chip: Target) -> tuple[Kernel, ...]:
    return (*PulpNnBackend().kernels(chip), *reference().kernels(chip))


def tiled(graph: Graph, chip: Target) -> Program:
    kernels = kernels_of(chip)
    spread = SpreadCalls(chip, kernels).run(lower(graph, chip, kernels))
    return TileCalls(chip, kernels).run(prepare(spread, chip, kernels))


def staged(
    graph: Graph, chip: Target, l2_bytes: int | None = None, least_bytes: int = 0
) -> tuple[Program, StagedConstants]:
    """The verified program, which computes what the graph does however late copies end, and what was decided."""
    outcome = StageConstants(chip, least_bytes, l2_bytes).run_in_detail(tiled(graph, chip))
    verify_program(outcome.ir)
    inputs = random_inputs(graph, 1)
    expected = evaluate_graph(graph, inputs)
    for completion in ("earliest", "latest"):
        got = evaluate_program(outcome.ir, inputs, completion=completion)
        for name, output in zip(outcome.ir.outputs, graph.outputs, strict=True):
            assert np.array_equal(got[name], expected[output.name]), (name, completion)
    assert isinstance(outcome.facts, StagedConstants)
    return outcome.ir, outcome.facts


class Network:
    """A network of int8 in the making, with random weights."""

    def __init__(self, *shape: int, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._builder = GraphBuilder("network")
        self.x = self._builder.input("x", TensorType(shape, DType.INT8, self._quantization()))

    def conv(self, x: Value, channels: int, window: int = 1, stride: int = 1) -> Value:
        """Padded so that the image keeps its size by a stride of 1."""
        margin = (window - 1) // 2
        operator = Conv2D(stride=(stride, stride), padding=(margin, margin, margin, margin))
        return self._weighted(operator, x, (channels, window, window, x.type.shape[3]))

    def depthwise(self, x: Value, window: int = 3) -> Value:
        margin = (window - 1) // 2
        operator = DepthwiseConv2D(padding=(margin, margin, margin, margin))
        return self._weighted(operator, x, (1, window, window, x.type.shape[3]))

    def linear(self, x: Value, outputs: int) -> Value:
        return self._weighted(FullyConnected(), x, (outputs, x.type.shape[-1]))

    def add(self, lhs: Value, rhs: Value) -> Value:
        return self._builder.add(Add(), [lhs, rhs], "y", self._quantization())

    def build(self, *outputs: Value) -> Graph:
        return self._builder.build(outputs)

    def _weighted(self, operator: Operator, x: Value, shape: Sequence[int]) -> Value:
        random, builder = self._random, self._builder
        assert x.type.quantization is not None
        scale = float(random.uniform(0.002, 0.02))
        data = random.integers(-127, 128, shape).astype(np.int8)
        weights = builder.constant("w", data, Quantization.per_tensor(scale, 0))
        channels = shape[-1] if isinstance(operator, DepthwiseConv2D) else shape[0]
        bias_data = random.integers(-500, 500, channels).astype(np.int32)
        of_bias = Quantization.per_tensor(x.type.quantization.scale * scale, 0)
        bias = builder.constant("b", bias_data, of_bias)
        return builder.add(operator, [x, weights, bias], "y", self._quantization())

    def _quantization(self) -> Quantization:
        scale = float(self._random.uniform(0.02, 0.05))
        return Quantization.per_tensor(scale, int(self._random.integers(-128, 128)))
