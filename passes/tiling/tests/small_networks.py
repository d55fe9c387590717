"""Small networks for a cluster with little near memory, lowered as the command lowers them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir import Graph, Program, evaluate_program
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Softmax,
)
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.operators.convolution import Convolution
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target


def small(near_bytes: int) -> Target:
    """PULP-open with so much near memory for the network."""
    chosen = target("pulp-open")
    cluster = chosen.board.cluster
    assert cluster is not None
    cluster = replace(cluster, network_bytes=near_bytes)
    return replace(chosen, board=replace(chosen.board, cluster=cluster))


def kernels_of(chosen: Target) -> tuple[Kernel, ...]:
    return (*PulpNnBackend().kernels(chosen), *reference().kernels(chosen))


def lowered(graph: Graph, chosen: Target) -> Program:
    kernels = kernels_of(chosen)
    return prepare(lower(graph, chosen, kernels), chosen, kernels)


class Network:
    """A network of int8 in the making, with random weights."""

    def __init__(self, *shape: int, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._builder = GraphBuilder("network")
        self.x = self._builder.input("x", TensorType(shape, DType.INT8, self._quantization()))

    def conv(
        self, x: Value, channels: int, window: int = 1, stride: int = 1, *, same: bool = True
    ) -> Value:
        """Padded so that the image keeps its size by a stride of 1."""
        margin = (window - 1) // 2 if same else 0
        operator = Conv2D(stride=(stride, stride), padding=(margin, margin, margin, margin))
        return self._weighted(operator, x, (channels, window, window, x.type.shape[3]))

    def depthwise(self, x: Value, window: int = 3) -> Value:
        margin = (window - 1) // 2
        operator = DepthwiseConv2D(padding=(margin, margin, margin, margin))
        return self._weighted(operator, x, (1, window, window, x.type.shape[3]))

    def linear(self, x: Value, outputs: int) -> Value:
        return self._weighted(FullyConnected(), x, (outputs, x.type.shape[-1]))

    def add(self, lhs: Value, rhs: Value) -> Value:
        return self._result(Add(), [lhs, rhs])

    def pool(self, x: Value, window: tuple[int, int], stride: int) -> Value:
        return self._result(AveragePool2D(window=window, stride=(stride, stride)), [x], x)

    def softmax(self, x: Value) -> Value:
        return self._builder.add(Softmax(), [x], "y", Quantization.per_tensor(1 / 256, -128))

    def build(self, *outputs: Value) -> Graph:
        return self._builder.build(outputs)

    def _quantization(self) -> Quantization:
        zero_point = int(self._random.integers(-100, 100))
        return Quantization.per_tensor(
            float(np.float32(self._random.uniform(0.02, 0.09))), zero_point
        )

    def _weighted(self, operator: Operator, x: Value, shape: Sequence[int]) -> Value:
        is_depthwise = isinstance(operator, DepthwiseConv2D)
        axis = 3 if is_depthwise else 0
        count = shape[axis]
        scales = tuple(float(np.float32(s)) for s in self._random.uniform(0.001, 0.01, count))
        data = self._random.integers(-127, 128, shape).astype(np.int8)
        is_convolution = isinstance(operator, Convolution)
        quantization = (
            Quantization(scales, (0,) * count, axis)
            if is_convolution
            else Quantization.per_tensor(scales[0], 0)
        )
        weights = self._builder.constant("w", data, quantization)
        bias = self._random.integers(-3000, 3000, count).astype(np.int32)
        return self._result(operator, [x, weights, self._builder.constant("b", bias)])

    def _result(
        self, operator: Operator, inputs: Sequence[Value], like: Value | None = None
    ) -> Value:
        quantization = self._quantization() if like is None else like.type.quantization
        return self._builder.add(operator, inputs, "y", quantization)


def outputs_of(program: Program, graph: Graph, seed: int = 1) -> list[dict[str, Array]]:
    """Of the same inputs: copies that end as soon as they may, and as late."""
    inputs = random_inputs(graph, seed)
    return [
        evaluate_program(program, inputs, completion="earliest"),
        evaluate_program(program, inputs, completion="latest"),
    ]
